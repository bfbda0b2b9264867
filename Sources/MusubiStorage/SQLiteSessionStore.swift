// SPDX-License-Identifier: Apache-2.0
import Foundation
package import MusubiSession
import MusubiSQLite

/// Sessions and rooms in a SQLite file, on a thread of its own.
///
/// A commit is in the file when it is answered, and survives a kill of the process; a loss of power may take back the last
/// ones (`PRAGMA synchronous = NORMAL`) unless each is synced (`FULL`). Commits of several loops share one transaction. One process at a time uses a file.
package final class SQLiteSessionStore: SessionStore {
  let database: DatabaseQueue

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
    configuration.connection.isExclusive = true
    configuration.connection.busyTimeout = busyTimeout
    configuration.connection.maxPages = maxPages
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      database = try DatabaseQueue(.file(path), configuration: configuration, migrator: Self.migrator)
    } catch {
      throw StorageError(error, path: path)
    }
  }

  /// Reads everything.
  ///
  /// - Returns: The stored state.
  /// - Throws: `StorageError` if the file is damaged.
  package func load() async throws -> StoredState {
    do {
      return try await database.read { connection in
        StoredState(
          rooms: try SessionRecords.rooms(connection), sessions: try SessionRecords.sessions(connection))
      }
    } catch {
      throw StorageError(error, path: "sessions.sqlite")
    }
  }

  package func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (_ failure: String?) -> Void
  ) {
    database.write {
      try SessionRecords.store(changes, $0)
    } completion: { result in
      switch result {
      case .success: completion(nil)
      case .failure(let error):
        completion("Sessions cannot be stored: \(StorageError(error, path: "sessions.sqlite"))")
      }
    }
  }

  /// The pages of 4 KiB that were written so far, into the log of the file or out of it.
  package func writtenPages() async throws -> Int { try await database.read { $0.writtenPages } }

  /// Stores what waits and closes the file.
  package func close() async { await database.close() }

  private static var migrator: Migrator {
    var migrator = Migrator()
    migrator.register("sessions") { connection in
      try connection.runScript(
        """
        CREATE TABLE room (key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE session (id TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """)
    }
    migrator.register("steps") { connection in
      try connection.runScript(
        """
        CREATE TABLE room_step (key TEXT NOT NULL, number INTEGER NOT NULL, record TEXT NOT NULL,
          PRIMARY KEY (key, number)) STRICT, WITHOUT ROWID;
        ALTER TABLE session ADD COLUMN taken INTEGER;
        """)
      try SessionRecords.rewriteKeys(connection)
    }
    migrator.register("strikes") { connection in
      try connection.runScript(
        """
        CREATE TABLE strike (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
        CREATE TABLE aside_room (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
        """)
    }
    return migrator
  }
}
