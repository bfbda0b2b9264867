// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiWire

/// The first line of a room's record: all that the room was made of.
package struct RecordHeader: Codable, Equatable, Sendable {
  /// The version of the format that this program writes and reads.
  package static let currentVersion = 1

  /// The version of the format.
  package var version = RecordHeader.currentVersion
  package let key: RoomKey
  let epoch: String
  package let path: String
  /// What the segments of the route's path stand for.
  var parameters: [String: String] = [:]
  let query: [String: String]
  let visitor: Visitor
  /// The bits of the seed of its source of chance.
  let seed: Int64
  /// When the room was made, in seconds since 1970.
  package let made: Double
  /// The room before its process began; nil for one that began here.
  var restored: StoredRoom?
  /// Whether another screen has presented it, and has given it what no record has.
  package var isPresented = false
}

/// Each further line of a record: one thing that has happened, at a time since the room was made.
package struct RecordLine: Codable, Equatable, Sendable {
  /// A session that begins to show the room, or whose visitor is another one.
  package struct Guest: Codable, Equatable, Sendable {
    package let number: Int
    let session: String
    let screen: Int
    package let visitor: Visitor
  }

  /// In nanoseconds.
  package let at: Int64
  /// What the screen showed before the first event.
  package var start: Value?
  package var guest: Guest?
  package var event: RoomEvent?
  /// The name of a value that has come from elsewhere in the event before; in front of `start` while the room was made.
  package var name: String?
  /// Whether what came in the event before was overtaken by something newer, and changed nothing.
  package var isOvertaken: Bool?
  package var value: Value?
  /// The input that was left out, because a rule says so.
  package var leftOut: String?
  /// The changes by the events since the last turn, as pages were told them; an empty object if there are none.
  package var turn: Value?
  /// The turns whose events were told again to a page that had missed them.
  var again: [Int]?
  /// Whether the record ends here because it is as long as it may be.
  var isFull: Bool?

  init(at: Int64) { self.at = at }

  /// Whether a room can count on from its numbers.
  var hasUsableNumbers: Bool {
    [guest?.number ?? 0, turn?["sequence"]?.intValue ?? 0].allSatisfy { (0..<1 << 53).contains($0) }
  }
}

/// A file of one room's record, given by who writes files.
package protocol RecordFile: AnyObject {
  /// The most bytes that it may take.
  var limit: Int { get }
  /// Tells it from the other files of its folder and process; 0 if it is none that outlives the process.
  var number: UInt32 { get }
  /// Takes whole lines; called on the room's loop, so it does not wait for the disk.
  ///
  /// - Returns: Whether more may come.
  func write(_ lines: [UInt8]) -> Bool
}

extension RecordFile {
  package var number: UInt32 { 0 }
}

/// Where the records of rooms are written.
package protocol RecordFolder: AnyObject, Sendable {
  /// A file for a new room's record; nil if there is no space.
  func file(ofScreen screen: String) -> (any RecordFile)?
}

/// Writes the lines of a record into its file, up to its limit.
final class RecordWriter {
  private let file: any RecordFile
  private var left: Int
  private var isOver = false

  init(_ file: any RecordFile) {
    self.file = file
    left = file.limit
  }

  /// The file's number; 0 if nothing more comes into it.
  var number: UInt32 { isOver ? 0 : file.number }

  func write(_ header: RecordHeader) { write(header) { nil } }

  func write(_ line: RecordLine) {
    write(line) {
      var last = RecordLine(at: line.at)
      last.isFull = true
      return last
    }
  }

  private func write(_ line: some Encodable, orLast last: () -> RecordLine?) {
    guard !isOver, let bytes = Self.bytes(of: line) else { return }
    left -= bytes.count
    isOver = left < 0
    if !isOver { isOver = !file.write(bytes) } else { _ = last().flatMap(Self.bytes).map(file.write) }
  }

  private static func bytes(of line: some Encodable) -> [UInt8]? {
    // All parts are values of the wire already, whose encoding does not fail.
    guard let value = try? ValueEncoder.encode(line) else { return nil }
    return Array("\(value)\n".utf8)
  }
}
