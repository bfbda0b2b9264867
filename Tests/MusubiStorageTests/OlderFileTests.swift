// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiSQLite
import MusubiText
import MusubiWire
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5))) struct `A file of an older program` {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("musubi-\(UUID().uuidString)").path
  private let deep = RoomKey(screen: "number", name: "A/1", isPrivate: true)
  private let lobby = RoomKey(screen: "number", name: "lo/bby", isPrivate: false)
  private var path: String { "\(folder)/sessions.sqlite" }

  private func room(_ key: RoomKey, _ state: Value) -> StoredRoom {
    var room = StoredRoom(
      key: key, path: "/", query: [:], visitor: .anonymous, position: StreamPosition(epoch: "e", sequence: 1),
      outputs: 0, state: state, texts: [], events: [], nextMember: 1, left: 7)
    room.label = RecordLabel(slot: lobby.slot)
    return room
  }

  private func session(_ id: String, taken: Int, in key: RoomKey) -> StoredSession {
    var session = StoredSession(
      id: id, token: "hash", previousToken: nil, visitor: Visitor(id: "ann"), taken: taken,
      nextScreen: 2, views: [StoredSession.View(room: key, screen: 0, member: 3, dialog: nil)], left: 12.5)
    session.label = RecordLabel(slot: key.isPrivate ? Int(UInt8(ascii: "B")) : key.slot, peer: "i:ann")
    return session
  }

  private func json(_ value: some Encodable) throws -> String {
    let json = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    // A visitor's id had another name.
    return json.replacingOccurrences(of: #""id":"ann""#, with: #""identity":"ann""#)
  }

  /// Writes a file of the first version, or of the one before this.
  private func write(first: Bool) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let connection = try SQLiteConnection(.file(path))
    try connection.runScript(
      """
      CREATE TABLE musubi_migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO musubi_migration VALUES ('sessions');
      CREATE TABLE room (key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE session (id TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
      """)
    // The first coder escaped slashes.
    try connection.run(
      "INSERT INTO room VALUES (?, ?)", try json(["number", "lo/bby", "room"]), try json(room(lobby, "old")))
    try connection.run(
      "INSERT INTO room VALUES (?, ?)", try json(["number", "A/1", "session"]), try json(room(deep, "deep")))
    try connection.run(
      "INSERT INTO room VALUES (?, ?)", try json(["number", "gone", "session"]), "of a session that is gone")
    try connection.run("INSERT INTO session VALUES ('A', ?)", try json(session("A", taken: 4, in: lobby)))
    let own = RoomKey(screen: "form", name: "B", isPrivate: true)
    try connection.run("INSERT INTO session VALUES ('B', ?)", try json(session("B", taken: 4, in: own)))
    guard !first else { return }
    try OlderFile.migrator.migrate(connection)
    try connection.run("UPDATE session SET taken = 9 WHERE id = 'A'")
    for (index, text) in ["one", "two"].enumerated() {
      let step = StoredRoomStep(
        room: lobby.text, number: index + 1, sequence: index + 2, outputs: 3,
        state: [StateChange(path: [], value: .string(text), edit: nil)], texts: [], events: nil,
        nextMember: 2,
        left: 7)
      try connection.run(
        "INSERT INTO room_step VALUES (?, ?, ?)", step.room, step.number, try SessionRecords.json(step))
    }
    try connection.run("INSERT INTO strike VALUES (3, 'a strike')")
  }

  @Test(arguments: [true, false]) func `is copied with everything that it has`(first: Bool) async throws {
    try write(first: first)

    let store = try SQLiteSessionStore(folder: folder)

    var expected = room(lobby, first ? "old" : "two")
    if !first {
      let position = StreamPosition(epoch: "e", sequence: 3)
      expected = StoredRoom(
        key: lobby, path: "/", query: [:], visitor: .anonymous, position: position, outputs: 3, state: "two",
        texts: [], events: [], nextMember: 2, left: 7)
      expected.label = RecordLabel(slot: lobby.slot)
    }
    #expect(try await store.allRooms() == [room(deep, "deep"), expected])
    let own = RoomKey(screen: "form", name: "B", isPrivate: true)
    #expect(
      try await store.allSessions() == [
        session("A", taken: first ? 4 : 9, in: lobby), session("B", taken: 4, in: own),
      ])
    let index = try await store.load()
    #expect(index.sessions["A"]?.rooms == [lobby, deep] && index.rooms[lobby]?.left == 7)
    let strikes = try await store.database.read { connection in
      try connection.rows("SELECT id FROM strike") { try $0.value(0, as: Int.self) }
    }
    #expect(strikes == (first ? [] : [3]))
    await store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["sessions.sqlite"])
  }

  @Test func `is copied from its beginning after a kill on the way`() async throws {
    try write(first: false)
    try Data("half of a copy".utf8).write(to: URL(fileURLWithPath: path + ".copy"))
    try Data("and its log".utf8).write(to: URL(fileURLWithPath: path + ".copy-wal"))

    let store = try SQLiteSessionStore(folder: folder)

    #expect(try await store.load().rooms.count == 2)
    await store.close()
  }

  @Test func `keeps a record that cannot be read, and what reads it finds out`() async throws {
    try write(first: false)
    do {
      let connection = try SQLiteConnection(.file(path))
      try connection.run("UPDATE room SET record = 'no JSON' WHERE key = ?", lobby.text)
    }

    let store = try SQLiteSessionStore(folder: folder)

    #expect(try await store.load().rooms.count == 2)
    #expect(throws: RecordError.self) { try store.room(lobby) }
    await store.close()
  }

  @Test func `of the schema before keeps its records, of whose makers it knows the first peer alone`()
    async throws
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    do {
      var configuration = ConnectionConfiguration()
      configuration.vacuumsIncrementally = true
      let connection = try SQLiteConnection(.file(path), configuration: configuration)
      try StoreFile.migrator.migrate(connection)
      // As its first schema was.
      try connection.runScript(
        """
        DELETE FROM musubi_migration WHERE name IN ('used-sessions', 'all-peers');
        ALTER TABLE record DROP COLUMN is_used;
        ALTER TABLE record DROP COLUMN others;
        """)
      for (key, data) in [
        (lobby.text, try json(room(lobby, "old"))), ("A", try json(session("A", taken: 4, in: lobby))),
      ] {
        try connection.run(
          """
          INSERT INTO record (key, slot, version, bytes, peer, made, left, room, data)
            VALUES (?, ?, 1, 7, 'i:ann', 5.5, 12.5, ?, ?)
          """, key, lobby.slot, key == "A" ? lobby.text : nil as String?,
          data.replacingOccurrences(of: #""identity":"ann""#, with: #""id":"ann""#))
      }
    }

    let store = try SQLiteSessionStore(folder: folder)

    let index = try await store.load()
    let label = RecordLabel(slot: lobby.slot, peer: "i:ann", made: 5.5)
    #expect(index.rooms[lobby]?.label == label && index.sessions["A"]?.label == label)
    #expect(index.sessions["A"]?.isUsed == true)
    #expect(try store.session("A").taken == 4)
    #expect(try store.room(lobby).label.peers == [.identity("ann")])
    await store.close()
  }

  @Test func `is opened by nobody else afterwards: an older program says that it is newer`() async throws {
    let store = try SQLiteSessionStore(folder: folder)
    await store.close()
    let connection = try SQLiteConnection(.file(path))

    let error = #expect(throws: SQLiteError.self) { try OlderFile.migrator.migrate(connection) }

    #expect(error?.kind == .newerSchema)
    #expect(try connection.userVersion == 2)
  }
}
