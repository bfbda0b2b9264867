// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
import MusubiSession
import Synchronization

/// What a store's thread and everybody else tell each other.
final class PostgresSignals: Sendable {
  private let state = Mutex((isClosing: false, isAway: false))
  private let closing = DispatchSemaphore(value: 0)
  let report: @Sendable (PostgresStoreEvent) -> Void

  init(_ report: @escaping @Sendable (PostgresStoreEvent) -> Void) { self.report = report }

  var isClosing: Bool { state.withLock { $0.isClosing } }
  var isAway: Bool { state.withLock { $0.isAway } }

  /// The store is to end: no pause is long any more.
  func close() {
    state.withLock { $0.isClosing = true }
    closing.signal()
  }

  /// Waits, unless the store ends.
  func pause(_ seconds: Double) { _ = closing.wait(timeout: .now() + seconds) }

  /// Notes that the server cannot be reached, or can.
  func tell(away message: String?) {
    let wasAway = state.withLock { state in
      defer { state.isAway = message != nil }
      return state.isAway
    }
    if let message {
      if !wasAway { report(.away(message)) }
    } else if wasAway {
      report(.back)
    }
  }
}

/// Takes the store, and stores one commit after the other; all calls block.
///
/// ```
/// take     UPDATE … generation + 1 WHERE generation = the one seen       then, as statements of their own, the load
/// commit   one statement; its row tells that it is stored                commits + 1
///          no row                                                        another owner: lost, or it was stored before
///          the connection is lost                                        connect again, and send the same statement
/// beat     UPDATE … beats + 1 WHERE generation = mine                    no row: lost
/// ```
///
/// The same statement may be sent several times, and an early one may arrive last: all have the same number, of which the
/// server takes one. Therefore a number belongs to one content until it is known to be stored, or was given up by `burn`.
final class PostgresOwner {
  private let configuration: PostgresStoreConfiguration
  private let reader: PostgresReader
  private let signals: PostgresSignals
  private var connection: PostgresConnection?
  /// nil if the store is lost or given up.
  private(set) var fence: PostgresFence?
  /// Why nothing can be stored any more.
  private var end = StorageError("The store is closed.")

  private static let endsAway = StorageError("The server ends while PostgreSQL is away.")

  init(
    _ configuration: PostgresStoreConfiguration, _ reader: PostgresReader, _ signals: PostgresSignals
  ) throws {
    (self.configuration, self.reader, self.signals) = (configuration, reader, signals)
    let connection = try Self.connect(configuration)
    try Self.check(connection, configuration)
    try PostgresSchema.prepare(connection)
    fence = try Self.take(connection, configuration)
    self.connection = connection
    try reader.open()
  }

  // MARK: - Connecting and taking

  private static func connect(
    _ configuration: PostgresStoreConfiguration
  ) throws(PostgresError) -> PostgresConnection {
    var settings = PostgresConfiguration(url: configuration.url)
    settings.answerTimeout = configuration.answerTimeout
    let connection = try PostgresConnection(settings)
    // A plan is made once, maybe while the tables are empty; it has to suit them when they are large.
    try connection.runScript(
      "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off")
    return connection
  }

  /// Refuses servers that could not keep what they acknowledge.
  private static func check(
    _ connection: PostgresConnection, _ configuration: PostgresStoreConfiguration
  ) throws {
    let version = connection.serverVersion
    guard version >= configuration.oldestServer else {
      throw StorageError(
        "PostgreSQL \(version / 10_000) is too old; \(configuration.oldestServer / 10_000) or newer is needed."
      )
    }
    for setting in ["fsync", "full_page_writes"] {
      guard try connection.run("SELECT current_setting($1)", .text(setting)).text(0, 0) == "on" else {
        throw StorageError(
          "PostgreSQL runs with \(setting) = off and loses what it has acknowledged; switch it on, and restart it."
        )
      }
    }
    guard try connection.run("SELECT pg_is_in_recovery()").text(0, 0) == "f" else {
      throw StorageError("PostgreSQL at this address is a standby; name the primary by --store.")
    }
  }

  /// What a start sees of the owner.
  private struct Sight: Equatable {
    var node: Int64?
    var generation: Int
    var commits: Int
    var beats: Int
  }

  private static func look(_ connection: PostgresConnection) throws -> Sight {
    let row = try connection.run(
      "SELECT node, generation, commits, beats FROM musubi.fence WHERE slot = 0")
    return Sight(
      node: try row.optional(0, 0), generation: try row.value(0, 1), commits: try row.value(0, 2),
      beats: try row.value(0, 3))
  }

  /// Takes the store from nobody, from this node's process before, or from an owner that is silent.
  ///
  /// What is stored is read by later statements: their snapshots are newer than the lock that this one has waited for, so the
  /// last commit of the owner before is among it.
  private static func take(
    _ connection: PostgresConnection, _ configuration: PostgresStoreConfiguration
  ) throws -> PostgresFence {
    let start = ContinuousClock.now
    var seen = try look(connection)
    var since = start
    while true {
      let now = try look(connection)
      if now != seen { (seen, since) = (now, .now) }
      if seen.node == nil || seen.node == configuration.node || .now - since >= configuration.silence {
        let taken = try connection.run(
          """
          UPDATE musubi.fence SET node = $1, generation = generation + 1, since = now()
            WHERE slot = 0 AND generation = $2 RETURNING generation, commits
          """, .integer(configuration.node), .integer(seen.generation))
        if taken.count == 1 {
          return PostgresFence(generation: try taken.value(0, 0), commits: try taken.value(0, 1))
        }
      }
      guard since - start < configuration.patience else {
        throw StorageError(
          "Another node owns the store and is alive; one at a time can. Stop that one, or give this one another database by --store."
        )
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  /// The connection; opens another one if it was lost, for as long as it takes.
  ///
  /// - Returns: nil if the store is being closed meanwhile.
  private func connected() -> PostgresConnection? {
    if let connection, !connection.isLost { return connection }
    connection = nil
    // The server may be another one when it is back.
    reader.close()
    var pause = 0.05
    while true {
      do {
        let opened = try Self.connect(configuration)
        try reader.open()
        connection = opened
        signals.tell(away: nil)
        return opened
      } catch {
        signals.tell(away: "\(error)")
      }
      guard !signals.isClosing else { return nil }
      signals.pause(pause * Double.random(in: 0.5...1))
      pause = min(2 * pause, configuration.longestPause.seconds)
    }
  }

  /// Nothing can be stored from now on.
  private func lose(_ sentence: String) {
    guard fence != nil else { return }
    fence = nil
    end = StorageError(sentence)
    signals.report(.lost(sentence))
  }

  // MARK: - Commits

  /// Writes one commit.
  ///
  /// - Throws: Why it is not stored, and never will be.
  func write(_ changes: PostgresChanges) throws {
    // Whether an earlier attempt may have been stored, or may still be.
    var isOpen = false
    while let fence {
      guard let connection = connected() else {
        throw Self.endsAway
      }
      do {
        if try connection.run(PostgresChanges.sql, changes.arguments(fence)).count == 1 {
          self.fence?.commits += 1
          return
        }
        if try isStored(fence, connection), isOpen {
          self.fence?.commits += 1
          return
        }
        try refuse(fence, connection)
      } catch let error as PostgresError {
        if error.isUnknown || connection.isLost {
          isOpen = true
        } else if error.kind == .conflict {
          signals.pause(0.01)
        } else if !isOpen {
          throw error
        } else if try burn(fence) {
          throw error
        } else {
          return
        }
      }
    }
    throw end
  }

  /// Whether the commit behind those that are known is stored; asked after a statement that has waited for the row's lock.
  private func isStored(_ fence: PostgresFence, _ connection: PostgresConnection) throws -> Bool {
    let now = try Self.look(connection)
    return now.generation == fence.generation && now.commits == fence.commits + 1
  }

  /// A commit was refused: says why.
  private func refuse(_ fence: PostgresFence, _ connection: PostgresConnection) throws {
    let now = try Self.look(connection)
    if now.generation == fence.generation {
      lose(
        "PostgreSQL knows \(now.commits) commits of this node, and \(fence.commits) were stored: it has lost some, or somebody has changed the table musubi.fence."
      )
    } else {
      lose(
        "Another node has taken the store: commit \(fence.commits + 1) of generation \(fence.generation) was refused, because generation \(now.generation) owns it."
      )
    }
  }

  /// Gives up the number of a commit whose earlier attempts may still arrive.
  ///
  /// It counts by two: so a row tells whether this statement or the commit was the one that took the number, even if the
  /// answer to this one is lost.
  ///
  /// - Returns: Whether none of the attempts ever can be stored; else one of them is.
  /// - Throws: `StorageError` if the store is lost.
  private func burn(_ fence: PostgresFence) throws -> Bool {
    while self.fence != nil {
      guard let connection = connected() else {
        throw Self.endsAway
      }
      do {
        try connection.run(
          "UPDATE musubi.fence SET commits = commits + 2 WHERE slot = 0 AND generation = $1 AND commits = $2",
          .integer(fence.generation), .integer(fence.commits))
        let now = try Self.look(connection)
        let taken = now.commits - fence.commits
        if now.generation == fence.generation, taken == 1 || taken == 2 {
          self.fence?.commits = now.commits
          return taken == 2
        }
        try refuse(fence, connection)
      } catch is PostgresError {
        if !connection.isLost { signals.pause(0.2) }
        guard !signals.isClosing else { throw Self.endsAway }
      }
    }
    throw end
  }

  // MARK: - Beats and works

  /// Tells that the owner lives, and finds out if it is not any more.
  func beat() {
    guard let fence, let connection = connected() else { return }
    do {
      let row = try connection.run(
        "UPDATE musubi.fence SET beats = beats + 1 WHERE slot = 0 AND generation = $1",
        .integer(fence.generation))
      guard row.changes == 1 else {
        return lose(
          "Another node has taken the store from generation \(fence.generation), which this node is.")
      }
      try reader.open()
    } catch {
      // Whatever it is: the next one asks again, and a lost connection was noted.
    }
  }

  /// Runs a work and stores the changes that it asks for, in one transaction that only the owner can end.
  func transact<Output>(
    _ work: (PostgresConnection) throws -> (StoreChanges, Output)
  ) throws -> Output {
    guard let fence else { throw end }
    guard let connection = connected() else {
      throw Self.endsAway
    }
    do {
      let output = try connection.transaction {
        let row = try connection.run(
          "SELECT FROM musubi.fence WHERE slot = 0 AND generation = $1 FOR UPDATE", .integer(fence.generation)
        )
        guard row.count == 1 else { throw StorageError("Another node has taken the store.") }
        let (changes, output) = try work(connection)
        var written = PostgresChanges()
        _ = try written.add(changes)
        guard try connection.run(PostgresChanges.sql, written.arguments(fence)).count == 1 else {
          throw StorageError("Another node has taken the store.")
        }
        return output
      }
      self.fence?.commits += 1
      return output
    } catch {
      // Its number may be taken or not: the process starts again, which asks.
      if connection.isLost {
        lose("The connection to PostgreSQL was lost during a work on the whole store; start again.")
      }
      throw error
    }
  }

  /// Gives the store up, so that the next node need not wait.
  func close() {
    if let fence, let connection, !connection.isLost {
      do {
        try connection.run(
          "UPDATE musubi.fence SET node = NULL WHERE slot = 0 AND generation = $1",
          .integer(fence.generation))
      } catch {
        // The next node waits until this one has been silent for long enough.
      }
    }
    (connection, fence) = (nil, nil)
    reader.close()
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
