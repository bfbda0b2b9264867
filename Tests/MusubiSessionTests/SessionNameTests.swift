// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

@testable import MusubiSession

/// A text that is stored.
private final class Slip: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var number: Signal<String> = .never()
  }
  struct Outputs: Encodable {
    let number: Driver<String>
  }
  var state = ""

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      number: inputs.number.do(onNext: { [unowned self] in state = $0 }).asDriver(onErrorJustReturn: "")
        .startWith(state))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The name of a session` {
  @Test func `has its slot, and names of older programs have none`() {
    for slot in [0, 1, 15, 16, 63, 64, 1_000, 4_095] {
      let name = SessionName.make(slot: slot, random: [1, 2, 3, 4, 5, 6, 7, 8, 255])
      #expect(name.utf8.count == 14 && name.hasPrefix("AQIDBAUGBwj_"))
      #expect(SessionName.slot(of: name) == slot)
    }
    for name in ["", "A", "BquJHBZcxSKKYOz", "AQIDBAUGBwj_..", "結び結び"] {
      #expect(SessionName.slot(of: name) == nil)
    }
  }

  @Test func `leads to its room's loop, and else to the loop where it began`() throws {
    for loops in [1, 2, 3, 5] {
      for loop in 0..<loops {
        var random = RandomSource(seed: UInt64(loops * 10 + loop))
        var environment = LoopEnvironment(
          clock: { .zero }, wallClock: { 0 },
          entropy: { count in (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } },
          sha256: { $0 })
        (environment.loop, environment.loops) = (loop, loops)
        let slots = SlotTable(loop: loop, of: loops)
        let rooms = (0..<9).map { RoomKey(screen: "number", name: "tea \($0)", isPrivate: false) }
        for room in rooms {
          let name = environment.sessionName(in: room, slots)
          #expect(name.flatMap { SessionName.slot(of: $0) } == (slots.isOpen(room.slot) ? room.slot : nil))
          let own = try #require(environment.sessionName(in: nil, slots))
          #expect(SessionName.slot(of: own).map { $0 % loops } == loop)
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3]) func `needs no table when the number of loops is another one`(_ loops: Int)
    throws
  {
    let store = SimulatedStore()
    let network = SimulatedNetwork(
      seed: 3, loops: 2, store: store,
      routes: [
        ScreenRoute(name: "slip", scope: .room) { _ in InputOutputScreen(Slip(), name: "slip") },
        ScreenRoute(name: "own", scope: .session) { _ in InputOutputScreen(Slip(), name: "own") },
      ])
    let pages = (0..<12).map { RawPage(network, $0 % 2 == 0 ? "slip" : "own", query: ["room": "room \($0)"]) }
    network.run(until: .seconds(1))
    for page in pages { page.send(#"{"input":1,"name":"number","value":"7"}"#) }
    network.run(until: .seconds(2))

    let (parts, unnamed) = store.state.parts(loops: loops)

    #expect(unnamed.isEmpty)
    #expect(parts.reduce(0) { $0 + $1.sessions.count } == 12)
    for room in store.storedRooms {
      let slot = room.key.session.flatMap { SessionName.slot(of: $0) }
      #expect(room.label.slot == slot ?? room.key.slot)
    }
    for session in store.storedSessions { #expect(session.label.slot == SessionName.slot(of: session.id)) }
    for part in parts {
      for (_, entry) in part.sessions { for room in entry.rooms { #expect(part.rooms[room] != nil) } }
    }
    network.end()
  }
}
