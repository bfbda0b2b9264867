// SPDX-License-Identifier: Apache-2.0

/// An element of a page, as far as checks, layouts and fragments ask.
package struct PageElement: Equatable {
  /// The name in lower case, such as `input`.
  package let tag: String
  /// The line of its start tag in the file, from 1 on.
  package let line: Int
  /// The attributes in their order, their names in lower case.
  package let attributes: [(name: String, value: String)]
  /// Where each attribute stands, name and value.
  let ranges: [Range<Int>]
  /// Where each value stands, without its quotes.
  let valueRanges: [Range<Int>]
  /// The elements around it, the innermost last.
  package let ancestors: [PageElement]
  /// Where its start tag begins: no other element of the page has the same.
  package let start: Int
  /// Where its start tag ends.
  let tagEnd: Int
  /// Where its content ends, and its end tag; the same place if it has no end tag, and not known in `ancestors`.
  fileprivate(set) var contentEnd: Int, end: Int

  package static func == (left: PageElement, right: PageElement) -> Bool {
    left.tag == right.tag && left.line == right.line
      && left.attributes.elementsEqual(right.attributes) { $0.name == $1.name && $0.value == $1.value }
  }

  /// An attribute's value; nil if the element has no such attribute.
  package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// Whether it shows outputs or sends inputs.
  package var isBound: Bool {
    attributes.contains { $0.name.hasPrefix("data-bind-") || $0.name.hasPrefix("data-on-") }
  }

  /// Whether its names are paths inside of a row's or a dialog's value.
  package var isInner: Bool { ancestors.contains(where: \.hasInner) }

  /// Whether the names in it are.
  var hasInner: Bool { self["data-bind-each"] != nil || self["data-dialog"] != nil }

  /// Whether it ends by a tag of its own.
  package var isClosed: Bool { contentEnd < end }

  /// Where its content stands among the page's bytes; not known in `ancestors`.
  package var content: Range<Int> { tagEnd..<contentEnd }
}

/// Reads the elements of a page; what stands in comments, scripts, style sheets and texts is none.
package struct PageReader {
  private static let void: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]
  private static let raw: Set<String> = ["script", "style", "textarea", "title"]

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var open: [PageElement] = []
  /// The places of the open elements among all.
  private var indexes: [Int] = []
  private var elements: [PageElement] = []

  /// All elements of a page in their order.
  package static func elements(of html: String) -> [PageElement] { elements(of: Array(html.utf8)) }

  static func elements(of html: [UInt8]) -> [PageElement] {
    var reader = PageReader(bytes: html)
    reader.read()
    reader.close(from: 0, at: html.count, html.count)
    return reader.elements
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func read() {
    while index < bytes.count {
      if bytes[index] != UInt8(ascii: "<") {
        step()
      } else if starts(with: "<!--") {
        skip(behind: "-->")
      } else if starts(with: "</") {
        let start = index
        index += 2
        let name = word { $0 != UInt8(ascii: ">") && !Self.isSpace($0) }.lowercased()
        _ = word { $0 != UInt8(ascii: ">") }
        index = min(bytes.count, index + 1)
        if let place = open.lastIndex(where: { $0.tag == name }) { close(from: place, at: start, index) }
      } else if index + 1 < bytes.count, Self.isLetter(bytes[index + 1]) {
        readElement()
      } else {
        step()
      }
    }
  }

  /// Ends open elements: the outermost of them by its end tag, those in it because it ends.
  private mutating func close(from place: Int, at contentEnd: Int, _ end: Int) {
    for (depth, index) in indexes.enumerated().dropFirst(place) {
      elements[index].contentEnd = contentEnd
      elements[index].end = depth == place ? end : contentEnd
    }
    open.removeSubrange(place...)
    indexes.removeSubrange(place...)
  }

  private mutating func readElement() {
    let (start, first) = (line, index)
    index += 1
    let tag = word { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && !Self.isSpace($0) }.lowercased()
    var attributes: [(name: String, value: String)] = []
    var (ranges, valueRanges): ([Range<Int>], [Range<Int>]) = ([], [])
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      guard !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: "/") else {
        step()
        continue
      }
      let begin = index
      let (name, range) = attribute()
      attributes.append((name, String(decoding: bytes[range], as: UTF8.self)))
      ranges.append(begin..<index)
      valueRanges.append(range)
    }
    index = min(bytes.count, index + 1)
    let element = PageElement(
      tag: tag, line: start, attributes: attributes, ranges: ranges, valueRanges: valueRanges,
      ancestors: open,
      start: first, tagEnd: index, contentEnd: index, end: index)
    elements.append(element)
    // In a picture, they are elements like others, and may end where they begin.
    if Self.raw.contains(tag), !open.contains(where: { $0.tag == "svg" }) {
      while index < bytes.count, !isEndTag(of: tag) { step() }
      elements[elements.count - 1].contentEnd = index
      _ = word { $0 != UInt8(ascii: ">") }
      index = min(bytes.count, index + 1)
      elements[elements.count - 1].end = index
    } else if !Self.void.contains(tag) {
      open.append(element)
      indexes.append(elements.count - 1)
    }
  }

  /// An attribute's name, and where its value stands.
  private mutating func attribute() -> (name: String, value: Range<Int>) {
    let first = index
    step()
    index = first + 1
    _ = word {
      $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && !Self.isSpace($0)
    }
    let (name, end) = (String(decoding: bytes[first..<index], as: UTF8.self).lowercased(), index)
    while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
      index = end
      return (name, end..<end)
    }
    index = end
    while bytes[index] != UInt8(ascii: "=") { step() }
    index += 1
    while index < bytes.count, Self.isSpace(bytes[index]) { step() }
    guard index < bytes.count else { return (name, index..<index) }
    let quote = bytes[index]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    if isQuoted { index += 1 }
    let start = index
    _ = word { isQuoted ? $0 != quote : $0 != UInt8(ascii: ">") && !Self.isSpace($0) }
    defer { if isQuoted { index = min(bytes.count, index + 1) } }
    return (name, start..<index)
  }

  private mutating func word(while belongs: (UInt8) -> Bool) -> String {
    let start = index
    while index < bytes.count, belongs(bytes[index]) { step() }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func skip(behind end: String) {
    while index < bytes.count, !starts(with: end) { step() }
    index = min(bytes.count, index + end.utf8.count)
  }

  private mutating func step() {
    if bytes[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  /// Whether the text goes on like this, in small or capital letters.
  private func starts(with text: String) -> Bool {
    bytes[index...].starts(with: text.utf8) { $0 == $1 || (Self.isLetter($0) && $0 | 32 == $1) }
  }

  /// Whether the end tag of an element stands here: not that of a name that goes on, such as `</scripts>`.
  private func isEndTag(of tag: String) -> Bool {
    guard starts(with: "</\(tag)") else { return false }
    let behind = index + 2 + tag.utf8.count
    return behind == bytes.count || Self.isSpace(bytes[behind]) || "/>".utf8.contains(bytes[behind])
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }
}
