// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import MusubiPostgres
import Synchronization

/// Runs works on one schema of a PostgreSQL database, one after the other, on a thread of its own.
///
/// May be used from everywhere; no call but `init` blocks. A connection that was lost is made again with the next work. While
/// the server cannot be reached works fail, soon after each other.
package final class PostgresQueue: Sendable {
  /// What a work does.
  enum Access {
    case read, write
  }

  private struct State {
    var connection: PostgresConnection?
    /// Why the server cannot be reached, and until when nobody asks it again.
    var away: (error: PostgresError, end: ContinuousClock.Instant)?
    var isClosed = false
  }

  /// The most works that wait.
  private static let maxWaiting = 10_000
  /// How long nobody asks a server that cannot be reached.
  private static let pause: Duration = .milliseconds(500)
  /// How long to ask what has become of a commit whose answer was lost.
  private static let inquiry: Duration = .seconds(8)

  private let configuration: PostgresConfiguration
  private let schema: String
  private let thread = DispatchQueue(label: "musubi.tables", autoreleaseFrequency: .workItem)
  private let state = Mutex(State())
  private let waiting = Mutex(0)

  /// Connects, and brings the schema up to date; blocks until that is done, so call it at start-up.
  ///
  /// - Parameters:
  ///   - url: The database, as `PostgresConfiguration` has it.
  ///   - schema: The name of the schema, which is made; a plain word.
  ///   - steps: Scripts that bring the schema from any earlier version to the newest. One that was ever released is never
  ///     changed; a change is another one at the end.
  /// - Throws: `PostgresError`.
  package init(url: String, schema: String, steps: [String]) throws {
    var configuration = PostgresConfiguration(url: url)
    configuration.connectTimeout = .seconds(3)
    configuration.answerTimeout = .seconds(8)
    configuration.applicationName = schema
    self.configuration = configuration
    self.schema = schema
    let connection = try Self.connect(configuration, schema)
    try connection.transaction {
      try connection.runScript(lock)
      // Reading the catalog makes the session forget that the schema was not there before it waited for the lock.
      try connection.run("SELECT FROM pg_namespace LIMIT 1")
      try connection.runScript(
        """
        CREATE SCHEMA IF NOT EXISTS \(schema);
        CREATE TABLE IF NOT EXISTS step (number bigint PRIMARY KEY)
        """)
      let taken: Int = try connection.run("SELECT count(*) FROM step").value(0, 0)
      guard taken <= steps.count else {
        throw PostgresError(
          .other,
          "The tables in the schema \(schema) were made by a newer version of the program; use that one")
      }
      for (number, step) in steps.enumerated().dropFirst(taken) {
        try connection.runScript(step)
        try connection.run("INSERT INTO step VALUES ($1)", .integer(number + 1))
      }
    }
  }

  /// Lets the works of all servers that write run one after the other.
  private var lock: String { "SELECT pg_advisory_xact_lock(hashtextextended('musubi tables \(schema)', 0))" }

  /// A server that stands still in a transaction must not keep all others waiting.
  private static func connect(
    _ configuration: PostgresConfiguration, _ schema: String,
    ending abandoned: PostgresConnection.ServerProcess? = nil
  ) throws(PostgresError) -> PostgresConnection {
    let connection = try PostgresConnection(configuration, ending: abandoned)
    try connection.runScript(
      """
      SET search_path TO \(schema);
      SET idle_in_transaction_session_timeout = '2s';
      SET lock_timeout = '5s'
      """)
    return connection
  }

  /// Runs a work; see `Tables`.
  func run<Output: Sendable>(
    _ access: Access, _ work: @escaping @Sendable (TableConnection) throws -> Output
  ) async throws -> Output {
    let isTooMany = waiting.withLock { waiting in
      if waiting >= Self.maxWaiting { return true }
      waiting += 1
      return false
    }
    guard !isTooMany else { throw PostgresError(.conflict, "Too many works wait for the database") }
    return try await withCheckedThrowingContinuation { continuation in
      thread.async { [self] in
        waiting.withLock { $0 -= 1 }
        continuation.resume(with: Result { try state.withLock { try attempt(access, work, &$0) } })
      }
    }
  }

  /// Does what waits, and closes the connection; every later work fails.
  func close() async {
    await withCheckedContinuation { continuation in
      thread.async { [self] in
        state.withLock { state in
          state.connection = nil
          state.isClosed = true
        }
        continuation.resume()
      }
    }
  }

  /// Runs a work, on another connection if the first one turns out to have been lost before anything was committed.
  ///
  /// If the answer to the commit was lost, the server is asked whether it has it.
  private func attempt<Output>(
    _ access: Access, _ work: (TableConnection) throws -> Output, _ state: inout State
  ) throws -> Output {
    guard !state.isClosed else { throw PostgresError(.other, "The database is closed") }
    while true {
      let isKnown = state.connection?.isLost == false
      let connection = try connection(&state)
      var committing: (transaction: String, output: Output)?
      do {
        guard access == .write else { return try work(.server(connection)) }
        return try connection.transaction {
          let transaction = try connection.runScript("\(lock); SELECT pg_current_xact_id()::text").text(0, 0)
          let output = try work(.server(connection))
          committing = (transaction ?? "", output)
          return output
        }
      } catch {
        guard connection.isLost, isKnown || committing != nil else { throw error }
        if let committing {
          guard let isDone = isCommitted(committing.transaction, &state) else { throw error }
          if isDone { return committing.output }
        }
      }
    }
  }

  /// Finds out what has become of a transaction.
  ///
  /// - Returns: True if its changes are stored, false if they never will be; nil if nobody tells in time.
  private func isCommitted(_ transaction: String, _ state: inout State) -> Bool? {
    let end = ContinuousClock.now + Self.inquiry
    while .now < end {
      do throws(PostgresError) {
        let answer = try connection(&state).run("SELECT pg_xact_status($1::text::xid8)", .text(transaction))
        // What another server than the one before does not know it does not have.
        switch answer.text(0, 0) {
        case "committed":
          // It may be seen before the standby has it. The answer to a later change is also the answer to that.
          try connection(&state).run("UPDATE step SET number = number")
          return true
        case "in progress": break
        default: return false
        }
      } catch {
        if error.sqlState == "22023" { return false }
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
    return nil
  }

  private func connection(_ state: inout State) throws(PostgresError) -> PostgresConnection {
    if let connection = state.connection, !connection.isLost { return connection }
    if let away = state.away, .now < away.end { throw away.error }
    do throws(PostgresError) {
      let connection = try Self.connect(configuration, schema, ending: state.connection?.abandoned)
      (state.connection, state.away) = (connection, nil)
      return connection
    } catch {
      state.away = (error, .now + Self.pause)
      throw error
    }
  }
}
