// SPDX-License-Identifier: Apache-2.0

/// Reads the elements of a page; what stands in comments, scripts, style sheets and texts is none.
package struct PageReader {
  private static let void: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]
  private static let raw: Set<String> = ["script", "style", "textarea", "title"]
  /// The parts of pictures and formulas that have HTML in them.
  private static let holdsHTML: Set<String> = [
    "foreignobject", "desc", "title", "annotation-xml", "mi", "mn", "mo", "ms", "mtext",
  ]

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var nodes: [PageTree.Node] = []
  /// The places of the open elements among all.
  private var open: [Int] = []
  /// How many elements of a name are open.
  private var openTags: [String: Int] = [:]

  /// All elements of a page in their order.
  ///
  /// - Parameter html: The page's text.
  /// - Returns: The elements.
  package static func elements(of html: String) -> [PageElement] { elements(of: Array(html.utf8)) }

  static func elements(of html: [UInt8]) -> [PageElement] {
    var reader = PageReader(bytes: html)
    reader.read()
    reader.close(from: 0, at: html.count, html.count)
    let tree = PageTree(reader.nodes)
    return tree.nodes.indices.map { PageElement(tree, $0) }
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
        if let place = place(endedBy: name) { close(from: place, at: start, index) }
      } else if index + 1 < bytes.count, Self.isLetter(bytes[index + 1]) {
        readElement()
      } else {
        step()
      }
    }
  }

  /// The open element that an end tag ends; none beyond a `<template>`, which is a page of its own.
  private func place(endedBy name: String) -> Int? {
    guard openTags[name, default: 0] > 0 else { return nil }
    let last = open.lastIndex { [name, "template"].contains(nodes[$0].tag) }
    return last.flatMap { nodes[open[$0]].tag == name ? $0 : nil }
  }

  /// Ends open elements: the outermost of them by its end tag, those in it because it ends.
  private mutating func close(from place: Int, at contentEnd: Int, _ end: Int) {
    for (depth, index) in open.enumerated().dropFirst(place) {
      nodes[index].contentEnd = contentEnd
      nodes[index].end = depth == place ? end : contentEnd
      openTags[nodes[index].tag, default: 0] -= 1
    }
    open.removeSubrange(place...)
  }

  /// Ends the elements that a start tag ends whose own end tags are left out.
  private mutating func closeLeftOut(before tag: String, at start: Int) {
    for rule in OptionalTags.rules(of: tag)
    where rule.ended.contains(where: { openTags[$0, default: 0] > 0 }) {
      var place: Int?
      for depth in open.indices.reversed() {
        let tag = nodes[open[depth]].tag
        if rule.ended.contains(tag) {
          place = depth
        } else if rule.limits.contains(tag) {
          break
        }
      }
      if let place { close(from: place, at: start, start) }
    }
  }

  private mutating func readElement() {
    let (start, first) = (line, index)
    index += 1
    let tag = word { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && !Self.isSpace($0) }.lowercased()
    var attributes: [(name: String, value: String)] = []
    var (ranges, valueRanges): ([Range<Int>], [Range<Int>]) = ([], [])
    var lines: [Int] = []
    var endsItself = false
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      guard !Self.isSpace(bytes[index]), bytes[index] != UInt8(ascii: "/") else {
        endsItself = starts(with: "/>")
        step()
        continue
      }
      let begin = index
      lines.append(line)
      let (name, range) = attribute()
      attributes.append((name, String(decoding: bytes[range], as: UTF8.self)))
      ranges.append(begin..<index)
      valueRanges.append(range)
    }
    index = min(bytes.count, index + 1)
    let isForeign = tag == "svg" || tag == "math" || open.last.map { holdsForeign(nodes[$0]) } ?? false
    if !isForeign { closeLeftOut(before: tag, at: first) }
    let parent = open.last.map { nodes[$0] }
    nodes.append(
      PageTree.Node(
        tag: tag, line: start, attributes: attributes, ranges: ranges, valueRanges: valueRanges,
        attributeLines: lines, parent: open.last, isInner: parent.map { $0.isInner || $0.hasInner } ?? false,
        isForeign: isForeign, start: first, tagEnd: index, contentEnd: index, end: index))
    // In a picture, the names of these mean elements like others.
    if Self.raw.contains(tag), !isForeign {
      readRawText(of: tag)
    } else if !Self.void.contains(tag), !(isForeign && endsItself) {
      open.append(nodes.count - 1)
      openTags[tag, default: 0] += 1
    }
  }

  private func holdsForeign(_ node: PageTree.Node) -> Bool {
    node.isForeign && !Self.holdsHTML.contains(node.tag)
  }

  /// Goes on behind the end tag of the newest element, whose content is text.
  private mutating func readRawText(of tag: String) {
    while index < bytes.count, !isEndTag(of: tag) { step() }
    nodes[nodes.count - 1].contentEnd = index
    _ = word { $0 != UInt8(ascii: ">") }
    index = min(bytes.count, index + 1)
    nodes[nodes.count - 1].end = index
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
