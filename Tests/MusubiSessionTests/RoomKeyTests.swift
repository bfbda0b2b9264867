// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `A room's name` {
  /// `café`, with one character at the end and with two.
  private static let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")

  private func key(_ name: String) -> RoomKey { RoomKey(screen: "counter", name: name, isPrivate: false) }

  @Test func `is another one if its bytes are`() {
    #expect(Self.composed == Self.decomposed)
    #expect(key(Self.composed) != key(Self.decomposed) && key(Self.composed) == key("caf\u{e9}"))
    #expect(Set([key(Self.composed), key(Self.decomposed), key(Self.composed)]).count == 2)
  }

  @Test func `that is like a stored one does no harm to that`() {
    let store = SimulatedStore()
    let network = SimulatedNetwork(
      seed: 3, store: store, routes: [.counter(scope: .room(default: "lobby")), .second])
    func page(_ room: String) -> RawPage {
      let page = RawPage(network, "counter", query: ["room": room])
      network.run(until: network.now + .seconds(1))
      return page
    }
    let first = page(Self.composed)
    first.send(#"{"input":1,"name":"tap"}"#)
    network.run(until: network.now + .seconds(1))
    #expect(first.last("ack") == 1 || first.values.contains { $0["ack"] == 1 })
    let stored = store.storedRooms.count
    network.restartServer()

    let like = page(Self.decomposed)
    #expect(like.last("snapshot")?["sum"] == "0")
    let again = page(Self.composed)
    #expect(again.last("snapshot")?["sum"] == "1")
    #expect(store.storedRooms.count >= stored && network.failures.isEmpty)
  }
}
