// SPDX-License-Identifier: Apache-2.0

/// A file and a line of it.
package struct PagePlace: Equatable, Sendable {
  /// The file, relative to the public folder.
  package let file: String
  /// The line, from 1 on.
  package let line: Int

  /// A line of a file.
  ///
  /// - Parameters:
  ///   - file: The file, relative to the public folder.
  ///   - line: The line, from 1 on.
  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }
}

/// Where a piece of a page comes from: the page itself, its layout or a fragment.
package struct PageOrigin: Equatable, Sendable {
  /// The file and the line to blame.
  package let place: PagePlace
  /// Where it stands in its file, in bytes.
  let offset: Int
  /// The fragment of the library that it belongs to, and whose file no author has; nil of all other text.
  package let fragment: String?
  /// Whether all of the piece belongs to the one line.
  private let isWhole: Bool

  init(place: PagePlace, offset: Int, fragment: String? = nil, isWhole: Bool = false) {
    (self.place, self.offset, self.fragment, self.isWhole) = (place, offset, fragment, isWhole)
  }

  /// Whether this is the same text as another one's, which is on the page twice.
  ///
  /// - Parameter other: Where the other one comes from.
  /// - Returns: True also of two fragments of the library: an author mends neither.
  package func isSame(as other: PageOrigin) -> Bool {
    (place.file == other.place.file && offset == other.offset) || (fragment != nil && other.fragment != nil)
  }

  /// Where a piece comes from that stands further on.
  func moved(by bytes: Int, lines: Int) -> PageOrigin {
    PageOrigin(
      place: isWhole ? place : PagePlace(file: place.file, line: place.line + lines), offset: offset + bytes,
      fragment: fragment, isWhole: isWhole)
  }
}

/// A piece of a page.
struct PageRun: Sendable {
  /// Where it begins in the page.
  let start: Int
  /// Where its first byte comes from.
  let origin: PageOrigin
}

extension [PageRun] {
  /// The first piece that begins behind an offset.
  func indexBehind(_ offset: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].start <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Where the elements of a page come from that was put together.
package struct PageOrigins: Sendable {
  private let runs: [PageRun]
  /// The line of the page in which each of them begins.
  private let lines: [Int]

  init(_ runs: [PageRun], lines: [Int]) { (self.runs, self.lines) = (runs, lines) }

  /// Where an element comes from.
  ///
  /// - Parameters:
  ///   - element: An element of the page.
  ///   - attribute: One of its attributes, which may come from another file, as those of `<body>` from a
  ///     layout; nil for its tag.
  /// - Returns: The origin; nil if nothing is known of the page.
  package func origin(of element: PageElement, attribute: String? = nil) -> PageOrigin? {
    guard let own = origin(at: element.start, line: element.line) else { return nil }
    guard let index = element.attributes.firstIndex(where: { $0.name == attribute }),
      let other = origin(at: element.ranges[index].lowerBound, line: element.attributeLines[index]),
      other.place.file != own.place.file
    else { return own }
    return other
  }

  private func origin(at offset: Int, line: Int) -> PageOrigin? {
    let index = runs.indexBehind(offset) - 1
    guard index >= 0 else { return nil }
    return runs[index].origin.moved(by: offset - runs[index].start, lines: line - lines[index])
  }
}
