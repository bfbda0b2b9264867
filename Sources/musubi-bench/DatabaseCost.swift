// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres

/// What a database has spent on statements.
struct DatabaseCost: Encodable {
  /// CPU time of the processes that serve its connections.
  let cpuMicroseconds: Double
  /// Bytes of the server's write-ahead log.
  let logBytes: Double

  /// A cost that is known.
  init(cpuMicroseconds: Double, logBytes: Double) {
    (self.cpuMicroseconds, self.logBytes) = (cpuMicroseconds, logBytes)
  }

  /// All that the other connections of a database have cost since they were opened, and the log since there is one.
  ///
  /// - Parameter connection: One that asks.
  /// - Throws: If the database or the kernel does not tell.
  init(asking connection: PostgresConnection) throws(BenchError) {
    do {
      let pids = try connection.run(
        """
        SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
        """)
      var nanoseconds = 0.0
      for row in 0..<pids.count {
        let pid = try pids.value(row, 0, as: Int.self)
        // Time on a processor comes first (proc(5)).
        let text = try String(contentsOfFile: "/proc/\(pid)/schedstat", encoding: .utf8)
        nanoseconds += text.split(separator: " ").first.flatMap { Double($0) } ?? 0
      }
      let log = try connection.run("SELECT (pg_current_wal_lsn() - '0/0')::bigint")
      self.init(cpuMicroseconds: nanoseconds / 1_000, logBytes: Double(try log.value(0, 0, as: Int.self)))
    } catch { throw BenchError("the database does not tell what it has spent: \(error)") }
  }

  /// What each of some statements has cost, on average.
  ///
  /// - Parameters:
  ///   - before: What had been spent before them.
  ///   - count: How many there were.
  /// - Returns: The mean.
  func since(_ before: Self, each count: Int) -> Self {
    Self(
      cpuMicroseconds: (cpuMicroseconds - before.cpuMicroseconds) / Double(count),
      logBytes: (logBytes - before.logBytes) / Double(count))
  }
}
