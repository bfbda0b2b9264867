// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSQLite
import MusubiTables

/// The tables of the contents, and how their rows are read.
enum ContentsSchema {
  /// All versions of the tables.
  ///
  /// `AUTOINCREMENT` keeps the number of a deleted entry from coming back: its address must not show another one.
  static var migrator: Migrator {
    var migrator = Migrator()
    migrator.register("contents") { connection in
      try connection.runScript(
        """
        CREATE TABLE content (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          title TEXT NOT NULL,
          text TEXT NOT NULL,
          author TEXT NOT NULL,
          time INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE post (
          key TEXT PRIMARY KEY NOT NULL,
          content INTEGER NOT NULL,
          time INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX post_by_time ON post (time);
        """)
    }
    return migrator
  }

  /// The entry with this number; nil if there is none.
  static func content(_ id: Int64, in connection: TableConnection) throws -> Content? {
    try connection.row("SELECT id, title, text, author, time FROM content WHERE id = $1", id) {
      try Content($0)
    }
  }
}

extension Content {
  /// Reads an entry from `id, title, text, author, time`.
  init(_ row: TableRow) throws {
    self.init(
      id: try row.value(0), title: try row.value(1), text: try row.value(2), author: try row.value(3),
      milliseconds: try row.value(4))
  }

  init(id: Int64, title: String, text: String, author: String, milliseconds: Int64) {
    self.init(
      id: id, title: title, text: text, author: author,
      time: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
  }
}
