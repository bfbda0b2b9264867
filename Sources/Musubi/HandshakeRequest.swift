// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// The question to an `authorize` hook: a screen, and the WebSocket handshake of the page that wants to show it.
public struct HandshakeRequest: Sendable {
  /// The screen that the page wants to show.
  public let screen: String
  /// The room that the page wants to enter; nil in session scope.
  public let room: String?
  /// The path of the page, `/contents/42`.
  public let path: String
  /// The parameters of the address, percent-decoded.
  public let query: [String: String]
  /// Some header fields, with names in lower case: `authorization`, `cookie`, `accept-language`, `user-agent`.
  public let headers: [String: String]
  /// The visitor's address without port; behind a proxy that `Configuration.trustedProxies` does not name, the proxy's.
  public let remoteAddress: String

  init(_ request: ConnectionRequest) {
    screen = request.screen
    room = request.room
    path = request.path
    query = request.query
    headers = request.headers
    remoteAddress = request.remoteAddress
  }
}
