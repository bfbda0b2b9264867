// SPDX-License-Identifier: Apache-2.0
package import Foundation
import MusubiSQLite

/// How many boards there may be, and how long: anybody makes one by its address.
package enum BoardBounds {
  /// So many seconds without a visit end a board.
  package static let rest = 30 * 86_400.0
  /// So many boards with cards one network has.
  package static let boards = 20
  /// So many cards those have together, with the deleted ones that come back.
  package static let cards = 20_000
  /// So many bytes those have together in the database of a cluster, where a board is a text.
  static let bytes = 8 << 20
}

/// Who has made the boards of a file, and when somebody was there last.
package struct BoardVisits: Sendable {
  /// So many cards all boards have at most.
  private static let most = 200_000

  private let now: @Sendable () -> Date

  /// The boards' visits.
  ///
  /// - Parameter now: The clock that dates them.
  package init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

  private var time: Double { now().timeIntervalSince1970 }

  /// Adds the step that makes their table.
  func register(in migrator: inout Migrator) {
    migrator.register("board") { [time] connection in
      try connection.run(
        "CREATE TABLE board (name TEXT PRIMARY KEY, maker TEXT, visited REAL NOT NULL) STRICT, WITHOUT ROWID")
      try connection.run("CREATE INDEX board_visited ON board (visited)")
      try connection.run("CREATE INDEX board_maker ON board (maker)")
      try connection.run("INSERT INTO board (name, visited) SELECT DISTINCT board, ? FROM card", time)
      try connection.run(
        "CREATE TRIGGER board_ended AFTER DELETE ON board BEGIN DELETE FROM card WHERE board = old.name; END")
    }
  }

  /// Notes a visit; boards that nobody has visited for long end, two at a time: more than one may begin.
  func visit(_ board: String, in connection: SQLiteConnection) throws {
    try connection.transaction {
      try connection.run("UPDATE board SET visited = ? WHERE name = ?", time, board)
      try connection.run(
        "DELETE FROM board WHERE name IN (SELECT name FROM board WHERE visited < ? ORDER BY visited LIMIT 2)",
        time - BoardBounds.rest)
    }
  }

  /// Ends a board, if it has no cards; those that were deleted go with it.
  func end(_ board: String, in connection: SQLiteConnection) throws {
    try connection.run(
      "DELETE FROM board WHERE name = ?1"
        + " AND NOT EXISTS (SELECT 1 FROM card WHERE board = ?1 AND deleted IS NULL)", board)
  }

  /// Notes a board before cards come, if there is space for all that its maker has then; inside of a transaction.
  ///
  /// - Throws: `SQLiteError` of kind `full`.
  func begin(_ board: String, by maker: String?, adding count: Int, in connection: SQLiteConnection) throws {
    let all = try connection.row("SELECT count(*) FROM card") { try $0.value(0, as: Int.self) } ?? 0
    guard all + count <= Self.most else { throw SQLiteError(.full, "All boards are full") }
    try connection.run(
      "INSERT INTO board (name, maker, visited) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", board, maker, time)
    let isWithin = try connection.row(
      "SELECT count(DISTINCT name), count(id) FROM board LEFT JOIN card ON board = name"
        + " WHERE maker = (SELECT maker FROM board WHERE name = ?)", board
    ) {
      try $0.value(0, as: Int.self) <= BoardBounds.boards
        && $0.value(1, as: Int.self) + count <= BoardBounds.cards
    }
    guard isWithin ?? true else { throw SQLiteError(.full, "One network has too many boards or cards") }
  }
}
