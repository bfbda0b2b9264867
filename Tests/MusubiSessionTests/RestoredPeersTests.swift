// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Rooms of a signed-in visitor, which a store has: its identity and its address pay for them.
@Suite struct `A restored room of a known visitor` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let home: [Peer] = [.address("2001:db8::/64"), .network("2001:db8::/48")]

  init() {
    let door = Doorkeeper()
    var limits = PeerLimits()
    // An address may have eight.
    limits.rooms = 1
    var configuration = SessionConfiguration()
    configuration.maxMemoryBytes = 64 << 20
    network = SimulatedNetwork(
      seed: 5, configuration: configuration, limits: limits, store: store,
      routes: [.counter(Outside(), scope: .room(default: "lobby"))], authorize: door.visitor)
  }

  private var hub: SessionLoop {
    get throws { try #require(network.services.first as? SessionLoop) }
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  private func open(_ room: String, as name: String, from addresses: [Peer]) -> RawPage {
    let page = RawPage(network, "counter", query: ["room": room], as: name, from: addresses)
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.link?.drop()
    settle()
    return page
  }

  private func bytes(of peer: Peer) throws -> Int { try hub.memory.existing(peer)?.bytes ?? 0 }

  @Test(arguments: [true, false]) func `counts against its address, too, before anybody asks for it`(
    restarts: Bool
  ) throws {
    for number in 1...8 { #expect(open("\(number)", as: "v\(number)", from: home).last("hello") != nil) }
    #expect(open("9", as: "v9", from: home).last("hello") == nil)
    if restarts {
      network.restartServer()
    } else {
      let loop = try hub
      #expect(Array(loop.sessions.all).count { loop.sessions.unload($0) } == 8)
      network.schedule(network.now) {}
      settle()
      #expect(Array(loop.rooms.all).count { loop.rooms.unload($0) } == 8)
    }

    #expect(open("9", as: "v9", from: home).last("hello") == nil)
    #expect(try bytes(of: .identity("v1")) > 0)
    for peer in home { #expect(try bytes(of: peer) >= 8 * bytes(of: .identity("v1"))) }
    #expect(open("9", as: "v9", from: [.address("192.0.2.1")]).last("hello") != nil)
    #expect(network.refusals == Array(repeating: .limited(.rooms, [.identity("v9")] + home), count: 2))
    settle(.seconds(2_000))
    #expect(open("10", as: "v10", from: home).last("hello") != nil)
  }

  @Test func `counts against the address of whoever made it when somebody asks for it`() throws {
    let others: [Peer] = [.address("192.0.2.1")]
    for number in 1...8 { _ = open("\(number)", as: "v\(number)", from: home) }
    network.restartServer()

    // Its maker from elsewhere, somebody else from there, and somebody else from its maker's address.
    _ = open("1", as: "v1", from: others)
    _ = open("2", as: "bob", from: others)
    _ = open("3", as: "eve", from: home)

    #expect(Array(try hub.rooms.all).count == 3)
    for room in try hub.rooms.all {
      #expect(room.charge.owner.peers == [.identity("v\(room.key.name)")] + home)
    }
    #expect(open("9", as: "v9", from: home).last("hello") == nil)
    #expect(open("9", as: "v9", from: others).last("hello") != nil)
  }

  @Test func `of an older program counts against those with whom its maker comes`() throws {
    _ = open("1", as: "ann", from: home)
    store.falsify = { changes in
      var changes = changes
      for index in changes.rooms.indices { changes.rooms[index].label.others = nil }
      return changes
    }
    _ = open("2", as: "bob", from: home)
    store.falsify = nil
    network.restartServer()
    #expect(try bytes(of: home[0]) > 0 && bytes(of: .identity("bob")) > 0)

    _ = open("2", as: "bob", from: home)

    #expect(
      try hub.rooms[RoomKey(screen: "counter", name: "2", isPrivate: false)]?.charge.owner.peers == [
        .identity("bob")
      ] + home)
  }
}
