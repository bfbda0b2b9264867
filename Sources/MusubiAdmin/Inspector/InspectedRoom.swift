// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiWire

/// A room's newest lines, and what it showed before them.
struct InspectedRoom: Sendable {
  /// A line, and what it weighs.
  struct Line: Sendable {
    /// Counts the room's lines, from 1.
    let number: Int
    let bytes: Int
    let record: RecordLine

    /// Whether pages were told something.
    var isTurn: Bool { record.turn?["sequence"] != nil }
  }

  let id: Int
  let screen: String
  /// The room's name; empty for a session's own.
  private(set) var name = ""
  /// The path of its page.
  private(set) var path = ""
  private(set) var lines: [Line] = []
  /// What it showed before the first of the lines.
  private var start = ShownState()
  /// Who shows it, by the pages' numbers.
  private(set) var guests: [Int: String] = [:]
  /// The pages that are connected.
  private(set) var pages: Set<Int> = []
  /// Counts all changes of all rooms, at the last one of this.
  private(set) var changed = 0
  var hasEnded = false
  private var bytes = 0
  private var last = 0

  init(id: Int, screen: String) { (self.id, self.screen) = (id, screen) }

  /// Takes whole lines of the room's record.
  ///
  /// - Parameters:
  ///   - text: The lines.
  ///   - version: Counts the changes of all rooms.
  /// - Throws: Why a line cannot be read.
  mutating func take(_ text: [UInt8], version: Int) throws {
    changed = version
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let value = try Value(json: String(decoding: line, as: UTF8.self))
      guard value["version"] == nil else {
        let header = try RecordHeader(recorded: value)
        name = header.key.isPrivate ? "" : header.key.name
        path = header.path
        continue
      }
      last += 1
      let record = try RecordLine(recorded: value)
      note(record)
      lines.append(Line(number: last, bytes: line.count, record: record))
      bytes += line.count
    }
    guard bytes > InspectedRooms.maxBytesOfRoom else { return }
    // Room for some time, so that not each line moves all.
    var count = 0
    while bytes > InspectedRooms.maxBytesOfRoom / 4 * 3, count < lines.count - 1 {
      bytes -= lines[count].bytes
      start.apply(lines[count].record)
      count += 1
    }
    lines.removeFirst(count)
  }

  private mutating func note(_ record: RecordLine) {
    if let guest = record.guest { guests[guest.number] = guest.visitor.displayName ?? guest.visitor.id ?? "" }
    switch record.event {
    case .join(let member), .connection(let member, true): pages.insert(member)
    case .leave(let member), .connection(let member, false): pages.remove(member)
    default: break
    }
  }

  /// What pages showed after a line.
  ///
  /// - Parameter number: The line's number; nil for the newest.
  /// - Returns: The state.
  func state(after number: Int?) -> ShownState {
    lines.prefix { $0.number <= number ?? .max }.reduce(into: start) { $0.apply($1.record) }
  }
}
