// SPDX-License-Identifier: Apache-2.0
import MusubiSQLite
import MusubiTables
import Synchronization

/// The boards of a cluster in its database, for when their rooms have gone.
///
/// While a room is there, its own state is what counts, and goes with it from server to server. So nothing here is awaited: what
/// has changed is written soon, and again if the database is away.
package final class BoardArchive: Sendable {
  private struct State {
    var waiting: [String: KeptBoard] = [:]
    var isSaving = false
    var isFull = false
  }

  private let tables: Tables
  private let limit: Int?
  private let pause: Duration
  private let state = Mutex(State())

  /// The boards of a database.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - maxMebibytes: The most MiB that the boards take; nil for as many as the disk has.
  ///   - pause: How long one writing waits for the next.
  package init(database: GalleryTables, maxMebibytes: Int? = nil, pause: Duration = .milliseconds(200)) {
    (tables, limit, self.pause) = (database.tables, maxMebibytes, pause)
  }

  /// Whether there is no space for more cards.
  package var isFull: Bool { state.withLock(\.isFull) }

  /// A board; an empty one if there is none of this name.
  ///
  /// - Throws: `ContentsError` if it is damaged, or what the database says.
  package func board(_ name: String) async throws -> KeptBoard {
    if let waiting = state.withLock({ $0.waiting[name] }) { return waiting }
    let text = try await tables.read {
      try $0.row("SELECT cards FROM board WHERE name = $1", name) { try $0.value(0, as: String.self) }
    }
    return try text.map { try KeptBoard($0) } ?? KeptBoard()
  }

  /// Has a board written soon; never blocks.
  package func keep(_ board: KeptBoard, as name: String) {
    let isFirst = state.withLock { state in
      state.waiting[name] = board
      defer { state.isSaving = true }
      return !state.isSaving
    }
    if isFirst { Task.detached { [self] in await save() } }
  }

  /// Waits until everything is written; for tests.
  package func settle() async {
    while state.withLock({ $0.isSaving }) { try? await Task.sleep(for: .milliseconds(5)) }
  }

  private func save() async {
    while let (name, board) = next() {
      do {
        try await write(board, as: name)
        state.withLock { $0.isFull = false }
      } catch {
        state.withLock { state in
          state.isFull = (error as? SQLiteError)?.kind == .full
          state.waiting[name] = state.waiting[name] ?? board
        }
        try? await Task.sleep(for: .milliseconds(500))
      }
      try? await Task.sleep(for: pause)
    }
  }

  private func next() -> (String, KeptBoard)? {
    state.withLock { state in
      let next = state.waiting.popFirst()
      state.isSaving = next != nil
      return next.map { ($0.key, $0.value) }
    }
  }

  private func write(_ board: KeptBoard, as name: String) async throws {
    let limit = limit
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
