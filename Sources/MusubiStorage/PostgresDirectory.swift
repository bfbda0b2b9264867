// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
package import MusubiSession

/// Who this node is, for the others.
package struct DirectoryEntry: Sendable {
  /// Names the process.
  package let node: Int64
  /// Names its data folder, which one process at a time uses: others of this name are dead.
  package let folder: Int64
  /// What it runs.
  package let build: String
  /// How many event loops it has.
  package let loops: Int

  package init(node: Int64, folder: Int64, build: String, loops: Int) {
    self.node = node
    self.folder = folder
    self.build = build
    self.loops = loops
  }
}

/// A slot that was taken, with what is stored in it.
package struct LoadedSlot: Sendable {
  /// What commits of the slot have to know.
  package let fence: PostgresFence
  /// The last generation whose owner has not got all that the one before had; 0 if there is none.
  package let lostSince: Int
  /// The last sign-out that was known when it was read: sessions that began before are noted in its state.
  package let signOuts: Int
  package var state: StoredState
  /// The inputs that are refused from now on, because two owners in succession have ended while they were run.
  package var struck: [InputID] = []

  package init(fence: PostgresFence, lostSince: Int, signOuts: Int, state: StoredState) {
    self.fence = fence
    self.lostSince = lostSince
    self.signOuts = signOuts
    self.state = state
  }
}

/// The tables that say which nodes there are, and who owns which slot; all calls block, on one thread.
///
/// Each change of an owner is a transaction that raises the directory's version first, so that all of them have an order. A
/// reading asks for what is newer than the version that it knows.
package final class PostgresDirectory {
  private let configuration: PostgresStoreConfiguration
  private let entry: DirectoryEntry
  private var connection: PostgresConnection?
  /// Whether the connection may lead to a server that is not the primary any more.
  private var isSuspect = false
  private var version: Int64 = -1
  /// The highest version that any connection has read.
  private var newest: Int64 = -1
  /// The last sign-out that was read.
  private var signOut = 0
  /// Slots that wait for what the next process of their owner tells, since when.
  private var suspects: [Int: ContinuousClock.Instant] = [:]
  /// The sessions of rooms that were put aside, and the newest of those rooms.
  private var broken: [String] = []
  private var lastAside = 0
  /// What the last `load` could not read, each as a sentence; all the rest was.
  package private(set) var unreadable: [String] = []
  /// The slots that it has left out, because what was on trial in them cannot be judged, each with a sentence.
  package private(set) var unsettled: [Int: String] = [:]

  /// The version of the links between nodes.
  private static let link = 1

  /// - Parameters:
  ///   - configuration: Where it is.
  ///   - entry: Who this node is.
  package init(_ configuration: PostgresStoreConfiguration, _ entry: DirectoryEntry) {
    (self.configuration, self.entry) = (configuration, entry)
  }

  // MARK: - Coming and going

  /// The secret that all nodes share, once the store has made the tables.
  ///
  /// - Throws: `StorageError`.
  package func secret() throws(StorageError) -> [UInt8] {
    do {
      return Array((try connected().run("SELECT secret FROM musubi.directory").text(0, 0) ?? "").utf8)
    } catch {
      throw StorageError(postgres: error)
    }
  }

  /// This machine's address on the way to PostgreSQL; nil if that is on the same machine, and reached without a network.
  package var localAddress: String? { connection?.localAddress }

  /// Enters the node.
  ///
  /// - Parameter address: Where its links arrive, as `host:port`.
  /// - Returns: The number of the last sign-out, which the node need not hear of: it has no sessions yet.
  /// - Throws: `StorageError`: a node that owns everything alone lives, or what PostgreSQL says.
  @discardableResult
  package func join(address: String) throws(StorageError) -> Int {
    do {
      let connection = try connected()
      try bury(silent: connection)
      signOut = try connection.run(
        """
        INSERT INTO musubi.node (id, folder, address, build, loops, link, signed_out)
          SELECT $1, $2, $3, $4, $5, $6, coalesce(max(number), 0) FROM musubi.signed_out
          RETURNING signed_out
        """, .integer(entry.node), .integer(entry.folder), .text(address), .text(entry.build),
        .integer(entry.loops), .integer(Self.link)
      ).value(0, 0)
      return signOut
    } catch {
      throw StorageError(postgres: error)
    }
  }

  /// Takes out the dead process of this folder, and waits for a node that owns everything alone to end.
  private func bury(silent connection: PostgresConnection) throws {
    try connection.run("DELETE FROM musubi.node WHERE folder = $1", .integer(entry.folder))
    let signs = {
      let rows = try connection.run("SELECT id, seen FROM musubi.node WHERE address = ''")
      var signs: [Int64: String] = [:]
      for row in 0..<rows.count { signs[try rows.value(row, 0)] = rows.text(row, 1) }
      return signs
    }
    let refusal =
      "Another node uses the database alone, by --store, and is alive; stop it, or name another database."
    try PostgresSilence.wait(configuration, refusing: refusal, signs) { seen -> Void? in
      for (node, sign) in seen {
        try connection.run(
          "DELETE FROM musubi.node WHERE id = $1 AND seen = $2::timestamptz", .integer(node), .text(sign))
      }
      return try signs().isEmpty ? () : nil
    }
  }

  /// Where another process listens for links that uses a folder of the same name, and has taken this one out for that; nil if there is none.
  ///
  /// - Throws: What PostgreSQL says.
  package func successor() throws -> String? {
    let rows = try connected().run(
      "SELECT address FROM musubi.node WHERE folder = $1 AND id <> $2", .integer(entry.folder),
      .integer(entry.node))
    return rows.count > 0 ? rows.text(0, 0) : nil
  }

  /// Tells the others that the node gives its slots away.
  package func drain() throws {
    try run("UPDATE musubi.node SET draining = true WHERE id = $1", .integer(entry.node))
  }

  /// Takes the node out: what it still has is nobody's.
  package func leave() throws {
    try run("DELETE FROM musubi.node WHERE id = $1", .integer(entry.node))
    connection = nil
  }

  // MARK: - Reading

  /// Reads what has changed.
  ///
  /// - Returns: The directory; all of it on a new connection.
  /// - Throws: What PostgreSQL says; the next call connects again.
  package func read() throws -> DirectoryReading {
    let connection = try connected()
    let nodes = try connection.run(
      """
      SELECT id, address, build, loops, draining, seen, extract(epoch FROM clock_timestamp() - seen)::float8,
          extract(epoch FROM clock_timestamp() - since)::float8 FROM musubi.node ORDER BY id
      """, [], within: configuration.readTimeout)
    let rows = try connection.run(
      """
      SELECT d.version, f.slot, f.node, f.generation, f.lost_since
        FROM musubi.directory d LEFT JOIN musubi.fence f ON f.moved > $1
      """, [.integer(version)], within: configuration.readTimeout)
    var reading = DirectoryReading(nodes: [], moved: [], isWhole: version < 0)
    for row in 0..<nodes.count { reading.nodes.append(try DirectoryNode(nodes, row)) }
    for row in 0..<rows.count {
      guard let slot = try rows.optional(row, 1, as: Int.self) else { continue }
      reading.moved.append(
        DirectorySlot(
          slot: slot, node: try rows.optional(row, 2), generation: try rows.value(row, 3),
          lostSince: try rows.value(row, 4)))
    }
    reading.signOuts = try newSignOuts(connection)
    if rows.count > 0 { version = try rows.value(0, 0) }
    reading.hasForgotten = version < newest
    newest = max(newest, version)
    return reading
  }

  /// Reads what is stored in slots of this node.
  ///
  /// Their owners were changed by an earlier statement, so the last commit of the owner before is among it.
  ///
  /// - Parameter slots: The slots.
  /// - Returns: Those that are still this node's, and of which is known what has ended the owner before, or nobody tells in time.
  /// - Throws: What PostgreSQL says.
  package func load(_ slots: [Int]) throws -> [Int: LoadedSlot] {
    let connection = try connected()
    (unreadable, unsettled) = ([], [:])
    let skip = { (error: any Error) in
      // What the server refuses is another matter, and so is that it does not answer.
      if let refusal = error as? PostgresError, refusal.kind != .wrongType { throw error }
      if case RecordError.unreadable = error { throw error }
      self.unreadable.append("\(error)")
    }
    let rows = try connection.run(
      """
      SELECT slot, generation, commits, lost_since, CASE WHEN lost_since = generation THEN trial END
        FROM musubi.fence WHERE slot = ANY($1) AND node = $2
      """, .integers(slots.map(Int64.init)), .integer(entry.node))
    var struck: [Int: [InputID]] = [:]
    let known = try (0..<rows.count).filter { row in
      let slot: Int = try rows.value(row, 0)
      guard let trial = rows.text(row, 4) else {
        suspects[slot] = nil
        return true
      }
      // Nobody serves the slot of one that cannot be read: it may end each server in turn.
      do { struck[slot] = try settle(slot, trial, connection, unreadable: skip) } catch {
        try skip(error)
        unsettled[slot] = unreadable.removeLast()
      }
      return struck[slot] != nil
    }
    let mine = try known.map { try rows.value($0, 0, as: Int.self) }
    let signOuts = try PostgresSignOuts.last(connection)
    let states = try PostgresRecords.index(connection, slots: mine, unreadable: skip)
    let signedOut = try PostgresSignOuts.sessions(in: mine, upTo: signOuts, connection)
    let strikes = try PostgresRecords.strikes(connection, unreadable: skip)
    let refused = strikes.filter(\.isOut).compactMap(\.input)
    broken += try PostgresRecords.asideSessions(after: &lastAside, connection, unreadable: skip)
    var loaded: [Int: LoadedSlot] = [:]
    for (row, slot) in zip(known, mine) {
      var state = states[slot] ?? StoredState()
      state.refuse(
        refused.filter { SessionName.slot(of: $0.session) == slot },
        broken: broken.filter { SessionName.slot(of: $0) == slot })
      state.signOut(signedOut[slot] ?? [])
      loaded[slot] = LoadedSlot(
        fence: PostgresFence(generation: try rows.value(row, 1), commits: try rows.value(row, 2)),
        lostSince: try rows.value(row, 3), signOuts: signOuts, state: state)
      loaded[slot]?.struck = struck[slot] ?? []
    }
    return loaded
  }

  /// Reads the records of pages that were there when slots lost their owner: these come back at once.
  ///
  /// - Parameter slots: Slots that were loaded.
  /// - Returns: The records.
  /// - Throws: What PostgreSQL says; each can be read when its page asks for it.
  package func ahead(of slots: [Int]) throws -> [RecordText] {
    try PostgresRecords.ahead(connected(), slots: slots)
  }

  /// Finds out about the inputs that were on trial when a slot's owner ended.
  ///
  /// If the owner's process is started again, it tells soon which of them has ended it, if any has. If nobody tells, all are
  /// refused.
  ///
  /// - Returns: Those that are refused from now on; nil as long as the owner's next process may tell.
  private func settle(
    _ slot: Int, _ trial: String, _ connection: PostgresConnection,
    unreadable: (any Error) throws -> Void
  ) throws -> [InputID]? {
    let since = suspects[slot] ?? .now
    suspects[slot] = since
    guard .now - since >= configuration.trialWait else { return nil }
    suspects[slot] = nil
    return try connection.transaction {
      try PostgresJudge.begin(connection)
      let row = try connection.run(
        "UPDATE musubi.fence SET trial = NULL WHERE slot = $1 AND trial = $2 AND node = $3",
        .integer(slot), .text(trial), .integer(entry.node))
      guard row.changes == 1 else { return [] }
      return try PostgresRecords.strike(
        SlotTrial(trial).inputs, of: slot, connection, unreadable: unreadable)
    }
  }

  // MARK: - Sign-outs

  /// Notes that a visitor was signed out, for all nodes.
  ///
  /// - Parameter who: Whose sessions end.
  /// - Returns: Its number, in the order in which nodes hear of them.
  /// - Throws: What PostgreSQL says; it may have been noted all the same.
  package func signOut(_ who: SignedOut) throws -> Int {
    let connection = try connected()
    return try connection.transaction {
      let version = try Self.raiseVersion(connection)
      try PostgresSignOuts.note(who, number: version, connection)
      return Int(version)
    }
  }

  /// Reads who was signed out since the last reading.
  package func newSignOuts() throws -> [DirectorySignOut] { try newSignOuts(connected()) }

  private func newSignOuts(_ connection: PostgresConnection) throws -> [DirectorySignOut] {
    let new = try PostgresSignOuts.all(after: signOut, connection)
    signOut = new.last?.number ?? signOut
    return new
  }

  /// Tells that this node has no session any more of which the sign-outs up to a number are.
  package func note(signOuts number: Int) throws {
    try run("UPDATE musubi.node SET signed_out = $1 WHERE id = $2", .integer(number), .integer(entry.node))
  }

  /// Whether all nodes have told that of a sign-out.
  package func isDone(signOut number: Int) throws -> Bool {
    try connected().run(
      "SELECT FROM musubi.node WHERE signed_out < $1 AND address <> ''", .integer(number)
    ).count == 0
  }

  /// Whether PostgreSQL waits for a standby: else what it acknowledges is on one disk.
  ///
  /// - Throws: What PostgreSQL says.
  package func waitsForStandby() throws -> Bool {
    try connected().run("SELECT current_setting('synchronous_standby_names')").text(0, 0) != ""
  }

  // MARK: - Changing owners

  /// Takes nodes out that have said nothing since.
  ///
  /// - Parameter nodes: The nodes, each with its last sign of life; one that has given another meanwhile stays.
  /// - Throws: What PostgreSQL says.
  package func bury(_ nodes: [Int64: String]) throws {
    for (node, seen) in nodes {
      try run(
        "DELETE FROM musubi.node WHERE id = $1 AND seen = $2::timestamptz", .integer(node), .text(seen))
    }
  }

  /// Takes slots that are nobody's, at most so many.
  ///
  /// The rows are locked in their order, as commits do it. One that a commit under way has locked is left for the next time, so
  /// that the others need not wait for it.
  ///
  /// - Returns: Whether it has taken any.
  /// - Throws: What PostgreSQL says.
  @discardableResult
  package func take(_ count: Int) throws -> Bool {
    let connection = try connected()
    return try connection.transaction {
      let version = try Self.raiseVersion(connection)
      return try connection.run(
        """
        UPDATE musubi.fence f SET node = $1, generation = f.generation + 1, moved = $2,
            lost_since = CASE WHEN f.node IS NULL THEN f.lost_since ELSE f.generation + 1 END
          FROM (SELECT slot FROM musubi.fence s
              WHERE NOT EXISTS (SELECT FROM musubi.node n WHERE n.id = s.node)
              ORDER BY slot LIMIT $3 FOR UPDATE SKIP LOCKED) AS free
          WHERE f.slot = free.slot
        """, .integer(entry.node), .integer(version), .integer(count)
      ).changes > 0
    }
  }

  /// Hands slots of this node over to another one.
  ///
  /// - Parameters:
  ///   - slots: The slots, which nothing here uses any more, and their generations.
  ///   - other: The node.
  ///   - isLost: Whether it has not got all that was here, because something here did not come to its end.
  /// - Throws: What PostgreSQL says.
  package func handOver(_ slots: [Int: Int], to other: Int64, isLost: Bool = false) throws {
    let connection = try connected()
    let ordered = slots.sorted { $0.key < $1.key }
    try connection.transaction {
      let version = try Self.raiseVersion(connection)
      try connection.run(
        """
        UPDATE musubi.fence f SET node = $1, generation = f.generation + 1, moved = $2,
            trial = NULL, lost_since = CASE WHEN $6 THEN f.generation + 1 ELSE f.lost_since END
          FROM unnest($3::int8[], $4::int8[]) AS t (slot, generation)
          WHERE f.slot = t.slot AND f.generation = t.generation AND f.node = $5
        """, .integer(other), .integer(version), .integers(ordered.map { Int64($0.key) }),
        .integers(ordered.map { Int64($0.value) }), .integer(entry.node), .bool(isLost))
    }
  }

  /// Puts this change of owners behind all earlier ones; within a transaction.
  static func raiseVersion(_ connection: PostgresConnection) throws(PostgresError) -> Int64 {
    try connection.run("UPDATE musubi.directory SET version = version + 1 RETURNING version").value(0, 0)
  }

  // MARK: - The connection

  private func run(_ sql: String, _ arguments: PostgresValue...) throws {
    try connected().run(sql, arguments)
  }

  /// Connects for statements that others wait for: one that stands still gives its locks back.
  static func connect(
    _ configuration: PostgresStoreConfiguration, ending abandoned: PostgresConnection.ServerProcess? = nil
  ) throws(PostgresError) -> PostgresConnection {
    var settings = PostgresConfiguration(url: configuration.url)
    settings.connectTimeout = .seconds(2)
    settings.answerTimeout = configuration.answerTimeout
    settings.applicationName = "musubi directory"
    let opened = try PostgresConnection(settings, ending: abandoned)
    try opened.runScript(
      """
      SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;
      SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '5s'
      """)
    return opened
  }

  /// Has the next call connect again.
  package func reconnect() { isSuspect = true }

  private func connected() throws -> PostgresConnection {
    if let connection, !connection.isLost, !isSuspect { return connection }
    let opened = try Self.connect(configuration, ending: connection?.abandoned)
    // The server may be another one now, whose version is an older one.
    version = -1
    (broken, lastAside, isSuspect) = ([], 0, false)
    connection = opened
    return opened
  }
}
