// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
import MusubiSession

/// Stores one commit after the other in the slots that this node owns; all calls block.
///
/// ```
/// take     UPDATE … generation + 1                                       then, as statements of their own, the load
/// commit   one statement; it names the slots that are stored             their commits + 1
///          a slot is missing                                             another owner: lost, or it was stored before
///          the connection is lost                                        connect again, and send the same statement
/// beat     UPDATE … seen                                                 no row: all is lost
/// ```
///
/// The same statement may be sent several times, and an early one may arrive last: all have the same number of a slot's commit,
/// of which the server takes one. Therefore a number belongs to one content until it is known to be stored, or was given up by
/// `burn`.
///
/// An owner that is alone has taken all slots, says by `beat` that it lives, and ends when one of them is lost. One of a cluster
/// is told its slots.
final class PostgresOwner {
  private let configuration: PostgresStoreConfiguration
  private let reader: PostgresReader
  private let signals: PostgresSignals
  private var connection: PostgresConnection?
  /// Whether a commit was not answered in time, and none was since: a server that takes connections may wait for its standby.
  private var isStuck = false
  /// This process.
  let node: Int64
  let isAlone: Bool
  /// The slots that it owns.
  private(set) var fences: [Int: PostgresFence] = [:]

  private static let endsAway = StorageError("The server ends while PostgreSQL is away.")
  private static let takenAway = StorageError("Another node has taken the store.")

  /// Connects, and takes all slots unless it is a node of a cluster: `node` names one, nil stands for an owner that is alone.
  init(
    _ configuration: PostgresStoreConfiguration, node: Int64?, _ reader: PostgresReader,
    _ signals: PostgresSignals
  ) throws {
    (self.configuration, self.reader, self.signals) = (configuration, reader, signals)
    isAlone = node == nil
    self.node = node ?? .random(in: 1...Int64.max)
    let first = try Self.connect(configuration, answerTimeout: .seconds(600))
    try Self.check(first, configuration)
    try PostgresSchema.prepare(first, configuration)
    let connection = try Self.connect(configuration, answerTimeout: configuration.answerTimeout)
    if isAlone { fences = try takeAll(connection) }
    self.connection = connection
    try reader.open()
  }

  // MARK: - Connecting and taking

  private static func connect(
    _ configuration: PostgresStoreConfiguration, answerTimeout: Duration,
    ending abandoned: PostgresConnection.ServerProcess? = nil
  ) throws(PostgresError) -> PostgresConnection {
    var settings = PostgresConfiguration(url: configuration.url)
    settings.answerTimeout = answerTimeout
    let connection = try PostgresConnection(settings, ending: abandoned)
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

  /// Takes all slots from nobody, from this folder's process before, or from nodes that are silent.
  ///
  /// What is stored is read by later statements: their snapshots are newer than the locks that this has waited for, so the
  /// last commit of each owner before is among it.
  private func takeAll(_ connection: PostgresConnection) throws -> [Int: PostgresFence] {
    let signs = {
      let rows = try connection.run(
        "SELECT id, seen FROM musubi.node WHERE folder <> $1", .integer(self.configuration.node))
      var signs: [Int64: String] = [:]
      for row in 0..<rows.count { signs[try rows.value(row, 0)] = rows.text(row, 1) }
      return signs
    }
    return try PostgresSilence.wait(configuration, signs) { seen in
      try connection.transaction {
        let version = try Self.nextVersion(connection)
        guard try signs() == seen else { return nil }
        try connection.run("DELETE FROM musubi.node")
        try connection.run(
          "INSERT INTO musubi.node (id, folder, address, build, loops, link) VALUES ($1, $2, '', '', 0, 0)",
          .integer(node), .integer(configuration.node))
        // In the order in which commits lock them.
        try connection.run("SELECT FROM musubi.fence ORDER BY slot FOR UPDATE")
        return try Self.fences(
          connection.run(
            """
            UPDATE musubi.fence SET node = $1, generation = generation + 1, moved = $2,
                lost_since = CASE WHEN node IS NULL THEN lost_since ELSE generation + 1 END
              RETURNING slot, generation, commits
            """, .integer(node), .integer(version)))
      }
    }
  }

  /// The number of the change of owners that this transaction makes; such transactions run one after the other.
  private static func nextVersion(_ connection: PostgresConnection) throws(PostgresError) -> Int {
    try connection.run("UPDATE musubi.directory SET version = version + 1 RETURNING version").value(0, 0)
  }

  /// Reads rows of slot, generation and commits.
  private static func fences(_ rows: PostgresResult) throws(PostgresError) -> [Int: PostgresFence] {
    var fences: [Int: PostgresFence] = [:]
    for row in 0..<rows.count {
      fences[try rows.value(row, 0)] = PostgresFence(
        generation: try rows.value(row, 1), commits: try rows.value(row, 2))
    }
    return fences
  }

  /// The connection; opens another one if it was lost, for as long as it takes.
  ///
  /// - Throws: `StorageError` if the store ends meanwhile.
  private func connected() throws(StorageError) -> PostgresConnection {
    if let loss = signals.loss { throw loss }
    if let connection, !connection.isLost { return connection }
    // The server may be another one when it is back.
    reader.close()
    var pause = 0.05
    while true {
      do {
        let opened = try Self.connect(
          configuration, answerTimeout: configuration.answerTimeout, ending: connection?.abandoned)
        try reader.open()
        connection = opened
        if !isStuck { signals.tell(away: nil) }
        return opened
      } catch {
        signals.tell(away: "\(error)")
      }
      if let loss = signals.loss { throw loss }
      guard !signals.isClosing else { throw Self.endsAway }
      signals.pause(pause * Double.random(in: 0.5...1))
      pause = min(2 * pause, configuration.longestPause.seconds)
    }
  }

  // MARK: - Slots

  /// The node owns more slots; what was told of an older generation may come late.
  func own(_ slots: [Int: PostgresFence]) {
    fences.merge(slots) { known, told in told.generation > known.generation ? told : known }
  }

  /// The node owns slots no more.
  func letGo(_ slots: Set<Int>) { for slot in slots { fences[slot] = nil } }

  /// A slot belongs to somebody else, or its row of the table is not as it was: nothing of it can be stored any more.
  private func lose(_ slot: Int, _ row: PostgresFence?) {
    guard let fence = fences.removeValue(forKey: slot) else { return }
    if let row, row.generation == fence.generation {
      signals.lose(
        "PostgreSQL knows \(row.commits) commits of slot \(slot) of this node, and \(fence.commits) were stored: it has lost some, or somebody has changed the table musubi.fence."
      )
    } else if isAlone {
      signals.lose(
        "Another node has taken the store: commit \(fence.commits + 1) of generation \(fence.generation) of slot \(slot) was refused."
      )
    }
  }

  // MARK: - Commits

  /// Writes one commit.
  ///
  /// - Returns: The slots of which nothing is stored, and never will be, because they belong to somebody else.
  /// - Throws: Why nothing is stored, and never will be.
  func write(_ changes: PostgresChanges) throws -> Set<Int> {
    if let loss = signals.loss { throw loss }
    var known: [Int: PostgresFence] = [:]
    for slot in changes.concerned { known[slot] = fences[slot] }
    var commit = PostgresCommit(known)
    let unknown = changes.concerned.subtracting(commit.slots)
    guard !commit.slots.isEmpty else { return unknown }
    var refusal: PostgresError?
    var patience = CommitPatience(answerTimeout: configuration.answerTimeout, bytes: changes.weight)
    while true {
      switch commit.step {
      case .write: refusal = try write(changes, &commit, &patience)
      case .burn:
        try burn(commit)
        commit.burned()
      case .look(let slots): commit.looked(try look(at: slots))
      case .confirm:
        try confirm(commit.slots)
        commit.confirmed()
      case .end(let isStored):
        fences.merge(commit.fences) { $1 }
        for (slot, loss) in commit.lost { lose(slot, loss.row) }
        if let loss = signals.loss { throw loss }
        if let refusal, !isStored { throw refusal }
        return unknown.union(commit.lost.keys)
      }
    }
  }

  /// Sends a commit.
  ///
  /// - Returns: Why the server refuses it; nil if it does not.
  private func write(
    _ changes: PostgresChanges, _ commit: inout PostgresCommit, _ patience: inout CommitPatience
  ) throws(StorageError) -> PostgresError? {
    let connection = try connected()
    do {
      let stored = try changes.write(
        commit.slots, commit.fences, by: node, of: configuration.node, within: patience.limit, connection)
      // What changes nothing waits for no standby.
      if !stored.isEmpty { noteAnswer() }
      commit.wrote(stored)
    } catch {
      noteSilence(error)
      if error.kind == .timedOut { patience.wasTooShort() }
      if error.isUnknown || connection.isLost {
        commit.lostAnswer()
      } else if error.kind == .conflict {
        signals.pause(0.01)
      } else {
        commit.wasRefused()
        return error
      }
    }
    return nil
  }

  /// Reads the rows of slots that this node owns, for as long as it takes.
  private func look(at slots: [Int]) throws(StorageError) -> [Int: PostgresFence] {
    try insist { connection throws(PostgresError) in
      try Self.fences(
        connection.run(
          "SELECT slot, generation, commits FROM musubi.fence WHERE slot = ANY ($1) AND node = $2",
          .integers(slots.map { Int64($0) }), .integer(node)))
    }
  }

  /// Changes rows into what they are, for as long as it takes.
  private func confirm(_ slots: [Int]) throws(StorageError) {
    try insist { connection throws(PostgresError) in
      _ = try connection.run(
        "UPDATE musubi.fence SET commits = commits WHERE slot = ANY ($1)",
        .integers(slots.map { Int64($0) }))
      noteAnswer()
    }
  }

  /// A commit was not answered.
  private func noteSilence(_ error: PostgresError) {
    guard error.kind == .timedOut else { return }
    isStuck = true
    signals.tell(away: "\(error)")
  }

  /// A change was answered.
  private func noteAnswer() {
    guard isStuck else { return }
    isStuck = false
    signals.tell(away: nil)
  }

  /// Runs statements that may run twice, until they are answered.
  private func insist<Output>(
    _ work: (PostgresConnection) throws(PostgresError) -> Output
  ) throws(StorageError) -> Output {
    while true {
      let connection = try connected()
      do {
        return try work(connection)
      } catch {
        noteSilence(error)
        if !connection.isLost { signals.pause(0.2) }
        guard !signals.isClosing else { throw Self.endsAway }
      }
    }
  }

  /// Gives up the numbers of a commit whose earlier attempts may still arrive.
  private func burn(_ commit: PostgresCommit) throws(StorageError) {
    try insist { connection throws(PostgresError) in
      _ = try connection.run(
        """
        UPDATE musubi.fence f SET commits = f.commits + 2
          FROM unnest($1::int8[], $2::int8[], $3::int8[]) AS t (slot, generation, commits)
          WHERE f.slot = t.slot AND f.generation = t.generation AND f.commits = t.commits AND f.node = $4
        """, commit.slots.arguments(commit.fences) + [.integer(node)])
      noteAnswer()
    }
  }

  // MARK: - Beats and works

  /// Tells that the owner lives, and finds out if it is none any more; a node of a cluster only mends its connections: a change
  /// finds out that the server is not the primary any more, which answers questions for as long as it runs.
  func beat() {
    do {
      let connection = try connected()
      if isAlone {
        let row = try connection.run(
          "UPDATE musubi.node SET seen = clock_timestamp() WHERE id = $1", .integer(node))
        guard row.changes == 1 else {
          return signals.lose(
            "Another node has taken the store from this one, which was silent for too long.")
        }
      } else {
        // Of no row: whoever waits for a standby while it has the node's locks out the node's signs of life.
        try connection.run("UPDATE musubi.node SET link = link WHERE id = -1")
        // That changes nothing, so it waits for no standby; this does.
        if isStuck { try connection.run("SELECT pg_logical_emit_message(true, 'musubi', '')") }
      }
      noteAnswer()
      try reader.open()
    } catch {
      if let error = error as? PostgresError { noteSilence(error) }
      // Whatever it is: the next one asks again, and a lost connection was noted.
    }
  }

  /// Runs a work and stores the changes that it asks for, in one transaction that only a living node can end.
  func transact<Output>(
    _ work: (PostgresConnection) throws -> (StoreChanges, Output)
  ) throws -> Output {
    let connection = try connected()
    var written = PostgresChanges()
    do {
      let output = try connection.transaction {
        // Whoever takes slots from this node deletes its row first, and waits; beats do not.
        let row = try connection.run(
          "SELECT FROM musubi.node WHERE id = $1 FOR KEY SHARE", .integer(node))
        guard row.count == 1 else { throw Self.takenAway }
        let (changes, output) = try work(connection)
        _ = try written.add(changes)
        let slots = written.concerned.sorted()
        guard
          try slots.isEmpty
            || written.write(slots, fences, by: node, of: configuration.node, connection).count == slots.count
        else {
          throw Self.takenAway
        }
        return output
      }
      for slot in written.concerned { fences[slot]?.commits += 1 }
      return output
    } catch {
      // Their numbers may be taken or not: whoever owns the slots next asks.
      if connection.isLost {
        letGo(written.concerned)
        if isAlone, !written.concerned.isEmpty {
          signals.lose("The connection to PostgreSQL was lost during a work on the whole store; start again.")
        }
      }
      throw error
    }
  }

  /// Gives the store up, so that the next node need not wait.
  func close() {
    if isAlone, let connection, !connection.isLost {
      do {
        try connection.transaction {
          let version = try Self.nextVersion(connection)
          try connection.run("DELETE FROM musubi.node WHERE id = $1", .integer(node))
          // What was lost was not let go.
          guard signals.loss == nil else { return }
          try connection.run("SELECT FROM musubi.fence ORDER BY slot FOR UPDATE")
          try connection.run(
            "UPDATE musubi.fence SET node = NULL, moved = $2 WHERE node = $1", .integer(node),
            .integer(version))
        }
      } catch {
        // The next node waits until this one has been silent for long enough.
      }
    }
    (connection, fences) = (nil, [:])
    reader.close()
  }
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
