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
  /// The library has read a piece of a message: it came in one packet with the handshake.
  func received(_ bytes: UnsafeRawBufferPointer, of socket: LWSSocket) -> LWSVerdict
  /// The socket takes bytes again, as was asked for.
  func writable(_ socket: LWSSocket) -> LWSVerdict
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

/// Gives the library one machine word that leads to a handler.
///
/// The loop's table of connections retains it from `adopt` to `destroyed`; the library only borrows it.
final class LWSHandlerBox {
  unowned let handler: any LWSHandler

  init(_ handler: any LWSHandler) { self.handler = handler }
}
