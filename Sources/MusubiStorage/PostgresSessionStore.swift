// SPDX-License-Identifier: Apache-2.0
package import MusubiSession
import MusubiPostgres
import Synchronization

/// Sessions and rooms in a PostgreSQL database, of which each slot has one owner at a time.
///
/// A commit is one statement that checks who owns its slots and writes all records. It is on the server's disk when it is
/// answered, and on its standby's if the server waits for one. Who has lost a slot to another node can store nothing of it, and
/// so acknowledges nothing. A node owns all slots, alone, or those that it is told in a cluster. A commit whose connection is lost is told neither as stored nor as failed: it is sent again with
/// the same number until the server says which. So commits wait while the server is away.
///
/// Single records are read on the caller's thread by a connection of their own, with a short time limit.
package final class PostgresSessionStore: DurableStore {
  private let writer: PostgresWriter
  private let reader: PostgresReader
  private let signals: PostgresSignals
  private let ahead = RecordsAhead()

  /// Connects, makes the tables at the first time, and takes all slots; blocks, so call it at start-up.
  ///
  /// - Parameters:
  ///   - configuration: Where it is, and who takes it.
  ///   - report: Told on the store's thread when the server goes and comes, and when another node has the store; it must not
  ///     block.
  /// - Throws: `StorageError` with one sentence for the operator.
  package convenience init(
    _ configuration: PostgresStoreConfiguration, report: @escaping @Sendable (PostgresStoreEvent) -> Void
  ) throws(StorageError) {
    try self.init(configuration, node: nil, report)
  }

  /// Connects as a node of a cluster, which owns nothing yet; blocks, so call it at start-up.
  ///
  /// It neither takes slots nor says that the node lives; a directory does both. A slot that is lost is told by the commit that
  /// finds out.
  ///
  /// - Parameters:
  ///   - configuration: Where it is.
  ///   - node: This process, as in the table `node`.
  ///   - report: Told on any thread when the server goes and comes, and after `end`; it must not block.
  /// - Throws: `StorageError` with one sentence for the operator.
  package convenience init(
    joining configuration: PostgresStoreConfiguration, node: Int64,
    report: @escaping @Sendable (PostgresStoreEvent) -> Void
  ) throws(StorageError) {
    try self.init(configuration, node: node, report)
  }

  private init(
    _ configuration: PostgresStoreConfiguration, node: Int64?,
    _ report: @escaping @Sendable (PostgresStoreEvent) -> Void
  ) throws(StorageError) {
    do {
      reader = PostgresReader(configuration)
      signals = PostgresSignals(report)
      writer = try PostgresWriter(configuration, node: node, reader, signals)
    } catch {
      throw StorageError(postgres: error)
    }
  }

  package var isAway: Bool { signals.isAway }

  /// The most owners that a slot has had so far, with this one; 0 in a cluster.
  package var generation: Int { writer.generation }

  /// What the owner knows of a slot, for tests.
  func fence(of slot: Int) async -> PostgresFence? { await writer.fence(of: slot) }

  // MARK: - In a cluster

  /// The node owns more slots: commits of them are written from now on.
  ///
  /// - Parameter slots: The slots, as the table tells after they were taken.
  package func own(_ slots: [Int: PostgresFence]) async { await writer.own(slots) }

  /// Whether records of slots that were taken may be read before somebody asks for them.
  package var readsAhead: Bool { ahead.hasSpace }

  /// Some records of slots that the node will own are known, and nothing that was known of these before.
  package func know(_ records: [RecordText], of slots: some Collection<Int>) {
    ahead.put(records, of: slots)
    guard !records.isEmpty else { return }
    Task { [weak ahead] in
      try await Task.sleep(for: RecordsAhead.lifetime)
      ahead?.expire()
    }
  }

  /// The node owns slots no more: commits of them are told as lost from now on.
  ///
  /// - Parameter slots: The slots; what was committed before is stored when this returns, or was told as failed or lost.
  package func letGo(_ slots: Set<Int>) async {
    ahead.drop(slots)
    await writer.letGo(slots)
  }

  /// The other nodes have given this one up: nothing can be stored any more.
  ///
  /// - Parameter sentence: Why, for the operator; it is reported.
  package func end(_ sentence: String) { signals.lose(sentence) }

  // MARK: - Records

  package func load() async throws -> StoredState {
    try await perform {
      try PostgresSignOuts.settle($0)
      return try PostgresRecords.index($0)
    }
  }

  package func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    if let record = ahead.take(key.text) { return try Self.decoded { try record.room() } }
    return try reader.read { try PostgresRecords.room(key, $0) }
  }

  package func session(_ id: String) throws(RecordError) -> StoredSession {
    if let record = ahead.take(id) { return try Self.decoded { try record.session() } }
    return try reader.read { try PostgresRecords.session(id, $0) }
  }

  private static func decoded<Record>(_ work: () throws -> Record) throws(RecordError) -> Record {
    do { return try work() } catch { throw RecordError(error) }
  }

  package func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  ) {
    ahead.drop(changes)
    writer.submit(PostgresWriter.Commit(changes: changes, completion: completion))
  }

  /// Stores what waits if the server is there, and gives the store up, so that the next node need not wait.
  package func close() async { await writer.close() }

  /// Runs a work in a transaction of the owner.
  func perform<Output: Sendable>(
    _ work: @escaping @Sendable (PostgresConnection) throws -> Output
  ) async throws -> Output {
    try await perform(storing: { (StoreChanges(), try work($0)) })
  }

  /// Runs a work in a transaction of the owner, in which changes are stored, too.
  func perform<Output: Sendable>(
    storing changes: @escaping @Sendable (PostgresConnection) throws -> (StoreChanges, Output)
  ) async throws -> Output {
    do { return try await writer.perform(storing: changes) } catch { throw StorageError(postgres: error) }
  }
}

extension StorageError {
  /// What a PostgreSQL server, or its connection, has refused.
  package init(postgres error: any Error) {
    guard let error = error as? PostgresError else {
      self =
        error as? StorageError
        ?? StorageError("The database holds something that this program cannot read (\(error)).")
      return
    }
    switch error.kind {
    case .unreachable:
      self.init(
        "PostgreSQL cannot be reached (\(error.message)); check that it runs, and host and port in its URL."
      )
    case .refused:
      self.init(
        "PostgreSQL does not let this user in (\(error.message)); give the password by PGPASSWORD, or in the file of --store-file or --cluster-file, and check pg_hba.conf."
      )
    case .noDatabase:
      self.init(
        "PostgreSQL has no such database (\(error.message)); make it by createdb, or name another one in the URL."
      )
    case .notAllowed where error.isReadOnly:
      self.init(
        "PostgreSQL takes no changes (\(error.message)): it is a standby, or was set so; name the primary in the URL."
      )
    case .notAllowed:
      self.init(
        "The database cannot be written (\(error)); its user needs to be the owner of the schema musubi."
      )
    case .full:
      self.init(
        "The disk or memory of PostgreSQL is full (\(error)); free some, and the server goes on by itself.")
    case .connectionLost, .timedOut:
      self.init("\(error.message), and nobody knows what became of it; try again.")
    default: self.init("PostgreSQL: \(error).")
    }
  }
}
