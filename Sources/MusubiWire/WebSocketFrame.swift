// SPDX-License-Identifier: Apache-2.0

/// Headers of WebSocket frames (RFC 6455, section 5.2).
///
/// ```
/// byte 0          1           2...            then
/// FIN+opcode   MASK+length   16 or 64 bits   4 bytes of mask   payload
///              0...125       126, 127        (client only)
/// ```
package enum WebSocketFrame {
  /// The kind of a frame.
  package enum Opcode: UInt8, Sendable {
    /// The next part of a fragmented message.
    case continuation = 0
    /// UTF-8.
    case text = 1
    /// Any bytes.
    case binary = 2
    /// The end of the connection.
    case close = 8
    /// Asks for a pong.
    case ping = 9
    /// The answer to a ping.
    case pong = 10

    /// Whether the frame stands between the parts of a message.
    var isControl: Bool { rawValue >= 8 }
  }

  /// Reserves room for the header of a frame whose payload will be appended.
  @inline(__always)
  static func beginUnmasked(in bytes: inout [UInt8]) {
    bytes.append(0)
    bytes.append(0)
  }

  /// Fills the header of a frame whose payload was appended.
  ///
  /// Two bytes were reserved, which is right up to 125 bytes of payload; a longer payload moves up once, which is
  /// cheap beside having written it, and keeps batches of short frames without holes.
  static func endUnmasked(_ opcode: Opcode, startingAt start: Int, in bytes: inout [UInt8]) {
    let length = bytes.count - start - 2
    bytes[start] = 0x80 | opcode.rawValue
    switch length {
    case ...125: bytes[start + 1] = UInt8(length)
    case ...0xffff:
      bytes[start + 1] = 126
      insert(length, count: 2, at: start + 2, in: &bytes)
    default:
      bytes[start + 1] = 127
      insert(length, count: 8, at: start + 2, in: &bytes)
    }
  }

  private static func insert(_ length: Int, count: Int, at start: Int, in bytes: inout [UInt8]) {
    for _ in 0..<count { bytes.append(0) }
    bytes.withUnsafeMutableBytes { bytes in
      let payload = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
      UnsafeMutableRawBufferPointer(rebasing: bytes[(start + count)...]).copyMemory(from: payload)
      for index in 0..<count {
        bytes[start + index] = UInt8(truncatingIfNeeded: length >> (8 * (count - 1 - index)))
      }
    }
  }

  /// The payload of a whole frame as a server sends it.
  package static func payload(ofUnmasked frame: [UInt8]) -> ArraySlice<UInt8> {
    switch frame[1] {
    case ...125: frame.dropFirst(2)
    case 126: frame.dropFirst(4)
    default: frame.dropFirst(10)
    }
  }

  /// Appends a frame as a server sends it.
  package static func appendUnmasked(
    _ opcode: Opcode, _ payload: some Collection<UInt8>, to bytes: inout [UInt8]
  ) {
    let start = bytes.count
    beginUnmasked(in: &bytes)
    bytes.append(contentsOf: payload)
    endUnmasked(opcode, startingAt: start, in: &bytes)
  }

  /// Appends a frame as a client sends it.
  ///
  /// - Parameters:
  ///   - opcode: What the frame is.
  ///   - payload: At most 125 bytes for a control frame.
  ///   - mask: Unpredictable bits, new for each frame.
  ///   - isFinal: Whether the message ends here.
  ///   - bytes: Where to append.
  package static func appendMasked(
    _ opcode: Opcode, _ payload: some Collection<UInt8>, mask: UInt32, isFinal: Bool = true,
    to bytes: inout [UInt8]
  ) {
    bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
    let length = payload.count
    switch length {
    case ...125: bytes.append(0x80 | UInt8(length))
    case ...0xffff:
      bytes.append(0x80 | 126)
      bytes.append(contentsOf: bigEndian(length, count: 2))
    default:
      bytes.append(0x80 | 127)
      bytes.append(contentsOf: bigEndian(length, count: 8))
    }
    let key = bigEndian(Int(mask), count: 4)
    bytes.append(contentsOf: key)
    var index = 0
    for byte in payload {
      bytes.append(byte ^ key[index & 3])
      index += 1
    }
  }

  /// The payload of a close frame; a reason over 123 bytes is cut at a character.
  package static func closePayload(_ code: CloseCode, _ reason: String = "") -> [UInt8] {
    var payload = bigEndian(Int(code.rawValue), count: 2)
    for character in reason.unicodeScalars {
      let units = Array(String(character).utf8)
      guard payload.count + units.count <= 125 else { break }
      payload += units
    }
    return payload
  }

  private static func bigEndian(_ value: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }
}
