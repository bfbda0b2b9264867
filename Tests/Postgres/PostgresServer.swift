// SPDX-License-Identifier: Apache-2.0
import Foundation
package import MusubiPostgres
import Synchronization

/// A PostgreSQL server that a test starts; it ends with the test's process.
///
/// `@unchecked Sendable`: the lock guards both ends of the pipes.
package final class PostgresServer: @unchecked Sendable {
  private let lock = Mutex(())
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  /// The folder of its socket.
  package let folder: String

  /// Starts a server; blocks until it takes connections.
  ///
  /// - Parameter settings: Of the server: `fsync=off`.
  /// - Returns: nil if none is installed on this machine, which is told on standard error.
  package static func start(_ settings: String...) -> PostgresServer? { PostgresServer(settings) }

  /// The server that tests share, each with a database of its own; nil if none is installed.
  package static let shared = PostgresServer.start("max_connections=300")

  private init?(_ settings: [String]) {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "serve")
    process.executableURL = script
    process.arguments = settings
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch {
      FileHandle.standardError.write(Data("NOT TESTED with PostgreSQL: \(script.path): \(error)\n".utf8))
      return nil
    }
    let words = Self.line(of: output).split(separator: " ")
    guard words.first == "ready", words.count == 3 else {
      let reason = words.joined(separator: " ")
      FileHandle.standardError.write(Data("NOT TESTED with PostgreSQL: \(reason)\n".utf8))
      return nil
    }
    folder = String(words[1])
  }

  /// Ends it at once, as `kill -9` does, and waits for its end.
  package func kill() { tell("kill") }

  /// Ends it as its operator does.
  package func stop() { tell("stop") }

  /// Starts it again, and waits until it takes connections.
  package func restart() { tell("start") }

  /// Has all commits wait for a standby that never comes; returns when they do.
  package func loseStandby() throws {
    try setStandby("nobody")
    // The setting takes some time to arrive: a change of no use to anybody tells.
    var impatient = PostgresConfiguration(url: url(of: "postgres"))
    impatient.answerTimeout = .milliseconds(100)
    let admin = try PostgresConnection(PostgresConfiguration(url: impatient.url))
    while try commitsThatWait(admin).isEmpty {
      do throws(PostgresError) {
        try PostgresConnection(impatient).runScript("CREATE TABLE probe (); DROP TABLE probe")
      } catch { guard error.kind == .timedOut else { throw error } }
    }
    try admin.runScript(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
  }

  /// No commit waits for a standby any more.
  package func forgetStandby() throws { try setStandby("") }

  /// The server's processes whose commits wait for a standby.
  package func commitsThatWait(_ admin: PostgresConnection) throws -> Set<Int> {
    let rows = try admin.run("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    return Set(try (0..<rows.count).map { try rows.value($0, 0, as: Int.self) })
  }

  private func setStandby(_ name: String) throws {
    let admin = try PostgresConnection(PostgresConfiguration(url: url(of: "postgres")))
    try admin.runScript("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
    try admin.runScript("SELECT pg_reload_conf()")
  }

  /// Makes an empty database.
  ///
  /// - Returns: Its URL.
  package func newDatabase() throws -> String {
    let name = "test_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "_")
    let connection = try PostgresConnection(PostgresConfiguration(url: url(of: "postgres")))
    try connection.runScript("CREATE DATABASE \(name)")
    return url(of: name)
  }

  /// The URL of a database.
  ///
  /// - Parameters:
  ///   - database: Its name.
  ///   - user: Who connects.
  ///   - folder: Where the socket is, if it is another one.
  /// - Returns: The URL.
  package func url(of database: String, user: String = "postgres", folder: String? = nil) -> String {
    "postgres://\(user)@/\(database)?host=\(folder ?? self.folder)"
  }

  private func tell(_ command: String) {
    lock.withLock { _ in
      input.fileHandleForWriting.write(Data("\(command)\n".utf8))
      _ = Self.line(of: output)
    }
  }

  private static func line(of output: Pipe) -> String {
    var line: [UInt8] = []
    while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != 10 { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}

extension PostgresConnection {
  /// How many statements wait for a lock in this database; other tests have databases of their own on the same server.
  ///
  /// A transaction may ask, unlike for `pg_stat_activity`, of which it sees one state.
  package func waiters() throws -> Int {
    let waiting = """
      SELECT FROM pg_locks AS waiting WHERE NOT granted AND EXISTS (
        SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE pid = waiting.pid AND datname = current_database())
      """
    return try run(waiting).count
  }
}
