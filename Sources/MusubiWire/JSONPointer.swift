// SPDX-License-Identifier: Apache-2.0

/// The place of a value inside another one (RFC 6901), such as `/contents/3/title`.
public struct JSONPointer: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The names and indices on the way, outermost first, unescaped.
  public var tokens: [String]

  /// The whole value.
  public static let root = JSONPointer([])

  /// The place at the end of that way.
  public init(_ tokens: [String]) { self.tokens = tokens }

  /// The place at the end of that way.
  public init(arrayLiteral tokens: String...) { self.tokens = tokens }

  /// Reads a pointer.
  ///
  /// - Parameter text: Empty, or tokens that each have a slash in front; `~1` stands for a slash, `~0` for a tilde.
  /// - Throws: `WireError` if the text does not start with a slash, or a tilde stands alone.
  public init(parsing text: String) throws(WireError) {
    tokens = []
    guard !text.isEmpty else { return }
    let bytes = text.utf8
    guard bytes.first == .slash else { throw WireError(.invalidPointer(text), at: 0) }
    for part in bytes.dropFirst().split(separator: .slash, omittingEmptySubsequences: false) {
      tokens.append(try Self.unescaped(part, of: text))
    }
  }

  /// The pointer to a member or element below this one.
  public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens + [token]) }

  /// The pointer to an element below this one.
  public func appending(_ index: Int) -> JSONPointer { JSONPointer(tokens + [String(index)]) }

  private static func unescaped(
    _ part: Substring.UTF8View.SubSequence, of text: String
  ) throws(WireError) -> String {
    let tilde = UInt8(ascii: "~")
    guard part.contains(tilde) else { return String(decoding: part, as: UTF8.self) }
    var result: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      guard byte == tilde else {
        result.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): result.append(tilde)
      case UInt8(ascii: "1"): result.append(.slash)
      default: throw WireError(.invalidPointer(text), at: 0)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// An array index as RFC 6901 writes it: digits without a leading zero.
  package static func index(_ token: String) -> Int? {
    var result = 0
    var digits = 0
    for byte in token.utf8 {
      guard byte.isDigit, digits < 10, digits == 0 || result > 0 else { return nil }
      result = result * 10 + Int(byte - UInt8(ascii: "0"))
      digits += 1
    }
    return digits > 0 ? result : nil
  }
}

extension JSONPointer: CustomStringConvertible {
  /// The pointer as text.
  public var description: String {
    var result = ""
    for token in tokens {
      result += "/"
      for character in token.unicodeScalars {
        switch character {
        case "~": result += "~0"
        case "/": result += "~1"
        default: result.unicodeScalars.append(character)
        }
      }
    }
    return result
  }
}

extension ByteBuffer {
  /// Appends a pointer as a JSON string.
  package mutating func appendJSON(_ pointer: JSONPointer) {
    append(.quote)
    for token in pointer.tokens { appendPointerToken(token) }
    append(.quote)
  }

  /// Appends a slash and a token, escaped for a pointer and for JSON.
  package mutating func appendPointerToken(_ token: String) {
    append(.slash)
    var token = token
    let isPlain = token.withUTF8 { bytes in
      for byte in bytes where byte == .slash || byte == UInt8(ascii: "~") { return false }
      return true
    }
    guard !isPlain else { return appendJSONContent(token) }
    appendJSONContent(String(JSONPointer([token]).description.dropFirst()))
  }
}
