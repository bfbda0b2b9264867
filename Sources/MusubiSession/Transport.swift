// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// Names one connection within one event loop; never used again after the connection has gone.
package struct ConnectionID: Hashable, Sendable {
  /// A counter that starts at 1.
  @usableFromInline package let rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// What the core asks of the shell that holds the sockets.
///
/// Called on the loop's thread only.
package protocol Transport: AnyObject {
  /// Announces that the connection has bytes to fetch by `ConnectionService.takeBytes`.
  ///
  /// The shell fetches them once at the end of the loop's turn, however often it was woken in between.
  func wake(_ connection: ConnectionID)

  /// Ends the connection with a close frame, after the bytes that it can still fetch.
  func close(_ connection: ConnectionID, _ reason: ConnectionEnd)

  /// Stops or restarts reading from the connection; the kernel's window then slows the sender.
  func setReading(_ connection: ConnectionID, _ isReading: Bool)
}

/// The close frame that ends a connection.
package struct ConnectionEnd: Equatable, Sendable {
  /// The status code, RFC 6455 section 7.4 or 4000 to 4999.
  package var code: CloseCode
  /// At most 123 bytes of UTF-8, readable for people.
  package var reason: String

  package init(_ code: CloseCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}
