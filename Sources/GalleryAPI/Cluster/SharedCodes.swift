// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiTables

/// Codes of rooms in the database of a cluster; what is added or removed is written soon, and again if the database is away.
package final class SharedCodes: Sendable {
  private enum Change {
    case add(code: String, room: String)
    case remove(code: String)
  }

  /// How long a code is known whose server was killed.
  private static let lifetime = 86_400.0

  private let tables: Tables
  /// Names this process: a room that goes to another server has its code added there before it is removed here.
  private let node = UUID().uuidString
  private let changes: AsyncStream<Change>.Continuation

  /// The codes of a database.
  package init(_ database: GalleryTables) {
    tables = database.tables
    let (stream, continuation) = AsyncStream<Change>.makeStream()
    changes = continuation
    Task.detached { [tables, node] in
      for await change in stream { await Self.write(change, of: node, tables) }
    }
  }

  deinit { changes.finish() }

  /// Has a code written soon.
  package func add(_ code: String, of room: String) { changes.yield(.add(code: code, room: room)) }

  /// Has a code taken back soon.
  package func remove(_ code: String) { changes.yield(.remove(code: code)) }

  /// The room of a code; nil if no room has it.
  ///
  /// - Throws: `PostgresError`.
  package func room(of code: String) async throws -> String? {
    try await tables.read {
      try $0.row("SELECT room FROM quiz_code WHERE code = $1", code) { try $0.value(0, as: String.self) }
    }
  }

  private static func write(_ change: Change, of node: String, _ tables: Tables) async {
    let now = Date().timeIntervalSince1970
    while true {
      do {
        return try await tables.write { connection in
          switch change {
          case .add(let code, let room):
            try connection.run("DELETE FROM quiz_code WHERE expires <= $1", now)
            try connection.run(
              """
              INSERT INTO quiz_code (code, room, node, expires) VALUES ($1, $2, $3, $4)
              ON CONFLICT (code) DO UPDATE SET node = excluded.node, expires = excluded.expires
              WHERE quiz_code.room = excluded.room
              """, code, room, node, now + lifetime)
          case .remove(let code):
            try connection.run("DELETE FROM quiz_code WHERE code = $1 AND node = $2", code, node)
          }
        }
      } catch  where Tables.isAway(error) {
        try? await Task.sleep(for: .milliseconds(500))
      } catch {
        // A code that cannot be written is found at this server alone.
        return
      }
    }
  }
}
