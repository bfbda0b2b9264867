// SPDX-License-Identifier: Apache-2.0

/// An element of a page, as far as a check asks.
struct PageElement: Equatable {
  /// The name in lower case, such as `input`.
  let tag: String
  /// The line of its start tag in the file, from 1 on.
  let line: Int
  /// The attributes in their order, their names in lower case.
  let attributes: [(name: String, value: String)]
  /// The elements around it, the innermost last.
  let ancestors: [PageElement]

  static func == (left: PageElement, right: PageElement) -> Bool {
    left.tag == right.tag && left.line == right.line
      && left.attributes.elementsEqual(right.attributes) { $0.name == $1.name && $0.value == $1.value }
  }

  /// An attribute's value; nil if the element has no such attribute.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// Whether it shows outputs or sends inputs.
  var isBound: Bool {
    attributes.contains { $0.name.hasPrefix("data-bind-") || $0.name.hasPrefix("data-on-") }
  }

  /// Whether its names are paths inside of a row's or a dialog's value.
  var isInner: Bool {
    ancestors.contains { $0["data-bind-each"] != nil || $0["data-dialog"] != nil }
  }
}

/// Reads the start tags of a page; what stands in comments, scripts and style sheets is none.
struct PageReader {
  private static let void: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]
  private static let raw: Set<String> = ["script", "style"]

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var open: [PageElement] = []
  private var elements: [PageElement] = []

  /// All elements of a page in their order.
  static func elements(of html: String) -> [PageElement] {
    var reader = PageReader(bytes: Array(html.utf8))
    reader.read()
    return reader.elements
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func read() {
    while index < bytes.count {
      if starts(with: "<!--") {
        skip(behind: "-->")
      } else if starts(with: "</") {
        index += 2
        let name = word { $0 != UInt8(ascii: ">") && !Self.isSpace($0) }.lowercased()
        if let place = open.lastIndex(where: { $0.tag == name }) { open.removeSubrange(place...) }
      } else if bytes[index] == UInt8(ascii: "<"), index + 1 < bytes.count, Self.isLetter(bytes[index + 1]) {
        readElement()
      } else {
        step()
      }
    }
  }

  private mutating func readElement() {
    let start = line
    index += 1
    let tag = word { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && !Self.isSpace($0) }.lowercased()
    var attributes: [(name: String, value: String)] = []
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      guard !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: "/") else {
        step()
        continue
      }
      attributes.append(attribute())
    }
    let element = PageElement(tag: tag, line: start, attributes: attributes, ancestors: open)
    elements.append(element)
    if Self.raw.contains(tag) {
      skip(behind: "</\(tag)")
    } else if !Self.void.contains(tag) {
      open.append(element)
    }
  }

  private mutating func attribute() -> (name: String, value: String) {
    let first = index
    step()
    index = first + 1
    _ = word {
      $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && !Self.isSpace($0)
    }
    let name = String(decoding: bytes[first..<index], as: UTF8.self).lowercased()
    skipSpaces()
    guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return (name, "") }
    index += 1
    skipSpaces()
    guard index < bytes.count else { return (name, "") }
    let quote = bytes[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return (name, word { $0 != UInt8(ascii: ">") && !Self.isSpace($0) })
    }
    index += 1
    let value = word { $0 != quote }
    index += 1
    return (name, value)
  }

  private mutating func skipSpaces() {
    while index < bytes.count, Self.isSpace(bytes[index]) { step() }
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

  private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }
}
