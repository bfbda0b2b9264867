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
  /// A change of a room.
  struct Line {
    /// Its row.
    let id: Int
    /// The UTF-8 of the room's key, as `RoomKey.text`: SQLite tells texts apart that Swift takes for the same.
    let key: [UInt8]
    /// The change as JSON.
    let step: String
  }

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

  /// Reads lines, oldest first.
  ///
  /// - Parameters:
  ///   - connection: In a transaction, or a snapshot.
  ///   - id: Rows up to this one are left out.
  ///   - room: The UTF-8 of the key of the room that is asked for; nil for all.
  /// - Returns: The lines.
  /// - Throws: `SQLiteError`.
  static func lines(
    _ connection: SQLiteConnection, after id: Int = 0, of room: [UInt8]? = nil
  ) throws -> [Line] {
    var lines: [Line] = []
    _ = try connection.rows("SELECT id, data FROM journal WHERE id > ? ORDER BY id", id) { row in
      let id = try row.value(0, as: Int.self)
      var data = try row.value(1, as: String.self)
      data.withUTF8 { bytes in
        var rest = bytes
        // JSON escapes both a line feed and a tab. A loop reads this while its pages wait: `memchr` is many times as fast as
        // a loop over the bytes.
        while let end = rest.place(of: lineFeed) {
          let line = UnsafeBufferPointer(rebasing: rest[..<end])
          rest = UnsafeBufferPointer(rebasing: rest[(end + 1)...])
          if let room, !line.starts(with: room) { continue }
          guard let tab = line.place(of: tab), room == nil || tab == room?.count else { continue }
          let step = String(decoding: UnsafeBufferPointer(rebasing: line[(tab + 1)...]), as: UTF8.self)
          lines.append(Line(id: id, key: room ?? Array(line[..<tab]), step: step))
        }
      }
    }
    return lines
  }

  /// Moves all lines to the table of steps.
  ///
  /// - Parameter connection: In a transaction.
  /// - Returns: How many rows that table has got.
  /// - Throws: `SQLiteError`.
  static func empty(_ connection: SQLiteConnection) throws -> Int {
    let lines = try lines(connection)
    guard !lines.isEmpty else { return 0 }
    var rows = 0
    for (key, lines) in Dictionary(grouping: lines, by: \.key) {
      let key = String(decoding: key, as: UTF8.self)
      let record = try connection.row("SELECT id, version FROM record WHERE key = ?", key) {
        (id: try $0.value(0, as: Int.self), version: try $0.value(1, as: Int.self))
      }
      guard let record else { continue }
      let steps = lines.filter { $0.id > record.version }.map(\.step)
      guard !steps.isEmpty else { continue }
      let data = steps.joined(separator: ",")
      try connection.run(
        "INSERT INTO step (record, version, bytes, data) VALUES (?, ?, ?, ?)", record.id, record.version,
        data.utf8.count - steps.count + 1, data)
      rows += 1
    }
    try connection.run("DELETE FROM journal WHERE id < (SELECT max(id) FROM journal)")
    try connection.run("UPDATE journal SET data = ''")
    return rows
  }

  private static let tab = UInt8(ascii: "\t")
  private static let lineFeed = UInt8(ascii: "\n")
}

extension UnsafeBufferPointer<UInt8> {
  /// Where a byte is for the first time.
  fileprivate func place(of byte: UInt8) -> Int? {
    guard let baseAddress, let found = memchr(baseAddress, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
  }
}
