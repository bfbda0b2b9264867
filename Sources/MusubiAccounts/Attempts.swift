// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiTables
import Musubi

/// Counts attempts; `Throttle` says how.
package protocol Attempts: Sendable {
  /// Counts an attempt, or says how many seconds to wait before the next one.
  ///
  /// - Parameters:
  ///   - keys: All of them must agree; the attempt counts for each of them.
  ///   - clock: Says what time it is.
  /// - Returns: The wait; nil if the attempt may go on.
  /// - Throws: The store's error.
  func admit(_ keys: [AttemptKey], at clock: AccountClock) async throws -> Int?
  /// Gives an attempt back that was a success.
  func giveBack(_ keys: [AttemptKey]) async throws
  /// Forgets all attempts.
  func forget(_ key: AttemptKey) async throws
}

/// The attempts at one server, in memory.
struct MemoryAttempts: Attempts {
  private let throttle = Throttle<AttemptKey> { $0.limits }

  func admit(_ keys: [AttemptKey], at clock: AccountClock) -> Int? { throttle.admit(keys, at: clock.now()) }

  func giveBack(_ keys: [AttemptKey]) { for key in keys { throttle.giveBack(key) } }

  func forget(_ key: AttemptKey) { throttle.forget(key) }
}

/// The attempts at all servers, in a table.
///
/// Its times are milliseconds since 1970, of whichever server counts: their clocks have to agree.
struct TableAttempts: Attempts {
  let tables: AccountTables

  func admit(_ keys: [AttemptKey], at clock: AccountClock) async throws -> Int? {
    let now = Duration.milliseconds(Int64((clock.date() * 1_000).rounded()))
    return try await tables.write { connection in
      var counts: [(key: AttemptKey, count: AttemptCount)] = []
      for key in keys {
        let count = try Self.count(key, connection) ?? AttemptCount(at: now)
        counts.append((key, count.current(key.limits, at: now)))
      }
      if let wait = AttemptCount.wait(counts.map(\.count), at: now) { return wait }
      try connection.run("DELETE FROM attempt WHERE forgotten <= $1", now.wholeMilliseconds)
      for (key, before) in counts {
        var count = before
        count.add(key.limits, at: now)
        try Self.keep(count, of: key, connection)
      }
      return nil
    }
  }

  func giveBack(_ keys: [AttemptKey]) async throws {
    try await tables.write { connection in
      for key in keys {
        guard var count = try Self.count(key, connection) else { continue }
        count.giveBack()
        try Self.keep(count, of: key, connection)
      }
    }
  }

  func forget(_ key: AttemptKey) async throws {
    try await tables.write { _ = try $0.run("DELETE FROM attempt WHERE key = $1", key.text) }
  }

  private static func count(_ key: AttemptKey, _ connection: TableConnection) throws -> AttemptCount? {
    try connection.row("SELECT attempts, last, before, next FROM attempt WHERE key = $1", key.text) { row in
      AttemptCount(
        attempts: try row.value(0), last: .milliseconds(try row.value(1, as: Int64.self)),
        before: .milliseconds(try row.value(2, as: Int64.self)),
        next: .milliseconds(try row.value(3, as: Int64.self)))
    }
  }

  private static func keep(_ count: AttemptCount, of key: AttemptKey, _ connection: TableConnection) throws {
    guard count.attempts > 0 else {
      try connection.run("DELETE FROM attempt WHERE key = $1", key.text)
      return
    }
    try connection.run(
      """
      INSERT INTO attempt (key, attempts, last, before, next, forgotten) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (key) DO UPDATE SET attempts = $2, last = $3, before = $4, next = $5, forgotten = $6
      """, key.text, count.attempts, count.last.wholeMilliseconds, count.before.wholeMilliseconds,
      count.next.wholeMilliseconds, (count.last + key.limits.memory).wholeMilliseconds)
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
