// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// Writes server frames into memory that has room for them: what every event sends is written without a check per piece.
///
/// Whoever uses it has worked out how many bytes there are at most; see the functions that begin with `most`.
package struct ReservedBytes {
  private let start: UnsafeMutablePointer<UInt8>
  private var next: UnsafeMutablePointer<UInt8>
  private var frame: UnsafeMutablePointer<UInt8>

  /// The most bytes of an integer.
  package static let maxIntegerBytes = 20
  /// The most bytes of a frame beside its payload.
  package static let maxHeaderBytes = 10
  /// That of most frames.
  private static let usualHeader = 4

  /// The most bytes of a string as JSON, quotes included.
  package static func maxStringBytes(_ text: String) -> Int { 6 * text.utf8.count + 2 }

  /// The most bytes of an edit.
  package static func maxEditBytes(_ edit: TextEdit) -> Int {
    if let single = edit.single { return 3 + most(of: single) }
    return edit.components.reduce(3) { $0 + most(of: $1) }
  }

  private static func most(of component: TextEdit.Component) -> Int {
    2 * maxIntegerBytes + 5 + maxStringBytes(component.inserted)
  }

  /// Writes from there on.
  package init(_ start: UnsafeMutablePointer<UInt8>) {
    self.start = start
    next = start
    frame = start
  }

  /// How many bytes have been written.
  package var count: Int { next - start }

  /// Opens a text frame.
  package mutating func beginFrame() {
    frame = next
    next += Self.usualHeader
  }

  /// Closes the open frame; its payload moves if its header is not as long as was thought.
  package mutating func endFrame() {
    let length = next - frame - Self.usualHeader
    frame[0] = 0x80 | WebSocketFrame.Opcode.text.rawValue
    if length > 125, length <= 0xffff {
      frame[1] = 126
      frame[2] = UInt8(truncatingIfNeeded: length >> 8)
      frame[3] = UInt8(truncatingIfNeeded: length)
    } else {
      endUnusualFrame(length)
    }
  }

  private mutating func endUnusualFrame(_ length: Int) {
    let header = length <= 125 ? 2 : Self.maxHeaderBytes
    (frame + header).update(from: frame + Self.usualHeader, count: length)
    next += header - Self.usualHeader
    frame[1] = header == 2 ? UInt8(length) : 127
    for index in 2..<header { frame[index] = UInt8(truncatingIfNeeded: length >> (8 * (header - 1 - index))) }
  }

  /// Writes text that is JSON already.
  @inline(__always)
  package mutating func raw(_ text: StaticString) {
    next.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    next += text.utf8CodeUnitCount
  }

  /// Writes bytes that are JSON already.
  @inline(__always)
  package mutating func raw(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { raw($0) }
  }

  /// Writes bytes that are JSON already.
  @inline(__always)
  package mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let first = bytes.baseAddress else { return }
    next.update(from: first, count: bytes.count)
    next += bytes.count
  }

  /// Writes one byte.
  @inline(__always)
  package mutating func byte(_ byte: UInt8) {
    next.pointee = byte
    next += 1
  }

  /// Takes the last byte back and writes another one in its place.
  @inline(__always)
  package mutating func replaceLast(by byte: UInt8) { next[-1] = byte }

  /// Writes an integer that is not negative.
  package mutating func integer(_ integer: Int) {
    var rest = UInt(bitPattern: integer)
    if rest < 10 { return byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest)) }
    var digits = 1
    var bound: UInt = 10
    while rest >= bound, digits < Self.maxIntegerBytes - 1 {
      digits += 1
      bound &*= 10
    }
    var place = next + digits
    next = place
    while digits > 0 {
      place -= 1
      place.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      digits -= 1
    }
  }

  /// Writes a string.
  package mutating func string(_ text: String) {
    byte(.quote)
    text.utf8Span.span.withUnsafeBufferPointer { content($0) }
    byte(.quote)
  }

  @inline(__always)
  private mutating func content(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard var source = bytes.baseAddress else { return }
    let end = source + bytes.count
    var place = next
    // Eight bytes at a time, up to those among which one is to be escaped.
    while end - source >= 8 {
      let word = ByteWord(at: source)
      guard word.plainCount == 8 else { break }
      UnsafeMutableRawPointer(place).storeBytes(of: word.bytes, as: UInt64.self)
      source += 8
      place += 8
    }
    while source < end {
      let one = source.pointee
      source += 1
      if one >= 0x20, one != .quote, one != .backslash {
        place.pointee = one
        place += 1
      } else {
        next = place
        escape(one)
        place = next
      }
    }
    next = place
  }

  /// Writes an edit.
  package mutating func edit(_ edit: TextEdit) {
    byte(.leftBracket)
    if let single = edit.single {
      component(single)
      return byte(.rightBracket)
    }
    let components = edit.components
    for component in components {
      self.component(component)
      byte(.comma)
    }
    if components.isEmpty { byte(.rightBracket) } else { replaceLast(by: .rightBracket) }
  }

  @inline(__always)
  private mutating func component(_ component: TextEdit.Component) {
    byte(.leftBracket)
    integer(component.position)
    byte(.comma)
    integer(component.deleted)
    byte(.comma)
    string(component.inserted)
    byte(.rightBracket)
  }

  private mutating func escape(_ byte: UInt8) {
    var bytes: [UInt8] = []
    bytes.appendEscape(byte)
    raw(bytes)
  }
}

extension [UInt8] {
  /// Appends what is known to have at most so many bytes.
  @inline(__always)
  package mutating func append(atMost most: Int, _ body: (inout ReservedBytes) -> Void) {
    append(addingCapacity: most) { span in
      span.withUnsafeMutableBufferPointer { buffer, count in
        guard let start = buffer.baseAddress else { return }
        var writer = ReservedBytes(start + count)
        body(&writer)
        assert(writer.count <= most, "What is written is longer than was worked out.")
        count += writer.count
      }
    }
  }
}

// MARK: - Acknowledgements

extension ReservedBytes {
  /// The most bytes of an acknowledgement.
  package static let maxAckBytes = maxHeaderBytes + 40 + 3 * maxIntegerBytes

  /// Writes that an input is safe, and which revision it became if it was an edit.
  package mutating func acknowledge(_ number: Int, revision: Int?, screen: Int) {
    beginFrame()
    raw(#"{"ack":"#)
    integer(number)
    if let revision {
      raw(#","revision":"#)
      integer(revision)
    }
    end(screen)
  }

  /// Closes a frame's object, and the frame.
  package mutating func end(_ screen: Int) {
    if screen != 0 {
      raw(#","screen":"#)
      integer(screen)
    }
    byte(.rightBrace)
    endFrame()
  }
}
