// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSession
import MusubiSQLite

/// A file of before the records had labels: tables of rooms, steps and sessions.
enum OlderFile {
  /// Brings it to the newest of its schemas.
  static var migrator: Migrator {
    var migrator = Migrator()
    migrator.register("sessions") { connection in
      try connection.runScript(
        """
        CREATE TABLE room (key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE session (id TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """)
    }
    migrator.register("steps") { connection in
      try connection.runScript(
        """
        CREATE TABLE room_step (key TEXT NOT NULL, number INTEGER NOT NULL, record TEXT NOT NULL,
          PRIMARY KEY (key, number)) STRICT, WITHOUT ROWID;
        ALTER TABLE session ADD COLUMN taken INTEGER;
        """)
      try rewriteKeys(connection)
    }
    migrator.register("strikes") { connection in
      try connection.runScript(
        """
        CREATE TABLE strike (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
        CREATE TABLE aside_room (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
        """)
    }
    return migrator
  }

  /// Writes the keys of the first files as they were written later; the coder of that time escaped more than it had to.
  private static func rewriteKeys(_ connection: SQLiteConnection) throws {
    for key in try connection.rows("SELECT key FROM room", read: { try $0.value(0, as: String.self) }) {
      try connection.run("UPDATE room SET key = ? WHERE key = ?", try RoomKey(text: key).text, key)
    }
  }

  /// So many records share a transaction of the copy.
  private static let batch = 256

  /// Copies record by record, and decodes none; sessions first, because private rooms are where their sessions are.
  static func copy(from old: SQLiteConnection, to new: SQLiteConnection) throws {
    try copyAll(from: old, table: "session", key: "id") { id in
      try new.transaction { try copySession(id, from: old, to: new) }
    }
    try copyAll(from: old, table: "room", key: "key") { key in
      try new.transaction { try copyRoom(key, from: old, to: new) }
    }
    try new.transaction {
      for table in ["strike", "aside_room"] {
        let ids = try old.rows("SELECT id FROM \(table)") { try $0.value(0, as: Int.self) }
        for id in ids {
          let record = try old.row("SELECT record FROM \(table) WHERE id = ?", id) { row in
            try row.value(0, as: String.self)
          }
          try new.run("INSERT INTO \(table) VALUES (?, ?)", id, record)
        }
      }
    }
  }

  private static func copyAll(
    from old: SQLiteConnection, table: String, key: String, _ copy: (String) throws -> Void
  ) throws {
    var last = ""
    while true {
      let keys = try old.rows(
        "SELECT \(key) FROM \(table) WHERE \(key) > ? ORDER BY \(key) LIMIT \(batch)", last
      ) { try $0.value(0, as: String.self) }
      guard let end = keys.last else { return }
      for key in keys { try copy(key) }
      last = end
    }
  }

  private static func copySession(
    _ id: String, from old: SQLiteConnection, to new: SQLiteConnection
  ) throws {
    try old.row(
      """
      SELECT json_set(record, '$.taken', coalesce(taken, json_extract(record, '$.taken'))),
        json_extract(record, '$.left'), json_extract(record, '$.visitor.identity'),
        json_extract(record, '$.views[0].room.screen'), json_extract(record, '$.views[0].room.name'),
        json_extract(record, '$.views[0].room.isPrivate')
      FROM session WHERE id = ? AND json_valid(record)
      """, id
    ) { row in
      var room: RoomKey?
      if try row.value(5, as: Int?.self) == 0, let screen = try row.value(3, as: String?.self),
        let name = try row.value(4, as: String?.self)
      {
        room = RoomKey(screen: screen, name: name, isPrivate: false)
      }
      // Any slot does for a session in session scope.
      let slot = room?.slot ?? Int(id.utf8.first ?? 0)
      let peer = try row.value(2, as: String?.self).map { Peer.identity($0).text }
      try SessionRecords.put(
        id, RecordLabel(slot: slot, peer: peer), left: try row.value(1), room: room?.text,
        try row.value(0), new)
    }
  }

  private static func copyRoom(
    _ text: String, from old: SQLiteConnection, to new: SQLiteConnection
  ) throws {
    let key = try RoomKey(text: text)
    var slot = key.slot
    if let session = key.session {
      // Without its session nobody can come back to it.
      guard
        let found = try new.row(
          "SELECT slot FROM record WHERE key = ?", session, read: { try $0.value(0, as: Int.self) })
      else { return }
      slot = found
    }
    try old.row(
      """
      SELECT record, iif(json_valid(record), json_extract(record, '$.left'), NULL),
        iif(json_valid(record), json_extract(record, '$.visitor.identity'), NULL)
      FROM room WHERE key = ?
      """, text
    ) { row in
      let peer = try row.value(2, as: String?.self).map { Peer.identity($0).text }
      try SessionRecords.put(
        text, RecordLabel(slot: slot, peer: peer), left: try row.value(1), room: nil, try row.value(0), new)
    }
    let id = new.lastInsertedRowID
    let steps = try old.rows("SELECT record FROM room_step WHERE key = ? ORDER BY number", text) { row in
      try row.value(0, as: String.self)
    }
    for step in steps {
      try new.run(
        "INSERT INTO step (record, version, bytes, data) VALUES (?, 1, ?, ?)", Int(id), step.utf8.count, step)
    }
  }
}
