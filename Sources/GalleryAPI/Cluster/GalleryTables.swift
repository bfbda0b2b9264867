// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres
import MusubiSQLite
import MusubiTables

/// The tables of the gallery in a PostgreSQL database that several servers have, in the schema `gallery`.
///
/// | table | row |
/// | --- | --- |
/// | `content` | an entry of the contents |
/// | `post` | the input that has posted an entry |
/// | `board` | a board of cards, for when its room has gone |
/// | `quiz_code` | the code of a quiz's room, and the server that has it |
/// | `ended_login` | a log-in that was ended before its cookie does |
package struct GalleryTables: Sendable {
  let tables: Tables
  let report: @Sendable (String) -> Void

  /// Connects, and makes the tables the first time; blocks, so call it at start-up.
  ///
  /// - Parameters:
  ///   - url: The database.
  ///   - report: Is told why something could not be written that nobody waits for.
  /// - Throws: `PostgresError`.
  package init(url: String, report: @escaping @Sendable (String) -> Void) throws {
    self.report = report
    tables = .server(try PostgresQueue(url: url, schema: "gallery", steps: Self.steps))
  }

  /// Notes that a log-in was ended.
  ///
  /// - Parameters:
  ///   - key: Names the log-in.
  ///   - expires: When its cookie ends by itself, in seconds since 1970.
  ///   - now: The time.
  /// - Throws: `PostgresError`.
  package func end(logIn key: String, expiring expires: Double, at now: Double) async throws {
    try await tables.write { connection in
      try connection.run("DELETE FROM ended_login WHERE expires <= $1", now)
      try connection.run("INSERT INTO ended_login VALUES ($1, $2) ON CONFLICT DO NOTHING", key, expires)
    }
  }

  /// Whether a log-in was ended.
  package func hasEnded(logIn key: String) async throws -> Bool {
    try await tables.read {
      try $0.row("SELECT 1 FROM ended_login WHERE key = $1", key) { try $0.value(0, as: Int.self) } != nil
    }
  }

  /// Whether an error says that the database is away, so that the same work may succeed later.
  package static func isAway(_ error: any Error) -> Bool { Tables.isAway(error) }

  /// Closes the connection.
  package func close() async { await tables.close() }

  private static let steps = [
    """
    CREATE TABLE content (id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL,
      text text NOT NULL, author text NOT NULL, time int8 NOT NULL);
    CREATE TABLE post (key text PRIMARY KEY, content int8 NOT NULL, time int8 NOT NULL);
    CREATE INDEX post_by_time ON post (time);
    CREATE TABLE board (name text PRIMARY KEY, version int8 NOT NULL, cards text NOT NULL);
    CREATE TABLE quiz_code (code text PRIMARY KEY, room text NOT NULL, node text NOT NULL,
      expires float8 NOT NULL);
    CREATE TABLE ended_login (key text PRIMARY KEY, expires float8 NOT NULL)
    """,
    """
    ALTER TABLE board ADD COLUMN maker text;
    ALTER TABLE board ADD COLUMN visited float8 NOT NULL DEFAULT extract(epoch FROM now());
    CREATE INDEX board_by_maker ON board (maker);
    CREATE INDEX board_by_visited ON board (visited)
    """,
  ]

  /// Whether an error says that there is no space.
  static func isFull(_ error: any Error) -> Bool {
    (error as? SQLiteError)?.kind == .full || (error as? PostgresError)?.kind == .full
  }

  /// Whether an error says that the same work may succeed if it is tried again.
  static func isBusy(_ error: any Error) -> Bool { (error as? PostgresError)?.kind == .conflict }

  /// Checks that a table may grow; SQLite looks after its file by itself.
  ///
  /// PostgreSQL seldom gives space back that rows of before have left. So the rows themselves count where the files have the
  /// limit.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - table: The table's name.
  ///   - bytes: How many bytes come.
  ///   - others: `SELECT`s the bytes of all other rows.
  ///   - name: Its argument, if it has one.
  ///   - limit: The most MiB that it may have; nil for as many as the disk has.
  /// - Throws: `SQLiteError` of kind `full`.
  static func checkSpace(
    _ connection: TableConnection, of table: String, for bytes: Int, beside others: String,
    _ name: String? = nil, limit: Int?
  ) throws {
    guard case .server = connection, let limit else { return }
    func count(_ sql: String, _ argument: String?) throws -> Int {
      let read = { (row: TableRow) in try row.value(0, as: Int.self) }
      return try (argument.map { try connection.row(sql, $0, read: read) } ?? connection.row(sql, read: read))
        ?? 0
    }
    if try count("SELECT pg_total_relation_size($1::text::regclass)", table) + bytes < limit << 20 { return }
    guard try count(others, name) + bytes < limit << 20 else {
      throw SQLiteError(.full, "The table \(table) is full")
    }
  }
}
