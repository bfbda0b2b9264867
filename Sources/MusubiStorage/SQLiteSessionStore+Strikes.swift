// SPDX-License-Identifier: Apache-2.0
import Foundation
package import MusubiSession
import MusubiSQLite

/// Events that have ended the process before: judged at the start, shown to and lifted by the operator.
extension SQLiteSessionStore {
  /// Reads everything, and stores what follows from the events that have ended the process before.
  ///
  /// - Parameters:
  ///   - traps: The events; none after an end that no event has brought about.
  ///   - run: Names the process that they have ended; the same again counts once.
  ///   - time: The time, in seconds since 1970.
  /// - Returns: The state that is left to be restored, and a verdict on each event.
  /// - Throws: `StorageError` if the file is damaged, or cannot be written.
  package func load(
    after traps: [Trap], run: UInt64, at time: Double
  ) async throws -> (state: StoredState, verdicts: [Verdict]) {
    try await perform { connection in
      var state = try SessionRecords.index(connection)
      let strikes = try SessionRecords.strikes(connection)
      let judgement = try state.judge(
        traps, run: run, at: time, strikes: strikes,
        aside: try SessionRecords.asideRooms(connection).map(\.room),
        reading: RowReader(connection: connection))
      if judgement.strikes != strikes || !judgement.ended.isEmpty {
        try SessionRecords.store(judgement, connection)
      }
      return (state, judgement.verdicts)
    }
  }

  /// The events that have ended the process before and still count, in the order of the ids.
  package func strikes() async throws -> [Strike] {
    try await perform { try SessionRecords.strikes($0) }
  }

  /// The rooms that were put aside, oldest first, each with the number that names it for the operator.
  package func asideRooms() async throws -> [(id: Int, room: AsideRoom)] {
    try await perform { try SessionRecords.asideRooms($0) }
  }

  /// Forgets a strike: its input is run again, its room begins to count again.
  ///
  /// - Parameter id: The strike's; nil for all.
  /// - Returns: How many there were.
  /// - Throws: `StorageError`.
  package func liftStrikes(_ id: Int?) async throws -> Int {
    try await perform { connection in
      guard let id else { return try connection.run("DELETE FROM strike") }
      return try connection.run("DELETE FROM strike WHERE id = ?", id)
    }
  }

  /// Forgets a room that was put aside.
  ///
  /// - Parameter id: What names it.
  /// - Returns: Whether it was there.
  /// - Throws: `StorageError`.
  package func deleteAside(_ id: Int) async throws -> Bool {
    try await perform { try $0.run("DELETE FROM aside_room WHERE id = ?", id) > 0 }
  }

  /// Stores a shared room again that was put aside; its newer state is put aside in its place.
  ///
  /// - Parameters:
  ///   - id: What names it.
  ///   - time: The time, in seconds since 1970.
  /// - Returns: Its key, and whether another state of it is put aside now; nil if there is no such room.
  /// - Throws: `StorageError`.
  package func putBack(_ id: Int, at time: Double) async throws -> (room: RoomKey, hasReplaced: Bool)? {
    try await perform { connection -> (room: RoomKey, hasReplaced: Bool)? in
      guard let aside = try SessionRecords.asideRooms(connection).first(where: { $0.id == id })?.room else {
        return nil
      }
      let newer = try SessionRecords.room(aside.room.key, connection)
      if let newer {
        let sessions = try SessionRecords.sessions(showing: newer.key, connection)
        try SessionRecords.putAside(
          AsideRoom(
            room: newer, sessions: sessions, kind: aside.kind, signal: aside.signal, time: time),
          connection)
        var ended = StoreChanges()
        ended.endedSessions = sessions
        try SessionRecords.store(ended, connection)
      }
      var changes = StoreChanges()
      var room = aside.room
      // Whose it is was not put aside; the loop that is its home has to find it.
      room.label = RecordLabel(slot: room.key.slot, made: time)
      changes.rooms = [room]
      try SessionRecords.store(changes, connection)
      try connection.run("DELETE FROM aside_room WHERE id = ?", id)
      return (aside.room.key, newer != nil)
    }
  }

  private func perform<Output: Sendable>(
    _ work: @escaping @Sendable (SQLiteConnection) throws -> Output
  ) async throws -> Output {
    do {
      return try await database.write(work)
    } catch {
      throw StorageError(error, path: "sessions.sqlite")
    }
  }
}

/// Reads records within a work on the database.
private struct RowReader: RecordReader {
  let connection: SQLiteConnection

  func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    try read { try SessionRecords.room(key, connection) }
  }

  func session(_ id: String) throws(RecordError) -> StoredSession {
    try read { try SessionRecords.session(id, connection) }
  }

  private func read<Record>(_ work: () throws -> Record?) throws(RecordError) -> Record {
    do {
      guard let record = try work() else { throw RecordError.broken("it is not in the file") }
      return record
    } catch {
      throw RecordError(error)
    }
  }
}
