// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSession
import MusubiSQLite
import MusubiWire

/// The rows of rooms and sessions.
///
/// | table | row |
/// | --- | --- |
/// | `room` | a room as a whole, as JSON |
/// | `room_step` | the changes since then, counted from 1; gone with the next whole |
/// | `session` | a session as a whole, and beside it the number of its last input, which changes most |
/// | `strike` | an event that has ended the process, and how often; see `SessionRecords+Strikes.swift` |
/// | `aside_room` | a room that has ended it too often |
enum SessionRecords {
  // MARK: - Writing

  /// Writes the changes.
  static func store(_ changes: StoreChanges, _ connection: SQLiteConnection) throws {
    for key in changes.endedRooms {
      let key = key.text
      try connection.run("DELETE FROM room WHERE key = ?", key)
      try connection.run("DELETE FROM room_step WHERE key = ?", key)
    }
    for id in changes.endedSessions { try connection.run("DELETE FROM session WHERE id = ?", id) }
    for room in changes.rooms {
      let key = room.key.text
      try connection.run("INSERT OR REPLACE INTO room VALUES (?, ?)", key, try json(room))
      try connection.run("DELETE FROM room_step WHERE key = ?", key)
    }
    for step in changes.roomSteps {
      try connection.run("INSERT INTO room_step VALUES (?, ?, ?)", step.room, step.number, text(step))
    }
    for session in changes.sessions {
      try connection.run(
        "INSERT OR REPLACE INTO session VALUES (?, ?, ?)", session.id, try json(session), session.taken)
    }
    for taken in changes.taken {
      try connection.run("UPDATE session SET taken = ? WHERE id = ?", taken.number, taken.session)
    }
  }

  static func json(_ record: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
  }

  /// A step as `JSONDecoder` reads it; written by hand, because there is one for each keystroke.
  static func text(_ step: StoredRoomStep) -> String {
    String(writing: { $0.append(step) })
  }

  // MARK: - Reading

  static func rooms(_ connection: SQLiteConnection) throws -> [StoredRoom] {
    let decoder = JSONDecoder()
    var steps: [String: [StoredRoomStep]] = [:]
    let stored = try connection.rows("SELECT key, record FROM room_step ORDER BY key, number") { row in
      var step = try decoder.decode(
        StoredRoomStep.self, from: Data(try row.value(1, as: String.self).utf8))
      step.room = try row.value(0, as: String.self)
      return step
    }
    for step in stored { steps[step.room, default: []].append(step) }
    return try connection.rows("SELECT record FROM room") { row in
      let room = try decoder.decode(StoredRoom.self, from: Data(try row.value(0, as: String.self).utf8))
      return try (steps[room.key.text] ?? []).reduce(room) { try $0.applying($1) }
    }
  }

  static func sessions(_ connection: SQLiteConnection) throws -> [StoredSession] {
    let decoder = JSONDecoder()
    return try connection.rows("SELECT record, taken FROM session") { row in
      let session = try decoder.decode(
        StoredSession.self, from: Data(try row.value(0, as: String.self).utf8))
      return session.taking(try row.value(1, as: Int?.self) ?? session.taken)
    }
  }

  /// Writes the keys of an older file as they are written now; the coder of that time escaped more than it had to.
  static func rewriteKeys(_ connection: SQLiteConnection) throws {
    for key in try connection.rows("SELECT key FROM room", read: { try $0.value(0, as: String.self) }) {
      let parts = try JSONDecoder().decode([String].self, from: Data(key.utf8))
      guard parts.count == 3 else { continue }
      let written = RoomKey(screen: parts[0], name: parts[1], isPrivate: parts[2] == "session").text
      try connection.run("UPDATE room SET key = ? WHERE key = ?", written, key)
    }
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
    append(list: step.texts) { bytes, text in
      bytes.appendRaw(#"{"name":"#)
      bytes.appendJSON(text.name)
      bytes.appendRaw(#","edits":["#)
      bytes.append(list: text.edits) { $0.appendJSON($1) }
      bytes.appendRaw("]")
      if let whole = text.whole {
        bytes.appendRaw(#","whole":{"name":"#)
        bytes.appendJSON(whole.name)
        bytes.appendRaw(#","text":"#)
        bytes.appendJSON(whole.text)
        bytes.appendRaw(#","revision":"#)
        bytes.appendJSON(whole.revision)
        bytes.appendRaw("}")
      }
      bytes.appendRaw("}")
    }
    appendRaw("]")
    if let ended = step.ended {
      appendRaw(#","ended":["#)
      append(list: ended) { $0.appendJSON($1) }
      appendRaw("]")
    }
    if let revision = step.nextRowRevision {
      appendRaw(#","nextRowRevision":"#)
      appendJSON(revision)
    }
    if let events = step.events {
      appendRaw(#","events":["#)
      append(list: events) { $0.append($1) }
      appendRaw("]")
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
