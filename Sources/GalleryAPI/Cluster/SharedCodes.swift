// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiTables

/// Codes of rooms in the database of a cluster; what is added or removed is written soon, and again if the database is away.
package final class SharedCodes: Sendable {
  private enum Change {
    case add(room: String)
    case remove
  }

  /// How long a code is known, in seconds: longer than anybody plays, since that of a server that was killed may stay.
  private static let lifetime = 7 * 86_400.0

  private let tables: Tables
  private let writes: LateWrites<String, Change>

  /// The codes of a database.
  package init(_ database: GalleryTables) {
    tables = database.tables
    // Names this process: a room that goes to another server has its code added there before it is removed here.
    let node = UUID().uuidString
    // A code that cannot be written is found at this server alone.
    writes = LateWrites("quiz codes", pause: .zero, report: database.report) { [tables] code, change in
      try await Self.write(change, of: code, node, tables)
    }
  }

  /// Has a code written soon.
  package func add(_ code: String, of room: String) { writes.put(.add(room: room), for: code) }

  /// Has a code taken back soon.
  package func remove(_ code: String) { writes.put(.remove, for: code) }

  /// The room of a code; nil if no room has it.
  ///
  /// - Throws: `PostgresError`.
  package func room(of code: String) async throws -> String? {
    try await tables.read {
      try $0.row("SELECT room FROM quiz_code WHERE code = $1", code) { try $0.value(0, as: String.self) }
    }
  }

  /// Waits until everything is written; for tests.
  package func settle() async { await writes.settle() }

  private static func write(
    _ change: Change, of code: String, _ node: String, _ tables: Tables
  ) async throws {
    let now = Date().timeIntervalSince1970
    try await tables.write { connection in
      switch change {
      case .add(let room):
        try connection.run("DELETE FROM quiz_code WHERE expires <= $1", now)
        // A code of this server may go on to another room before its removal is written.
        try connection.run(
          """
          INSERT INTO quiz_code (code, room, node, expires) VALUES ($1, $2, $3, $4)
          ON CONFLICT (code) DO UPDATE
          SET room = excluded.room, node = excluded.node, expires = excluded.expires
          WHERE quiz_code.room = excluded.room OR quiz_code.node = excluded.node
          """, code, room, node, now + lifetime)
      case .remove: try connection.run("DELETE FROM quiz_code WHERE code = $1 AND node = $2", code, node)
      }
    }
  }
}
