// SPDX-License-Identifier: Apache-2.0

/// What the library tells about one accepted socket, in Swift's terms; always on the loop's thread.
protocol LWSHandler: AnyObject {
  /// A plain request has arrived.
  func requested(_ socket: LWSSocket) -> LWSVerdict
  /// A request wants to become a WebSocket.
  func upgradeRequested(_ socket: LWSSocket) -> LWSUpgradeVerdict
  /// The handshake is about to be answered; whether `upgradeRequested` has allowed that.
  func isUpgradeAllowed() -> Bool
  /// The WebSocket is open.
  func opened(_ socket: LWSSocket)
  /// A piece of a message has arrived.
  func received(_ piece: LWSPiece, _ socket: LWSSocket) -> LWSVerdict
  /// The socket takes bytes again, as was asked for.
  func writable(_ socket: LWSSocket) -> LWSVerdict
  /// The peer has sent its close frame; nothing may be written any more.
  func peerCloses()
  /// The WebSocket has ended.
  func closed()
  /// The socket is gone.
  func destroyed()
}

/// Whether the library keeps the socket.
enum LWSVerdict {
  case keep, close
}

/// How the library goes on with a wish to upgrade.
enum LWSUpgradeVerdict {
  /// It upgrades.
  case upgrade
  /// The answer has been written; the request is over.
  case answered
  /// It closes without an answer.
  case drop
}

/// A piece of a message; the bytes are valid during the call only.
struct LWSPiece {
  var bytes: UnsafeRawBufferPointer
  var isFirst: Bool
  var isLast: Bool
  var isBinary: Bool
  /// Bytes of the same frame that are still to come.
  var remainingBytes: Int
}

/// Gives the library one machine word that leads to a handler.
///
/// The loop's table of connections retains it from `adopt` to `destroyed`; the library only borrows it.
final class LWSHandlerBox {
  unowned let handler: any LWSHandler

  init(_ handler: any LWSHandler) { self.handler = handler }
}
