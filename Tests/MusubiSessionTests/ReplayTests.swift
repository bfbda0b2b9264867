// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiTesting
import MusubiText
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `Events of a room, recorded and replayed` {
  private let key = RoomKey(screen: "late", name: "a", isPrivate: false)

  /// A room on a clock that `Time` sets, and the session that its members have.
  private final class Stage {
    var now: Duration = .zero
    let session = Session(
      id: "A", token: TokenHash(testHash([])), visitor: .anonymous, owner: MemoryLedger(limit: nil).owner([]))
    private(set) var room: Room?

    func make(_ key: RoomKey, _ route: ScreenRoute) throws -> Room {
      let scheduler = RoomScheduler(clock: { [unowned self] in now }, wallClock: { 0 })
      let context = ScreenContext(
        screen: route.name, clock: scheduler, random: RandomSource(seed: 7))
      let room = try Room(
        key: key, epoch: "e", path: "/", scheduler: scheduler,
        resources: RoomResources(SessionConfiguration())
      ) { try ScreenInstance(route, context: context) }
      room.follow(TurnEncoding(followsEdits: true, screen: 0))
      self.room = room
      return room
    }
  }

  private struct Record: Codable, Equatable {
    let milliseconds: Int
    let event: RoomEvent
  }

  /// What the room would send to a page that follows from the start.
  private func frames(of room: Room) -> String {
    guard room.sequence > 0 else { return "" }
    var text = ""
    _ = room.log.frames(
      after: 0, through: room.sequence, as: TurnEncoding(followsEdits: true, screen: 0), limit: .max
    ) { text = String(decoding: $0, as: UTF8.self) }
    return text
  }

  private let script: [Record] = [
    Record(milliseconds: 0, event: .join(member: 1)),
    Record(milliseconds: 5, event: .connection(member: 1, isConnected: true)),
    Record(
      milliseconds: 10,
      event: .edit(
        member: 1, number: 1, name: "text", revision: 0,
        edit: TextEdit(position: 0, deleted: 0, inserted: "結び"))),
    Record(milliseconds: 20, event: .input(member: 1, number: 2, name: "draw", row: [], value: nil)),
    Record(milliseconds: 30, event: .input(member: 1, number: 3, name: "text", row: [], value: "whole")),
    Record(milliseconds: 700, event: .timer(id: 1)),
    Record(milliseconds: 710, event: .timer(id: 2)),
    Record(milliseconds: 712, event: .connection(member: 1, isConnected: false)),
    Record(milliseconds: 713, event: .suspend),
    Record(milliseconds: 720, event: .outside),
    Record(milliseconds: 725, event: .resume),
    Record(
      milliseconds: 730,
      event: .input(member: 1, number: 4, name: "draw", row: ["7", "8"], value: [1, 2.5, nil])),
    Record(milliseconds: 800, event: .leave(member: 1)),
  ]

  @Test(arguments: [ScreenRoute.patient, .number, .capitals]) func `lead to the same turns`(
    route: ScreenRoute
  ) throws {
    func run(_ records: [Record]) throws -> String {
      let stage = Stage()
      let room = try stage.make(key, route)
      _ = room.admit(stage.session, screen: 0)
      for record in records {
        stage.now = .milliseconds(record.milliseconds)
        _ = room.handle(record.event)
        room.finishTurn()
      }
      return frames(of: room)
    }
    let first = try run(script)

    let json = try JSONEncoder().encode(script)
    let read = try JSONDecoder().decode([Record].self, from: json)

    #expect(read == script)
    #expect(try run(read) == first)
    #expect(route.name == "number" || !first.isEmpty)
  }
}
