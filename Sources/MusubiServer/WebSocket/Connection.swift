// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

/// One accepted socket, from its first request to its end; belongs to a `LoopCore` and its thread.
final class Connection {
  let id: ConnectionID
  let remoteAddress: String

  /// Where in its life the connection is.
  enum Phase {
    /// It makes plain requests.
    case http
    /// Its handshake has been allowed, and is being answered.
    ///
    /// Indirect, as `ending` is, so that connections do not keep room for the request when it is over.
    indirect case upgrading(any ConnectionService, ConnectionRequest)
    /// The service serves it.
    case open(any ConnectionService)
    /// The service still has bytes for it; then comes the close frame.
    indirect case ending(any ConnectionService, ConnectionEnd)
    /// The close frame is on its way; the service hears that it is gone when it is.
    case closing(any ConnectionService)
    /// It is gone, or was never more than a failed handshake.
    case gone
  }

  @exclusivity(unchecked) var phase = Phase.http
  /// Whether the loop will fetch bytes for it at the end of the turn.
  @exclusivity(unchecked) var isAwake = false
  /// Whether the service wants to read from it.
  var isReading = true
  /// Whether it is not read from for a while, because its address sent too much.
  var isThrottled = false
  /// Whether it talks to the echo for conformance suites, whose messages are longer and are not counted.
  @exclusivity(unchecked) var isEcho = false
  /// Whether the stream tells when the kernel takes bytes again.
  var isWaitingToWrite = false
  /// Whether what it sends is dropped: it broke the rules, and only its end is waited for.
  var isIgnored = false
  /// Whether it is closed as soon as everything is sent.
  var isLeaving = false
  /// Whether it was sent what it came for; a page that resumes speaks first.
  var hasBeenServed = false
  /// Whether it has asked for anything yet.
  @exclusivity(unchecked) var hasRequested = false
  /// Whether the address counts towards the limit per address.
  let countsTowardsAddress: Bool
  /// How many rounds of the loop's look-out it has been silent.
  var silentRounds: UInt16 = 0
  /// The library's socket, if the library has it: it makes plain requests, or its handshake was an odd one.
  var socket: LWSSocket?
  /// Its bytes, until the library gets them, and once it is an open WebSocket.
  @exclusivity(unchecked) var stream: SocketStream?
  /// What its address may send; nil if that is not limited.
  var addressBucket: AddressBucket?
  /// Takes its frames apart.
  @exclusivity(unchecked) var reader = WebSocketReader()
  /// What has arrived and is not taken yet: the beginning of a frame, or all since reading stopped.
  @exclusivity(unchecked) var unread: [UInt8] = []
  /// What the kernel has not taken yet.
  @exclusivity(unchecked) var unsent: [UInt8] = []
  /// Control frames that wait for the end of the turn.
  @exclusivity(unchecked) var controlFrames: [UInt8] = []
  /// What is left of a plain response.
  @Rare var response: PendingResponse?

  // `unsafe`: the loop ends its connections before it goes.
  unowned(unsafe) let core: LoopCore

  init(id: ConnectionID, remoteAddress: String, countsTowardsAddress: Bool, core: LoopCore) {
    self.id = id
    self.remoteAddress = remoteAddress
    self.countsTowardsAddress = countsTowardsAddress
    self.core = core
  }

  /// The longest message that it may send.
  var maxMessageBytes: Int { isEcho ? core.configuration.maxEchoBytes : core.configuration.maxMessageBytes }

  /// The service that serves it, if it is or was a WebSocket.
  var service: (any ConnectionService)? {
    switch phase {
    case .open(let service), .ending(let service, _), .closing(let service): service
    case .http, .upgrading, .gone: nil
    }
  }
}

/// A plain response of which a part has been sent.
struct PendingResponse {
  var body: [UInt8]
  var sentBytes: Int
  var closes: Bool
}

// MARK: - What the library reports

// Always on the loop's thread.
extension Connection {
  /// The handshake is about to be answered; whether `upgradeRequested` has allowed that.
  func isUpgradeAllowed() -> Bool {
    if case .upgrading = phase { true } else { false }
  }

  /// The WebSocket is open.
  func opened(_ socket: LWSSocket) {
    guard case .upgrading(let service, let request) = phase else { return }
    self.socket = socket
    core.newcomers.append(id)
    open(service, request)
  }

  /// The service serves the connection from now on.
  func open(_ service: any ConnectionService, _ request: ConnectionRequest) {
    phase = .open(service)
    hasBeenServed = request.query["resume"] == "1"
    core.opened(self)
    service.connect(id, request)
    core.began(self)
  }

  /// The library has read a piece of a message: it came in one packet with the handshake.
  func received(_ bytes: UnsafeRawBufferPointer, of socket: LWSSocket) -> LWSVerdict {
    // Nobody may send before the handshake is answered; whole messages are taken all the same.
    let (isWhole, isText) = socket.wholeMessage
    guard isWhole, stream == nil, bytes.count <= maxMessageBytes else { return .close }
    take(message: bytes, isText: isText)
    return .keep
  }

  /// The socket takes bytes again, as was asked for.
  func writable(_ socket: LWSSocket) -> LWSVerdict { response == nil ? .keep : continueResponse(socket) }

  /// The WebSocket has ended.
  func closed() {
    guard let service else { return }
    phase = .gone
    releaseStream()
    core.closed(self)
    service.disconnect(id)
  }

  /// The socket is gone.
  func destroyed() {
    closed()
    // Allowed, but it never came to the handshake's end.
    if case .upgrading = phase { core.shared.releaseConnection() }
    phase = .gone
    socket = nil
    core.destroyed(self)
  }
}
