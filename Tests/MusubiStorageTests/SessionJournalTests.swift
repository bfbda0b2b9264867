// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiSQLite
import MusubiText
import MusubiWire
import Seeds
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5))) struct `The journal of a store` {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("musubi-\(UUID().uuidString)").path

  /// Rooms whose names are hard to tell apart, or to find in a line.
  private let keys = ["a", "a\tb", "a\nb", "\u{e9}", "e", "\"]\t", "結び"].map {
    RoomKey(screen: "number", name: $0, isPrivate: false)
  }

  private func room(
    _ key: RoomKey, _ text: String,
    _ visitor: Visitor = Visitor(
      id: "ann", displayName: "\"Ann\"", roles: ["host"], locales: ["ja"], timeZone: .gmt)
  ) -> StoredRoom {
    var room = StoredRoom(
      key: key, path: "/number", query: ["a\"": "b\n", "c": ""],
      visitor: visitor,
      position: StreamPosition(epoch: "e", sequence: 1), outputs: .max - 1,
      state: ["text": .string(text), "list": [1, 2.5, nil, true]],
      texts: [StoredRoom.Text(name: "n", text: text, revision: 0)],
      events: [
        StoredRoom.Event(sequence: 2, name: "told", value: nil),
        StoredRoom.Event(sequence: 3, name: "told", value: ["x": "y"]),
      ], nextMember: 4, left: 0.1, nextRowRevision: 7, lineage: [StreamPosition(epoch: "d", sequence: 9)],
      taken: [TakenInput(session: "A\"", number: 12)])
    room.rowsFollow = true
    room.label = RecordLabel(slot: key.slot)
    return room
  }

  private func step(after room: StoredRoom, _ number: Int, _ text: String, left: Double? = nil)
    -> StoredRoomStep
  {
    var step = StoredRoomStep(
      room: room.key.text, number: number, sequence: room.position.sequence + 1, outputs: 5,
      state: [StateChange(path: ["text"], value: .string(text), edit: nil)],
      texts: [.init(name: "n", edits: [TextEdit(position: 0, inserted: text)])], events: nil, nextMember: 4,
      left: left)
    step.taken = [TakenInput(session: "A\"", number: number)]
    return step
  }

  private func commit(_ changes: StoreChanges, to store: any DurableStore) async throws -> StoredSizes {
    try await withCheckedThrowingContinuation { continuation in
      store.commit(changes) { continuation.resume(with: $0) }
    }
  }

  private func rows(_ store: SQLiteSessionStore) async throws -> Int {
    try await store.database.read {
      try $0.row("SELECT count(*) FROM journal WHERE data <> ''") { try $0.value(0, as: Int.self) } ?? 0
    }
  }

  @Test(arguments: [
    Visitor.anonymous, Visitor(locales: ["ja", "en"]), Visitor(id: "ann", validFor: .seconds(90)),
  ]) func `has records that read back as they were`(_ visitor: Visitor) throws {
    let room = room(keys[1], "\u{0}\u{1F600}\u{2028}", visitor)
    var session = StoredSession(
      id: "A", token: "hash", previousToken: "before", visitor: room.visitor, taken: 3, nextScreen: 2,
      views: [
        .init(room: keys[1], screen: 0, member: 3, dialog: .init(name: "ask", value: ["id": 7])),
        .init(room: keys[2], screen: 1, member: 3, dialog: .init(name: "tell", value: nil)),
        .init(room: keys[3], screen: 2, member: 3, dialog: nil),
      ], left: 12.5)
    session.address = "/number?a=\"b\""
    session.otherToken = "other"
    let step = step(after: room, 1, "x")

    func read<Record: Decodable>(_ text: String) throws -> Record {
      try JSONDecoder().decode(Record.self, from: Data(text.utf8))
    }
    var again: StoredRoom = try read(SessionRecords.text { try $0.append(room) })
    again.label = room.label
    #expect(again == room)
    #expect(try read(SessionRecords.text { try $0.append(session) }) == session)
    var sameStep: StoredRoomStep = try read(SessionRecords.text { $0.append(step) })
    sameStep.room = step.room
    #expect(sameStep == step)
  }

  @Test(arguments: StoreKind.installed)
  func `gives each room what has come since its record, wherever its changes are`(
    _ kind: StoreKind
  ) async throws {
    let place = try kind.newPlace()
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededRandom(seed: seed)
    var store = try place.open()
    var (expected, counts, bytes): ([RoomKey: StoredRoom], [RoomKey: Int], [RoomKey: Int]) = ([:], [:], [:])
    var moves = 0
    for turn in 1...400 {
      var changes = StoreChanges()
      for key in keys {
        switch (random.below(16), expected[key]) {
        case (0, .some):
          changes.endedRooms.append(key)
          expected[key] = nil
        case (1, _), (2..<9, nil):
          changes.rooms.append(room(key, "whole \(turn)"))
          (expected[key], counts[key]) = (changes.rooms.last, 0)
        case (2..<9, .some(let old)):
          counts[key, default: 0] += 1
          let step = step(
            after: old, counts[key] ?? 0, "\(turn)\t\n", left: turn % 3 == 0 ? Double(turn) : nil)
          changes.roomSteps.append(step)
          expected[key] = try old.applying(step)
        default: break
        }
      }
      let sizes = try await commit(changes, to: store)
      for (room, size) in zip(changes.rooms, sizes.rooms) { bytes[room.key] = size }
      for (step, size) in zip(changes.roomSteps, sizes.steps) {
        bytes[try RoomKey(text: step.room), default: 0] += size
      }
      switch random.below(20) {
      case 0:
        guard let store = store as? SQLiteSessionStore else { break }
        moves += try await store.database.write { try SessionJournal.empty($0) }
      case 1:
        await store.close()
        store = try place.open()
      default: break
      }
      let key = random.oneOf(keys)
      if let room = expected[key] {
        #expect(try store.room(key) == room, "seed \(seed), turn \(turn)")
      } else {
        #expect(throws: RecordError.self, "seed \(seed), turn \(turn)") { try store.room(key) }
      }
    }
    let index = try await store.load()
    #expect(index.rooms.mapValues(\.bytes) == bytes.filter { expected[$0.key] != nil }, "seed \(seed)")
    for (key, room) in expected { #expect(try store.room(key) == room, "seed \(seed)") }
    #expect(moves > 0 || kind != .sqlite)
    await store.close()
  }

  @Test func `is emptied before it is long, and all that has come since a record stays`() async throws {
    let store = try SQLiteSessionStore(folder: folder)
    var changes = StoreChanges()
    var expected = keys[..<2].map { room($0, "") }
    changes.rooms = expected
    _ = try await commit(changes, to: store)

    var longest = 0
    for number in 1...150 {
      changes = StoreChanges()
      changes.roomSteps = expected.map { step(after: $0, number, String(repeating: "x", count: 2_000)) }
      expected = try zip(expected, changes.roomSteps).map { try $0.applying($1) }
      _ = try await commit(changes, to: store)
      longest = max(longest, try await rows(store))
    }

    #expect(longest > 20 && longest < 100)
    for room in expected { #expect(try store.room(room.key) == room) }
    await store.close()
  }

  @Test func `has nothing of a room that has ended`() async throws {
    let store = try SQLiteSessionStore(folder: folder)
    var changes = StoreChanges()
    let (old, other) = (room(keys[0], "a"), room(keys[4], "b"))
    changes.rooms = [old, other]
    _ = try await commit(changes, to: store)
    changes = StoreChanges()
    changes.roomSteps = [step(after: old, 1, "what nobody may read"), step(after: other, 1, "stays here")]
    _ = try await commit(changes, to: store)
    changes = StoreChanges()
    changes.endedRooms = [old.key]
    _ = try await commit(changes, to: store)
    await store.close()

    let file = try Data(contentsOf: URL(fileURLWithPath: folder).appending(path: "sessions.sqlite"))
    #expect(file.range(of: Data("what nobody may read".utf8)) == nil)
    #expect(file.range(of: Data("stays here".utf8)) != nil)
  }

  @Test func `begins behind the versions of a file that had none`() async throws {
    var store = try SQLiteSessionStore(folder: folder)
    var changes = StoreChanges()
    changes.rooms = [room(keys[0], "a")]
    _ = try await commit(changes, to: store)
    let first = step(after: changes.rooms[0], 1, "first")
    var expected = try changes.rooms[0].applying(first)
    await store.close()
    do {
      let connection = try SQLiteConnection(.file("\(folder)/sessions.sqlite"))
      try connection.run("DROP TABLE journal")
      try connection.run("DELETE FROM musubi_migration WHERE name = 'journal'")
      try connection.run("UPDATE record SET version = 57")
      try connection.run(
        "INSERT INTO step (record, version, bytes, data) SELECT id, 57, 1, ? FROM record",
        SessionRecords.text { $0.append(first) })
    }

    store = try SQLiteSessionStore(folder: folder)
    #expect(try store.room(keys[0]) == expected)
    changes = StoreChanges()
    changes.roomSteps = [step(after: expected, 2, "second")]
    expected = try expected.applying(changes.roomSteps[0])
    _ = try await commit(changes, to: store)
    #expect(try store.room(keys[0]) == expected)
    _ = try await store.database.write { try SessionJournal.empty($0) }
    #expect(try store.room(keys[0]) == expected)
    await store.close()
  }
}
