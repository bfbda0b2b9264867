// SPDX-License-Identifier: Apache-2.0
import Foundation
package import MusubiSession
import MusubiSQLite

/// Sessions and rooms in a SQLite file, on a thread of its own.
///
/// A commit is in the file when it is answered, and survives a kill of the process; a loss of power may take back the last
/// ones (`PRAGMA synchronous = NORMAL`). Commits of several loops share one transaction. One process at a time uses a file.
package final class SQLiteSessionStore: SessionStore {
  private let database: DatabaseQueue

  /// Opens the file `sessions.sqlite` in a folder, and creates both at the first time; blocks, so call it at start-up.
  ///
  /// - Parameters:
  ///   - folder: The data folder.
  ///   - busyTimeout: How long to wait for another process that uses the file.
  ///   - maxPages: The most pages of 4 KiB of the file; nil for as many as the disk holds.
  /// - Throws: `StorageError` with one sentence for the operator.
  package init(
    folder: String, busyTimeout: Duration = .seconds(5), maxPages: Int? = nil
  ) throws(StorageError) {
    let path = URL(fileURLWithPath: folder).appending(path: "sessions.sqlite").path
    var configuration = DatabaseQueueConfiguration()
    configuration.connection.synchronous = .normal
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
  /// - Returns: What was stored.
  /// - Throws: `StorageError` if the file is damaged.
  package func load() async throws -> StoredState {
    do {
      return try await database.read { connection in
        let decoder = JSONDecoder()
        func all<Record: Decodable>(_ type: Record.Type, _ query: String) throws -> [Record] {
          try connection.rows(query) { row in
            try decoder.decode(type, from: Data(try row.value(0, as: String.self).utf8))
          }
        }
        return StoredState(
          rooms: try all(StoredRoom.self, "SELECT record FROM room"),
          sessions: try all(StoredSession.self, "SELECT record FROM session"))
      }
    } catch {
      throw StorageError(error, path: "sessions.sqlite")
    }
  }

  package func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (_ failure: String?) -> Void
  ) {
    database.write { connection in
      let encoder = JSONEncoder()
      func json(_ record: some Encodable) throws -> String {
        String(decoding: try encoder.encode(record), as: UTF8.self)
      }
      for key in changes.endedRooms {
        try connection.run("DELETE FROM room WHERE key = ?", try json(key.parts))
      }
      for id in changes.endedSessions { try connection.run("DELETE FROM session WHERE id = ?", id) }
      for room in changes.rooms {
        try connection.run(
          "INSERT OR REPLACE INTO room VALUES (?, ?)", try json(room.key.parts), try json(room))
      }
      for session in changes.sessions {
        try connection.run("INSERT OR REPLACE INTO session VALUES (?, ?)", session.id, try json(session))
      }
    } completion: { result in
      switch result {
      case .success: completion(nil)
      case .failure(let error):
        completion("Sessions cannot be stored: \(StorageError(error, path: "sessions.sqlite"))")
      }
    }
  }

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
    return migrator
  }
}

extension RoomKey {
  /// The key's parts in a fixed order.
  fileprivate var parts: [String] { [screen, name, isPrivate ? "session" : "room"] }
}
