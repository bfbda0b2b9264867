// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// What an `authorize` hook may look at: the WebSocket handshake of a page.
public struct HandshakeRequest: Sendable {
  /// The screen that the page wants to show.
  public let screen: String
  /// The parameters of the address, percent-decoded.
  public let query: [String: String]
  /// Some header fields, with names in lower case: `authorization`, `cookie`, `accept-language`, `user-agent`.
  public let headers: [String: String]
  /// The peer's address without port; behind a proxy, the proxy's.
  public let remoteAddress: String

  init(_ request: ConnectionRequest) {
    screen = request.screen
    query = request.query
    headers = request.headers
    remoteAddress = request.remoteAddress
  }
}
