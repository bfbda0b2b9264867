// SPDX-License-Identifier: Apache-2.0

/// Takes the bytes of a WebSocket apart where they lie: a whole message is neither copied nor allocated.
///
/// It joins fragments, lets control frames pass between them, and checks everything but the UTF-8 of
/// messages. For an idle connection it keeps nothing on the heap.
package struct WebSocketReader {
  /// Which side of the connection reads.
  package enum Role: Sendable {
    /// Frames have to be masked.
    case server
    /// Frames may not be masked.
    case client
  }

  /// Something whole that has arrived.
  package enum Event {
    /// A message, valid until the bytes change.
    case message(UnsafeRawBufferPointer, isText: Bool)
    /// A message that came in fragments.
    case joined([UInt8], isText: Bool)
    /// A fragment, which is kept.
    case fragment
    /// To be answered by a pong with the same payload.
    case ping(UnsafeRawBufferPointer)
    /// The answer to a ping.
    case pong
    /// The peer ends the connection; no code if it gave none.
    case close(CloseCode?, reason: String)
  }

  private let role: Role
  private var fragments: [UInt8] = []
  private var fragmentsOpcode: WebSocketFrame.Opcode?

  /// The bytes of the fragments that it keeps.
  package var keptBytes: Int { fragments.capacity }

  /// Starts at the beginning of a connection, after the handshake.
  package init(_ role: Role) { self.role = role }

  /// Reads the frame at an offset, and moves the offset behind it.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that have arrived; the frame's mask is taken off in them.
  ///   - offset: Where the frame begins.
  ///   - maxMessageBytes: The longest message, all fragments together.
  /// - Returns: nil if the frame is not complete; nothing has changed then.
  /// - Throws: `WireError`; its `closeCode` says how the connection ends.
  @inline(__always)
  package mutating func next(
    in bytes: UnsafeMutableRawBufferPointer, at offset: inout Int, maxMessageBytes: Int
  ) throws(WireError) -> Event? {
    let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
    guard
      let header = try WebSocketHeader(
        UnsafeRawBufferPointer(rest), expectsMask: role == .server, isInMessage: fragmentsOpcode != nil,
        maxPayload: maxMessageBytes - fragments.count, maxMessageBytes: maxMessageBytes),
      header.byteCount + header.payloadCount <= rest.count
    else { return nil }
    let payload = UnsafeMutableRawBufferPointer(
      rebasing: rest[header.byteCount..<header.byteCount + header.payloadCount])
    header.unmask(payload)
    offset += header.byteCount + header.payloadCount
    if header.isFinal, header.opcode == .text || header.opcode == .binary {
      return .message(UnsafeRawBufferPointer(payload), isText: header.opcode == .text)
    }
    return try other(header, UnsafeRawBufferPointer(payload))
  }

  private mutating func other(
    _ header: WebSocketHeader, _ payload: UnsafeRawBufferPointer
  ) throws(WireError) -> Event {
    switch header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong
    case .close:
      let read = try CloseCode.read(payload)
      return .close(read?.code, reason: read?.reason ?? "")
    case .text, .binary, .continuation: break
    }
    let opcode = fragmentsOpcode ?? header.opcode
    fragments.append(contentsOf: payload)
    guard header.isFinal else {
      fragmentsOpcode = opcode
      return .fragment
    }
    defer {
      fragments = []
      fragmentsOpcode = nil
    }
    return .joined(fragments, isText: opcode == .text)
  }
}

extension CloseCode {
  /// Reads the payload of a close frame; nil if it is empty.
  static func read(
    _ payload: UnsafeRawBufferPointer
  ) throws(WireError) -> (code: CloseCode, reason: String)? {
    guard !payload.isEmpty else { return nil }
    guard payload.count >= 2 else { throw WireError(.invalidCloseCode(Int(payload[0])), at: 0) }
    let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isAllowedOnWire else { throw WireError(.invalidCloseCode(Int(code.rawValue)), at: 0) }
    let reason = UnsafeRawBufferPointer(rebasing: payload[2...])
    guard UTF8Check.isValid(reason) else { throw WireError(.invalidUTF8, at: 0) }
    return (code, String(decoding: reason, as: UTF8.self))
  }
}
