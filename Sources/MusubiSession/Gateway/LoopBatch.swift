// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// What one loop has for another at the end of a turn: handed over as a whole, taken in order.
///
/// ```
/// the loop that accepted a connection            the connection's home, where its session lives
///   opened, message, closed, fetched    ───▶
///                                       ◀───    own, shared, close, reading, moved
/// ```
///
/// Connections have the names that the accepting loop gave them.
package struct LoopBatch: Sendable {
  /// One thing that happened to a connection.
  enum Item: Sendable {
    /// It has opened. `refusal`: it tried to resume elsewhere, and begins a session instead.
    case opened(ConnectionID, ConnectionRequest, refusal: ResumeRefusal?)
    /// It has sent a message; the range is that of `bytes`.
    case message(ConnectionID, Range<Int>, isText: Bool)
    /// It has gone.
    case closed(ConnectionID)
    /// So many bytes for it were handed to its socket.
    case fetched(ConnectionID, bytes: Int)
    /// Frames for it alone; the range is that of `bytes`.
    case own(ConnectionID, Range<Int>)
    /// Frames for several connections.
    case shared(SharedFrames, [ConnectionID])
    /// It is to be closed after what came before.
    case close(ConnectionID, ConnectionEnd)
    /// Whether it is to be read from.
    case reading(ConnectionID, Bool)
    /// Its session is not here: it begins one at the home of its room.
    case moved(ConnectionID, ResumeRefusal)
  }

  /// The loop that it comes from.
  package let sender: Int
  var items: [Item] = []
  /// The bytes of all messages and own frames, one after the other.
  var bytes: [UInt8] = []
  /// How many bytes of messages from the receiver were handled here.
  var handledBytes = 0
  /// Where frames for several connections are in `items`, so that further ones join them.
  var sharedItems: [ObjectIdentifier: Int] = [:]

  init(from sender: Int) { self.sender = sender }

  var isEmpty: Bool { items.isEmpty && handledBytes == 0 }
}

/// Why a session could not be continued.
package struct ResumeRefusal: Sendable {
  let code: ErrorCode
  let message: String
}
