// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
import MusubiSession

/// Reads the rows of rooms and sessions.
enum PostgresRecords {
  /// So many entries of the index come at a time.
  private static let page = 4_096

  /// What the index needs of each record.
  private static let columns = """
    SELECT key, slot, peer, others, made, left_at, room, is_used,
        bytes + (SELECT coalesce(sum(s.bytes), 0) FROM musubi.step s WHERE s.key = r.key)
      FROM musubi.record r
    """

  /// Reads all but the data.
  static func index(_ connection: PostgresConnection) throws -> StoredState {
    var index = IndexReader()
    var entries = IndexReader.Entries()
    var last = ""
    while true {
      let rows = try connection.run(
        "\(columns) WHERE key > $1 ORDER BY key LIMIT $2", .text(last), .integer(page))
      try index.read(rows) { key, entry in
        try entries.add(key, entry)
        last = key
      }
      guard rows.count == page else { return entries.state }
    }
  }

  /// Reads all but the data of some slots.
  ///
  /// - Parameters:
  ///   - connection: Where from; a statement behind the one that takes the slots, whose own snapshot may be too old.
  ///   - slots: The slots.
  ///   - unreadable: Is told of a record whose row this program cannot read; the others are read.
  /// - Returns: What is in each; none for a slot that is empty.
  /// - Throws: `PostgresError`, and what `unreadable` throws.
  static func index(
    _ connection: PostgresConnection, slots: [Int], unreadable: (any Error) throws -> Void = { throw $0 }
  ) throws -> [Int: StoredState] {
    var index = IndexReader()
    var entries: [Int: IndexReader.Entries] = [:]
    // A few at a time, so that no answer is late.
    for start in stride(from: 0, to: slots.count, by: 64) {
      let some = slots[start..<min(start + 64, slots.count)].map { Int64($0) }
      let rows = try connection.run("\(columns) WHERE slot = ANY ($1)", .integers(some))
      try index.read(rows, unreadable) { key, entry in
        try entries[entry.label.slot, default: IndexReader.Entries()].add(key, entry)
      }
    }
    return entries.mapValues(\.state)
  }

  /// Reads the records of pages that were there when the slots lost their owner, or a minute ago.
  ///
  /// - Parameters:
  ///   - connection: Where from.
  ///   - slots: The slots.
  /// - Returns: The records, of which the data has 4 MiB in 64 slots at most.
  /// - Throws: `PostgresError`.
  static func ahead(_ connection: PostgresConnection, slots: [Int]) throws(PostgresError) -> [RecordText] {
    var records: [RecordText] = []
    for start in stride(from: 0, to: slots.count, by: 64) {
      let some = slots[start..<min(start + 64, slots.count)].map { Int64($0) }
      let rows = try connection.run(
        """
        \(RecordText.columns) WHERE key IN (
          SELECT key FROM (
            SELECT key, sum(bytes + coalesce((SELECT sum(s.bytes) FROM musubi.step s WHERE s.key = w.key), 0))
                OVER (ORDER BY key) AS total FROM musubi.record w
              WHERE slot = ANY ($1) AND (left_at IS NULL OR left_at > extract(epoch FROM clock_timestamp()) - 60)) AS present
            WHERE total <= 4194304)
        """, .integers(some))
      for row in 0..<rows.count { records.append(try RecordText(rows, row)) }
    }
    return records
  }

  /// Reads a room with its steps; nil if there is none.
  static func room(_ key: RoomKey, _ connection: PostgresConnection) throws -> StoredRoom? {
    try record(key.text, connection)?.room()
  }

  /// Reads a session; nil if there is none.
  static func session(_ id: String, _ connection: PostgresConnection) throws -> StoredSession? {
    try record(id, connection)?.session()
  }

  private static func record(
    _ key: String, _ connection: PostgresConnection
  ) throws(PostgresError) -> RecordText? {
    let rows = try connection.run("\(RecordText.columns) WHERE key = $1", .text(key))
    return rows.count == 1 ? try RecordText(rows, 0) : nil
  }

  // MARK: - Strikes

  /// The most rooms that are kept aside, the newest ones.
  private static let maxAside = 1_000

  /// The events that have ended the process.
  ///
  /// - Parameters:
  ///   - connection: Where from.
  ///   - unreadable: Is told of one that this program cannot read; the others are read.
  /// - Returns: The events, oldest first.
  /// - Throws: `PostgresError`, and what `unreadable` throws.
  static func strikes(
    _ connection: PostgresConnection, unreadable: (any Error) throws -> Void = { throw $0 }
  ) throws -> [Strike] {
    let rows = try connection.run("SELECT record FROM musubi.strike ORDER BY id")
    return try (0..<rows.count).compactMap { row -> Strike? in
      do { return try read(rows.text(row, 0)) } catch {
        try unreadable(error)
        return nil
      }
    }
  }

  /// The sessions of the rooms that are kept aside.
  ///
  /// The server finds them by their place in the text: its JSON has no U+0000, which a room's state may have. In a string the
  /// quotation marks would have a backslash.
  ///
  /// - Parameters:
  ///   - last: The newest of the rooms that are known; the newest of those that were read, then.
  ///   - connection: Where from.
  ///   - unreadable: Is told of one that this program cannot read; the others are read.
  /// - Returns: The sessions of newer ones.
  /// - Throws: `PostgresError`, and what `unreadable` throws; `last` is as before then.
  static func asideSessions(
    after last: inout Int, _ connection: PostgresConnection, unreadable: (any Error) throws -> Void
  ) throws -> [String] {
    struct Aside: Decodable { let sessions: [String] }
    let rows = try connection.run(
      "SELECT id, record FROM musubi.aside_room WHERE id > $1 ORDER BY id", .integer(last))
    var (sessions, newest): ([String], Int) = ([], last)
    for row in 0..<rows.count {
      do { sessions += (try read(rows.text(row, 1)) as Aside).sessions } catch { try unreadable(error) }
      newest = try rows.value(row, 0)
    }
    last = newest
    return sessions
  }

  static func asideRooms(_ connection: PostgresConnection) throws -> [(id: Int, room: AsideRoom)] {
    let rows = try connection.run("SELECT id, record FROM musubi.aside_room ORDER BY id")
    return try (0..<rows.count).map { (try rows.value($0, 0, as: Int.self), try read(rows.text($0, 1))) }
  }

  /// Writes what follows from the events that have ended the process; within a transaction of the owner.
  static func store(_ judgement: Judgement, _ connection: PostgresConnection) throws {
    try connection.run("DELETE FROM musubi.strike")
    for strike in judgement.strikes { try put(strike, connection) }
    for room in judgement.aside { try putAside(room, connection) }
    try end(judgement.ended.endedRooms.map(\.text) + judgement.ended.endedSessions, connection)
  }

  static func put(_ strike: Strike, _ connection: PostgresConnection) throws {
    try connection.run(
      "INSERT INTO musubi.strike VALUES ($1, $2)", .integer(strike.id),
      .text(try SessionRecords.json(strike)))
  }

  /// Has inputs refused from now on whose pages will send them again; within a transaction.
  ///
  /// - Parameters:
  ///   - inputs: The inputs.
  ///   - slot: Their slot.
  ///   - connection: Where they are noted.
  ///   - unreadable: Is told of what this program cannot read, and they do not need.
  /// - Returns: Those inputs.
  /// - Throws: `PostgresError`, what `unreadable` throws, and that a session of them cannot be read.
  static func strike(
    _ inputs: [InputID], of slot: Int, _ connection: PostgresConnection,
    unreadable: (any Error) throws -> Void
  ) throws -> [InputID] {
    let states = try index(connection, slots: [slot], unreadable: unreadable)
    guard let state = states[slot] else { return [] }
    var struck: [InputID] = []
    for input in inputs {
      let known = try strikes(connection, unreadable: unreadable).first { $0.input == input }
      let next: Int = try connection.run("SELECT coalesce(max(id), 0) + 1 FROM musubi.strike").value(0, 0)
      let id = known?.id ?? next
      let strike = try state.strike(
        input, id: id, at: Date().timeIntervalSince1970, reading: PostgresRowReader(connection: connection))
      guard let strike else { continue }
      try connection.run("DELETE FROM musubi.strike WHERE id = $1", .integer(id))
      try put(strike, connection)
      struck.append(input)
    }
    return struck
  }

  static func putAside(_ room: AsideRoom, _ connection: PostgresConnection) throws {
    try connection.run(
      "INSERT INTO musubi.aside_room (record) VALUES ($1)", .text(try SessionRecords.json(room)))
    try connection.run(
      """
      DELETE FROM musubi.aside_room
        WHERE id NOT IN (SELECT id FROM musubi.aside_room ORDER BY id DESC LIMIT $1)
      """, .integer(maxAside))
  }

  /// Deletes rooms and sessions; within a transaction of the owner.
  static func end(_ keys: [String], _ connection: PostgresConnection) throws {
    try connection.run("DELETE FROM musubi.step WHERE key = ANY($1)", .texts(keys))
    try connection.run("DELETE FROM musubi.record WHERE key = ANY($1)", .texts(keys))
  }

  /// The sessions that show a shared room.
  static func sessions(showing key: RoomKey, _ connection: PostgresConnection) throws -> [String] {
    let rows = try connection.run(
      "SELECT key FROM musubi.record WHERE room = $1 ORDER BY key", .text(key.text))
    return (0..<rows.count).compactMap { rows.text($0, 0) }
  }

  private static func read<Record: Decodable>(_ text: String?) throws -> Record {
    try JSONDecoder().decode(Record.self, from: Data((text ?? "").utf8))
  }
}

/// Reads rows of the index.
private struct IndexReader {
  /// The records of a maker share its names.
  private var names: Set<String> = []

  /// What was read.
  struct Entries {
    private var rooms: [RoomKey: StoredEntry] = [:]
    private var sessions: [String: StoredEntry] = [:]

    var state: StoredState { StoredState(rooms: rooms, sessions: sessions) }

    mutating func add(_ key: String, _ entry: StoredEntry) throws {
      if key.hasPrefix("[") {
        rooms[try RoomKey(text: key)] = entry
      } else {
        sessions[key] = entry
      }
    }
  }

  /// Reads rows, each with its record's key.
  mutating func read(
    _ rows: PostgresResult, _ unreadable: (any Error) throws -> Void = { throw $0 },
    _ add: (String, StoredEntry) throws -> Void
  ) throws {
    for row in 0..<rows.count {
      do { try read(rows, row, add) } catch { try unreadable(error) }
    }
  }

  private mutating func read(
    _ rows: PostgresResult, _ row: Int, _ add: (String, StoredEntry) throws -> Void
  ) throws {
    var entry = StoredEntry(
      label: RecordLabel(
        slot: try rows.value(row, 1), peer: shared(rows.text(row, 2)), others: shared(rows.text(row, 3)),
        made: try rows.value(row, 4)),
      bytes: try rows.value(row, 8), left: try rows.optional(row, 5),
      rooms: try rows.text(row, 6).map { [try RoomKey(text: $0)] } ?? [])
    entry.isUsed = rows.text(row, 7) == "t"
    try add(rows.text(row, 0) ?? "", entry)
  }

  private mutating func shared(_ name: String?) -> String? {
    name.map { names.insert($0).memberAfterInsert }
  }
}
