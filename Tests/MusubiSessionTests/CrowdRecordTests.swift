// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `The record of a room with a crowd` {
  @Test func `is written as a whole before the numbers of its inputs outgrow it`() {
    let store = SimulatedStore()
    var (numbers, most, wholes) = (0, 0, 0)
    store.falsify = { changes in
      for step in changes.roomSteps { numbers += step.taken?.count ?? 0 }
      most = max(most, numbers)
      if !changes.rooms.isEmpty { (numbers, wholes) = (0, wholes + 1) }
      return changes
    }
    let network = SimulatedNetwork(
      seed: 3, store: store, routes: [.counter(scope: .room(default: "lobby"))])
    network.loopPause = .milliseconds(10)
    let pages = (0..<100).map { _ in RawPage(network, "counter") }
    network.run(until: .seconds(1))
    (most, wholes) = (0, 0)

    for input in 1...60 {
      for page in pages { page.send(#"{"input":\#(input),"name":"tap"}"#) }
      network.run(until: network.now + .milliseconds(50))
    }

    // Of 32 bytes each: steps weigh 8 KiB at most.
    #expect(most <= 8 * 1_024 / 32 && wholes > 0)
    #expect(pages.allSatisfy { $0.last("ack") == 60 })
    #expect(store.storedRooms.first?.state["taps"] == 6_000)
    #expect(store.misfits == [])
  }

  @Test func `has each session's newest number, however its steps are read`() throws {
    var room = StoredRoom(
      key: RoomKey(screen: "number", name: "lobby", isPrivate: false), path: "/", query: [:],
      visitor: .anonymous, position: StreamPosition(epoch: "e", sequence: 1), outputs: 1, state: 0, texts: [],
      events: [], nextMember: 1, left: nil)
    room.taken = (0..<500).map { TakenInput(session: "s\($0)", number: 1) }
    let steps = (1...200).map { number in
      var step = StoredRoomStep(
        room: room.key.text, number: number, sequence: number + 1, outputs: 1,
        state: [StateChange(path: [], value: .integer(Int64(number)), edit: nil)], texts: [], events: nil,
        nextMember: 1, left: nil)
      step.taken = (0..<50).map {
        TakenInput(session: "s\(($0 * 7 + number * 13) % 700)", number: number + 1)
      }
      return step
    }

    let atOnce = try room.applying(steps)
    let oneByOne = try steps.reduce(room) { try $0.applying($1) }

    var newest: [String: Int] = [:]
    for input in (room.taken ?? []) + steps.flatMap({ $0.taken ?? [] }) {
      newest[input.session] = input.number
    }
    #expect(atOnce == oneByOne && atOnce.state == 200)
    let taken = try #require(atOnce.taken)
    #expect(taken.count == newest.count && taken.allSatisfy { newest[$0.session] == $0.number })
  }
}
