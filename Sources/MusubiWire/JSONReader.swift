// SPDX-License-Identifier: Apache-2.0
import MusubiText

/// A strict reader of JSON (RFC 8259) over bytes in memory.
///
/// It walks forward once and hands out what the caller asks for, so that a frame becomes a struct without a tree
/// in between. Strict means: UTF-8 only, no lone surrogates, no name twice in one object, a limit of depth. No
/// input makes it trap; an error carries the byte offset. Strings of up to 15 bytes cost no allocation.
///
/// A reader is valid only as long as the bytes under it.
package struct JSONReader {
  /// The deepest nesting that is read unless told otherwise.
  package static let defaultMaximumDepth = 64

  let bytes: UnsafeRawBufferPointer
  /// The next byte to look at.
  package internal(set) var offset: Int
  /// How many more levels may be entered.
  private var remainingDepth: Int
  private let maximumDepth: Int

  /// Reads from the start of some bytes.
  package init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = JSONReader.defaultMaximumDepth) {
    self.bytes = bytes
    self.offset = 0
    self.maximumDepth = maximumDepth
    self.remainingDepth = maximumDepth
  }

  // MARK: - Structure

  /// The next byte that is no white space, without taking it; nil at the end.
  @inline(__always)
  package mutating func peek() -> UInt8? {
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte > 0x20 { return byte }
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return byte }
      offset += 1
    }
    return nil
  }

  /// Takes the next byte if it is that one.
  @inline(__always)
  package mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    offset += 1
    return true
  }

  /// Takes the next byte, which must be that one.
  @inline(__always)
  package mutating func expect(_ byte: UInt8) throws(WireError) {
    guard take(byte) else { throw unexpected() }
  }

  /// The error that says that the next byte has no place here.
  mutating func unexpected() -> WireError {
    guard let byte = peek() else { return WireError(.truncated, at: offset) }
    return WireError(.unexpectedByte(byte), at: offset)
  }

  /// Ends the reading; only white space may be left.
  package mutating func finish() throws(WireError) {
    guard peek() == nil else { throw WireError(.trailingBytes, at: offset) }
  }

  /// Enters an array or object, whose opening byte comes next.
  package mutating func enter(_ opening: UInt8) throws(WireError) {
    try expect(opening)
    guard remainingDepth > 0 else { throw WireError(.tooDeep(limit: maximumDepth), at: offset - 1) }
    remainingDepth -= 1
  }

  /// Leaves an array or object, whose closing byte was taken.
  @inline(__always)
  package mutating func leave() { remainingDepth += 1 }

  /// Reads an array, calling `body` in front of each element; `body` must read it.
  package mutating func readElements(
    _ body: (inout JSONReader) throws(WireError) -> Void
  ) throws(WireError) {
    try enter(.leftBracket)
    if !take(.rightBracket) {
      repeat { try body(&self) } while take(.comma)
      try expect(.rightBracket)
    }
    leave()
  }

  /// Reads an object, calling `body` with each name; `body` must read the value.
  package mutating func readMembers(
    _ body: (inout JSONReader, String) throws(WireError) -> Void
  ) throws(WireError) {
    try enter(.leftBrace)
    var names = NameSet()
    if !take(.rightBrace) {
      repeat {
        let start = offset
        let name = try readString()
        guard names.insert(name) else { throw WireError(.duplicateMember(name), at: start) }
        try expect(.colon)
        try body(&self, name)
      } while take(.comma)
      try expect(.rightBrace)
    }
    leave()
  }

  // MARK: - Values

  /// Reads any value.
  package mutating func readValue() throws(WireError) -> Value {
    guard let byte = peek() else { throw WireError(.truncated, at: offset) }
    switch byte {
    case .quote: return .string(try readString())
    case .leftBrace: return .object(try readObject())
    case .leftBracket:
      var elements: [Value] = []
      try readElements { reader throws(WireError) in elements.append(try reader.readValue()) }
      return .array(elements)
    case UInt8(ascii: "t"):
      try readWord("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try readWord("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try readWord("null")
      return .null
    default: return try readNumber()
    }
  }

  private mutating func readObject() throws(WireError) -> Value.Object {
    var members: [Value.Object.Member] = []
    try readMembers { reader, name throws(WireError) in
      members.append(.init(key: name, value: try reader.readValue()))
    }
    return Value.Object(uniqueMembers: members)
  }

  /// Reads a value and forgets it.
  package mutating func skipValue() throws(WireError) { _ = try readValue() }

  private mutating func readWord(_ word: StaticString) throws(WireError) {
    for index in 0..<word.utf8CodeUnitCount {
      guard offset < bytes.count else { throw WireError(.truncated, at: offset) }
      guard bytes[offset] == word.utf8Start[index] else { throw unexpected() }
      offset += 1
    }
  }
}

/// The names seen in one object; an array while there are few, so that small objects cost no hashing.
private struct NameSet {
  private var few: [String] = []
  private var many: Set<ExactString> = []

  /// Adds a name; false if it was there.
  mutating func insert(_ name: String) -> Bool {
    guard many.isEmpty else { return many.insert(ExactString(name)).inserted }
    for known in few where known.hasSameBytes(as: name) { return false }
    few.append(name)
    if few.count == Value.Object.indexedSize { many = Set(few.map(ExactString.init)) }
    return true
  }
}

extension UInt8 {
  package static let quote = UInt8(ascii: "\"")
  package static let backslash = UInt8(ascii: "\\")
  package static let leftBrace = UInt8(ascii: "{")
  package static let rightBrace = UInt8(ascii: "}")
  package static let leftBracket = UInt8(ascii: "[")
  package static let rightBracket = UInt8(ascii: "]")
  package static let comma = UInt8(ascii: ",")
  package static let colon = UInt8(ascii: ":")
  package static let slash = UInt8(ascii: "/")
}

extension Value {
  /// Reads one JSON value from bytes.
  ///
  /// - Parameter json: UTF-8, nothing but the value and white space.
  /// - Throws: `WireError` with the offset of the first byte that is not allowed.
  public init(json: [UInt8]) throws(WireError) {
    try self.init(json: json, maximumDepth: JSONReader.defaultMaximumDepth)
  }

  /// The same with another limit of depth.
  package init(json: [UInt8], maximumDepth: Int) throws(WireError) {
    self = try json.withReader(maximumDepth: maximumDepth) { reader throws(WireError) in
      let value = try reader.readValue()
      try reader.finish()
      return value
    }
  }

  /// Reads one JSON value from text.
  ///
  /// - Parameter json: Nothing but the value and white space.
  /// - Throws: `WireError` with the offset of the first byte that is not allowed.
  public init(json: String) throws(WireError) { try self.init(json: Array(json.utf8)) }
}

extension [UInt8] {
  /// Calls `body` with a reader of these bytes.
  package func withReader<Result>(
    maximumDepth: Int = JSONReader.defaultMaximumDepth,
    _ body: (inout JSONReader) throws(WireError) -> Result
  ) throws(WireError) -> Result {
    // The pointer does not leave the closure; a `Result` carries the typed error through `rethrows`.
    let outcome = withUnsafeBytes { bytes in
      var reader = JSONReader(bytes, maximumDepth: maximumDepth)
      do throws(WireError) {
        return Swift.Result<Result, WireError>.success(try body(&reader))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
