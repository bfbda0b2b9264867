// SPDX-License-Identifier: Apache-2.0
package import Foundation
import MusubiTables
import Synchronization

/// The boards of a cluster in its database, for when their rooms have gone.
///
/// While a room is there, its own state is what counts, and goes with it from server to server. So nothing here is awaited: what
/// has changed is written soon, and again if the database is away or full.
package final class BoardArchive: Sendable {
  private struct Waiting {
    let board: KeptBoard
    let maker: String?
  }

  /// The boards of makers who have too many.
  private final class Refused: Sendable {
    /// So many are remembered; another one is found out again when it changes.
    private static let most = 1_000
    private let boards = Mutex<Set<String>>([])

    func contains(_ board: String) -> Bool { boards.withLock { $0.contains(board) } }

    func note(_ board: String, isTaken: Bool) {
      boards.withLock { boards in
        if isTaken {
          boards.remove(board)
        } else if boards.insert(board).inserted, boards.count > Self.most {
          boards.removeFirst()
        }
      }
    }
  }

  private let tables: Tables
  private let now: @Sendable () -> Date
  private let refused: Refused
  private let writes: LateWrites<String, Waiting>

  /// The boards of a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - maxMebibytes: The most MiB that the boards take; nil for as many as the disk has.
  ///   - pause: How long a board waits, at least, until it is written again.
  ///   - now: The clock that dates visits.
  package init(
    database: GalleryTables, maxMebibytes: Int? = nil, pause: Duration = .milliseconds(200),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let (tables, refused) = (database.tables, Refused())
    (self.tables, self.refused, self.now) = (tables, refused, now)
    writes = LateWrites(
      "boards", pause: pause, isTemporary: GalleryTables.isFull, report: database.report
    ) { name, waiting in
      let time = now().timeIntervalSince1970
      let isTaken = try await Self.write(waiting, as: name, tables, limit: maxMebibytes, at: time)
      refused.note(name, isTaken: isTaken)
    }
  }

  /// Whether there is no space for more cards on a board.
  package func isFull(for board: String) -> Bool {
    writes.failure.map(GalleryTables.isFull) ?? false || refused.contains(board)
  }

  /// Visits a board; an empty one if there is none of this name.
  ///
  /// Boards that nobody has visited for long end meanwhile.
  ///
  /// - Throws: `ContentsError` if it is damaged, or what the database says.
  package func board(_ name: String) async throws -> KeptBoard {
    if let waiting = writes.value(of: name) { return waiting.board }
    let time = now().timeIntervalSince1970
    let text = try await tables.write { connection in
      let text = try connection.row(
        "UPDATE board SET visited = $1 WHERE name = $2 RETURNING cards", time, name
      ) { try $0.value(0, as: String.self) }
      try connection.run("DELETE FROM board WHERE visited < $1", time - BoardBounds.rest)
      return text
    }
    return try text.map { try KeptBoard($0) } ?? KeptBoard()
  }

  /// Has a board written soon, and an empty one removed; never blocks.
  ///
  /// No maker has more boards that wait than may be written.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - name: Its name.
  ///   - maker: The network of who has made it, which it counts against; nil if nobody counts.
  package func keep(_ board: KeptBoard, as name: String, by maker: String? = nil) {
    let others = maker.map { maker in writes.count { $0 != name && $1.maker == maker } } ?? 0
    guard board.isEmpty || others < BoardBounds.boards else { return refused.note(name, isTaken: false) }
    writes.put(Waiting(board: board, maker: maker), for: name)
  }

  /// Waits until everything is written; for tests.
  package func settle() async { await writes.settle() }

  /// Writes a board, or removes an empty one.
  ///
  /// - Returns: False if its maker has too many; it is not written then.
  private static func write(
    _ waiting: Waiting, as name: String, _ tables: Tables, limit: Int?, at time: Double
  ) async throws -> Bool {
    let (board, maker) = (waiting.board, waiting.maker)
    return try await tables.write { connection in
      guard !board.isEmpty else {
        try connection.run("DELETE FROM board WHERE name = $1 AND version < $2", name, board.version)
        return true
      }
      let text = board.text
      try GalleryTables.checkSpace(
        connection, of: "board", for: text.utf8.count,
        beside: "SELECT coalesce(sum(octet_length(cards)), 0)::int8 FROM board WHERE name <> $1", name,
        limit: limit)
      let others =
        "FROM board WHERE name <> $1 AND maker = "
        + "coalesce((SELECT maker FROM board WHERE name = $1), $2)"
      let isWithin = try connection.row(
        "SELECT count(*), coalesce(sum(octet_length(cards)), 0)::int8 \(others)", name, maker
      ) {
        try $0.value(0, as: Int.self) < BoardBounds.boards
          && $0.value(1, as: Int.self) + text.utf8.count <= BoardBounds.bytes
      }
      guard isWithin ?? true else { return false }
      try connection.run(
        """
        INSERT INTO board (name, version, cards, maker, visited) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (name)
        DO UPDATE SET version = excluded.version, cards = excluded.cards, visited = excluded.visited
        WHERE board.version < excluded.version
        """, name, board.version, text, maker, time)
      return true
    }
  }
}
