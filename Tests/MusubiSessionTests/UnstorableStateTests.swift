// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Counts taps, and refuses to be stored from two on until there are four.
private final class ShyCounter: View, Restorable {
  struct State: Codable {
    var taps = 0

    init() {}

    init(from decoder: any Decoder) throws { taps = try decoder.singleValueContainer().decode(Int.self) }

    func encode(to encoder: any Encoder) throws {
      guard taps < 2 || taps > 3 else { throw Secret() }
      var container = encoder.singleValueContainer()
      try container.encode(taps)
    }
  }

  struct Secret: Error {}

  private(set) var state: State
  private let sum = Label("sum")
  private let button = Button("tap")
  private let field = TextField("text")

  init(_ context: ScreenContext) throws { state = try context.restored() ?? State() }

  override func viewDidLoad() {
    sum.text = "\(state.taps)"
    button.onTap = { [unowned self] in
      state.taps += 1
      sum.text = "\(state.taps)"
    }
    field.onChange = { _ in }
  }
}

@Suite struct `A state that refuses to be stored` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let page: RawPage

  init() {
    network = SimulatedNetwork(
      seed: 3, store: store, routes: [ScreenRoute(name: "shy", scope: .session) { try ShyCounter($0) }])
    page = RawPage(network, "shy", query: ["edits": "1"])
    settle()
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  private func tap(_ inputs: ClosedRange<Int>) {
    for input in inputs {
      page.send(#"{"input":\#(input),"name":"tap"}"#)
      settle()
    }
  }

  private func comeBack() {
    network.restartServer()
    settle()
    page.resume(["edits": "1"])
    settle()
  }

  @Test func `is as it was before, and texts and numbers are stored all the same`() throws {
    tap(1...3)
    page.send(#"{"input":4,"name":"text","revision":0,"edits":[[0,0,"hi"]]}"#)
    settle()

    #expect(page.last("ack") == 4)
    let room = try #require(store.storedRooms.first)
    #expect(room.state == 1)
    #expect(room.texts == [StoredRoom.Text(name: "text", text: "hi", revision: 1)])
    #expect(network.failures.count == 1, "Once, until it can be stored again.")
    comeBack()
    #expect(page.last("resumed")?["ack"] == 4)
    #expect(page.state["sum"] == "1" && page.state["text.field"] == "hi")
  }

  @Test func `stays in memory until it is stored`() throws {
    tap(1...2)
    let loop = try #require(network.services.first as? SessionLoop)
    page.link?.drop()
    settle()

    #expect(loop.rooms.all.allSatisfy { !loop.rooms.isSaved($0) })
    #expect(loop.sessions.all.allSatisfy { !loop.sessions.unload($0) })

    page.resume(["edits": "1"])
    settle()
    tap(3...4)
    page.link?.drop()
    settle()
    #expect(loop.rooms.all.allSatisfy { loop.rooms.isSaved($0) })
    #expect(store.storedRooms.first?.state == 4)
  }
}
