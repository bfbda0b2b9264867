// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// What the screen's factory throws at the moment, when it is to restore something; nil for nothing.
private final class Mood: @unchecked Sendable {
  var error: (any Error)?
}

private struct DiskFull: Error {}

@Suite struct `A stored screen that cannot be restored` {
  private let store = SimulatedStore()
  private let mood = Mood()
  private let network: SimulatedNetwork
  private let page: RawPage

  init() {
    network = SimulatedNetwork(
      seed: 3, store: store,
      routes: [
        ScreenRoute(name: "counter", scope: .room) { [mood] context in
          let state: CounterView.State? = try context.restored()
          if state != nil, let error = mood.error { throw error }
          return try CounterView(context, outside: Outside())
        }
      ])
    page = RawPage(network, "counter", query: ["room": "tea"])
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  private func comeBack() {
    page.mark()
    page.resume(["room": "tea"])
    settle()
  }

  @Test func `stays stored if its factory fails, and its page comes back until it does not`() {
    mood.error = DiskFull()
    network.restartServer()
    settle()
    for _ in 0..<2 {
      comeBack()
      #expect(page.closeCode == 4002, "It comes back by itself.")
      #expect(page.link?.closeReason == "1000 ms, then come back: the screen could not be restored")
      #expect(store.storedRooms.count == 1 && store.storedSessions.count == 1)
    }
    let newcomer = RawPage(network, "counter", query: ["room": "tea"])
    settle()
    #expect(newcomer.closeCode == 4002 && store.storedRooms.count == 1)
    #expect(
      network.failures.first
        == "counter: it could not be restored, and stays as it is stored: DiskFull()")

    mood.error = nil
    comeBack()

    #expect(page.last("resumed")?["ack"] == 1)
    #expect(page.state["sum"] == "1")
  }

  @Test(arguments: [
    DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "Another type.")) as any Error,
    ScreenNotFound(),
  ])
  func `ends if its record is of no use, or nothing is there any more`(_ error: any Error) {
    mood.error = error
    network.restartServer()
    settle()
    comeBack()
    settle()

    #expect(page.values.contains { $0["hello"] != nil } && store.storedRooms.map(\.state["taps"]) == [0])
    let newcomer = RawPage(network, "counter", query: ["room": "tea"])
    settle()
    #expect(newcomer.state["sum"] == "0")
  }

  @Test(arguments: [Denied("Not you."), LogInRequired(at: "/login")] as [any Error])
  func `stays for the others of its room if its factory refuses one of them`(_ error: any Error) {
    mood.error = error
    network.restartServer()
    settle()
    let stranger = RawPage(network, "counter", query: ["room": "tea"])
    settle()
    comeBack()
    #expect(stranger.values.allSatisfy { $0["snapshot"] == nil })
    #expect(store.storedRooms.map(\.state["taps"]) == [1])

    mood.error = nil
    let newcomer = RawPage(network, "counter", query: ["room": "tea"])
    settle()
    #expect(newcomer.state["sum"] == "1")
  }
}
