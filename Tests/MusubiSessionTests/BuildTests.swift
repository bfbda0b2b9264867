// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Two servers, of which the first has a newer program.
@Suite struct `Servers of two builds` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let slot = RoomKey(screen: "counter", name: "tea", isPrivate: false).slot

  init() {
    network = SimulatedNetwork(
      seed: 12, nodes: 2, store: store, routes: [.counter(scope: .room), .second])
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  /// Starts the servers; all slots are the first one's.
  private func begin(_ other: [ScreenRoute], builds: [Int] = [2, 1]) {
    network.nodes[1].routes = other
    for (node, build) in builds.enumerated() {
      network.nodes[node].build = build
      network.kill(node)
      network.startNode(node)
    }
    network.takeAll { _ in 0 }
    settle()
    network.entrance = 0
  }

  private func open() -> RawPage {
    let page = RawPage(network, "counter", query: ["room": "tea", "edits": "1"])
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    return page
  }

  private func resume(_ page: RawPage) {
    page.mark()
    page.resume(["room": "tea", "edits": "1"])
    settle()
  }

  /// A program whose state is another one.
  private static let unreadable = ScreenRoute(name: "counter", scope: .room) { context in
    let _: Int? = try context.restored()
    return try CounterView(context, outside: Outside())
  }

  @Test(arguments: [false, true])
  func `keep for the newer one what the older one cannot use, and its page comes back`(isGone: Bool) {
    begin(isGone ? [] : [Self.unreadable])
    let page = open()
    network.give(slot, toNode: 1)
    settle()

    for _ in 0..<2 {
      resume(page)
      #expect(page.closeCode == 4002 && page.new.isEmpty, "It is not begun again.")
    }
    #expect(store.storedRooms.count == 1 && store.storedSessions.count == 1)
    network.give(slot, toNode: 0)
    settle()
    resume(page)
    page.send(#"{"input":2,"name":"tap"}"#)
    settle()

    #expect(page.new.first?["resumed"]?["ack"] == 1)
    #expect(page.state["sum"] == "2" && store.storedRooms.count == 1)
  }

  @Test func `keep all screens of a session of which the older one cannot use the last`() {
    begin([.counter(scope: .room)])
    let page = open()
    page.send(#"{"input":2,"name":"next"}"#)
    settle()
    #expect(store.storedRooms.count == 2)
    network.give(slot, toNode: 1)
    settle()

    resume(page)
    #expect(page.closeCode == 4002 && page.new.isEmpty)
    #expect(store.storedRooms.count == 2 && store.storedSessions.count == 1)
    network.give(slot, toNode: 0)
    settle()
    resume(page)

    #expect(page.new.first?["resumed"]?["ack"] == 2 && page.isUp)
    #expect(page.values.last { $0["screens"] != nil }?["screens"]?.arrayValue?.count == 2)
  }

  @Test(arguments: [1, 2]) func `begin again what a server cannot use that is as new`(build: Int) {
    begin([Self.unreadable], builds: [build, 2])
    let page = open()
    network.give(slot, toNode: 1)
    settle()

    resume(page)

    #expect(page.new.first?["error"]?["code"] == "session-unknown" && page.isUp)
    #expect(page.state["sum"] == "0")
  }

  @Test func `send a page back that asks for a screen which the home does not have`() {
    begin([])
    network.takeAll { _ in 1 }
    settle()

    let page = RawPage(network, "counter", query: ["room": "tea", "edits": "1"])
    settle()

    #expect(page.closeCode == 4002 && page.frames.isEmpty)
  }
}
