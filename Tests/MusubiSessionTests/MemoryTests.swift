// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `Memory of a loop` {
  @Test func `is the peers' whose visitors have made it`() {
    let memory = MemoryLedger(limit: 1_000)
    let ann = memory.owner([.identity("ann"), .address("192.0.2.1")])
    let bob = memory.owner([.address("192.0.2.1")])
    var charges = [Box(ann), Box(bob), Box(memory.owner([]))]

    for (index, box) in charges.enumerated() { box.charge.set((index + 1) * 10) }

    #expect(memory.total == 60)
    #expect(memory.existing(.identity("ann"))?.bytes == 10)
    #expect(memory.existing(.address("192.0.2.1"))?.bytes == 30)
    charges.removeFirst()
    #expect(memory.total == 50)
    #expect(memory.existing(.address("192.0.2.1"))?.bytes == 20)
  }

  @Test func `grows with what is shown, and shrinks when that goes`() {
    let world = World(limit: nil)
    let page = world.open("ann", screen: "hoard")
    let before = world.bytes(of: "ann")

    for number in 1...10 { page.send(#"{"input":\#(number),"name":"add"}"#) }
    world.settle()
    let full = world.bytes(of: "ann")
    page.send(#"{"input":11,"name":"clear"}"#)
    world.settle()
    page.link?.drop()
    world.settle()

    #expect(
      full > before + 200_000 && full < before + 500_000, "Shown, kept by the screen, and in the newest turn."
    )
    #expect(world.bytes(of: "ann") < before + 50_000)
    world.settle(.seconds(1_300))
    #expect(world.memory.total == 0)
  }

  @Test func `grows with texts`() {
    let world = World(limit: nil)
    let page = world.open("ann")
    let before = world.bytes(of: "ann")

    world.type(60_000, on: page)

    #expect(world.bytes(of: "ann") > before + 120_000, "The document and its past.")
    #expect(world.bytes(of: "ann") < before + 400_000)
  }

  @Test(arguments: [false, true]) func `grows with rows that wait while nobody looks`(isOutlet: Bool) {
    let rows = SharedRelay<Int>()
    let world = World(limit: nil, routes: [.feed(rows, isOutlet: isOutlet)])
    let page = world.open("ann", screen: "feed")
    page.link?.drop()
    world.settle()
    let before = world.bytes(of: "ann")

    for number in 1...300 {
      rows.accept(number)
      world.settle(.milliseconds(1))
    }
    #expect(world.bytes(of: "ann") > before + 200_000)
    #expect(world.bytes(of: "ann") < before + 900_000)
    page.resume()
    world.settle()
    #expect(page.state["feed"]?.arrayValue?.count == 300)
  }

  @Test func `of a stored room is also what the store is known to have`() {
    let bytes = [nil, SimulatedStore()].map { store in
      let world = World(limit: nil, store: store)
      let page = world.open("ann", screen: "hoard")
      for number in 1...10 { page.send(#"{"input":\#(number),"name":"add"}"#) }
      world.settle()
      page.link?.drop()
      world.settle()
      return world.bytes(of: "ann")
    }

    #expect(bytes[1] > bytes[0] + 90_000 && bytes[1] < bytes[0] + 150_000)
  }

  @Test func `of a text in another's room is the typist's`() {
    let world = World(limit: nil)
    let host = world.open("ann", room: "tea")
    let before = world.bytes(of: "ann")
    let guest = world.open("bob", room: "tea")

    world.type(60_000, on: guest)

    #expect(world.bytes(of: "bob") > 60_000)
    #expect(world.bytes(of: "ann") - before < 250_000)
    #expect(host.isUp && guest.isUp)
  }

  @Test func `is freed from the peer that holds most, the newest that nobody shows first`() {
    let world = World(limit: 2 << 20)
    let modest = world.open("ann", screen: "who")
    modest.link?.drop()
    world.settle()
    var older: [RawPage] = []
    var newer: [RawPage] = []
    for number in 0..<12 {
      let page = world.open("v\(number % 6)", screen: "who")
      world.type(60_000, on: page)
      page.link?.drop()
      world.settle()
      if number < 6 { older.append(page) } else { newer.append(page) }
    }

    #expect(world.memory.total <= 2 << 20)
    for page in [modest] + older + newer { page.resume() }
    world.settle()
    let there = older.count { $0.last("resumed") != nil }
    let thereOfNewer = newer.count { $0.last("resumed") != nil }
    #expect(modest.last("resumed") != nil, "Its peer holds least.")
    #expect(there >= 5, "The older one of each peer stays, but of the one whose newer one is open.")
    #expect(thereOfNewer > 0 && thereOfNewer < 6)
    #expect(newer.contains { $0.last("error")?["code"] == "session-unknown" })
  }

  @Test func `of one peer is at most a quarter: its texts do not grow any more`() {
    let world = World(limit: 2 << 20)
    let bystander = world.open("ann", room: "tea")
    var pages: [RawPage] = []
    for number in 0..<12 {
      let page = world.open("bob", room: "r\(number)")
      world.type(60_000, on: page)
      pages.append(page)
    }

    #expect(world.bytes(of: "bob") <= (2 << 20) / 4)
    #expect(pages[0].isUp)
    #expect(pages.contains { $0.last("error")?["code"] == "too-large" })
    bystander.send(#"{"input":1,"name":"note","value":"here I am"}"#)
    world.settle()
    #expect(bystander.last("ack") == 1 && bystander.last("error") == nil)
  }

  @Test(arguments: [25, 60]) func `of one peer is at most the share that the settings say`(percent: Int) {
    let world = World(limit: 2 << 20) { $0.peerShare = percent }
    let share = (2 << 20) / 100 * percent
    var isRefused = false
    for number in 0..<12 where !isRefused {
      let page = world.open("bob", room: "r\(number)")
      world.type(60_000, on: page)
      isRefused = page.last("error")?["code"] == "too-large"
    }

    #expect(isRefused)
    #expect(world.bytes(of: "bob") <= share)
    #expect(world.bytes(of: "bob") > share - 250_000, "No text is refused before.")
  }

  @Test func `above a quarter closes the newest page with 4006`() {
    let world = World(limit: 1 << 20)
    let first = world.open("bob", screen: "hoard")
    let second = world.open("bob", screen: "hoard")
    for number in 1...20 {
      for page in [first, second] { page.send(#"{"input":\#(number),"name":"add"}"#) }
      world.settle()
    }

    #expect(second.closeCode == 4006)
    #expect(world.bytes(of: "bob") <= (1 << 20) / 4)
  }

  @Test func `above a quarter closes the newest page with 4006, and what is stored waits for it`() {
    let world = World(limit: 1 << 20, store: SimulatedStore())
    let pages = (0..<2).map { _ in world.open("bob", screen: "hoard") }
    for number in 1...20 {
      for page in pages { page.send(#"{"input":\#(number),"name":"add"}"#) }
      world.settle()
    }
    world.settle(.seconds(3))
    #expect(pages[1].closeCode == 4006)
    #expect(world.bytes(of: "bob") <= (1 << 20) / 4)

    pages[0].link?.drop()
    world.settle()
    pages[1].resume()
    world.settle(.seconds(1))
    #expect(pages[1].last("resumed") != nil)
  }

  @Test func `far above the budget closes pages of whoever shows most`() {
    let world = World(limit: 4 << 20, store: SimulatedStore())
    let address = [Peer.address("192.0.2.1")]
    let pages = (0..<20).map { world.open("v\($0)", screen: "who", from: $0 < 5 ? address : []) }
    for page in pages.dropFirst(5) { page.link?.handler?.buffered(320_000) }
    world.settle(.seconds(3))

    #expect(pages.prefix(5).allSatisfy(\.isUp) && pages.dropFirst(5).contains { $0.isUp })
    #expect(pages.dropFirst(5).contains { $0.closeCode == 4006 })
    #expect(world.memory.total <= (4 << 20) / 8 * 9)
  }

  @Test func `above a quarter of a visitor and of the address closes one page, and nobody else's`() {
    let world = World(limit: 1 << 20)
    let address = [Peer.address("192.0.2.1")]
    let (first, second) = (
      world.open("bob", screen: "who", from: address), world.open("bob", screen: "who", from: address)
    )
    let other = world.open("ann", screen: "who", from: address)

    first.link?.handler?.buffered(100_000)
    second.link?.handler?.buffered(1_200_000)
    world.settle()

    #expect(second.closeCode == 4006)
    #expect(first.isUp && other.isUp, "That was enough for both, and for all together.")
  }

  @Test func `that a connection holds is its visitor's, and closes its newest page above a quarter`() {
    let world = World(limit: 1 << 20)
    let (first, second) = (world.open("bob", screen: "who"), world.open("bob", screen: "who"))
    let before = world.bytes(of: "bob")

    first.link?.handler?.buffered(100_000)
    #expect(world.bytes(of: "bob") == before + 100_000)
    first.link?.handler?.buffered(60_000)
    #expect(world.bytes(of: "bob") == before + 60_000)
    second.link?.handler?.buffered(200_000)
    world.settle()

    #expect(first.isUp && second.closeCode == 4006)
    #expect(world.bytes(of: "bob") < before + 60_000)
    first.link?.handler?.buffered(0)
    #expect(world.bytes(of: "bob") < before)
  }

  @Test
  func
    `of values that a page hands over is its visitor's until they are taken, and closes pages above a quarter`()
  {
    let world = World(limit: 1 << 20)
    let page = world.open("bob", screen: "who")
    let before = world.bytes(of: "bob")
    let handing = RawPage(world.network, "hall", query: ["resume": "1", "edits": "1"], as: "bob")
    world.settle()
    handing.send(#"{"resume":{"session":"none","token":"none","position":["E",1]}}"#)
    world.settle()
    func hand(_ name: String, _ text: String) {
      handing.send(#"{"handOver":{"name":"\#(name)","value":"\#(text)"}}"#)
      world.settle()
    }

    hand("nothing", String(repeating: "x", count: 60_000))
    #expect(world.bytes(of: "bob") < before + 20_000, "No page shows a control of that name.")
    for _ in 0..<2 { hand("note", String(repeating: "x", count: 60_000)) }
    #expect(world.bytes(of: "bob") > before + 120_000)
    for _ in 0..<5 { hand("note", String(repeating: "x", count: 60_000)) }

    #expect(handing.closeCode == 4006 && page.isUp)
    #expect(world.bytes(of: "bob") < before + 20_000)
  }

  @Test func `that connections hold before their pages have named a session is their visitor's, too`() {
    let world = World(limit: 1 << 20)
    let page = world.open("bob", screen: "who")
    let strangers = (0..<2).map { _ in
      let stranger = RawPage(world.network, "who", query: ["resume": "1"], as: "bob")
      world.settle()
      stranger.link?.handler?.buffered(150_000)
      world.settle()
      return stranger
    }

    #expect(strangers[1].closeCode == 4006)
    #expect(strangers[0].closeCode == nil && page.isUp)
    #expect(world.bytes(of: "bob") > 150_000 && world.bytes(of: "bob") < (1 << 20) / 4)
    strangers[0].link?.drop()
    world.settle()
    #expect(world.bytes(of: "bob") < 50_000)
  }

  @Test func `of messages whose turn has not come is their visitor's`() {
    let world = World(limit: nil) { $0.messageRate = MessageRate(perSecond: 1, burst: 1) }
    let page = world.open("bob", screen: "hoard")
    page.send(#"{"input":1,"name":"add"}"#)
    page.send(#"{"input":2,"name":"add"}"#)
    world.settle()
    let before = world.bytes(of: "bob")

    // It was read before reading stopped.
    let message = Array(#"{"input":3,"name":"add","value":"\#(String(repeating: "x", count: 60_000))"}"#.utf8)
    message.withUnsafeBytes { page.link?.handler?.receive($0, isText: true) }
    #expect(world.bytes(of: "bob") > before + 60_000)
    world.settle(.seconds(10))

    #expect(page.last("ack") == 3)
    #expect(world.bytes(of: "bob") < before + 50_000)
  }

  @Test func `that waits at another loop is its visitor's at home`() {
    for seed in UInt64(1)...4 {
      let network = SimulatedNetwork(seed: seed, loops: 3, routes: [.hall], authorize: Doorkeeper().visitor)
      let page = RawPage(network, "hall", as: "bob")
      network.run(until: .seconds(1))
      var bytes: Int {
        network.services.compactMap { ($0 as? Gateway)?.sessions.memory.existing(.identity("bob"))?.bytes }
          .reduce(0, +)
      }
      let before = bytes

      network.schedule(network.now) { page.link?.handler?.buffered(100_000) }
      network.run(until: .seconds(2))
      #expect(bytes == before + 100_000, "seed \(seed)")
      page.link?.drop()
      network.run(until: .seconds(3))

      #expect(bytes < before)
    }
  }

  @Test func `that all show is taken from nobody, and new pages wait outside`() {
    let world = World(limit: 256 * 1_024)
    var pages: [RawPage] = []
    for number in 0..<60 { pages.append(world.open("v\(number)", screen: "who")) }

    let inside = pages.filter(\.isUp)
    #expect(inside.count > 5 && inside.count < 60)
    #expect(world.refusedAsFull == 60 - inside.count)
    // A bit above the budget, so that it is not enough that connections have gone.
    inside[2].link?.handler?.buffered(4_096)
    inside[0].link?.drop()
    inside[1].link?.drop()
    world.settle(.milliseconds(200))

    let late = world.open("late", screen: "who")
    #expect(late.isUp, "What nobody shows makes room, before the next one comes.")
  }

  @Test func `is for no more screens, either, when all is shown`() {
    let world = World(limit: 256 * 1_024)
    let inside = (0..<60).map { world.open("v\($0)", screen: "who") }.filter(\.isUp)
    let page = inside[0]
    let rooms = world.loop?.rooms.count

    page.send(#"{"input":1,"name":"next"}"#)
    world.settle()
    #expect(page.last("error")?["code"] == "full")
    #expect(page.last("ack") == 1 && page.last("screens") == nil && page.isUp)
    #expect(world.loop?.rooms.count == rooms)
    for page in inside.suffix(3) { page.link?.drop() }
    world.settle()
    page.send(#"{"input":2,"name":"next"}"#)
    world.settle()

    #expect(page.last("screens")?.arrayValue?.count == 2)
    #expect(page.last("screens")?.arrayValue?.last?["screen"] == 1, "The refused one has taken no number.")
  }

  @Test func `is not all: as many rooms as there may be are those that are shown`() {
    let world = World(limit: nil) { $0.maxRooms = 4 }
    let pages = (0..<4).map { world.open("v\($0)", room: "r\($0)") }
    #expect(!world.open("late", screen: "who").isUp && world.refusedAsFull == 1)
    for page in pages.prefix(2) { page.link?.drop() }
    // First the sessions go, then the rooms that nobody shows any more.
    world.settle(.milliseconds(400))

    #expect(world.open("later", screen: "who").isUp && world.refusedAsFull == 1)
    #expect(pages.suffix(2).allSatisfy { $0.isUp })
  }

  @Test func `that somebody wants while much goes is looked for afterwards`() {
    let world = World(limit: nil)
    let pages = (0..<200).map { world.open("v\($0)", screen: "who") }
    for page in pages.dropFirst() { page.link?.drop() }
    world.settle()
    world.loop?.freeMemory(part: 1)
    #expect(world.loop?.sessions.counts.waiting ?? 0 > 0, "It goes on in the next iteration.")

    world.memory.makeSpace(for: world.memory.owner([.identity("v0")]), bytes: .max)
    let account = world.memory.existing(.identity("v0"))
    #expect(account?.isWanted == true)
    world.settle(.milliseconds(200))
    #expect(account?.isWanted == false)
  }

  @Test func `is looked for when somebody is refused, but not each time`() {
    let world = World(limit: 256 * 1_024)
    _ = world.open("ann", screen: "who")
    func refuse() {
      world.network.schedule(world.network.now) { world.memory.lookAgain() }
      world.settle(.milliseconds(10))
    }

    refuse()
    #expect(!world.memory.isWanted)
    refuse()
    #expect(world.memory.isWanted, "It has just looked.")
    world.settle()
    #expect(!world.memory.isWanted)
  }

  @Test func `is not needed where too many wait: those of the peer that has most go`() {
    let world = World(limit: nil, waiting: 4)
    let early = world.open("ann", screen: "who")
    let flood = (0..<6).map { _ in world.open("bob", screen: "who") }
    let gone = world.open("eve", screen: "who")
    early.link?.drop()
    world.settle()
    for page in flood {
      page.link?.drop()
      world.settle()
    }
    gone.link?.leave()
    world.settle()

    for page in [early] + flood + [gone] { page.resume() }
    world.settle()
    #expect(early.last("resumed") != nil, "It has waited longest.")
    #expect(gone.last("resumed") != nil, "Its peer has only this one.")
    #expect(flood.map { $0.last("resumed") != nil } == [true, true, false, false, false, false])
  }

  @Test func `is not needed where too many wait: first those go whose page has said good-bye`() {
    let world = World(limit: nil, waiting: 3)
    let pages = (0..<4).map { _ in world.open("ann") }
    for (number, page) in pages.enumerated() {
      world.type(10, on: page)
      if number == 1 { page.link?.leave() } else { page.link?.drop() }
      world.settle()
    }

    for page in pages { page.resume() }
    world.settle()
    #expect(pages.map { $0.last("resumed") != nil } == [true, false, true, true])
  }

  @Test func `goes first where the page has said good-bye`() {
    let world = World(limit: nil)
    let lost = world.open("ann", screen: "who")
    let gone = world.open("ann", screen: "who")
    gone.link?.leave()
    world.settle()
    lost.link?.drop()
    world.settle()

    world.loop?.freeMemory(part: 0.001)
    world.settle()

    lost.resume()
    gone.resume()
    world.settle()
    #expect(lost.last("resumed") != nil)
    #expect(gone.last("resumed") == nil)
  }

  private final class Box {
    var charge: Charge
    init(_ owner: Owner) { charge = Charge(owner) }
  }
}

/// A server with little memory, whose visitors all have names.
private final class World {
  let network: SimulatedNetwork

  init(
    limit: Int?, waiting: Int? = nil, store: SimulatedStore? = nil, routes: [ScreenRoute] = [],
    _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) {
    var configuration = SessionConfiguration()
    change(&configuration)
    configuration.maxMemoryBytes = limit
    if let waiting { configuration.maxWaitingSessions = waiting }
    let door = Doorkeeper()
    network = SimulatedNetwork(
      seed: 7, configuration: configuration, store: store, routes: [.who, .hall, .detail, .hoard] + routes,
      authorize: door.visitor)
  }

  deinit { network.end() }

  /// Its only loop; nil after its end.
  var loop: SessionLoop? { network.services.first as? SessionLoop }
  var memory: MemoryLedger { loop?.memory ?? MemoryLedger(limit: nil) }
  var refusedAsFull: Int {
    network.refusals.count { if case .refused(503, "full", _, _) = $0 { true } else { false } }
  }

  func bytes(of name: String) -> Int { memory.existing(.identity(name))?.bytes ?? 0 }

  func settle(_ time: Duration = .milliseconds(100)) { network.run(until: network.now + time) }

  func open(_ name: String, screen: String = "hall", room: String? = nil, from addresses: [Peer] = [])
    -> RawPage
  {
    let page = RawPage(network, screen, query: room.map { ["room": $0] } ?? [:], as: name, from: addresses)
    settle()
    return page
  }

  func type(_ count: Int, on page: RawPage) {
    let text = String(repeating: "x", count: count)
    page.send(#"{"input":1,"name":"note","value":"\#(text)"}"#)
    settle()
  }
}

extension ScreenRoute {
  /// Shows a row for each number, also while nobody looks.
  fileprivate static func feed(_ rows: SharedRelay<Int>, isOutlet: Bool) -> ScreenRoute {
    ScreenRoute(name: "feed", scope: .session, keepsRunning: true) { _ in
      if isOutlet { return FeedView(rows) }
      return InputOutputScreen(FeedViewModel(rows), name: "feed")
    }
  }
}

private struct FeedRow: Encodable, Identifiable {
  let id: Int
  var text: String

  init(_ number: Int) {
    id = number
    text = String(repeating: "x", count: 1_000)
  }
}

private final class FeedViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}

  struct Outputs: Encodable {
    let feed: Driver<RowChange<FeedRow>>
  }

  private let rows: SharedRelay<Int>

  init(_ rows: SharedRelay<Int>) { self.rows = rows }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      feed: rows.asObservable().map { .insert(FeedRow($0), at: 0) }.asDriver(onErrorJustReturn: .reset([])))
  }
}

private final class FeedView: View {
  private let feed = List<FeedRow>("feed")
  private let rows: SharedRelay<Int>
  private let bag = DisposeBag()

  init(_ rows: SharedRelay<Int>) { self.rows = rows }

  override func viewDidLoad() {
    rows.asObservable().subscribe(onNext: { [unowned self] in feed.apply(.insert(FeedRow($0), at: 0)) })
      .disposed(by: bag)
  }
}
