// SPDX-License-Identifier: Apache-2.0
package import MusubiSession
import Synchronization

/// One request that a program answers, and its response; belongs to a `Connection` and its loop.
final class RouteExchange {
  /// How far it has come.
  enum Phase {
    /// The body arrives; the program may have been asked already.
    case receiving
    /// The program is asked.
    case answering
    /// The response is sent.
    case sending
    /// Everything is sent, and what the browser still sends is dropped until it closes, or else the end could reach it
    /// before the response.
    case lingering
  }

  /// Names it among all of its loop.
  let number: UInt64
  /// Whose it is.
  let connection: UInt64
  let route: HTTPRoute
  var request: HTTPRequest
  var phase = Phase.receiving
  /// When it is given up.
  var deadline: Duration
  /// The program's work; cancelled when nobody waits for it any more.
  var task: Task<Void, Never>?
  /// Counts against the peer as long as the work or the exchange goes on.
  let place: RequestPlace?
  /// The answer, if the program is not asked.
  var refusal: HTTPResponse?
  /// The bytes of the request's body, until the program has answered.
  var charge: SocketCharge?
  /// The body while it arrives; nil if the program waits for all of it.
  var arriving: ArrivingBody?
  /// Bytes of the body that are not sent yet.
  var rest: ArraySlice<UInt8> = []
  /// What they take: all of the body until its end.
  var restBytes = 0
  /// Whether the body is made while it is sent, and not at its end.
  var isStreaming = false
  /// Whether its pieces say how long they are (RFC 9112, section 7.1).
  var isChunked = false
  /// How many bytes of the stream are still to come; nil if nobody knows.
  var streamBytesLeft: Int?
  /// Pieces that wait for the kernel.
  var pieces: [(bytes: [UInt8], written: CheckedContinuation<Void, any Error>)] = []
  /// Whether the connection ends with the response.
  var closes = false
  /// Is done when it is let go: what follows the response.
  var afterwards: HTTPAfterwards?

  init(
    number: UInt64, connection: UInt64, route: HTTPRoute, request: HTTPRequest, place: RequestPlace?,
    deadline: Duration
  ) {
    self.number = number
    self.connection = connection
    self.route = route
    self.request = request
    self.place = place
    self.deadline = deadline
  }

  /// The bytes that the answer takes while it waits for the kernel.
  var waitingBytes: Int {
    pieces.reduce(rest.isEmpty ? 0 : restBytes) { $0 + $1.bytes.count }
  }

  /// Nobody waits for the response any more.
  func end() {
    task?.cancel()
    arriving?.end()
    for piece in pieces { piece.written.resume(throwing: BrowserHasGone()) }
    pieces = []
    afterwards = nil
  }
}

/// A place among the requests that a peer may have under way; given back when nobody holds it any more.
package final class RequestPlace: Sendable {
  private let ledger: PeerLedger
  private let peers: Mutex<[Peer]>
  private let bytes: Int

  /// Takes a place.
  ///
  /// - Returns: nil with the reason, if there is none.
  package static func take(
    in ledger: PeerLedger, for peers: [Peer], bytes: Int
  ) -> Result<RequestPlace, PeerRefusal> {
    if let refusal = ledger.admitRequest(of: peers, bytes: bytes) { return .failure(refusal) }
    return .success(RequestPlace(ledger, peers, bytes))
  }

  private init(_ ledger: PeerLedger, _ peers: [Peer], _ bytes: Int) {
    self.ledger = ledger
    self.peers = Mutex(peers)
    self.bytes = bytes
  }

  /// Counts the request against one more peer.
  ///
  /// - Returns: nil, or why it may not go on.
  package func join(_ peer: Peer) -> PeerRefusal? {
    if let refusal = ledger.joinRequest(peer, bytes: bytes) { return refusal }
    peers.withLock { $0.append(peer) }
    return nil
  }

  deinit { ledger.releaseRequest(of: peers.withLock { $0 }, bytes: bytes) }
}
