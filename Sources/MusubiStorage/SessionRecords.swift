// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSession
import MusubiSQLite
import MusubiWire

/// The rows of rooms and sessions.
///
/// | table | row |
/// | --- | --- |
/// | `record` | a room or a session as JSON, with its label; its `version` grows with each whole that is written |
/// | `step` | the changes of a room since its whole of the same `version`, with the numbers of its sessions' inputs |
/// | `strike` | an event that has ended the process, and how often; see `SessionRecords+Strikes.swift` |
/// | `aside_room` | a room that has ended it too often |
///
/// Steps are appended, whatever their rooms are, so that those of a commit share a page. A new whole leaves the steps of
/// before behind; `StoreUpkeep` sweeps them up. A room's key begins with a bracket, a session's id does not.
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
    for room in changes.rooms {
      let data = try json(room)
      sizes.rooms.append(data.utf8.count)
      try put(room.key.text, room.label, left: room.left, room: nil, data, connection)
    }
    for step in changes.roomSteps { sizes.steps.append(try append(step, connection)) }
    for session in changes.sessions {
      let data = try json(session)
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
        VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET slot = excluded.slot, version = version + 1, bytes = excluded.bytes,
          peer = excluded.peer, others = excluded.others, made = excluded.made, left = excluded.left, room = excluded.room,
          is_used = excluded.is_used, data = excluded.data
      """, key, label.slot, data.utf8.count, label.peer, label.others, label.made, left, room, isUsed ? 1 : 0,
      data)
  }

  private static func append(_ step: StoredRoomStep, _ connection: SQLiteConnection) throws -> Int {
    let data = text(step)
    let count = try connection.run(
      "INSERT INTO step (record, version, bytes, data) SELECT id, version, ?, ? FROM record WHERE key = ?",
      data.utf8.count, data, step.room)
    guard count == 1 else {
      throw StorageError("A step came for the room \(step.room), which is not stored.")
    }
    // The index of the next start tells when a room was left; that somebody is there again its sessions tell.
    if let left = step.left {
      try connection.run("UPDATE record SET left = ? WHERE key = ?", left, step.room)
    }
    return data.utf8.count
  }

  static func json(_ record: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
  }

  /// A step as `JSONDecoder` reads it; written by hand, because there is one for each keystroke.
  static func text(_ step: StoredRoomStep) -> String {
    String(writing: { $0.append(step) })
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
      if let steps = weights[try row.value(0)], steps.version == (try row.value(3, as: Int.self)) {
        entry.bytes += steps.bytes
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
      return data
    }
    guard let whole else { return nil }
    let decoder = JSONDecoder()
    var room = try decoder.decode(StoredRoom.self, from: Data(whole.utf8))
    room.label = label
    guard !steps.isEmpty else { return room }
    // At once: the decoder's beginning costs more than a step.
    let list = "[" + steps.joined(separator: ",") + "]"
    return try decoder.decode([StoredRoomStep].self, from: Data(list.utf8)).reduce(room) {
      try $0.applying($1)
    }
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

extension ByteBuffer {
  /// Appends the members that are there, as JSON.
  fileprivate mutating func append(_ step: StoredRoomStep) {
    appendRaw(#"{"number":"#)
    appendJSON(step.number)
    appendRaw(#","sequence":"#)
    appendJSON(step.sequence)
    appendRaw(#","outputs":"#)
    if step.outputs > 9 { appendJSON(Int64(step.outputs / 10)) }
    append(UInt8(ascii: "0") + UInt8(step.outputs % 10))
    appendRaw(#","nextMember":"#)
    appendJSON(step.nextMember)
    if let left = step.left {
      appendRaw(#","left":"#)
      appendJSON(left)
    }
    appendRaw(#","state":["#)
    append(list: step.state) { $0.append($1) }
    appendRaw(#"],"texts":["#)
    append(list: step.texts) { $0.append($1) }
    appendRaw("]")
    if let ended = step.ended {
      appendRaw(#","ended":["#)
      append(list: ended) { $0.appendJSON($1) }
      appendRaw("]")
    }
    if let taken = step.taken {
      appendRaw(#","taken":["#)
      append(list: taken) { bytes, input in
        bytes.appendRaw("[")
        bytes.appendJSON(input.session)
        bytes.appendRaw(",")
        bytes.appendJSON(input.number)
        bytes.appendRaw("]")
      }
      appendRaw("]")
    }
    if let revision = step.nextRowRevision {
      appendRaw(#","nextRowRevision":"#)
      appendJSON(revision)
    }
    if let rowsFollow = step.rowsFollow {
      appendRaw(rowsFollow ? #","rowsFollow":true"# : #","rowsFollow":false"#)
    }
    if let events = step.events {
      appendRaw(#","events":["#)
      append(list: events) { $0.append($1) }
      appendRaw("]")
    }
    appendRaw("}")
  }

  private mutating func append(_ text: StoredRoomStep.TextStep) {
    appendRaw(#"{"name":"#)
    appendJSON(text.name)
    appendRaw(#","edits":["#)
    append(list: text.edits) { $0.appendJSON($1) }
    appendRaw("]")
    if let whole = text.whole {
      appendRaw(#","whole":{"name":"#)
      appendJSON(whole.name)
      appendRaw(#","text":"#)
      appendJSON(whole.text)
      appendRaw(#","revision":"#)
      appendJSON(whole.revision)
      appendRaw("}")
    }
    appendRaw("}")
  }

  private mutating func append(_ change: StateChange) {
    appendRaw(#"{"path":["#)
    append(list: change.path) { $0.appendJSON($1) }
    appendRaw("]")
    if let value = change.value {
      appendRaw(#","value":"#)
      appendJSON(value)
    }
    if let edit = change.edit {
      appendRaw(#","edit":"#)
      appendJSON(edit)
    }
    appendRaw("}")
  }

  private mutating func append(_ event: StoredRoom.Event) {
    appendRaw(#"{"sequence":"#)
    appendJSON(event.sequence)
    appendRaw(#","name":"#)
    appendJSON(event.name)
    if let value = event.value {
      appendRaw(#","value":"#)
      appendJSON(value)
    }
    appendRaw("}")
  }

  private mutating func append<Item>(list: [Item], _ write: (inout ByteBuffer, Item) -> Void) {
    for index in list.indices {
      if index > 0 { appendRaw(",") }
      write(&self, list[index])
    }
  }
}
