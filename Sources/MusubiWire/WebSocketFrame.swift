// SPDX-License-Identifier: Apache-2.0

/// Frames of a WebSocket; `WebSocketHeader` draws what they begin with.
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

  /// A whole frame as a server sends it.
  package static func bytes(_ opcode: Opcode, _ payload: some Collection<UInt8>) -> [UInt8] {
    [UInt8](writing: { $0.appendFrame(opcode, payload) })
  }

  /// The payload of a whole frame as a server sends it.
  package static func payload(ofUnmasked frame: [UInt8]) -> ArraySlice<UInt8> {
    switch frame[1] {
    case ...125: frame.dropFirst(2)
    case 126: frame.dropFirst(4)
    default: frame.dropFirst(10)
    }
  }

  /// The payload of a close frame; a reason over 123 bytes is cut at a character.
  package static func closePayload(_ code: CloseCode, _ reason: String = "") -> [UInt8] {
    var payload = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
    for character in reason.unicodeScalars {
      let units = Array(String(character).utf8)
      guard payload.count + units.count <= 125 else { break }
      payload += units
    }
    return payload
  }
}

extension ByteBuffer {
  /// Appends a frame with a payload that is there.
  ///
  /// - Parameters:
  ///   - opcode: The frame's kind.
  ///   - payload: At most 125 bytes for a control frame.
  ///   - mask: Unpredictable bits, new for each frame of a client; nil for a server.
  ///   - isFinal: Whether the message ends here.
  package mutating func appendFrame(
    _ opcode: WebSocketFrame.Opcode, _ payload: some Collection<UInt8>, mask: UInt32? = nil,
    isFinal: Bool = true
  ) {
    let header = WebSocketHeader(opcode, payloadCount: payload.count, mask: mask, isFinal: isFinal)
    let start = count
    appendRoom(header.byteCount)
    write(header, at: start)
    let begin = count
    for byte in payload { append(byte) }
    withMutableBytes(from: begin) { header.unmask($0) }
  }

  /// Appends a server's frame whose payload the body writes.
  @inline(__always)
  package mutating func appendFrame(_ opcode: WebSocketFrame.Opcode, _ body: (inout ByteBuffer) -> Void) {
    let start = count
    appendRoom(WebSocketHeader.usualCount)
    body(&self)
    endFrame(opcode, at: start)
  }

  private mutating func endFrame(_ opcode: WebSocketFrame.Opcode, at start: Int) {
    let begin = start + WebSocketHeader.usualCount
    let header = WebSocketHeader(opcode, payloadCount: count - begin)
    if header.byteCount != WebSocketHeader.usualCount { moveTail(from: begin, to: start + header.byteCount) }
    write(header, at: start)
  }

  private mutating func write(_ header: WebSocketHeader, at start: Int) {
    self[start] = (header.isFinal ? 0x80 : 0) | header.opcode.rawValue
    let lengthCount = WebSocketHeader.lengthCount(header.payloadCount)
    let length = lengthCount == 0 ? UInt8(header.payloadCount) : lengthCount == 2 ? 126 : 127
    self[start + 1] = (header.mask == nil ? 0 : 0x80) | length
    for index in 0..<lengthCount {
      self[start + 2 + index] = UInt8(
        truncatingIfNeeded: header.payloadCount >> (8 * (lengthCount - 1 - index)))
    }
    guard let mask = header.mask else { return }
    withUnsafeBytes(of: mask) { mask in
      for index in mask.indices { self[start + 2 + lengthCount + index] = mask[index] }
    }
  }
}
