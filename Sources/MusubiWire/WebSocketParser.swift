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
      while let (header, payload) = try frame() {
        if let message = try take(header, payload) { return message }
      }
      return nil
    } catch {
      failure = error
      buffer = []
      fragments = []
      throw error
    }
  }

  /// The frame that comes next, unmasked, if all of it has arrived.
  private mutating func frame() throws(WireError) -> (WebSocketHeader, [UInt8])? {
    let (isInMessage, limit, room) = (
      fragmentsOpcode != nil, maximumMessageBytes, maximumMessageBytes - fragments.count
    )
    let (expectsMasks, start) = (expectsMasks, consumed)
    let result = buffer.withUnsafeMutableBytes { bytes -> Result<(WebSocketHeader, [UInt8])?, WireError> in
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
      do throws(WireError) {
        guard
          let header = try WebSocketHeader(
            UnsafeRawBufferPointer(rest), expectsMask: expectsMasks, isInMessage: isInMessage,
            maximumPayload: room, maximumMessageBytes: limit),
          header.byteCount + header.payloadCount <= rest.count
        else { return .success(nil) }
        let payload = UnsafeMutableRawBufferPointer(
          rebasing: rest[header.byteCount..<header.byteCount + header.payloadCount])
        header.unmask(payload)
        return .success((header, Array(payload)))
      } catch {
        return .failure(error)
      }
    }
    do throws(WireError) { return try result.get() } catch { throw self.error(error.kind) }
  }

  /// Takes a frame; nil if it was a part of a message.
  private mutating func take(_ header: WebSocketHeader, _ payload: [UInt8]) throws(WireError) -> Message? {
    let message: Message?
    switch header.opcode {
    case .ping: message = .ping(payload)
    case .pong: message = .pong(payload)
    case .close: message = try close(payload)
    case .text, .binary, .continuation: message = try join(header, payload)
    }
    consumed += header.byteCount + header.payloadCount
    return message
  }

  private mutating func join(_ header: WebSocketHeader, _ payload: [UInt8]) throws(WireError) -> Message? {
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
    let result = payload.withUnsafeBytes { bytes -> Result<Message, WireError> in
      do throws(WireError) {
        let read = try CloseCode.read(bytes)
        return .success(.close(read?.code, reason: read?.reason ?? ""))
      } catch {
        return .failure(error)
      }
    }
    do throws(WireError) { return try result.get() } catch { throw self.error(error.kind) }
  }

  private func error(_ kind: WireError.Kind) -> WireError { WireError(kind, at: bytesBefore + consumed) }
}
