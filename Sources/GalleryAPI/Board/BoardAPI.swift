// SPDX-License-Identifier: Apache-2.0
package import Foundation
import MusubiSQLite
import Synchronization

/// A card of a board.
package struct Card: Codable, Equatable, Identifiable, Sendable {
  /// Where cards are, in the page's order.
  package enum Column: String, Codable, CaseIterable, Sendable { case todo, doing, done }

  /// Its number; never used twice, also not after a deletion.
  package let id: Int
  package var column: Column
  /// Orders the cards of a column.
  package var place: Double
  package var title: String

  /// A card with all its parts.
  package init(id: Int, column: Column, place: Double, title: String) {
    self.id = id
    self.column = column
    self.place = place
    self.title = title
  }
}

/// The boards of the gallery, kept in a SQLite file, or in memory only.
///
/// Each call blocks for some microseconds: a change is in the file when it returns, and a kill of the process does not take it
/// back. (A loss of power may take the last ones.)
package final class BoardAPI: Sendable {
  private let database: Mutex<SQLiteConnection>

  /// Opens the boards, and makes the file the first time.
  ///
  /// - Parameter folder: Where the file `board.sqlite` is; nil keeps the boards in memory and writes nothing.
  /// - Throws: `SQLiteError`, or why the folder cannot be made.
  package init(folder: URL?) throws {
    if let folder { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    var configuration = ConnectionConfiguration()
    configuration.synchronous = .normal
    let connection = try SQLiteConnection(
      folder.map { .file($0.appending(path: "board.sqlite").path) } ?? .memory, configuration: configuration)
    var migrator = Migrator()
    migrator.register("card") {
      try $0.run(
        "CREATE TABLE card (id INTEGER PRIMARY KEY AUTOINCREMENT, board TEXT NOT NULL, column TEXT NOT NULL,"
          + " place REAL NOT NULL, title TEXT NOT NULL) STRICT")
      try $0.run("CREATE INDEX card_board ON card (board)")
    }
    try migrator.migrate(connection)
    database = Mutex(connection)
  }

  /// The cards of a board, in the order of their places.
  ///
  /// - Parameter board: The board's name.
  /// - Returns: The cards.
  /// - Throws: `SQLiteError`.
  package func cards(of board: String) throws -> [Card] {
    try database.withLock { connection in
      try connection.rows(
        "SELECT id, column, place, title FROM card WHERE board = ? ORDER BY place, id", board
      ) { row in
        Card(
          id: try row.value(0, as: Int.self),
          column: Card.Column(rawValue: try row.value(1, as: String.self)) ?? .todo,
          place: try row.value(2, as: Double.self), title: try row.value(3, as: String.self))
      }
    }
  }

  /// Adds cards to a board.
  ///
  /// - Parameters:
  ///   - cards: Columns, places and titles.
  ///   - board: The board's name.
  /// - Returns: The cards.
  /// - Throws: `SQLiteError`; no card is added then.
  package func add(
    _ cards: [(column: Card.Column, place: Double, title: String)], to board: String
  ) throws -> [Card] {
    try database.withLock { connection in
      try connection.transaction {
        try cards.map { card in
          try connection.run(
            "INSERT INTO card (board, column, place, title) VALUES (?, ?, ?, ?)", board, card.column.rawValue,
            card.place, card.title)
          return Card(
            id: Int(connection.lastInsertedRowID), column: card.column, place: card.place, title: card.title)
        }
      }
    }
  }

  /// Keeps a card as it is now; one that was removed is there again.
  ///
  /// - Parameters:
  ///   - card: The card.
  ///   - board: The board's name.
  /// - Throws: `SQLiteError`.
  package func keep(_ card: Card, on board: String) throws {
    try database.withLock { connection in
      _ = try connection.run(
        "INSERT INTO card VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
          + " column = excluded.column, place = excluded.place, title = excluded.title",
        card.id, board, card.column.rawValue, card.place, card.title)
    }
  }

  /// Removes a card.
  ///
  /// - Parameter id: Its number; one that is not there changes nothing.
  /// - Throws: `SQLiteError`.
  package func remove(_ id: Int) throws {
    try database.withLock { connection in
      _ = try connection.run("DELETE FROM card WHERE id = ?", id)
    }
  }
}
