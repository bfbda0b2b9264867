// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
  /// A string that was checked but not copied yet.
  struct RawString {
    /// Where its bytes are, without the quotes.
    let range: Range<Int>
    /// Whether escapes must be resolved.
    let hasEscapes: Bool
  }

  /// Reads a string.
  package mutating func readString() throws(WireError) -> String {
    string(of: try readRawString())
  }

  /// Checks a string and tells where it is.
  mutating func readRawString() throws(WireError) -> RawString {
    try expect(.quote)
    let start = offset
    var position = start
    var hasEscapes = false
    while true {
      position = endOfPlainRun(from: position)
      guard position < bytes.count else { throw WireError(.truncated, at: position) }
      switch bytes[position] {
      case .quote:
        offset = position + 1
        return RawString(range: start..<position, hasEscapes: hasEscapes)
      case .backslash:
        hasEscapes = true
        position += try escape(at: position).length
      case 0x80...:
        let length = UTF8Check.sequenceLength(in: bytes, at: position)
        guard length > 0 else { throw WireError(.invalidUTF8, at: position) }
        position += length
      default: throw WireError(.controlCharacter, at: position)
      }
    }
  }

  /// Copies a checked string.
  func string(of raw: RawString) -> String {
    let source = UnsafeRawBufferPointer(rebasing: bytes[raw.range])
    guard raw.hasEscapes else {
      return String(decoding: source.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
    }
    // An escape is never shorter than its character.
    return String(unsafeUninitializedCapacity: source.count) { target in
      var written = 0
      var position = raw.range.lowerBound
      while position < raw.range.upperBound {
        let byte = bytes[position]
        guard byte == .backslash else {
          target[written] = byte
          written += 1
          position += 1
          continue
        }
        let (scalar, length) = checkedEscape(at: position)
        for unit in String(scalar).utf8 {
          target[written] = unit
          written += 1
        }
        position += length
      }
      return written
    }
  }

  /// The escape at that backslash, which `readRawString` has checked.
  private func checkedEscape(at position: Int) -> (scalar: Unicode.Scalar, length: Int) {
    do throws(WireError) {
      return try escape(at: position)
    } catch {
      return ("\u{fffd}", 2)  // cannot happen; no byte from the network may reach a trap
    }
  }

  /// The first position from there on that is a quote, a backslash, a control character or not ASCII.
  @inline(__always)
  private func endOfPlainRun(from start: Int) -> Int {
    var position = start
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let special = word.littleEndian.bytesSpecialInJSON
      if special != 0 { return position + special.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x20 || byte >= 0x80 || byte == .quote || byte == .backslash { break }
      position += 1
    }
    return position
  }

  /// The character of the escape at that backslash, and the escape's length in bytes.
  private func escape(at position: Int) throws(WireError) -> (scalar: Unicode.Scalar, length: Int) {
    guard position + 1 < bytes.count else { throw WireError(.truncated, at: bytes.count) }
    switch bytes[position + 1] {
    case .quote: return ("\"", 2)
    case .backslash: return ("\\", 2)
    case .slash: return ("/", 2)
    case UInt8(ascii: "b"): return ("\u{8}", 2)
    case UInt8(ascii: "f"): return ("\u{c}", 2)
    case UInt8(ascii: "n"): return ("\n", 2)
    case UInt8(ascii: "r"): return ("\r", 2)
    case UInt8(ascii: "t"): return ("\t", 2)
    case UInt8(ascii: "u"): break
    default: throw WireError(.invalidEscape, at: position)
    }
    let first = try hexUnit(at: position + 2)
    if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
    guard first < 0xdc00 else { throw WireError(.invalidEscape, at: position) }
    guard position + 7 < bytes.count else { throw WireError(.truncated, at: bytes.count) }
    guard bytes[position + 6] == .backslash, bytes[position + 7] == UInt8(ascii: "u") else {
      throw WireError(.invalidEscape, at: position)
    }
    let second = try hexUnit(at: position + 8)
    guard (0xdc00...0xdfff).contains(second) else { throw WireError(.invalidEscape, at: position) }
    let code = 0x10000 + ((UInt32(first) & 0x3ff) << 10 | UInt32(second) & 0x3ff)
    guard let scalar = Unicode.Scalar(code) else { throw WireError(.invalidEscape, at: position) }
    return (scalar, 12)
  }

  /// The four hexadecimal digits from there on.
  private func hexUnit(at position: Int) throws(WireError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw WireError(.truncated, at: bytes.count) }
    var unit: UInt16 = 0
    for index in position..<position + 4 {
      let byte = bytes[index]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw WireError(.invalidEscape, at: index)
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}

extension UInt64 {
  /// The highest bit of each byte that JSON does not take as it is; bytes after the first such one may err.
  @inline(__always)
  var bytesSpecialInJSON: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = self ^ 0x2222_2222_2222_2222
    let backslash = self ^ 0x5c5c_5c5c_5c5c_5c5c
    let control = (self &- (ones &* 0x20)) & ~self
    return (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | control | self) & highs
  }
}
