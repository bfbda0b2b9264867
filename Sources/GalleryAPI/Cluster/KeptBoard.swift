// SPDX-License-Identifier: Apache-2.0

/// A whole board, as the state of its room and the database of several servers have it.
package struct KeptBoard: Equatable, Sendable, Codable {
  /// Grows with each change; a room that goes on elsewhere jumps, so that what a server that stood still has to say is older.
  package var version = 0
  /// The number of the next card.
  package var next = 1
  package var there: [Card] = []
  /// The cards that come back by `undo`, the last one at the end.
  package var deleted: [Card] = []

  /// An empty board.
  package init() {}

  /// Whether it has nothing that could come back.
  var isEmpty: Bool { there.isEmpty && deleted.isEmpty }

  /// A board that goes on in another room, or on another server.
  package func goingOn() -> KeptBoard {
    var board = self
    board.version += 1_000_000
    return board
  }

  /// The board as text: a line for each card.
  package var text: String {
    var text = "\(version) \(next)\n"
    text.reserveCapacity(64 * (there.count + deleted.count + 1))
    for (cards, mark) in [(there, ""), (deleted, "-")] {
      for card in cards {
        text += "\(mark)\(card.id) \(card.column.rawValue) \(card.place) "
        text += Self.isPlain(card.title) ? card.title : Self.escaped(card.title)
        text += "\n"
      }
    }
    return text
  }

  /// Reads a text.
  ///
  /// - Throws: `ContentsError` of kind `damaged` if it is none.
  package init(_ text: String) throws(ContentsError) {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"))[...]
    let head = lines.popFirst()?.split(separator: UInt8(ascii: " ")).compactMap { Int(Substring($0)) } ?? []
    guard head.count == 2 else { throw Self.wrong }
    (version, next) = (head[0], head[1])
    for line in lines {
      let isDeleted = line.first == UInt8(ascii: "-")
      let parts = (isDeleted ? line.dropFirst() : line)
        .split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false).map {
          Substring($0)
        }
      guard parts.count == 4, let id = Int(parts[0]), let column = Card.Column(rawValue: String(parts[1])),
        let place = Double(parts[2])
      else { throw Self.wrong }
      let card = Card(id: id, column: column, place: place, title: Self.unescaped(parts[3]))
      if isDeleted { deleted.append(card) } else { there.append(card) }
    }
  }

  private static let wrong = ContentsError(.damaged, "The board's text cannot be read.")

  private static func isPlain(_ title: String) -> Bool {
    !title.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\n") || $0 == 0 }
  }

  private static func escaped(_ title: String) -> String {
    title.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\0", with: "\\0")
  }

  private static func unescaped(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    var (title, isEscape) = (String.UnicodeScalarView(), false)
    for scalar in text.unicodeScalars {
      if isEscape {
        title.append(scalar == "n" ? "\n" : scalar == "0" ? "\0" : scalar)
        isEscape = false
      } else if scalar == "\\" {
        isEscape = true
      } else {
        title.append(scalar)
      }
    }
    return String(title)
  }
}

extension Card {
  /// A card with its number.
  package init(_ id: Int, _ column: Column, _ place: Double, _ title: String) {
    self.init(id: id, column: column, place: place, title: title)
  }
}

extension KeptBoard {
  /// As one text: a thousand cards are read and written often.
  package init(from decoder: any Decoder) throws {
    try self.init(try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
