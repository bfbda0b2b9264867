// SPDX-License-Identifier: Apache-2.0
import Foundation
package import MusubiSession
import MusubiSQLite
import Synchronization

/// Sessions and rooms in a SQLite file, on a thread of its own.
///
/// A commit is in the file when it is answered, and survives a kill of the process; a loss of power may take back the last
/// ones (`PRAGMA synchronous = NORMAL`) unless each is synced (`FULL`). Commits of several loops share one transaction.
/// Single records are read on the caller's thread by a connection of their own, which no commit keeps waiting. One process
/// at a time uses a folder; nobody but its user can read the files.
package final class SQLiteSessionStore: DurableStore {
  let database: DatabaseQueue
  /// Reads records for the loops, one at a time; nil once the store is closed.
  private let reader: Mutex<SQLiteConnection?>
  private let lock: Mutex<FolderLock?>
  private let upkeep: StoreUpkeep

  /// Opens the file `sessions.sqlite` in a folder, and creates both at the first time; blocks, so call it at start-up.
  ///
  /// - Parameters:
  ///   - folder: The data folder.
  ///   - isSynced: Whether a commit is answered when it survives a loss of power, too.
  ///   - busyTimeout: How long to wait for another process that uses the file.
  ///   - maxPages: The most pages of 4 KiB of the file; nil for as many as the disk holds.
  /// - Throws: `StorageError` with one sentence for the operator.
  package init(
    folder: String, isSynced: Bool = false, busyTimeout: Duration = .seconds(5), maxPages: Int? = nil
  ) throws(StorageError) {
    let path = URL(fileURLWithPath: folder).appending(path: "sessions.sqlite").path
    var configuration = DatabaseQueueConfiguration()
    configuration.connection.synchronous = isSynced ? .full : .normal
    configuration.connection.vacuumsIncrementally = true
    configuration.connection.erasesDeleted = true
    configuration.connection.busyTimeout = busyTimeout
    configuration.connection.maxPages = maxPages
    var reading = ConnectionConfiguration()
    reading.isReader = true
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try PrivateFile.tighten(folder, to: 0o700)
      lock = Mutex(try FolderLock(folder, waiting: busyTimeout))
      try StoreFile.prepare(path, busyTimeout: busyTimeout)
      database = try DatabaseQueue(.file(path), configuration: configuration, migrator: StoreFile.migrator)
      let reader = try SQLiteConnection(.file(path), configuration: reading)
      upkeep = try StoreUpkeep(reader)
      self.reader = Mutex(reader)
    } catch {
      throw StorageError(error, path: path)
    }
  }

  /// Reads the index.
  ///
  /// - Returns: The stored state.
  /// - Throws: `StorageError` if the file is damaged.
  package func load() async throws -> StoredState {
    do {
      return try await database.read { try SessionRecords.index($0) }
    } catch {
      throw StorageError(error, path: "sessions.sqlite")
    }
  }

  package func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    try read { try SessionRecords.room(key, $0) }
  }

  package func session(_ id: String) throws(RecordError) -> StoredSession {
    try read { try SessionRecords.session(id, $0) }
  }

  private func read<Record: Sendable>(
    _ work: @Sendable (SQLiteConnection) throws -> Record?
  ) throws(RecordError) -> Record {
    do {
      let record = try reader.withLock { connection -> Record? in
        guard let connection else { throw SQLiteError(.closed, "The database is closed") }
        return try work(connection)
      }
      guard let record else { throw RecordError.broken("it is not in the file") }
      return record
    } catch {
      throw RecordError(error)
    }
  }

  package func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  ) {
    database.write {
      try SessionRecords.store(changes, $0)
    } completion: { [self] result in
      switch result {
      case .success(let sizes):
        completion(.success(sizes))
        let hasDeleted = !(changes.endedRooms.isEmpty && changes.endedSessions.isEmpty)
        if upkeep.note(sizes, hasDeleted: hasDeleted) { continueUpkeep() }
      case .failure(let error):
        let error = StorageError(error, path: "sessions.sqlite")
        completion(.failure(StoreFailure("Sessions cannot be stored: \(error)")))
      }
    }
  }

  /// Does some of the upkeep, behind the commits that wait.
  private func continueUpkeep() {
    database.write { [upkeep] in
      try upkeep.work($0)
    } completion: { [self] result in
      var outcome: StoreUpkeep.Outcome?
      // After a failure a later commit begins again.
      if case .success(let done) = result { outcome = done }
      if upkeep.end(outcome) { continueUpkeep() }
    }
  }

  /// The pages of 4 KiB that were written so far, into the log of the file or out of it.
  package func writtenPages() async throws -> Int { try await database.read { $0.writtenPages } }

  /// Stores what waits and closes the file.
  package func close() async {
    // The last connection copies the log into the file.
    reader.withLock { $0 = nil }
    await database.close()
    lock.withLock { $0 = nil }
  }
}

extension RecordError {
  /// What reading a record threw.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as RecordError: error
      case let error as SQLiteError where error.kind != .corrupt && error.kind != .wrongType:
        .unreadable("\(error)")
      default: .broken("\(error)")
      }
  }
}
