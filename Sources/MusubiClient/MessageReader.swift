// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// Reads whole messages out of a WebSocket's bytes, in whatever pieces they arrive.
///
/// After an error the connection must be ended; further bytes are dropped.
package struct MessageReader {
  /// Something whole that has arrived.
  package enum Message: Equatable, Sendable {
    /// A text message; nobody has checked its UTF-8.
    case text([UInt8])
    /// A binary message.
    case binary([UInt8])
    /// To be answered by a pong with the same payload.
    case ping([UInt8])
    /// The answer to a ping.
    case pong
    /// The peer ends the connection; no code if it gave none.
    case close(CloseCode?, reason: String)
  }

  private var reader: WebSocketReader
  private let maxMessageBytes: Int
  private var unread: [UInt8] = []
  private var failure: WireError?

  /// Starts at the beginning of a connection, after the handshake.
  ///
  /// - Parameters:
  ///   - role: Which side reads.
  ///   - maxMessageBytes: The longest message, all fragments together.
  package init(_ role: WebSocketReader.Role = .client, maxMessageBytes: Int = 16 << 20) {
    reader = WebSocketReader(role)
    self.maxMessageBytes = maxMessageBytes
  }

  /// Adds bytes that have arrived.
  package mutating func feed(_ bytes: some Collection<UInt8>) {
    if failure == nil { unread.append(contentsOf: bytes) }
  }

  /// The next whole message, or nil if more bytes are needed.
  ///
  /// - Throws: `WireError`; the same one again on each further call.
  package mutating func next() throws(WireError) -> Message? {
    if let failure { throw failure }
    var offset = 0
    defer { unread.removeFirst(offset) }
    do throws(WireError) {
      return try unread.withUnsafeMutableBufferPointer { bytes throws(WireError) in
        while let event = try reader.next(
          in: UnsafeMutableRawBufferPointer(bytes), at: &offset, maxMessageBytes: maxMessageBytes)
        {
          if let message = Message(event) { return message }
        }
        return nil
      }
    } catch {
      failure = error
      throw error
    }
  }
}

extension MessageReader.Message {
  fileprivate init?(_ event: WebSocketReader.Event) {
    switch event {
    case .message(let bytes, let isText): self = isText ? .text(Array(bytes)) : .binary(Array(bytes))
    case .joined(let bytes, let isText): self = isText ? .text(bytes) : .binary(bytes)
    case .fragment: return nil
    case .ping(let payload): self = .ping(Array(payload))
    case .pong: self = .pong
    case .close(let code, let reason): self = .close(code, reason: reason)
    }
  }
}
