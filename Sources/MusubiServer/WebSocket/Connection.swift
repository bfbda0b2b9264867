// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

/// One accepted socket, from its first request to its end; belongs to a `LoopCore` and its thread.
final class Connection {
  /// Names it in the log.
  let id: UInt64
  /// The visitor's address as text: the socket's, or what a trusted proxy says of a handshake.
  var remoteAddress: String

  /// Where in its life the connection is.
  enum Phase {
    /// It makes plain requests.
    case http
    /// It has made a plain request whose answer waits for who it is.
    case answering
    /// Its handshake has a place, and the library answers it; who it is will be known later.
    case asking
    /// Its handshake is admitted; the library answers it, and then the stream takes its bytes over.
    ///
    /// Indirect, as `ending` is, so that connections do not keep room for the request when it is over.
    indirect case opening(any ConnectionService, ConnectionRequest)
    /// The library answers its handshake, and then it is told why it may not enter after all.
    indirect case refused(HTTPRefusal)
    /// It is an open WebSocket that is not read from: nobody knows yet who it is.
    case deciding
    /// The handler serves it.
    case open
    /// The handler still has bytes for it; then comes the close frame.
    indirect case ending(ConnectionEnd)
    /// The close frame is on its way; the handler hears that it is gone when it is.
    case closing
    /// It is gone, or was never more than a failed handshake.
    case gone
  }

  var phase = Phase.http
  /// Who serves it while it is a WebSocket; nil before and afterwards, and while its visit begins.
  private(set) var handler: (any ConnectionHandler)?
  /// Takes its frames apart.
  var reader = WebSocketReader(.server)
  /// Whether the loop will fetch bytes for it at the end of the iteration.
  var isAwake = false
  /// Whether the service wants to read from it.
  var isReading = true
  /// Whether it is not read from for a while, because its address sent too much.
  var isThrottled = false
  /// Whether it talks to the echo for conformance suites, whose messages are longer and are not counted.
  var isEcho = false
  /// Whether the stream tells when the kernel takes bytes again.
  var isWaitingToWrite = false
  /// Whether what it sends is dropped: it broke the rules, and only its end is waited for.
  var isIgnored = false
  /// Whether it is closed as soon as everything is sent.
  var isLeaving = false
  /// Whether it has said that its page is being left.
  var saidFarewell = false
  /// Whether it was sent what it came for; a page that resumes speaks first.
  var hasBeenServed = false
  /// Whether it has asked for anything yet.
  var hasRequested = false
  /// Whether it has sent bytes behind its handshake without waiting for the answer; the library has swallowed them.
  var hasSpokenEarly = false
  /// Whose limits the socket counts against.
  let socketPeers: [Peer]
  /// Whose limits it counts against as a WebSocket.
  var peers: [Peer] = []
  /// How many rounds of `IdleTimeout` it has been silent.
  var silentRounds: UInt16 = 0
  /// Whether a plain request of it was answered, and in which second, as far as 16 bits tell.
  var hasAnswered = false
  var answeredSecond: UInt16 = 0
  /// The library's socket, from the accepting to the end.
  var socket: LWSSocket?
  /// Its bytes, once it is an open WebSocket.
  var stream: SocketStream?
  /// The rates of its addresses; none if that is not limited.
  var addressBuckets: [AddressBucket] = []
  /// Bytes that have arrived and are not taken yet: the beginning of a frame, or all since reading stopped.
  var unread: [UInt8] = []
  /// Bytes that the kernel has not taken yet.
  var unsent: [UInt8] = []
  /// Control frames that wait for the end of the iteration.
  var controlFrames: [UInt8] = []
  /// The answer to a plain request that is under way.
  var answering: PlainAnswer?
  /// Its part of the loop's memory, until a session counts that.
  var charge: SocketCharge?

  /// The loop; it lets go of its connections before it ends.
  let core: LoopCore

  init(id: UInt64, remoteAddress: String, socketPeers: [Peer], charge: SocketCharge, core: LoopCore) {
    self.id = id
    self.charge = charge
    self.remoteAddress = remoteAddress
    self.socketPeers = socketPeers
    self.core = core
  }

  /// Whose it is, for the log.
  var peerName: String { peers.first?.text ?? remoteAddress }

  /// The longest message that it may send.
  var maxMessageBytes: Int { isEcho ? core.configuration.maxEchoBytes : core.configuration.maxMessageBytes }

  /// Whether its handshake is answered, and its end has not come.
  var isWebSocket: Bool {
    switch phase {
    case .deciding, .open, .ending, .closing: true
    case .http, .answering, .asking, .opening, .refused, .gone: false
    }
  }
}

/// The answer under way for a plain request.
enum PlainAnswer {
  /// A response of the server's own.
  indirect case response(PendingResponse)
  /// The program answers.
  case exchange(RouteExchange)
}

extension Connection {
  /// The rest of a plain response.
  var response: PendingResponse? {
    get { if case .response(let response)? = answering { response } else { nil } }
    set {
      answering = newValue.map { .response($0) }
      recharge()
    }
  }

  /// A request that the program answers.
  var exchange: RouteExchange? {
    get { if case .exchange(let exchange)? = answering { exchange } else { nil } }
    set {
      answering = newValue.map { .exchange($0) }
      recharge()
    }
  }
}

/// A plain response of which a part has been sent.
struct PendingResponse {
  var body: [UInt8]
  var sentBytes: Int
  var closes: Bool
}

// MARK: - As C code keeps it

extension Connection {
  /// The connection for C code, which does not keep it alive: the core does, until `destroyed`.
  var opaque: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The connection that C code was given.
  static func at(_ opaque: UnsafeMutableRawPointer) -> Connection {
    Unmanaged.fromOpaque(opaque).takeUnretainedValue()
  }
}

// MARK: - What the library reports

// Always on the loop's thread.
extension Connection {
  /// The handshake is about to be answered; whether `upgradeRequested` has allowed that.
  func isUpgradeAllowed() -> Bool {
    switch phase {
    case .asking, .opening, .refused: true
    default: false
    }
  }

  /// The handshake is answered.
  func handshakeAnswered() { core.openings.append(self) }

  /// The socket takes bytes again, as was asked for.
  func writable(_ socket: LWSSocket) -> LWSVerdict {
    guard case .http = phase else {
      // Nobody has asked to write; see `LWSSocket.stopReading`.
      hasSpokenEarly = true
      return .keep
    }
    return response == nil ? .keep : continueResponse(socket)
  }

  /// Takes the socket's bytes over from the library; the service serves the connection from now on.
  func open(on libev: LibevLoop) {
    guard isUpgradeAllowed(), let socket else { return }
    stream = socket.makeStream(on: libev, for: self)
    guard stream != nil else { return kill() }
    let opening = phase
    phase = .open
    recharge()
    core.opened(self)
    guard !hasSpokenEarly else {
      return refuse(.protocolError, "A frame was sent before the handshake was answered.")
    }
    switch opening {
    case .opening(let service, let request): begin(service, request)
    case .refused(let refusal): tell(refusal)
    default:
      phase = .deciding
      setReading(false)
    }
  }

  /// The service serves the connection from now on.
  func begin(_ service: any ConnectionService, _ request: ConnectionRequest) {
    phase = .open
    hasBeenServed = request.query["resume"] == "1"
    setReading(true)
    handler = service.connect(request, self)
    core.began(self)
    // Bytes that TLS has read with the handshake wake nobody.
    if stream?.isSecure == true { readable() }
  }

  /// The WebSocket has ended.
  func closed() {
    guard isWebSocket else { return }
    phase = .gone
    releaseStream()
    core.closed(self)
    handler?.closed(saidFarewell: saidFarewell)
    handler = nil
  }

  /// The socket is gone.
  func destroyed() {
    closed()
    endExchange()
    releaseStream()
    // Allowed, but it never came to the handshake's end.
    if isUpgradeAllowed() { core.releasePlace(of: self) }
    phase = .gone
    socket = nil
    charge = nil
    core.destroyed(self)
  }
}

// MARK: - What the handler asks for

extension Connection: ConnectionHandle {
  func wake() {
    guard !isAwake else { return }
    isAwake = true
    core.awake.append(self)
  }

  func close(_ end: ConnectionEnd) {
    switch phase {
    case .open, .deciding: break
    case .ending:
      // It has not read what comes before its close frame, which says something else now.
      phase = .ending(end)
      return
    case .closing: return kill()
    case .http, .answering, .asking, .opening, .refused, .gone: return
    }
    phase = .ending(end)
    core.expectEnd(of: self)
    // The peer's own close frame must be heard.
    isThrottled = false
    isReading = true
    applyReading()
    wake()
  }

  func returned() { core.shared.ledger.returnSession(of: peers) }

  func setReading(_ isReading: Bool) {
    guard isWebSocket, self.isReading != isReading else { return }
    self.isReading = isReading
    applyReading()
  }
}
