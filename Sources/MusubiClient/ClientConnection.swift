// SPDX-License-Identifier: Apache-2.0
import Glibc
package import MusubiWire

/// A session with a socket: connects, sends, receives, and resumes when asked to.
///
/// Nothing happens by itself: `pump` moves bytes until a condition holds or a deadline passes. One thread may pump
/// several connections together; a connection belongs to the thread that uses it.
///
/// ```swift
/// let page = ClientConnection(server: try ServerAddress("http://localhost:8080"), target: "/live/number?room=lobby")
/// try page.connect()
/// let deadline = ContinuousClock.now.advanced(by: .seconds(2))
/// if ClientConnection.pump([page], until: deadline, while: { page.session.state["label"] == nil }) {
///   page.update { $0.tap("roll") }
/// }
/// ```
public final class ClientConnection {
  /// How a connection is opened.
  public struct Options: Sendable {
    /// Whether two-way texts are followed by edits.
    public var followsEdits = true
    /// The `Origin` header; none if nil.
    public var origin: String?
    /// The `Cookie` header, which tells the server who it is; none if nil.
    public var cookie: String?
    /// The `Authorization` header; none if nil.
    public var authorization: String?
    /// The subprotocol to ask for.
    public var subprotocol = "musubi.v1"

    /// The options of a browser's page, without an origin.
    public init() {}
  }

  /// Where the connection stands.
  public enum Status: Equatable, Sendable {
    /// Not connected yet.
    case idle
    /// The socket or the handshake is on its way.
    case connecting
    /// Frames pass.
    case open
    /// The server answered the handshake with an HTTP status, or with one behind it, when it knew who it is.
    case refused(ClientRefusal)
    /// The connection has ended; 1006 if nobody said why.
    case closed(code: Int, reason: String)
  }

  /// A frame as it passed, for logs.
  package struct Trace: Sendable {
    package enum Direction: Sendable { case sent, received }
    package let direction: Direction
    package let text: String
  }

  /// The server; another one is that of the next connection.
  package var server: ServerAddress
  /// The path and query, without what the session adds to it.
  package let target: String
  /// How it is opened, the next time.
  public var options: Options
  /// The protocol's state.
  public private(set) var session: ClientSession
  /// Where the connection stands.
  public private(set) var status = Status.idle
  /// What the frames brought, in order; the owner takes it out.
  public var notices: [ClientNotice] = []
  /// Called for each frame that passes.
  package var onTrace: ((Trace) -> Void)?
  /// Whether nothing is read from the socket.
  package var isStalled = false
  /// What decides jitter and loss: from the same number a line throws the same numbers, from its first connection on.
  ///
  /// Which bytes get which throw depends on the pieces in which they come.
  package var lineSeed: UInt64 = 0 {
    didSet {
      // Each direction has a stream of its own, so that what comes in when does not matter to what goes out.
      outgoing.dice = SplitMix64(seed: lineSeed)
      incoming.dice = SplitMix64(seed: ~lineSeed)
    }
  }

  private var incoming = ClientLine<ContinuousClock.Instant>()
  private var outgoing = ClientLine<ContinuousClock.Instant>()
  private var socket: ClientSocket?
  private var isConnecting = false
  private var handshake: ClientHandshake?
  private var reader = MessageReader()
  private var unsent: ArraySlice<UInt8> = []

  /// Makes a connection that is not open yet.
  ///
  /// - Parameters:
  ///   - server: Where the server listens.
  ///   - target: The path and query of the screen, such as `/live/number?room=lobby`.
  ///   - options: How it is opened.
  public init(server: ServerAddress, target: String, options: Options = Options()) {
    self.server = server
    self.target = target
    self.options = options
    session = ClientSession(followsEdits: options.followsEdits)
  }

  // MARK: - A connection's life

  /// Begins to connect; an existing session is resumed.
  ///
  /// - Throws: `ClientError` if the server's name has no address.
  public func connect() throws(ClientError) {
    drop()
    incoming.reset()
    outgoing.reset()
    reader = MessageReader()
    unsent = []
    notices.removeAll()
    let separator = target.contains("?") ? "&" : "?"
    let query = session.query
    handshake = ClientHandshake(
      server: server, target: query.isEmpty ? target : target + separator + query, origin: options.origin,
      cookie: options.cookie, authorization: options.authorization, subprotocol: options.subprotocol,
      random: { UInt8.random(in: .min ... .max) })
    socket = try ClientSocket.connect(to: server)
    isConnecting = true
    status = .connecting
    outgoing.put(handshake?.request ?? [], now: .now)
  }

  /// Cuts the connection without a close frame; the session can be resumed by `connect`.
  public func drop() {
    guard socket != nil else { return }
    socket?.abort()
    end(code: 1006, reason: "cut by this client")
  }

  /// Ends the connection with a close frame.
  ///
  /// - Parameter code: Why, RFC 6455 section 7.4.
  public func close(code: UInt16 = 1001) {
    guard socket != nil else { return }
    if status == .open {
      sendFrame(.close, WebSocketFrame.closePayload(CloseCode(rawValue: code)))
      write(now: .now)
    }
    end(code: Int(code), reason: "closed by this client")
  }

  /// Changes the session and sends what that gives to send.
  ///
  /// - Parameter change: What to do.
  /// - Returns: What the change returns.
  /// - Throws: What the change throws.
  public func update<Result, Failure: Error>(
    _ change: (inout ClientSession) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { flush() }
    return try change(&session)
  }

  /// Sends a frame that the protocol may not know.
  package func sendRaw(_ payload: [UInt8], isText: Bool = true) throws(ClientError) {
    guard status == .open else { throw ClientError(.notConnected) }
    sendFrame(isText ? .text : .binary, payload)
  }

  /// Holds bytes back both ways.
  package func delay(by conditions: LineConditions) {
    incoming.conditions = conditions
    outgoing.conditions = conditions
  }

  /// Whether bytes are held back.
  package var isDelayed: Bool { outgoing.conditions != LineConditions() }

  /// Cuts the connection once so many more bytes have passed.
  package func cut(afterSent bytes: Int) { outgoing.bytesUntilCut = bytes }

  /// Cuts the connection once so many more bytes have come.
  package func cut(afterReceived bytes: Int) { incoming.bytesUntilCut = bytes }

  private func end(code: Int, reason: String) {
    socket = nil
    handshake = nil
    isConnecting = false
    unsent = []
    session.connectionLost()
    status = .closed(code: code, reason: reason)
  }

  // MARK: - Frames

  private func flush() {
    guard status == .open else { return }
    for frame in session.takeFrames() { sendFrame(.text, frame) }
  }

  private func sendFrame(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) {
    trace(.sent, opcode, payload)
    let mask = UInt32.random(in: .min ... .max)
    outgoing.put([UInt8](writing: { $0.appendFrame(opcode, payload, mask: mask) }), now: .now)
  }

  private func trace(_ direction: Trace.Direction, _ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) {
    guard let onTrace else { return }
    let text: String
    switch opcode {
    case .text: text = String(decoding: payload, as: UTF8.self)
    case .close:
      let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
      text = "[close \(code)] \(String(decoding: payload.dropFirst(2), as: UTF8.self))"
    default: text = "[\(opcode)] \(payload.count) bytes"
    }
    onTrace(Trace(direction: direction, text: text))
  }

  private func receive(_ bytes: [UInt8], isEnd: Bool = false) {
    do throws(ClientError) {
      var bytes = bytes
      if var waiting = handshake {
        let progress = try waiting.receive(bytes, isEnd: isEnd)
        handshake = waiting
        switch progress {
        case .waiting: return
        case .refused(let refusal):
          end(code: 1006, reason: "refused")
          status = .refused(refusal)
          return
        case .accepted(let rest):
          handshake = nil
          status = .open
          session.connectionOpened()
          flush()
          bytes = rest
        }
      }
      reader.feed(bytes)
      try readMessages()
    } catch {
      socket?.abort()
      end(code: 1006, reason: error.description)
    }
  }

  private func readMessages() throws(ClientError) {
    while socket != nil {
      let message: MessageReader.Message?
      do throws(WireError) {
        message = try reader.next()
      } catch {
        throw ClientError(frame: error)
      }
      switch message {
      case nil: return
      case .text(let payload)?:
        trace(.received, .text, payload)
        if let refusal = ClientRefusal(frame: payload) {
          socket?.abort()
          end(code: 1006, reason: "refused")
          status = .refused(refusal)
          return
        }
        do throws(ClientError) {
          notices += try session.receive(payload)
        } catch {
          // Wire.md, Turns: whoever cannot follow comes back without resuming.
          session.abandonSession()
          throw error
        }
        flush()
      case .binary(let payload)?: trace(.received, .binary, payload)
      case .ping(let payload)?: sendFrame(.pong, payload)
      case .pong?: break
      case .close(let code, let reason)?:
        trace(.received, .close, WebSocketFrame.closePayload(code ?? .normal, reason))
        sendFrame(.close, code.map { WebSocketFrame.closePayload($0) } ?? [])
        write(now: .now)
        end(code: Int(code?.rawValue ?? 1005), reason: reason)
      }
    }
  }
}

// MARK: - Moving bytes

extension ClientConnection {
  /// The events that `poll` is to wait for; nil if there is no socket.
  var interest: pollfd? {
    guard let socket else { return nil }
    var events: Int16 = 0
    if !isStalled { events |= Int16(POLLIN) }
    if isConnecting || !unsent.isEmpty { events |= Int16(POLLOUT) }
    return pollfd(fd: socket.descriptor, events: events, revents: 0)
  }

  /// When held-back bytes are due next.
  var nextDue: ContinuousClock.Instant? {
    guard socket != nil, !isConnecting else { return nil }
    return [incoming.nextDue, outgoing.nextDue].compactMap { $0 }.min()
  }

  /// Moves what can be moved after `poll` has reported `events`.
  func move(_ events: Int16, now: ContinuousClock.Instant) {
    guard let socket else { return }
    if isConnecting {
      guard events & Int16(POLLOUT | POLLERR | POLLHUP) != 0 else { return }
      if let failure = socket.connectFailure {
        return end(code: 1006, reason: "cannot connect to \(server): \(failure)")
      }
      isConnecting = false
    }
    write(now: now)
    if isStalled, events & Int16(POLLERR | POLLHUP) != 0 {
      return end(code: 1006, reason: "the connection was lost")
    }
    guard !isStalled, events & Int16(POLLIN | POLLERR | POLLHUP) != 0 else { return deliver(now: now) }
    switch socket.read() {
    case .bytes(let bytes): incoming.put(bytes, now: now)
    case .nothingYet: break
    case .end:
      deliver(now: now)
      if handshake != nil { receive([], isEnd: true) }
      if self.socket != nil { end(code: 1006, reason: "the connection was lost") }
      return
    }
    deliver(now: now)
    write(now: now)
  }

  private func deliver(now: ContinuousClock.Instant) {
    guard socket != nil else { return }
    let (bytes, isCut) = incoming.take(now: now)
    if !bytes.isEmpty { receive(bytes) }
    if isCut { drop() }
  }

  private func write(now: ContinuousClock.Instant) {
    guard let socket, !isConnecting else { return }
    let (bytes, isCut) = outgoing.take(now: now)
    unsent += bytes
    if !unsent.isEmpty {
      guard let count = socket.write(unsent) else { return }  // The read that follows tells how it ended.
      unsent = unsent.dropFirst(count)
    }
    // The last bytes before a cut reach the server only if the socket is closed in an orderly way.
    if isCut, unsent.isEmpty { end(code: 1006, reason: "cut by this client") }
  }
}
