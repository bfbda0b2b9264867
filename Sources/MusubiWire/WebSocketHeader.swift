// SPDX-License-Identifier: Apache-2.0

/// The header of one frame (RFC 6455, section 5.2).
///
/// ```
/// byte 0          1             2...            then
/// FIN+opcode      MASK+length   16 or 64 bits   4 bytes of mask   payload
///                 0...125       126, 127        (client only)
/// ```
struct WebSocketHeader {
  let isFinal: Bool
  let opcode: WebSocketFrame.Opcode
  /// How many bytes the payload has.
  let payloadCount: Int
  /// The mask's four bytes as they lie in memory; nil if there is none.
  let mask: UInt32?

  /// The bytes of the header that most frames of a server have.
  static let usualCount = 4

  /// A header to be written.
  init(
    _ opcode: WebSocketFrame.Opcode, payloadCount: Int, mask: UInt32? = nil, isFinal: Bool = true
  ) {
    self.opcode = opcode
    self.payloadCount = payloadCount
    self.mask = mask
    self.isFinal = isFinal
  }

  /// How many bytes the header has.
  var byteCount: Int { 2 + Self.lengthCount(payloadCount) + (mask == nil ? 0 : 4) }

  /// How many bytes of their own a length takes.
  static func lengthCount(_ length: Int) -> Int { length < 126 ? 0 : length <= 0xffff ? 2 : 8 }

  /// Reads the header that some bytes begin with, nil if more are needed; everything wrong in it is found here.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that have arrived.
  ///   - expectsMask: Whether the peer is a client, whose frames are masked.
  ///   - isInMessage: Whether a fragmented message has begun and not ended.
  ///   - maxPayload: The longest payload of a frame that is no control frame.
  ///   - maxMessageBytes: The limit that the error names.
  /// - Throws: `WireError` at offset 0.
  @inline(__always)
  init?(
    _ bytes: UnsafeRawBufferPointer, expectsMask: Bool, isInMessage: Bool, maxPayload: Int,
    maxMessageBytes: Int
  ) throws(WireError) {
    guard bytes.count >= 2 else { return nil }
    let (first, second) = (bytes[0], bytes[1])
    guard first & 0x70 == 0 else { throw WireError(.reservedBits, at: 0) }
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0f) else {
      throw WireError(.unknownOpcode(first & 0x0f), at: 0)
    }
    guard (second & 0x80 != 0) == expectsMask else { throw WireError(.wrongMasking, at: 0) }
    isFinal = first & 0x80 != 0
    self.opcode = opcode
    let short = Int(second & 0x7f)
    if opcode.isControl {
      guard isFinal else { throw WireError(.fragmentedControl, at: 0) }
      guard short <= 125 else { throw WireError(.controlTooLong(short), at: 0) }
    } else {
      guard (opcode == .continuation) == isInMessage else {
        throw WireError(opcode == .continuation ? .unexpectedContinuation : .interruptedMessage, at: 0)
      }
    }
    let maskStart = short < 126 ? 2 : short == 126 ? 4 : 10
    guard bytes.count >= maskStart else { return nil }
    payloadCount = try Self.length(short, bytes, maskStart - 2, maxMessageBytes)
    guard opcode.isControl || payloadCount <= maxPayload else {
      throw WireError(.messageTooLong(limit: maxMessageBytes), at: 0)
    }
    guard bytes.count >= maskStart + (expectsMask ? 4 : 0) else { return nil }
    mask = expectsMask ? bytes.loadUnaligned(fromByteOffset: maskStart, as: UInt32.self) : nil
  }

  @inline(__always)
  private static func length(
    _ short: Int, _ bytes: UnsafeRawBufferPointer, _ count: Int, _ limit: Int
  ) throws(WireError) -> Int {
    guard count > 0 else { return short }
    var length: UInt64 = 0
    for index in 2..<2 + count { length = length << 8 | UInt64(bytes[index]) }
    guard length > (count == 2 ? 125 : 0xffff) else { throw WireError(.lengthNotMinimal, at: 0) }
    // Also catches a set highest bit, which the RFC forbids, and what would not fit into an Int.
    guard length <= UInt64(limit) else { throw WireError(.messageTooLong(limit: limit), at: 0) }
    return Int(length)
  }

  /// Puts the mask on a payload or takes it off, where it lies.
  @inline(__always)
  func unmask(_ payload: UnsafeMutableRawBufferPointer) {
    guard let mask else { return }
    let wide = UInt64(mask) << 32 | UInt64(mask)
    var offset = 0
    while offset + 8 <= payload.count {
      let word = payload.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      payload.storeBytes(of: word ^ wide, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    withUnsafeBytes(of: mask) { mask in
      while offset < payload.count {
        payload[offset] ^= mask[offset & 3]
        offset += 1
      }
    }
  }
}
