// SPDX-License-Identifier: Apache-2.0

/// Takes the bytes of a WebSocket apart, in whatever pieces they arrive (RFC 6455, section 5).
///
/// It joins fragments, lets control frames pass between them, checks UTF-8 and the limits, and never traps. After an
/// error the connection must be ended with the error's `closeCode`; what is fed then is dropped.
package struct WebSocketParser: Sendable {
  /// Something whole that has arrived.
  package enum Message: Equatable, Sendable {
    /// A text message; its bytes are UTF-8.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// To be answered by a pong with the same payload.
    case ping([UInt8])
    /// The answer to a ping.
    case pong([UInt8])
    /// The peer ends the connection; no code if it gave none.
    case close(CloseCode?, reason: String)
  }

  private struct Header {
    var isFinal: Bool
    var opcode: WebSocketFrame.Opcode
    var mask: [UInt8]
    var payload: Range<Int>
  }

  private let expectsMasks: Bool
  private let maximumMessageBytes: Int
  /// Bytes that have arrived; `consumed` of them are done with.
  private var buffer: [UInt8] = []
  private var consumed = 0
  /// How many bytes were done with before the buffer begins, for error messages.
  private var bytesBefore = 0
  private var fragments: [UInt8] = []
  private var fragmentsOpcode: WebSocketFrame.Opcode?
  private var failure: WireError?

  /// Starts at the beginning of a connection, after the handshake.
  ///
  /// - Parameters:
  ///   - expectsMasks: Whether the peer is a client, whose frames are masked.
  ///   - maximumMessageBytes: The longest message, all fragments together.
  package init(expectsMasks: Bool = false, maximumMessageBytes: Int = 16 << 20) {
    self.expectsMasks = expectsMasks
    self.maximumMessageBytes = maximumMessageBytes
  }

  /// Adds bytes that have arrived.
  package mutating func feed(_ bytes: some Collection<UInt8>) {
    guard failure == nil else { return }
    if consumed > 0, consumed == buffer.count || consumed > 65_536 {
      bytesBefore += consumed
      buffer.removeFirst(consumed)
      consumed = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next whole message, or nil if more bytes are needed.
  ///
  /// - Throws: `WireError` with the offset in the stream; the same one again on each further call.
  package mutating func next() throws(WireError) -> Message? {
    if let failure { throw failure }
    do throws(WireError) {
      while let header = try header() {
        guard header.payload.upperBound <= buffer.count else { return nil }
        if let message = try take(header) { return message }
      }
      return nil
    } catch {
      failure = error
      buffer = []
      fragments = []
      throw error
    }
  }

  /// The header that comes next, if it has arrived; everything that can be wrong in it is found here.
  private func header() throws(WireError) -> Header? {
    let available = buffer.count - consumed
    guard available >= 2 else { return nil }
    let first = buffer[consumed]
    let second = buffer[consumed + 1]
    guard first & 0x70 == 0 else { throw error(.reservedBits) }
    guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0f) else {
      throw error(.unknownOpcode(first & 0x0f))
    }
    guard (second & 0x80 != 0) == expectsMasks else { throw error(.wrongMasking) }
    let isFinal = first & 0x80 != 0
    let short = Int(second & 0x7f)
    if opcode.isControl {
      guard isFinal else { throw error(.fragmentedControl) }
      guard short <= 125 else { throw error(.controlTooLong(short)) }
    } else {
      guard (opcode == .continuation) == (fragmentsOpcode != nil) else {
        throw error(opcode == .continuation ? .unexpectedContinuation : .interruptedMessage)
      }
    }
    let lengthBytes = short < 126 ? 0 : short == 126 ? 2 : 8
    let headerBytes = 2 + lengthBytes + (expectsMasks ? 4 : 0)
    guard available >= 2 + lengthBytes else { return nil }
    let length = try length(short, lengthBytes)
    if !opcode.isControl, length > maximumMessageBytes - fragments.count {
      throw error(.messageTooLong(limit: maximumMessageBytes))
    }
    guard available >= headerBytes else { return nil }
    let start = consumed + headerBytes
    return Header(
      isFinal: isFinal, opcode: opcode, mask: expectsMasks ? Array(buffer[start - 4..<start]) : [],
      payload: start..<start + length)
  }

  private func length(_ short: Int, _ count: Int) throws(WireError) -> Int {
    guard count > 0 else { return short }
    var length: UInt64 = 0
    for byte in buffer[consumed + 2..<consumed + 2 + count] { length = length << 8 | UInt64(byte) }
    guard length > (count == 2 ? 125 : 0xffff) else { throw error(.lengthNotMinimal) }
    // Also catches a set highest bit, which the RFC forbids, and what would not fit into an Int.
    guard length <= UInt64(maximumMessageBytes) else {
      throw error(.messageTooLong(limit: maximumMessageBytes))
    }
    return Int(length)
  }

  /// Takes a frame whose bytes are all there; nil if it was a part of a message.
  private mutating func take(_ header: Header) throws(WireError) -> Message? {
    var payload = Array(buffer[header.payload])
    if !header.mask.isEmpty {
      for index in payload.indices { payload[index] ^= header.mask[index & 3] }
    }
    let message: Message?
    switch header.opcode {
    case .ping: message = .ping(payload)
    case .pong: message = .pong(payload)
    case .close: message = try close(payload)
    case .text, .binary, .continuation: message = try join(header, payload)
    }
    consumed = header.payload.upperBound
    return message
  }

  private mutating func join(_ header: Header, _ payload: [UInt8]) throws(WireError) -> Message? {
    let opcode = fragmentsOpcode ?? header.opcode
    if !header.isFinal || fragmentsOpcode != nil { fragments += payload }
    guard header.isFinal else {
      fragmentsOpcode = opcode
      return nil
    }
    let whole = fragmentsOpcode == nil ? payload : fragments
    fragmentsOpcode = nil
    fragments = []
    guard opcode == .text else { return .binary(whole) }
    guard whole.withUnsafeBytes({ UTF8Check.isValid($0) }) else { throw error(.invalidUTF8) }
    return .text(whole)
  }

  private func close(_ payload: [UInt8]) throws(WireError) -> Message {
    guard !payload.isEmpty else { return .close(nil, reason: "") }
    guard payload.count >= 2 else { throw error(.invalidCloseCode(Int(payload[0]))) }
    let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isAllowedOnWire else { throw error(.invalidCloseCode(Int(code.rawValue))) }
    let reason = payload.dropFirst(2)
    guard reason.withUnsafeBytes({ UTF8Check.isValid($0) }) else { throw error(.invalidUTF8) }
    return .close(code, reason: String(decoding: reason, as: UTF8.self))
  }

  private func error(_ kind: WireError.Kind) -> WireError { WireError(kind, at: bytesBefore + consumed) }
}
