// SPDX-License-Identifier: Apache-2.0
import MusubiWire

extension HTTPRequest {
  /// Reads a WebSocket handshake that has arrived whole, with nothing behind it, and looks as browsers write it.
  ///
  /// Nothing is interpreted that could be read in two ways: nil leaves such a request, and every plain one, to the library.
  ///
  /// - Parameters:
  ///   - bytes: All that has arrived.
  ///   - remoteAddress: The peer's address as text, without port.
  package init?(handshake bytes: UnsafeRawBufferPointer, remoteAddress: String) {
    var lines = Lines(rest: bytes)
    guard let first = lines.next(), first.count > 13, first.hasPrefix("GET "), first.hasSuffix(" HTTP/1.1")
    else { return nil }
    let target = first[4..<first.count - 9]
    let pathEnd = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
    self.init(path: "", remoteAddress: remoteAddress)
    guard takePath(target[..<pathEnd]), pathEnd == target.count || takeQuery(target[(pathEnd + 1)...]) else {
      return nil
    }
    while let line = lines.next() {
      guard !line.isEmpty else {
        guard lines.rest.isEmpty, headers["upgrade"]?.lowercased() == "websocket" else { return nil }
        return
      }
      guard takeField(line) else { return nil }
    }
    return nil
  }

  /// The lines of a head, each without its CR LF.
  private struct Lines {
    var rest: UnsafeRawBufferPointer

    /// The next line; nil if it is not complete, or has a byte that is no visible character of ASCII or space.
    mutating func next() -> Bytes? {
      guard let length = rest.firstIndex(where: { !(0x20...0x7e ~= $0) }), length + 1 < rest.count,
        rest[length] == UInt8(ascii: "\r"), rest[length + 1] == UInt8(ascii: "\n")
      else { return nil }
      defer { rest = UnsafeRawBufferPointer(rebasing: rest[(length + 2)...]) }
      return Bytes(rest[..<length])
    }
  }

  /// Takes a path that needs neither decoding nor tidying.
  private mutating func takePath(_ bytes: Bytes) -> Bool {
    guard bytes.hasPrefix("/"), bytes.allSatisfy({ Self.isUnreserved($0) || $0 == UInt8(ascii: "/") }) else {
      return false
    }
    path = bytes.text
    return !path.contains("//") && !path.contains("/.")
  }

  /// Takes parameters; a value may be percent-encoded, a name may not.
  private mutating func takeQuery(_ bytes: Bytes) -> Bool {
    var start = 0
    while start <= bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")).map { start + $0 } ?? bytes.count
      let parameter = bytes[start..<end]
      let nameEnd = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.count
      guard nameEnd > 0, parameter[..<nameEnd].allSatisfy(Self.isUnreserved),
        let value = Self.decoded(parameter[min(nameEnd + 1, parameter.count)...])
      else { return false }
      let name = parameter[..<nameEnd].text
      if query[name] == nil { query[name] = value }
      start = end + 1
    }
    return true
  }

  /// The text of a parameter's value; nil if it is none.
  private static func decoded(_ bytes: Bytes) -> String? {
    guard !bytes.allSatisfy(isUnreserved) else { return bytes.text }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count, let high = hexadecimal(bytes[index + 1]),
          let low = hexadecimal(bytes[index + 2]), high << 4 | low > 0x1f
        else { return nil }
        decoded.append(high << 4 | low)
        index += 2
      case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
      case let byte where isUnreserved(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "/"):
        decoded.append(byte)
      default: return nil
      }
      index += 1
    }
    guard decoded.withUnsafeBytes(UTF8Check.isValid) else { return nil }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether a byte of an address stands for itself wherever it is (RFC 3986, section 2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Takes a header field, of which only those that the server knows are kept.
  ///
  /// - Returns: Whether it may be part of a plain handshake: it has a name, no body follows, and it is no repetition.
  private mutating func takeField(_ line: Bytes) -> Bool {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      line[..<colon].allSatisfy(Self.isToken)
    else { return false }
    guard let field = Self.fields.first(where: { line[..<colon].equals($0.lowercased) }) else { return true }
    guard field.isExpected, headers[field.name] == nil else { return false }
    let value = line[(colon + 1)...].trimmed
    if !value.isEmpty { headers[field.name] = value.text }
    return true
  }

  /// Whether a byte may be part of a field's name (RFC 9110, section 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "!#$%&'*+^`|".utf8.contains(byte)
  }

  private static let fields: [(name: String, lowercased: [UInt8], isExpected: Bool)] =
    LWSSocket.headers.map { ($0.0, Array($0.0.utf8), true) }
    + ["content-length", "transfer-encoding", "expect"].map { ($0, Array($0.utf8), false) }
}

/// A stretch of a request, whose indices begin at 0.
private struct Bytes {
  private let buffer: UnsafeRawBufferPointer

  init(_ slice: Slice<UnsafeRawBufferPointer>) { buffer = UnsafeRawBufferPointer(rebasing: slice) }

  var count: Int { buffer.count }
  var isEmpty: Bool { buffer.isEmpty }
  var text: String { String(decoding: buffer, as: UTF8.self) }

  subscript(index: Int) -> UInt8 { buffer[index] }
  subscript(range: some RangeExpression<Int>) -> Bytes { Bytes(buffer[range]) }

  func firstIndex(of byte: UInt8) -> Int? { buffer.firstIndex(of: byte) }
  func allSatisfy(_ isFine: (UInt8) -> Bool) -> Bool { buffer.allSatisfy(isFine) }
  func hasPrefix(_ text: StaticString) -> Bool { self[..<min(count, text.utf8CodeUnitCount)].equals(text) }
  func hasSuffix(_ text: StaticString) -> Bool {
    self[max(0, count - text.utf8CodeUnitCount)...].equals(text)
  }

  private func equals(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { buffer.elementsEqual($0) }
  }

  /// Whether these are the bytes, if letters of ASCII are taken as small ones.
  func equals(_ lowercased: [UInt8]) -> Bool {
    count == lowercased.count
      && zip(buffer, lowercased).allSatisfy { $0 == $1 || (0x41...0x5a ~= $0 && $0 | 0x20 == $1) }
  }

  /// The bytes without spaces at their ends.
  var trimmed: Bytes {
    let space = UInt8(ascii: " ")
    guard let first = buffer.firstIndex(where: { $0 != space }),
      let last = buffer.lastIndex(where: { $0 != space })
    else { return self[..<0] }
    return self[first...last]
  }
}
