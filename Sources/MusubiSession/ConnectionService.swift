// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding

/// A WebSocket handshake as the shell received it.
package struct ConnectionRequest: Sendable {
  /// The screen's name: the path after `/live/`, percent-decoded.
  package var screen: String
  /// The query's parameters, percent-decoded; the first of a name counts.
  package var query: [String: String]
  /// Header fields that a hook may read (`authorization`, `cookie`, `accept-language`, `user-agent`), lower-cased names.
  package var headers: [String: String]
  /// The peer's address as text, without port.
  package var remoteAddress: String
  /// Who it is, once it is admitted.
  package var visitor: Visitor?

  package init(
    screen: String, query: [String: String] = [:], headers: [String: String] = [:],
    remoteAddress: String = "127.0.0.1"
  ) {
    self.screen = screen
    self.query = query
    self.headers = headers
    self.remoteAddress = remoteAddress
  }
}

/// Whether a handshake may become a connection.
package enum Admission: Equatable, Sendable {
  /// The upgrade goes on.
  case accepted
  /// The upgrade is refused with an HTTP status, a code from Wire.md, and a sentence.
  case refused(status: UInt16, code: String, message: String)
}

/// What an event loop serves: the sessions of Musubi, or an echo for conformance suites.
///
/// All methods are called on the loop's thread. None blocks. The loop calls `connect`, then `receive` for each
/// whole message, then `disconnect` exactly once, also when the service itself asked for the end.
package protocol ConnectionService: AnyObject {
  /// Decides about a handshake before the upgrade; notes in the request who it is, and changes nothing else.
  func admission(of request: inout ConnectionRequest) -> Admission

  /// A connection has opened.
  func connect(_ connection: ConnectionID, _ request: ConnectionRequest)

  /// A whole message has arrived. Text has not been checked to be UTF-8.
  func receive(_ message: UnsafeRawBufferPointer, isText: Bool, from connection: ConnectionID)

  /// The connection has gone.
  func disconnect(_ connection: ConnectionID)

  /// Appends whole WebSocket frames, headers included, that wait for the connection.
  ///
  /// - Parameters:
  ///   - connection: Who is to be served.
  ///   - limit: No further frame is started once this many bytes were appended; at least one frame is.
  ///   - bytes: Where to append.
  /// - Returns: Whether more waits.
  func takeBytes(for connection: ConnectionID, limit: Int, into bytes: inout [UInt8]) -> Bool

  /// When `advance` is to be called next, as time on the loop's monotonic clock; nil if nothing is planned.
  var nextDeadline: Duration? { get }

  /// Runs what is due by now: timers, deadlines.
  func advance(to now: Duration)

  /// All that has arrived in this turn of the loop was handed over: connections are woken for what it has changed.
  func finishTurns()

  /// The loop's turn is over, and what waited for local connections was fetched.
  func endTurn()

  /// Tells every page that the server restarts; connections are closed by the transport afterwards.
  func drain()
}

extension ConnectionService {
  package func finishTurns() {}
  package func endTurn() {}
}
