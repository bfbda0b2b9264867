// SPDX-License-Identifier: Apache-2.0
import MusubiTables

/// The boards of a cluster in its database, for when their rooms have gone.
///
/// While a room is there, its own state is what counts, and goes with it from server to server. So nothing here is awaited: what
/// has changed is written soon, and again if the database is away or full.
package final class BoardArchive: Sendable {
  private let tables: Tables
  private let writes: LateWrites<String, KeptBoard>

  /// The boards of a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - maxMebibytes: The most MiB that the boards take; nil for as many as the disk has.
  ///   - pause: How long one writing waits for the next.
  package init(database: GalleryTables, maxMebibytes: Int? = nil, pause: Duration = .milliseconds(200)) {
    tables = database.tables
    writes = LateWrites(
      "boards", pause: pause, isTemporary: GalleryTables.isFull, report: database.report
    ) { [tables] name, board in try await Self.write(board, as: name, tables, limit: maxMebibytes) }
  }

  /// Whether there is no space for more cards.
  package var isFull: Bool { writes.failure.map(GalleryTables.isFull) ?? false }

  /// A board; an empty one if there is none of this name.
  ///
  /// - Throws: `ContentsError` if it is damaged, or what the database says.
  package func board(_ name: String) async throws -> KeptBoard {
    if let waiting = writes.value(of: name) { return waiting }
    let text = try await tables.read {
      try $0.row("SELECT cards FROM board WHERE name = $1", name) { try $0.value(0, as: String.self) }
    }
    return try text.map { try KeptBoard($0) } ?? KeptBoard()
  }

  /// Has a board written soon; never blocks.
  package func keep(_ board: KeptBoard, as name: String) { writes.put(board, for: name) }

  /// Waits until everything is written; for tests.
  package func settle() async { await writes.settle() }

  private static func write(
    _ board: KeptBoard, as name: String, _ tables: Tables, limit: Int?
  ) async throws {
    try await tables.write { connection in
      try GalleryTables.checkSpace(connection, of: "board", limit: limit)
      try connection.run(
        """
        INSERT INTO board (name, version, cards) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET version = excluded.version, cards = excluded.cards
        WHERE board.version < excluded.version
        """, name, board.version, board.text)
    }
  }
}
