// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSession
import MusubiSQLite
import MusubiWire

/// The rows of rooms and sessions.
///
/// | table | row |
/// | --- | --- |
/// | `record` | a room or a session as JSON, with its label; `version` is the newest row of the journal when it was written |
/// | `journal` | the changes of all rooms of one commit, with the numbers of their sessions' inputs; see `SessionJournal` |
/// | `step` | the changes of a room since its whole of the same `version`, out of the journal |
/// | `strike` | an event that has ended the process, and how often; see `SessionRecords+Strikes.swift` |
/// | `aside_room` | a room that has ended it too often |
///
/// A new whole leaves the changes of before behind; `StoreUpkeep` sweeps them up. A room's key begins with a bracket, a
/// session's id does not.
enum SessionRecords {
  // MARK: - Writing

  /// Writes the changes.
  ///
  /// - Returns: The bytes of what was written.
  @discardableResult
  static func store(_ changes: StoreChanges, _ connection: SQLiteConnection) throws -> StoredSizes {
    var sizes = StoredSizes()
    for key in changes.endedRooms {
      let key = key.text
      try connection.run("DELETE FROM step WHERE record = (SELECT id FROM record WHERE key = ?)", key)
      try connection.run("DELETE FROM record WHERE key = ?", key)
    }
    for id in changes.endedSessions { try connection.run("DELETE FROM record WHERE key = ?", id) }
    if !changes.endedRooms.isEmpty { _ = try SessionJournal.empty(connection) }
    for room in changes.rooms {
      let data = try text { try $0.append(room) }
      sizes.rooms.append(data.utf8.count)
      try put(room.key.text, room.label, left: room.left, room: nil, data, connection)
    }
    if !changes.roomSteps.isEmpty { sizes.steps = try SessionJournal.append(changes.roomSteps, connection) }
    // The index of the next start tells when a room was left; that somebody is there again its sessions tell.
    for step in changes.roomSteps {
      guard let left = step.left else { continue }
      try connection.run("UPDATE record SET left = ? WHERE key = ?", left, step.room)
    }
    for session in changes.sessions {
      let data = try text { try $0.append(session) }
      sizes.sessions.append(data.utf8.count)
      try put(
        session.id, session.label, left: session.left, room: session.sharedRoom?.text, isUsed: session.isUsed,
        data, connection)
    }
    return sizes
  }

  /// Writes a record as a whole.
  static func put(
    _ key: String, _ label: RecordLabel, left: Double?, room: String?, isUsed: Bool = true, _ data: String,
    _ connection: SQLiteConnection
  ) throws {
    try connection.run(
      """
      INSERT INTO record (key, slot, version, bytes, peer, others, made, left, room, is_used, data)
        VALUES (?, ?, (SELECT max(id) FROM journal), ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET slot = excluded.slot, version = excluded.version, bytes = excluded.bytes,
          peer = excluded.peer, others = excluded.others, made = excluded.made, left = excluded.left, room = excluded.room,
          is_used = excluded.is_used, data = excluded.data
      """, key, label.slot, data.utf8.count, label.peer, label.others, label.made, left, room, isUsed ? 1 : 0,
      data)
  }

  static func json(_ record: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
  }

  /// What is written into a buffer, as text.
  static func text(_ write: (inout ByteBuffer) throws -> Void) rethrows -> String {
    var bytes = ByteBuffer()
    try write(&bytes)
    return String(decoding: bytes.bytes, as: UTF8.self)
  }

  // MARK: - Reading

  /// Reads all but the data.
  static func index(_ connection: SQLiteConnection) throws -> StoredState {
    var weights: [Int: (version: Int, bytes: Int)] = [:]
    let steps = try connection.rows("SELECT record, version, sum(bytes) FROM step GROUP BY record, version") {
      (
        record: try $0.value(0, as: Int.self), version: try $0.value(1, as: Int.self),
        bytes: try $0.value(2, as: Int.self)
      )
    }
    for step in steps where step.version > weights[step.record]?.version ?? 0 {
      weights[step.record] = (step.version, step.bytes)
    }
    var journal: [[UInt8]: [(id: Int, bytes: Int)]] = [:]
    try SessionJournal.forEachRoom(connection) { room in
      journal[Array(room.key.bytes)] = room.lines.map { ($0.id, $0.step.bytes.count) }
    }
    var rooms: [RoomKey: StoredEntry] = [:]
    var sessions: [String: StoredEntry] = [:]
    // The records of a maker share its names.
    var names: Set<String> = []
    func shared(_ name: String?) -> String? { name.map { names.insert($0).memberAfterInsert } }
    _ = try connection.rows(
      "SELECT id, key, slot, version, bytes, peer, made, left, room, is_used, others FROM record"
    ) { row in
      let key = try row.value(1, as: String.self)
      var entry = StoredEntry(
        label: RecordLabel(
          slot: try row.value(2), peer: shared(try row.value(5)), others: shared(try row.value(10)),
          made: try row.value(6)),
        bytes: try row.value(4), left: try row.value(7))
      let version = try row.value(3, as: Int.self)
      if let steps = weights[try row.value(0)], steps.version == version { entry.bytes += steps.bytes }
      for line in journal[Array(key.utf8)] ?? [] where line.id > version {
        entry.bytes += line.bytes
      }
      if key.hasPrefix("[") {
        rooms[try RoomKey(text: key)] = entry
      } else {
        entry.rooms = try row.value(8, as: String?.self).map { [try RoomKey(text: $0)] } ?? []
        entry.isUsed = try row.value(9, as: Int.self) != 0
        sessions[key] = entry
      }
    }
    return StoredState(rooms: rooms, sessions: sessions)
  }

  /// Reads a room with its steps; nil if there is none.
  static func room(_ key: RoomKey, _ connection: SQLiteConnection) throws -> StoredRoom? {
    var steps: [String] = []
    var label = RecordLabel(slot: 0)
    let whole = try connection.snapshot { () -> String? in
      var place = (id: 0, version: 0)
      let data = try connection.row(
        "SELECT slot, peer, others, made, id, version, data FROM record WHERE key = ?", key.text
      ) { row in
        label = try Self.label(row)
        place = (try row.value(4), try row.value(5))
        return try row.value(6, as: String.self)
      }
      steps = try connection.rows(
        "SELECT data FROM step WHERE record = ? AND version = ? ORDER BY id", place.id, place.version
      ) { try $0.value(0) }
      steps += try SessionJournal.steps(of: key.text, after: place.version, connection)
      return data
    }
    guard let whole else { return nil }
    let decoder = JSONDecoder()
    var room = try decoder.decode(StoredRoom.self, from: Data(whole.utf8))
    room.label = label
    guard !steps.isEmpty else { return room }
    // At once: the decoder's beginning costs more than a step.
    let list = "[" + steps.joined(separator: ",") + "]"
    return try room.applying(decoder.decode([StoredRoomStep].self, from: Data(list.utf8)))
  }

  /// Reads a session; nil if there is none.
  static func session(_ id: String, _ connection: SQLiteConnection) throws -> StoredSession? {
    var label = RecordLabel(slot: 0)
    var isUsed = true
    let data = try connection.row(
      "SELECT slot, peer, others, made, data, is_used FROM record WHERE key = ?", id
    ) { row in
      label = try Self.label(row)
      isUsed = try row.value(5, as: Int.self) != 0
      return try row.value(4, as: String.self)
    }
    guard let data else { return nil }
    var session = try JSONDecoder().decode(StoredSession.self, from: Data(data.utf8))
    session.label = label
    session.isUsed = isUsed
    return session
  }

  /// The label in the first columns of a row.
  private static func label(_ row: Row) throws -> RecordLabel {
    RecordLabel(
      slot: try row.value(0), peer: try row.value(1), others: try row.value(2), made: try row.value(3))
  }
}

extension RoomKey {
  /// Reads what `text` has written.
  init(text: String) throws {
    let parts = try Value(json: text).arrayValue?.compactMap(\.stringValue) ?? []
    guard parts.count == 3 else { throw StorageError("\(text.prefix(80)) names no room.") }
    self.init(screen: parts[0], name: parts[1], isPrivate: parts[2] == "session")
  }
}
