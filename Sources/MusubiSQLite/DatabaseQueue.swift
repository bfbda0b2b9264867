// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Runs works on one database, one batch after another, on a thread of its own.
///
/// May be used from everywhere; no call but `init` blocks. Work that is submitted while a transaction commits
/// goes into the next one together (see `GroupCommit`), so that many small writes cost one wait for the disk.
///
/// ```swift
/// let queue = try DatabaseQueue(.memory, migrator: migrator)
/// try await queue.write { try $0.run("INSERT INTO pet VALUES (?)", "Tama") }
/// await queue.close()
/// ```
public final class DatabaseQueue: Sendable {
  /// The work of a queue so far, for metrics and tests.
  public struct Statistics: Sendable, Equatable {
    /// The works that were run, reads and writes.
    public var works = 0
    /// The transactions that were committed for writes.
    public var commits = 0
  }

  private struct State: ~Copyable {
    var queue: WorkQueue<DatabaseWork>
    var statistics = Statistics()
  }

  private let thread: DispatchQueue
  private let owned: ThreadBound<SQLiteConnection>
  private let state: Mutex<State>

  /// Opens the database and brings its schema up to date; blocks until that is done, so call it at start-up.
  ///
  /// - Parameters:
  ///   - location: The file, or memory.
  ///   - configuration: Bounds and the treatment of the file.
  ///   - migrator: The schema.
  /// - Throws: `SQLiteError` if the database cannot be opened, or a migration's error.
  public init(
    _ location: SQLiteConnection.Location,
    configuration: DatabaseQueueConfiguration = DatabaseQueueConfiguration(),
    migrator: Migrator = Migrator()
  ) throws {
    let connection = try SQLiteConnection(location, configuration: configuration.connection)
    try migrator.migrate(connection)
    thread = DispatchQueue(label: "musubi.database", autoreleaseFrequency: .workItem)
    owned = ThreadBound(connection, on: thread)
    state = Mutex(
      State(
        queue: WorkQueue(
          capacity: configuration.maxWaitingWorks, batchSize: configuration.maxWorksPerCommit)))
  }

  /// Runs a work in a transaction; it is told its success when the commit is safe.
  ///
  /// - Parameters:
  ///   - work: Reads and writes; nothing else, because it runs a second time if SQLite gives up the transaction
  ///     that it shares with others. If it throws, its own changes are taken back.
  ///   - completion: Called once, on the database's thread, or at once if the work is refused; it must not block.
  ///     Its error is what `work` threw, or a `SQLiteError`: `busy`, `full`, `queueFull`, `closed`, ...
  public func write<Output: Sendable>(
    _ work: @escaping @Sendable (SQLiteConnection) throws -> Output,
    completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) {
    submit(DatabaseWork(.write, work, completion: completion))
  }

  /// Runs a work that only reads, on one unchanging state of the database.
  ///
  /// It sees every write that was submitted before it, and needs no lock.
  ///
  /// - Parameters:
  ///   - work: The reads.
  ///   - completion: As for `write`.
  public func read<Output: Sendable>(
    _ work: @escaping @Sendable (SQLiteConnection) throws -> Output,
    completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) {
    submit(DatabaseWork(.read, work, completion: completion))
  }

  /// Runs a work in a transaction and returns when the commit is safe.
  ///
  /// A cancelled task waits too, and the work is done: a commit cannot be called back.
  ///
  /// - Parameter work: As for the other `write`.
  /// - Returns: What `work` returns.
  /// - Throws: What `work` throws, or a `SQLiteError`.
  public func write<Output: Sendable>(
    _ work: @escaping @Sendable (SQLiteConnection) throws -> Output
  ) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      write(work) { continuation.resume(with: $0) }
    }
  }

  /// Runs a work that only reads and returns its result.
  ///
  /// - Parameter work: As for the other `read`.
  /// - Returns: What `work` returns.
  /// - Throws: What `work` throws, or a `SQLiteError`.
  public func read<Output: Sendable>(
    _ work: @escaping @Sendable (SQLiteConnection) throws -> Output
  ) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      read(work) { continuation.resume(with: $0) }
    }
  }

  /// Takes nothing more, does what waits, and returns when the file is closed; may be called again.
  public func close() async {
    state.withLock { $0.queue.close() }
    // Behind the batches: the thread is serial.
    await withCheckedContinuation { continuation in
      thread.async { [self] in
        drain()
        owned.release()
        continuation.resume()
      }
    }
  }

  /// The work so far.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  private func submit(_ work: DatabaseWork) {
    switch state.withLock({ $0.queue.submit(work) }) {
    case .wake: thread.async { [self] in drain() }
    case .wait: break
    case .refuseFull: work.fail(SQLiteError(.queueFull, "Too many works wait for the database"))
    case .refuseClosed: work.fail(SQLiteError(.closed, "The database is closed"))
    }
  }

  private func drain() {
    guard let connection = owned.value else { return }
    while true {
      let batch = state.withLock { $0.queue.nextBatch() }
      guard !batch.isEmpty else { return }
      run(batch, on: connection)
    }
  }

  /// Writes first, in one transaction; then the reads, which so see all that was submitted before them.
  private func run(_ batch: [DatabaseWork], on connection: SQLiteConnection) {
    let writes =
      batch.allSatisfy { $0.access == .write } ? batch : batch.filter { $0.access == .write }
    if !writes.isEmpty {
      var group = GroupCommit(connection: connection)
      let deliveries = group.run(writes)
      state.withLock {
        $0.statistics.works += writes.count
        $0.statistics.commits += group.commits
      }
      for deliver in deliveries { deliver() }
    }
    for read in batch where read.access == .read {
      state.withLock { $0.statistics.works += 1 }
      do {
        let deliver = try connection.snapshot { try read.attempt(connection) }
        deliver()
      } catch {
        read.fail(error)
      }
    }
  }
}

/// Holds a value that only one serial queue touches.
///
/// `@unchecked Sendable`: every access first proves that it runs on `queue`; the creator gives the value away.
private final class ThreadBound<Value>: @unchecked Sendable {
  private let queue: DispatchQueue
  private var stored: Value?

  init(_ value: Value, on queue: DispatchQueue) {
    self.queue = queue
    stored = value
  }

  var value: Value? {
    dispatchPrecondition(condition: .onQueue(queue))
    return stored
  }

  func release() {
    dispatchPrecondition(condition: .onQueue(queue))
    stored = nil
  }
}
