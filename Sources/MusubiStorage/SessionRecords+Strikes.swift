// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSession
import MusubiSQLite

/// The rows of events that have ended the process before, each as JSON.
extension SessionRecords {
  /// The most rooms that are kept aside, the newest ones.
  private static let maxAside = 1_000

  static func strikes(_ connection: SQLiteConnection) throws -> [Strike] {
    try connection.rows("SELECT record FROM strike ORDER BY id") {
      try read(Strike.self, from: $0, column: 0)
    }
  }

  static func asideRooms(_ connection: SQLiteConnection) throws -> [(id: Int, room: AsideRoom)] {
    try connection.rows("SELECT id, record FROM aside_room ORDER BY id") { row in
      (try row.value(0, as: Int.self), try read(AsideRoom.self, from: row, column: 1))
    }
  }

  /// Writes what follows from the events that have ended the process.
  static func store(_ judgement: Judgement, _ connection: SQLiteConnection) throws {
    try connection.run("DELETE FROM strike")
    for strike in judgement.strikes {
      try connection.run("INSERT INTO strike VALUES (?, ?)", strike.id, try json(strike))
    }
    for room in judgement.aside { try putAside(room, connection) }
    try store(judgement.ended, connection)
  }

  /// The sessions that show a shared room.
  static func sessions(showing key: RoomKey, _ connection: SQLiteConnection) throws -> [String] {
    try connection.rows("SELECT key FROM record WHERE room = ? ORDER BY key", key.text) { try $0.value(0) }
  }

  static func putAside(_ room: AsideRoom, _ connection: SQLiteConnection) throws {
    try connection.run("INSERT INTO aside_room (record) VALUES (?)", try json(room))
    try connection.run(
      "DELETE FROM aside_room WHERE id NOT IN (SELECT id FROM aside_room ORDER BY id DESC LIMIT ?)", maxAside)
  }

  private static func read<Record: Decodable>(
    _ type: Record.Type, from row: Row, column: Int
  ) throws -> Record {
    try JSONDecoder().decode(type, from: Data(try row.value(column, as: String.self).utf8))
  }
}
