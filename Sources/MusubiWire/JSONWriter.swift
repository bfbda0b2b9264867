// SPDX-License-Identifier: Apache-2.0

/// JSON is written by appending to bytes: no tree and no string in between.
extension ByteBuffer {
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
      for element in elements {
        appendJSON(element)
        append(.comma)
      }
      endList(.rightBracket)
    case .object(let object):
      append(.leftBrace)
      for member in object.members {
        appendJSON(member.key)
        append(.colon)
        appendJSON(member.value)
        append(.comma)
      }
      endList(.rightBrace)
    }
  }

  /// Appends text that is JSON already, such as a member's name, and an integer behind it.
  package mutating func append(_ text: StaticString, _ integer: Int) {
    appendRaw(text)
    appendJSON(integer)
  }

  /// Appends text that is JSON already, and a string behind it.
  package mutating func append(_ text: StaticString, _ string: String) {
    appendRaw(text)
    appendJSON(string)
  }

  /// Appends text that is JSON already, and a value behind it.
  package mutating func append(_ text: StaticString, _ value: Value) {
    appendRaw(text)
    appendJSON(value)
  }

  /// Ends a list with a bracket, in the place of the comma behind its last element.
  @inline(__always)
  package mutating func endList(_ bracket: UInt8) {
    if self[count - 1] == .comma { self[count - 1] = bracket } else { append(bracket) }
  }

  /// Appends an integer.
  package mutating func appendJSON(_ integer: Int) { appendJSON(Int64(integer)) }

  /// Appends an integer.
  package mutating func appendJSON(_ integer: Int64) {
    if integer < 0 { append(UInt8(ascii: "-")) }
    var rest = integer.magnitude
    var digits = 1
    var bound: UInt64 = 10
    // The largest has 19 digits.
    while rest >= bound, digits < 19 {
      digits += 1
      bound *= 10
    }
    appendRoom(digits)
    withMutableBytes(from: count - digits) { bytes in
      for place in stride(from: digits - 1, through: 0, by: -1) {
        bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
    }
  }

  /// Appends a number with the fewest digits that read back as the same double; `null` if it is not finite.
  package mutating func appendJSON(_ number: Double) {
    guard number.isFinite else { return appendRaw("null") }
    if let integer = number.exactInteger, integer.magnitude < 1 << 53 { return appendJSON(integer) }
    append(contentsOf: Array(number.description.utf8))
  }

  /// Appends a string with its quotes.
  package mutating func appendJSON(_ string: String) {
    append(.quote)
    appendJSONContent(string)
    append(.quote)
  }

  /// Appends a string without its quotes.
  package mutating func appendJSONContent(_ string: String) {
    string.utf8Span.span.withUnsafeBufferPointer { bytes in
      var start = 0
      for position in bytes.indices {
        let byte = bytes[position]
        guard byte < 0x20 || byte == .quote || byte == .backslash else { continue }
        append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<position]))
        appendEscape(byte)
        start = position + 1
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
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
