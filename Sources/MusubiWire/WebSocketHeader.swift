// SPDX-License-Identifier: Apache-2.0

/// The header of one frame, read where its bytes lie (RFC 6455, section 5.2).
struct WebSocketHeader {
  let isFinal: Bool
  let opcode: WebSocketFrame.Opcode
  /// How many bytes the header has.
  let byteCount: Int
  /// How many bytes the payload has.
  let payloadCount: Int
  /// The mask's four bytes as they lie in memory; 0 changes nothing.
  private let mask: UInt32

  /// Reads the header that some bytes begin with, nil if more are needed; everything wrong in it is found here.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that have arrived.
  ///   - expectsMask: Whether the peer is a client, whose frames are masked.
  ///   - isInMessage: Whether a fragmented message has begun and not ended.
  ///   - maximumPayload: The longest payload of a frame that is no control frame.
  ///   - maximumMessageBytes: The limit that the error names.
  /// - Throws: `WireError` at offset 0.
  @inline(__always)
  init?(
    _ bytes: UnsafeRawBufferPointer, expectsMask: Bool, isInMessage: Bool, maximumPayload: Int,
    maximumMessageBytes: Int
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
    let lengthBytes = short < 126 ? 0 : short == 126 ? 2 : 8
    let maskStart = 2 + lengthBytes
    guard bytes.count >= maskStart else { return nil }
    payloadCount = try Self.length(short, bytes, lengthBytes, maximumMessageBytes)
    guard opcode.isControl || payloadCount <= maximumPayload else {
      throw WireError(.messageTooLong(limit: maximumMessageBytes), at: 0)
    }
    byteCount = maskStart + (expectsMask ? 4 : 0)
    guard bytes.count >= byteCount else { return nil }
    mask = expectsMask ? bytes.loadUnaligned(fromByteOffset: maskStart, as: UInt32.self) : 0
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

  /// Takes the mask off a payload, where it lies.
  @inline(__always)
  func unmask(_ payload: UnsafeMutableRawBufferPointer) {
    guard mask != 0 else { return }
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
