// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `An input that ends servers of a cluster` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let slot = RoomKey(screen: "poison", name: "tea", isPrivate: false).slot
  private let room = ["room": "tea"]
  private let ends = Ends()

  /// The servers that the input has ended.
  private final class Ends {
    weak var network: SimulatedNetwork?
    var servers: [Int] = []
  }

  private final class PoisonView: View, Restorable {
    private let sum = Label("sum")
    private let tap = Button("tap")
    private let poison = Button("poison")
    private(set) var state: Int

    init(_ context: ScreenContext, _ end: @escaping () -> Void) throws {
      state = try context.restored() ?? 0
      super.init()
      tap.onTap = { [unowned self] in add() }
      poison.onTap = end
    }

    override func viewDidLoad() { sum.text = "\(state)" }

    private func add() {
      state += 1
      sum.text = "\(state)"
    }
  }

  init() {
    let (slot, carried) = (slot, Carried(ends))
    network = SimulatedNetwork(
      seed: 5, nodes: 4, loops: 2, store: store,
      routes: [
        ScreenRoute(name: "poison", scope: .room) { context in
          try PoisonView(context) {
            let ends = carried.element
            guard let network = ends.network, let server = network.owner(of: slot) else { return }
            ends.servers.append(server)
            network.kill(server, byEvent: true)
          }
        }
      ])
    ends.network = network
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  private func tap(_ number: Int) -> String { #"{"input":\#(number),"name":"tap"}"# }

  /// Pages of one room, the first server's, of which all but the first come over the last one.
  private func begin(_ count: Int = 8) -> [RawPage] {
    network.takeAll { $0 == slot ? 0 : $0 % 3 }
    settle()
    network.entrance = 3
    let pages = (0..<count).map { _ in RawPage(network, "poison", query: room) }
    settle()
    for page in pages { page.send(tap(1)) }
    settle()
    return pages
  }

  /// A server takes the slot, and pages come back and send what is not acknowledged.
  private func take(_ server: Int, _ pages: [RawPage], sending frames: (RawPage) -> [String]) {
    network.take(slot, byNode: server)
    settle()
    for page in pages {
      if page.isUp { page.link?.drop() }
      page.mark()
      page.resume(room)
    }
    settle(.milliseconds(200))
    for page in pages { for frame in frames(page) { page.send(frame) } }
    settle()
  }

  private func errors(_ page: RawPage) -> [String] {
    page.frames.filter { $0.contains(#""error""#) }
  }

  @Test func `it ends two, the third refuses it, and nothing else`() {
    let pages = begin()
    let frames = { (page: RawPage) in
      [tap(2), page === pages[3] ? #"{"input":3,"name":"poison"}"# : tap(3), tap(4)]
    }
    // All of it is under way at once.
    for page in pages { for frame in frames(page) { page.send(frame) } }
    settle()
    #expect(ends.servers == [0])

    take(1, pages, sending: frames)
    #expect(ends.servers == [0, 1], "It is run once more.")
    #expect(store.struck.isEmpty)

    take(2, pages, sending: frames)
    #expect(ends.servers == [0, 1], "Two are enough.")
    #expect(store.struck == [InputID(session: pages[3].session, number: 3)], "The others are not suspected.")
    for page in pages {
      #expect(page.last("ack") == 4 && page.state["sum"]?.stringValue == "\(4 * pages.count - 1)")
      #expect(errors(page).count == (page === pages[3] ? 1 : 0))
    }
    #expect(errors(pages[3]).first?.contains(#""internal""#) == true)
  }

  @Test func `one that was under way when servers were killed is run again each time`() {
    let pages = begin()
    for (last, server) in [(0, 1), (1, 2), (2, 0)] {
      for page in pages { page.send(tap(2)) }
      // In the midst of it.
      settle(.milliseconds(1))
      network.kill(last)
      if last > 0 { network.startNode(last - 1) }
      take(server, pages) { _ in [tap(2)] }
    }
    #expect(store.struck.isEmpty)
    for page in pages {
      #expect(page.last("ack") == 2 && page.state["sum"]?.stringValue == "\(2 * pages.count)")
    }
    #expect(pages.allSatisfy { errors($0).isEmpty })
  }

  @Test func `only the first input of a session after the loss of its slot waits for a commit of its own`() {
    let page = begin(1)[0]
    network.kill(0)
    take(1, [page]) { _ in [] }
    var commits: [Int] = []
    for number in 2...4 {
      let before = store.commits
      page.send(tap(number))
      settle()
      commits.append(store.commits - before)
    }
    #expect(commits[0] > 1 && commits[1...] == [1, 1])
    // It is on no probation where its slot goes without a loss.
    #expect(store.storedSessions.first?.lostSince == 2)
  }

  @Test func `those of many pages do not wait for each other one by one`() {
    let pages = begin(300)
    network.kill(0)
    take(1, pages) { _ in [] }
    let before = store.commits
    for page in pages { page.send(tap(2)) }
    settle()
    #expect(pages.allSatisfy { $0.last("ack") == 2 && $0.state["sum"] == "600" })
    #expect((100..<250).contains(store.commits - before))
  }
}
