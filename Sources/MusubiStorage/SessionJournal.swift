// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiSession
import MusubiSQLite
import MusubiWire

/// The changes of rooms in the order in which they came: one row for each commit, so that a commit of a hundred rooms writes
/// as few pages as that of one, and looks for none of them.
///
/// ```
/// id   data
/// 811  ["number","lobby","room"]⇥{"number":3,"sequence":12,…}⏎      a line for each room that has changed
///      ["number","A/1","session"]⇥{"number":1,"sequence":2,…}⏎
/// 812  …
/// ```
///
/// A line counts if its row is newer than the `version` of its room's record. From time to time the lines move to the table
/// `step`, those of a room together. The newest row stays, without its lines, so that numbers go on from it.
enum SessionJournal {
  /// Adds a row.
  ///
  /// - Parameters:
  ///   - steps: The changes of a commit, at least one.
  ///   - connection: In a transaction.
  /// - Returns: The bytes of each.
  /// - Throws: `SQLiteError`.
  static func append(_ steps: [StoredRoomStep], _ connection: SQLiteConnection) throws -> [Int] {
    var sizes: [Int] = []
    sizes.reserveCapacity(steps.count)
    let data = SessionRecords.text { bytes in
      for step in steps {
        var key = step.room
        key.withUTF8 { bytes.append(contentsOf: $0) }
        bytes.append(tab)
        let start = bytes.count
        bytes.append(step)
        sizes.append(bytes.count - start)
        bytes.append(lineFeed)
      }
    }
    try connection.run("INSERT INTO journal (data) VALUES (?)", data)
    return sizes
  }

  /// Reads the changes of a room, oldest first.
  ///
  /// - Parameters:
  ///   - key: The room's key, as `RoomKey.text`.
  ///   - id: Rows up to this one are left out.
  ///   - connection: In a transaction, or a snapshot.
  /// - Returns: The changes as JSON.
  /// - Throws: `SQLiteError`.
  static func steps(of key: String, after id: Int, _ connection: SQLiteConnection) throws -> [String] {
    // A loop reads this while its pages wait.
    var steps: [String] = []
    let room = Array(key.utf8)
    _ = try connection.rows("SELECT data FROM journal WHERE id > ? ORDER BY id", id) { row in
      try row.withUTF8(0) { data in
        forEachLine(of: data) { line in
          guard line.starts(with: room), line.place(of: tab) == room.count else { return }
          let step = UnsafeBufferPointer(rebasing: line[(room.count + 1)...])
          steps.append(String(decoding: step, as: UTF8.self))
        }
      }
    }
    return steps
  }

  /// Reads all lines, and hands over those of each room together.
  ///
  /// - Parameters:
  ///   - connection: In a transaction, or a snapshot.
  ///   - take: Called for each room in any order.
  /// - Returns: Whether there was one.
  /// - Throws: `SQLiteError`, and what `take` throws.
  @discardableResult
  static func forEachRoom(_ connection: SQLiteConnection, _ take: (RoomLines) throws -> Void) throws -> Bool {
    var data = ByteBuffer()
    var rows: [(id: Int, end: Int)] = []
    _ = try connection.rows("SELECT id, data FROM journal ORDER BY id") { row in
      try row.withUTF8(1) { data.append(contentsOf: $0) }
      rows.append((try row.value(0), data.count))
    }
    // The lines stay where they are: a text of its own for each takes five times the instructions.
    let bytes = data.bytes
    var rooms: [Bytes: [RoomLines.Line]] = [:]
    var start = 0
    for row in rows {
      forEachLine(of: UnsafeBufferPointer(rebasing: bytes[start..<row.end])) { line in
        guard let tab = line.place(of: tab) else { return }
        let step = Bytes(UnsafeBufferPointer(rebasing: line[(tab + 1)...]))
        rooms[Bytes(UnsafeBufferPointer(rebasing: line[..<tab])), default: []].append((row.id, step))
      }
      start = row.end
    }
    for (key, lines) in rooms { try take(RoomLines(key: key, lines: lines)) }
    return withExtendedLifetime(data) { !rooms.isEmpty }
  }

  /// Moves all lines to the table of steps.
  ///
  /// - Parameter connection: In a transaction.
  /// - Returns: How many rows that table has got.
  /// - Throws: `SQLiteError`.
  static func empty(_ connection: SQLiteConnection) throws -> Int {
    var rows = 0
    let hadLines = try forEachRoom(connection) { room in
      let record = try connection.row("SELECT id, version FROM record WHERE key = ?", room.key.text) {
        (id: try $0.value(0, as: Int.self), version: try $0.value(1, as: Int.self))
      }
      guard let record, let steps = room.steps(after: record.version) else { return }
      try connection.run(
        "INSERT INTO step (record, version, bytes, data) VALUES (?, ?, ?, ?)", record.id, record.version,
        room.bytes(after: record.version), steps)
      rows += 1
    }
    guard hadLines else { return 0 }
    try connection.run("DELETE FROM journal WHERE id < (SELECT max(id) FROM journal)")
    try connection.run("UPDATE journal SET data = ''")
    return rows
  }

  /// Hands over each line, without its end.
  private static func forEachLine(
    of data: UnsafeBufferPointer<UInt8>, _ take: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var rest = data
    // JSON escapes both a line feed and a tab. `memchr` is many times as fast as a loop over the bytes.
    while let end = rest.place(of: lineFeed) {
      take(UnsafeBufferPointer(rebasing: rest[..<end]))
      rest = UnsafeBufferPointer(rebasing: rest[(end + 1)...])
    }
  }

  private static let tab = UInt8(ascii: "\t")
  private static let lineFeed = UInt8(ascii: "\n")
}

/// The lines of a room, of use while the journal is read.
struct RoomLines {
  /// The row and the change.
  typealias Line = (id: Int, step: Bytes)

  /// The UTF-8 of the room's key, as `RoomKey.text`: SQLite tells texts apart that Swift takes for the same.
  let key: Bytes
  /// Oldest first.
  let lines: [Line]

  /// How many bytes the changes take that are newer than a row.
  func bytes(after id: Int) -> Int { lines.reduce(0) { $0 + ($1.id > id ? $1.step.bytes.count : 0) } }

  /// The changes that are newer than a row, with commas between them; nil if there is none.
  func steps(after id: Int) -> String? {
    let steps = SessionRecords.text { text in
      for line in lines where line.id > id {
        if !text.isEmpty { text.append(UInt8(ascii: ",")) }
        text.append(contentsOf: line.step.bytes)
      }
    }
    return steps.isEmpty ? nil : steps
  }
}

/// Bytes of somebody else's memory as a key.
struct Bytes: Hashable {
  let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The text that they are.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  static func == (one: Bytes, other: Bytes) -> Bool { one.bytes.elementsEqual(other.bytes) }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
}

extension UnsafeBufferPointer<UInt8> {
  /// Where a byte is for the first time.
  fileprivate func place(of byte: UInt8) -> Int? {
    guard let baseAddress, let found = memchr(baseAddress, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
  }
}
