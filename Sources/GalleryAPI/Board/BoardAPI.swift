// SPDX-License-Identifier: Apache-2.0
package import MusubiRx
import MusubiSQLite
import Synchronization

/// A card of a board.
package struct Card: Equatable, Identifiable, Sendable, Codable {
  /// Where cards are, in the page's order.
  package enum Column: String, Sendable, Codable { case todo, doing, done }

  /// Its number; never used twice, also not after a deletion.
  package let id: Int
  package var column: Column
  /// Orders the cards of a column.
  package var place: Double
  @SearchText package var title: String

  /// Whether it comes before another one: in the order of the places, as in the database.
  package func precedes(_ other: Card) -> Bool { (place, id) < (other.place, other.id) }
}

/// The boards of the gallery, kept in a SQLite file, or in memory only.
///
/// A call for one card blocks for some microseconds, one for a whole board for milliseconds: a change is in the file when it returns, and a kill of the process does not take it
/// back. (A loss of power may take the last ones.)
package final class BoardAPI: Sendable {
  private let database: Mutex<SQLiteConnection>
  private let visits: BoardVisits

  /// Opens the boards, and makes the file the first time.
  ///
  /// - Parameters:
  ///   - folder: Where the file `board.sqlite` is; nil keeps the boards in memory and writes nothing.
  ///   - maxMebibytes: The most MiB that the boards take; nil for as many as the disk has.
  ///   - visits: Bounds the boards.
  /// - Throws: `SQLiteError`.
  package init(folder: String?, maxMebibytes: Int? = nil, visits: BoardVisits = BoardVisits()) throws {
    self.visits = visits
    var configuration = ConnectionConfiguration()
    configuration.synchronous = .normal
    // SQLite's pages have 4 KiB.
    configuration.maxPages = maxMebibytes.map { $0 * 256 }
    let connection = try SQLiteConnection(.file("board.sqlite", in: folder), configuration: configuration)
    var migrator = Migrator()
    migrator.register("card") {
      // `deleted` counts the deletions, so that the last one is taken back first; null of a card that is there.
      try $0.run(
        "CREATE TABLE card (id INTEGER PRIMARY KEY AUTOINCREMENT, board TEXT NOT NULL, column TEXT NOT NULL,"
          + " place REAL NOT NULL, title TEXT NOT NULL, deleted INTEGER) STRICT")
      try $0.run("CREATE INDEX card_board ON card (board)")
      try $0.run("CREATE TABLE taken (id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL) STRICT")
    }
    migrator.register("once") { connection in
      // Inputs that come again after the update have their keys there. A process of 0.2.0 that ends meanwhile still needs the
      // table; what it takes after this copy would be taken again, if it is killed before it has confirmed it.
      let keys = try connection.rows("SELECT key FROM taken ORDER BY id") { try $0.value(0, as: String.self) }
      for key in keys { try connection.transaction(once: key) {} }
    }
    visits.register(in: &migrator)
    try migrator.migrate(connection)
    database = Mutex(connection)
  }

  /// Visits a board: its cards in the order of their places, and those that were deleted, the last one at the end.
  ///
  /// - Parameter board: The board's name.
  /// - Returns: Both.
  /// - Throws: `SQLiteError`.
  package func cards(of board: String) throws -> (there: [Card], deleted: [Card]) {
    try visit(board)
    return try database.withLock { connection in
      let columns = "SELECT id, column, place, title FROM card WHERE board = ? AND deleted IS"
      return (
        try connection.rows("\(columns) NULL ORDER BY place, id", board, read: Self.card),
        try connection.rows("\(columns) NOT NULL ORDER BY deleted", board, read: Self.card)
      )
    }
  }

  /// Somebody still looks at a board.
  ///
  /// - Throws: `SQLiteError`.
  package func visit(_ board: String) throws { try database.withLock { try visits.visit(board, in: $0) } }

  /// Ends a board, if it has no cards.
  ///
  /// - Throws: `SQLiteError`.
  package func end(_ board: String) throws { try database.withLock { try visits.end(board, in: $0) } }

  private static func card(_ row: Row) throws -> Card {
    Card(
      id: try row.value(0), column: Card.Column(rawValue: try row.value(1)) ?? .todo, place: try row.value(2),
      title: try row.value(3))
  }

  /// Adds cards to a board, once for each key.
  ///
  /// - Parameters:
  ///   - cards: Columns, places and titles.
  ///   - board: The board's name.
  ///   - maker: The network of who makes the board, if it is new; nil if nobody counts.
  ///   - key: Names the input that adds them; it may come again, because the process was killed before it was confirmed.
  /// - Returns: The cards; none if they have been added before.
  /// - Throws: `SQLiteError`, of kind `full` if there are too many; no card is added then.
  package func add(
    _ cards: [(column: Card.Column, place: Double, title: String)], to board: String,
    by maker: String? = nil, once key: String
  ) throws -> [Card] {
    try database.withLock { connection in
      try connection.transaction(once: key) {
        try visits.begin(board, by: maker, adding: cards.count, in: connection)
        return try cards.map { card in
          try connection.run(
            "INSERT INTO card (board, column, place, title) VALUES (?, ?, ?, ?)", board, card.column.rawValue,
            card.place, card.title)
          return Card(
            id: Int(connection.lastInsertedRowID), column: card.column, place: card.place, title: card.title)
        }
      } ?? []
    }
  }

  /// Keeps cards as they are now, all or none.
  ///
  /// - Parameter cards: The cards.
  /// - Throws: `SQLiteError`.
  package func keep(_ cards: [Card]) throws {
    try database.withLock { connection in
      try connection.transaction {
        for card in cards {
          _ = try connection.run(
            "UPDATE card SET column = ?, place = ?, title = ? WHERE id = ?", card.column.rawValue, card.place,
            card.title, card.id)
        }
      }
    }
  }

  /// Deletes a card, which may be taken back.
  ///
  /// - Parameters:
  ///   - id: Its number; one that is not there changes nothing.
  ///   - board: The board's name.
  ///   - most: How many deleted cards of the board are kept, the last ones.
  /// - Throws: `SQLiteError`.
  package func delete(_ id: Int, of board: String, keeping most: Int) throws {
    try database.withLock { connection in
      try connection.transaction {
        _ = try connection.run(
          "UPDATE card SET deleted = (SELECT ifnull(max(deleted), 0) + 1 FROM card)"
            + " WHERE id = ? AND deleted IS NULL", id)
        _ = try connection.run(
          "DELETE FROM card WHERE board = ?1 AND deleted <= (SELECT deleted FROM card WHERE board = ?1"
            + " AND deleted IS NOT NULL ORDER BY deleted DESC LIMIT 1 OFFSET ?2)", board, most)
      }
    }
  }

  /// Takes a deletion back, once for each key.
  ///
  /// - Parameters:
  ///   - id: The card.
  ///   - key: Names the input.
  /// - Returns: Whether the card is there again; it is not if the key was taken before, or the card has gone.
  /// - Throws: `SQLiteError`.
  package func restore(_ id: Int, once key: String) throws -> Bool {
    try database.withLock { connection in
      try connection.transaction(once: key) {
        try connection.run("UPDATE card SET deleted = NULL WHERE id = ?", id) == 1
      } ?? false
    }
  }
}
