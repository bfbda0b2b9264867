// SPDX-License-Identifier: Apache-2.0

/// Where a piece of a page stands.
package struct PagePlace: Equatable, Sendable {
  /// The file, relative to the public folder.
  package let file: String
  /// The line, from 1 on.
  package let line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

/// A text put together from files, which knows of each piece where it comes from.
struct PageText {
  /// A page that grows beyond this is put together by mistake.
  static let maxBytes = 4 << 20

  private struct Run {
    let start: Int
    let place: PagePlace
  }

  private(set) var bytes: [UInt8] = []
  private var runs: [Run] = []

  /// A text without a piece.
  init() {}

  /// The text of a file.
  init(_ bytes: [UInt8], of file: String) {
    self.bytes = bytes
    runs = [Run(start: 0, place: PagePlace(file: file, line: 1))]
  }

  /// Adds a piece of another text.
  mutating func append(_ other: PageText, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let shift = bytes.count - range.lowerBound
    runs.append(Run(start: bytes.count, place: other.place(at: range.lowerBound)))
    runs += other.runs.filter { $0.start > range.lowerBound && $0.start < range.upperBound }
      .map { Run(start: $0.start + shift, place: $0.place) }
    bytes += other.bytes[range]
  }

  /// Adds a word that stands in no file, and belongs to a place.
  mutating func append(_ word: String, at place: PagePlace) {
    runs.append(Run(start: bytes.count, place: place))
    bytes += Array(word.utf8)
  }

  /// Where the byte at an offset comes from.
  func place(at offset: Int) -> PagePlace {
    guard let run = runs.last(where: { $0.start <= offset }) else { return PagePlace(file: "", line: 1) }
    let lines = bytes[run.start..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
    return PagePlace(file: run.place.file, line: run.place.line + lines)
  }

  /// Where each line comes from: its first character that is no space.
  var places: [PagePlace] {
    var places: [PagePlace] = []
    var (run, lines) = (0, 0)
    var isTold = false
    for (index, byte) in bytes.enumerated() {
      while run + 1 < runs.count, runs[run + 1].start <= index { (run, lines) = (run + 1, 0) }
      let isEnd = byte == UInt8(ascii: "\n")
      if !isTold, isEnd || byte > 32 {
        places.append(PagePlace(file: runs[run].place.file, line: runs[run].place.line + lines))
        isTold = true
      }
      if isEnd { (lines, isTold) = (lines + 1, false) }
    }
    return isTold ? places : places + [place(at: bytes.count)]
  }

  /// A range without the spaces at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    guard let first = bytes[range].firstIndex(where: { $0 > 32 }),
      let last = bytes[range].lastIndex(where: { $0 > 32 })
    else { return range.lowerBound..<range.lowerBound }
    return first..<last + 1
  }
}
