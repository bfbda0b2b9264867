// SPDX-License-Identifier: Apache-2.0

/// A text put together from files, which knows of each piece where it comes from.
struct PageText {
  /// A page that grows beyond this is put together by mistake.
  static let maxBytes = 4 << 20

  private(set) var bytes: [UInt8] = []
  private var runs: [PageRun] = []

  /// A text without a piece.
  init() {}

  /// The text of a file.
  init(_ bytes: [UInt8], of file: String) {
    self.bytes = bytes
    runs = [PageRun(start: 0, origin: PageOrigin(place: PagePlace(file: file, line: 1), offset: 0))]
  }

  /// Adds a piece of another text.
  mutating func append(_ other: PageText, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let shift = bytes.count - range.lowerBound
    runs.append(PageRun(start: bytes.count, origin: other.origin(at: range.lowerBound)))
    for run in other.runs[other.runs.indexBehind(range.lowerBound)...] {
      guard run.start < range.upperBound else { break }
      runs.append(PageRun(start: run.start + shift, origin: run.origin))
    }
    bytes += other.bytes[range]
  }

  /// Adds a word that stands in no file, and belongs to a place.
  mutating func append(_ word: String, at place: PagePlace) {
    runs.append(PageRun(start: bytes.count, origin: PageOrigin(place: place, offset: 0, isWhole: true)))
    bytes += Array(word.utf8)
  }

  /// Adds the text of a fragment that no author has a file of: all of it belongs to the element that uses it.
  mutating func append(_ text: PageText, ofLibrary fragment: String, at place: PagePlace) {
    let origin = PageOrigin(place: place, offset: 0, fragment: fragment, isWhole: true)
    runs.append(PageRun(start: bytes.count, origin: origin))
    bytes += text.bytes
  }

  /// Where the byte at an offset comes from.
  func place(at offset: Int) -> PagePlace { origin(at: offset).place }

  private func origin(at offset: Int) -> PageOrigin {
    let index = runs.indexBehind(offset) - 1
    guard index >= 0 else { return PageOrigin(place: PagePlace(file: "", line: 1), offset: 0) }
    let run = runs[index]
    let lines = bytes[run.start..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
    return run.origin.moved(by: offset - run.start, lines: lines)
  }

  /// Where each piece comes from, for a text that does not change any more.
  var origins: PageOrigins {
    var (line, done) = (1, 0)
    let lines = runs.map { run in
      line += bytes[done..<run.start].count { $0 == UInt8(ascii: "\n") }
      done = run.start
      return line
    }
    return PageOrigins(runs, lines: lines)
  }

  /// A range without the spaces at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    guard let first = bytes[range].firstIndex(where: { $0 > 32 }),
      let last = bytes[range].lastIndex(where: { $0 > 32 })
    else { return range.lowerBound..<range.lowerBound }
    return first..<last + 1
  }
}
