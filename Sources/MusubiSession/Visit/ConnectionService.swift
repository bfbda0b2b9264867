// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiWire

/// A WebSocket handshake as the shell received it.
package struct ConnectionRequest: Equatable, Sendable {
  /// The screen's name: the path after `/live/`, percent-decoded.
  package var screen: String
  /// The query's parameters, percent-decoded; the first of a name counts.
  package var query: [String: String]
  /// The room, if the screen is shared; known once it is admitted.
  package var room: String?
  /// The path of the page; known once it is admitted.
  package var path = ""
  /// Header fields that a hook may read (`authorization`, `cookie`, `accept-language`, `user-agent`), lower-cased names.
  ///
  /// Nobody has them once the handshake is over: the session has begun, or its page has said which one it resumes.
  package var headers: [String: String]
  /// The peer's address as text, without port.
  package var remoteAddress: String
  /// The peers that the address belongs to, the narrowest first; none if addresses are not counted there.
  package var addresses: [Peer] = []
  /// Who it is, once it is admitted.
  package var visitor: Visitor?
  /// When it came, and the server asked who it is, on the loops' monotonic clock.
  package var askedAt: Duration = .zero
  /// The last sign-out of a cluster that was known there and then, by its number; 0 if there was none.
  package var signOuts = 0

  package init(
    screen: String, query: [String: String] = [:], headers: [String: String] = [:],
    remoteAddress: String = "127.0.0.1"
  ) {
    self.screen = screen
    self.query = query
    self.headers = headers
    self.remoteAddress = remoteAddress
  }

  /// Everybody whose limits the request counts against, the one that is known best first.
  package var peers: [Peer] {
    guard let identity = visitor?.id else { return addresses }
    return [.identity(identity)] + addresses
  }

  /// Whether the first frame of the page will name the session that it resumes.
  package var resumes: Bool { query["resume"] == "1" }

  /// The parameters of the page's own address: all that Musubi itself does not use.
  package var pageQuery: [String: String] { query.filter { !Self.ownParameters.contains($0.key) } }

  /// Leaves out the longest parameters of the page's own address, so that the names and values of the rest have some bytes at most.
  ///
  /// Other sites write what they like into links to a page, and it opens all the same.
  mutating func shortenPageQuery(to maxBytes: Int) {
    let sizes = pageQuery.map { (name: $0.key, bytes: $0.key.utf8.count + $0.value.utf8.count) }
    var bytes = sizes.reduce(0) { $0 + $1.bytes }
    guard bytes > maxBytes else { return }
    for (name, size) in sizes.sorted(by: { ($0.bytes, $0.name) > ($1.bytes, $1.name) }) where bytes > maxBytes
    {
      query[name] = nil
      bytes -= size
    }
  }

  private static let ownParameters: Set<String> = ["room", "edits", "resume", "path"]

  /// The request without what only the handshake needs.
  package var withoutHeaders: ConnectionRequest {
    var request = self
    request.headers = [:]
    return request
  }
}

/// Whether a handshake may become a connection.
package enum Admission: Equatable, Sendable {
  /// The upgrade goes on, with its visitor.
  case accepted(ConnectionRequest)
  /// One of the peers may have no more.
  case limited(PeerRefusal, [Peer])
  /// The upgrade is refused with an HTTP status, a code from Wire.md, a sentence, and the place where a log-in helps.
  case refused(status: UInt16, code: String, message: String, logIn: String? = nil)
}

/// What an event loop serves: the sessions of Musubi, or an echo for conformance suites.
///
/// All methods are called on the loop's thread. None blocks.
package protocol ConnectionService: AnyObject {
  /// Decides about a handshake before the upgrade, and changes nothing else.
  ///
  /// - Parameters:
  ///   - request: The handshake.
  ///   - decide: Called once with the decision, on the loop: before this returns, or later.
  func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void)

  /// A connection has opened.
  ///
  /// - Parameters:
  ///   - request: The handshake, as it was admitted.
  ///   - connection: What may be asked of the connection, also before this returns; it owns the handler.
  /// - Returns: Who serves the connection to its end.
  func connect(_ request: ConnectionRequest, _ connection: any ConnectionHandle) -> any ConnectionHandler

  /// When `advance` is to be called next, as time on the loop's monotonic clock; nil if nothing is planned.
  var nextDeadline: Duration? { get }

  /// Runs due timers and deadlines.
  func advance(to now: Duration)

  /// All that has arrived in this iteration was handed over: connections are woken for its changes.
  func finishTurns()

  /// The iteration is over, and what waited for local connections was fetched.
  func endIteration()

  /// An iteration took so long that others have felt it.
  func suspectIteration()

  /// The loop has ended, and calls nothing more.
  func end()

  /// Who takes how much of the loop's memory, so that sockets count there, too; nil if nobody counts.
  var ledger: MemoryLedger? { get }
}

extension ConnectionService {
  package func finishTurns() {}
  package func endIteration() {}
  package func suspectIteration() {}
  package func end() {}
  package var ledger: MemoryLedger? { nil }
}

/// Serves one connection: a visit if its session lives on this loop, else a proxy.
///
/// Called on the loop's thread: `receive` for each whole message, then `closed` once, also when the handler has asked for
/// the end.
package protocol ConnectionHandler: AnyObject {
  /// A whole message has arrived. Text has not been checked to be UTF-8.
  func receive(_ message: UnsafeRawBufferPointer, isText: Bool)

  /// Appends whole WebSocket frames, headers included, that wait for the connection.
  ///
  /// - Parameters:
  ///   - bytes: Where to append.
  ///   - limit: No further frame is started once this many bytes were appended; at least one frame is.
  /// - Returns: Whether more waits.
  func write(into bytes: inout ByteBuffer, limit: Int) -> Bool

  /// The connection holds bytes of the page's: a message that is not whole, or what the kernel has not taken.
  ///
  /// Told when bytes were left over, not for each message.
  ///
  /// - Parameter bytes: How many there are now.
  func buffered(_ bytes: Int)

  /// The connection has gone.
  ///
  /// - Parameter saidFarewell: Whether the page has said that it is being left; it may come back all the same.
  func closed(saidFarewell: Bool)
}

extension ConnectionHandler {
  package func buffered(_ bytes: Int) {}
}

/// The requests that a handler may make to its connection; called on the loop's thread.
package protocol ConnectionHandle: AnyObject {
  /// Announces that there are bytes to fetch by `write`.
  ///
  /// They are fetched once at the end of the iteration, however often this is called in between.
  func wake()

  /// Ends the connection with a close frame, after the bytes that it can still fetch.
  func close(_ end: ConnectionEnd)

  /// Stops or restarts reading; the kernel's window then slows the sender.
  func setReading(_ isReading: Bool)

  /// A session serves the connection, and counts its bytes from now on.
  func served()

  /// Its page has come back to a session: whoever has accepted the connection counts no new one.
  func returned()

  /// The session that the page wants to resume is not there, and it begins another one.
  ///
  /// - Parameters:
  ///   - request: What the page asks for.
  ///   - refusal: The answer to its resume.
  /// - Returns: Whether that happens on another loop; the handler is forgotten then.
  func beginsElsewhere(_ request: ConnectionRequest, _ refusal: ResumeRefusal) -> Bool
}

extension ConnectionHandle {
  package func served() {}

  package func returned() {}

  package func beginsElsewhere(_ request: ConnectionRequest, _ refusal: ResumeRefusal) -> Bool { false }
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

/// Why a session could not be continued.
package struct ResumeRefusal: Sendable {
  let code: ErrorCode
  let message: String
  /// Whether its session ended with a room that was put aside.
  let isBroken: Bool
  /// The number of the last input that it took, as far as the server knows.
  let taken: Int
}
