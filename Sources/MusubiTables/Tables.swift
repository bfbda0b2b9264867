// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres
package import MusubiSQLite

/// Tables in a file of SQLite, or in a schema of PostgreSQL that several servers reach.
///
/// The same statements serve both: an argument is `$1`, and the arguments stand in a statement in the order of their numbers.
///
/// ```swift
/// let names = try await tables.read { connection in
///   try connection.rows("SELECT name FROM pet WHERE age > $1", 3) { try $0.value(0, as: String.self) }
/// }
/// ```
package enum Tables: Sendable {
  case file(DatabaseQueue)
  case server(PostgresQueue)

  /// Runs a work that only reads.
  ///
  /// - Parameter work: The reads; it may run a second time.
  /// - Returns: What `work` returns.
  /// - Throws: What `work` throws, `SQLiteError`, or `PostgresError`.
  package func read<Output: Sendable>(
    _ work: @escaping @Sendable (TableConnection) throws -> Output
  ) async throws -> Output {
    switch self {
    case .file(let queue): try await queue.read { try work(.file($0)) }
    case .server(let queue): try await queue.run(.read, work)
    }
  }

  /// Runs a work in a transaction; those of all servers are run one after the other.
  ///
  /// - Parameter work: Reads and writes, and nothing else: it may run a second time. If it throws, its changes are taken back.
  /// - Returns: What `work` returns.
  /// - Throws: As `read`. After a `PostgresError` that `isUnknown` the changes may have been made, or not.
  package func write<Output: Sendable>(
    _ work: @escaping @Sendable (TableConnection) throws -> Output
  ) async throws -> Output {
    switch self {
    case .file(let queue): try await queue.write { try work(.file($0)) }
    case .server(let queue): try await queue.run(.write, work)
    }
  }

  /// Finishes what waits, and closes the database.
  package func close() async {
    switch self {
    case .file(let queue): await queue.close()
    case .server(let queue): await queue.close()
    }
  }

  /// Whether an error says that a server cannot be reached or has too much to do: the same work may succeed later.
  package static func isAway(_ error: any Error) -> Bool {
    guard let error = error as? PostgresError else { return false }
    return switch error.kind {
    case .unreachable, .connectionLost, .timedOut, .conflict: true
    // A server that has become a standby takes no more writes; the next connection may reach the one in its place.
    default: error.isReadOnly
    }
  }
}
