// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiPostgres

/// What an import has done.
package struct StoreImport: Equatable, Sendable {
  package var rooms = 0
  package var sessions = 0
  /// Strikes, and rooms that were put aside.
  package var strikes = 0
  package var aside = 0
  /// Sentences about records that cannot be read, and stay behind.
  package var broken: [String] = []
}

extension PostgresSessionStore {
  /// Copies all that a file has into this store, in one transaction: all of it, or nothing.
  ///
  /// No server may use either of them. An import that was interrupted leaves nothing, and is run again.
  ///
  /// - Parameter file: The file's store.
  /// - Returns: What was done.
  /// - Throws: `StorageError` if this store has a record; if a store cannot be read or written.
  package func importAll(of file: SQLiteSessionStore) async throws -> StoreImport {
    let index = try await file.load()
    let (strikes, aside) = (try await file.strikes(), try await file.asideRooms().map(\.room))
    return try await perform(storing: { connection in
      try Self.checkIsEmpty(connection)
      var done = StoreImport(strikes: strikes.count, aside: aside.count)
      for (key, entry) in index.rooms {
        guard let room = try done.read({ () throws(RecordError) in try file.room(key) }, of: key.text) else {
          continue
        }
        let data = try SessionRecords.text { try $0.append(room) }
        try Self.put(key.text, entry.label, left: entry.left, room: nil, isUsed: true, data, connection)
        done.rooms += 1
      }
      for (id, entry) in index.sessions {
        guard let session = try done.read({ () throws(RecordError) in try file.session(id) }, of: id) else {
          continue
        }
        let data = try SessionRecords.text { try $0.append(session) }
        try Self.put(
          id, entry.label, left: entry.left, room: session.sharedRoom?.text, isUsed: entry.isUsed, data,
          connection)
        done.sessions += 1
      }
      for strike in strikes { try PostgresRecords.put(strike, connection) }
      for room in aside { try PostgresRecords.putAside(room, connection) }
      return (StoreChanges(), done)
    })
  }

  /// Sees to it that no server has stored anything here.
  private static func checkIsEmpty(_ connection: PostgresConnection) throws {
    for table in ["record", "strike", "aside_room"] {
      guard try connection.run("SELECT EXISTS (SELECT FROM musubi.\(table))").text(0, 0) == "f" else {
        throw StorageError(
          "The store in PostgreSQL is not empty: a server has used it. Import into an empty database.")
      }
    }
  }

  private static func put(
    _ key: String, _ label: RecordLabel, left: Double?, room: String?, isUsed: Bool, _ data: String,
    _ connection: PostgresConnection
  ) throws {
    func text(_ text: String?) -> PostgresValue { text.map { .text(PostgresChanges.storable($0)) } ?? .null }
    try connection.run(
      """
      INSERT INTO musubi.record (key, slot, bytes, peer, others, made, left_at, room, is_used, data)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      """, .text(key), .integer(label.slot), .integer(data.utf8.count), text(label.peer), text(label.others),
      .real(label.made), left.map { .real($0) } ?? .null, room.map { .text($0) } ?? .null, .bool(isUsed),
      .text(data))
  }
}

extension StoreImport {
  /// Reads a record; nil if it is damaged, which the outcome tells.
  fileprivate mutating func read<Record>(
    _ body: () throws(RecordError) -> Record, of name: String
  ) throws -> Record? {
    do {
      return try body()
    } catch {
      guard case .broken = error else { throw StorageError("\(error)") }
      broken.append("\(name) cannot be read, and stays behind: \(error)")
      return nil
    }
  }
}
