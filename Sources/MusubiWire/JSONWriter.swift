// SPDX-License-Identifier: Apache-2.0

/// JSON is written by appending to bytes: no tree and no string in between.
extension [UInt8] {
  /// Appends text that is JSON already.
  @inline(__always)
  package mutating func appendRaw(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a value as JSON.
  package mutating func appendJSON(_ value: Value) {
    switch value {
    case .null: appendRaw("null")
    case .bool(let value): if value { appendRaw("true") } else { appendRaw("false") }
    case .integer(let value): appendJSON(value)
    case .number(let value): appendJSON(value)
    case .string(let value): appendJSON(value)
    case .array(let elements):
      append(.leftBracket)
      for index in elements.indices {
        if index > 0 { append(.comma) }
        appendJSON(elements[index])
      }
      append(.rightBracket)
    case .object(let object):
      append(.leftBrace)
      for index in object.members.indices {
        if index > 0 { append(.comma) }
        appendJSON(object.members[index].key)
        append(.colon)
        appendJSON(object.members[index].value)
      }
      append(.rightBrace)
    }
  }

  /// Appends an integer.
  package mutating func appendJSON(_ integer: Int) { appendJSON(Int64(integer)) }

  /// Appends an integer.
  package mutating func appendJSON(_ integer: Int64) {
    var rest = integer.magnitude
    if integer < 0 { append(UInt8(ascii: "-")) }
    if rest < 10 {
      append(UInt8(ascii: "0") + UInt8(rest))
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      while rest > 0 {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: digits[start..<20]))
    }
  }

  /// Appends a number with the fewest digits that read back as the same double; `null` if it is not finite.
  package mutating func appendJSON(_ number: Double) {
    guard number.isFinite else { return appendRaw("null") }
    if let integer = number.exactInteger, integer.magnitude < 1 << 53 { return appendJSON(integer) }
    append(contentsOf: number.description.utf8)
  }

  /// Appends a string with its quotes.
  package mutating func appendJSON(_ string: String) {
    append(.quote)
    appendJSONContent(string)
    append(.quote)
  }

  /// Appends a string without its quotes.
  package mutating func appendJSONContent(_ string: String) {
    var string = string
    string.withUTF8 { appendEscaped($0) }
  }

  private mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte >= 0x20, byte != .quote, byte != .backslash {
        position += 1
        continue
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<position]))
      appendEscape(byte)
      position += 1
      start = position
    }
    append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<position]))
  }

  mutating func appendEscape(_ byte: UInt8) {
    append(.backslash)
    switch byte {
    case .quote, .backslash: append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0a: append(UInt8(ascii: "n"))
    case 0x0c: append(UInt8(ascii: "f"))
    case 0x0d: append(UInt8(ascii: "r"))
    default:
      appendRaw("u00")
      append(Self.hexDigit(byte >> 4))
      append(Self.hexDigit(byte & 15))
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
