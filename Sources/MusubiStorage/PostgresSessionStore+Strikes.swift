// SPDX-License-Identifier: Apache-2.0
package import MusubiSession
import MusubiPostgres

/// Events that have ended the process before: judged at the start, shown to and lifted by the operator.
extension PostgresSessionStore {
  package func load(
    after traps: [Trap], run: UInt64, at time: Double
  ) async throws -> (state: StoredState, verdicts: [Verdict]) {
    try await perform { connection in
      try PostgresSignOuts.settle(connection)
      var state = try PostgresRecords.index(connection)
      let strikes = try PostgresRecords.strikes(connection)
      let judgement = try state.judge(
        traps, run: run, at: time, strikes: strikes,
        aside: try PostgresRecords.asideRooms(connection).map(\.room),
        reading: PostgresRowReader(connection: connection))
      if judgement.strikes != strikes || !judgement.ended.isEmpty {
        try PostgresRecords.store(judgement, connection)
      }
      return (state, judgement.verdicts)
    }
  }

  package func strikes() async throws -> [Strike] { try await perform { try PostgresRecords.strikes($0) } }

  package func asideRooms() async throws -> [(id: Int, room: AsideRoom)] {
    try await perform { try PostgresRecords.asideRooms($0) }
  }

  package func liftStrikes(_ id: Int?) async throws -> Int {
    try await perform { connection in
      guard let id else { return try connection.run("DELETE FROM musubi.strike").changes }
      return try connection.run("DELETE FROM musubi.strike WHERE id = $1", .integer(id)).changes
    }
  }

  package func deleteAside(_ id: Int) async throws -> Bool {
    try await perform { connection in
      try connection.run("DELETE FROM musubi.aside_room WHERE id = $1", .integer(id)).changes > 0
    }
  }

  package func putBack(_ id: Int, at time: Double) async throws -> (room: RoomKey, hasReplaced: Bool)? {
    try await perform(storing: { connection in
      var changes = StoreChanges()
      guard let aside = try PostgresRecords.asideRooms(connection).first(where: { $0.id == id })?.room else {
        return (changes, nil)
      }
      let newer = try PostgresRecords.room(aside.room.key, connection)
      if let newer {
        let sessions = try PostgresRecords.sessions(showing: newer.key, connection)
        try PostgresRecords.putAside(
          AsideRoom(
            room: newer, sessions: sessions, kind: aside.kind, signal: aside.signal, time: time), connection)
        for session in sessions { changes.end(session, in: newer.key.slot) }
      }
      var room = aside.room
      // Whose it is was not put aside; the loop that is its home has to find it.
      room.label = RecordLabel(slot: room.key.slot, made: time)
      changes.rooms = [room]
      try connection.run("DELETE FROM musubi.aside_room WHERE id = $1", .integer(id))
      return (changes, (aside.room.key, newer != nil))
    })
  }
}

/// Reads records within a work on the database.
struct PostgresRowReader: RecordReader {
  let connection: PostgresConnection

  func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    try read { try PostgresRecords.room(key, connection) }
  }

  func session(_ id: String) throws(RecordError) -> StoredSession {
    try read { try PostgresRecords.session(id, connection) }
  }

  private func read<Record>(_ work: () throws -> Record?) throws(RecordError) -> Record {
    do {
      guard let record = try work() else { throw RecordError.broken("it is not in the database") }
      return record
    } catch let error as PostgresError where error.kind != .wrongType {
      throw .unreadable("\(error)")
    } catch {
      throw RecordError(error)
    }
  }
}
