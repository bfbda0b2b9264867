// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc
import MusubiSession
import MusubiWire

/// What a loop's thread owns: the libev loop, the libwebsockets context, the connections, the services.
///
/// Created on the thread that starts the server, then used by the loop's thread only. Everything here is
/// synchronous. One turn of the loop: events arrive, services react and wake connections, and at the end of the
/// turn each woken connection gets what waits for it in one write.
final class LoopCore {
  let loop: EventLoop
  let configuration: ServerConfiguration
  let shared: SharedLimits
  let logger: Logger
  var site: Site
  let handshake: Handshake

  var service: (any ConnectionService)?
  var echo: EchoService?
  var connections: [ConnectionID: Connection] = [:]
  var statistics = LoopStatistics()
  private(set) var isDraining = false

  private var lastID: UInt64 = 0
  /// The connection asked for last; most inputs wake the page that sent them.
  private var recent: Connection?
  private var awake: [ConnectionID] = []
  /// Connections to be cut off if they do not read what was sent before the close frame; in order of time.
  private var endings: [(deadline: Duration, id: ConnectionID)] = []
  /// Connections that are not read from for a while, because they sent too much.
  var throttled = DeadlineQueue<ConnectionID>()
  var addressBuckets: [String: AddressBucket] = [:]
  private var armedDeadline: Duration?
  private var turnBegan: Duration?
  private var stopDeadline: Duration?
  private var scratch: [UInt8] = []

  private let listener: ListenSocket
  private var libev: LibevLoop?
  private var context: LWSContext?

  init(
    loop: EventLoop, configuration: ServerConfiguration, shared: SharedLimits, site: Site, logger: Logger,
    listener: ListenSocket
  ) throws(ServerError) {
    self.loop = loop
    self.configuration = configuration
    self.shared = shared
    self.site = site
    self.logger = logger
    self.listener = listener
    handshake = Handshake(
      allowedOrigins: configuration.allowedOrigins, allowedHosts: configuration.allowedHosts,
      subprotocol: "musubi.v1")
    let libev = try LibevLoop(delegate: self)
    context = try LWSContext(loop: libev, configuration: configuration, subprotocol: handshake.subprotocol)
    self.libev = libev
    loop.attach(libev.waker)
  }

  // MARK: - The thread's life

  /// Serves until the loop is stopped; called once, on the loop's thread.
  ///
  /// - Parameter makeService: Makes what the loop serves.
  func run(makeService: (EventLoop, any Transport) -> any ConnectionService) {
    loop.adoptCurrentThread()
    service = makeService(loop, self)
    if configuration.conformanceEcho != nil { echo = EchoService(transport: self) }
    libev?.watch(listener)
    // What was enqueued before the thread ran.
    loop.runWaiting(on: self)
    libev?.run()
    context?.destroy()
    context = nil
    loop.end(on: self)
    libev = nil
    service = nil
    echo = nil
  }

  /// Gives everything back without having run.
  func discard() {
    context?.destroy()
    context = nil
    loop.end(on: self)
    libev = nil
  }

  /// Stops accepting, tells the pages, and ends the loop when they are gone or time is up.
  func stop() {
    guard !isDraining else { return }
    isDraining = true
    libev?.unwatch()
    listener.close()
    service?.drain()
    stopDeadline = loop.now + configuration.stopTimeout
    for connection in connections.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      switch connection.phase {
      case .open: close(connection.id, ConnectionEnd(.serverRestarting, "restarting"))
      case .http where connection.response == nil: kill(connection)
      default: break
      }
    }
  }

  /// Whether the loop may end.
  private var isFinished: Bool {
    guard let stopDeadline else { return false }
    return connections.isEmpty || loop.now >= stopDeadline
  }

  // MARK: - Accepting

  private func accept() {
    // A batch, so that one turn of many new pages does not keep the others waiting.
    for _ in 0..<64 {
      guard let (descriptor, address) = listener.accept() else { return }
      let counts = !Self.isLoopback(address)
      guard shared.admitSocket(from: counts ? address : nil) else {
        log(.warning, "too many sockets", ["address": address])
        Glibc.close(descriptor)
        continue
      }
      lastID += 1
      let connection = Connection(
        id: ConnectionID(lastID), remoteAddress: address, countsTowardsAddress: counts, core: self)
      connections[connection.id] = connection
      guard let context, context.adopt(descriptor, handler: connection.box) else {
        connection.destroyed()
        continue
      }
    }
  }

  private static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }

  // MARK: - What connections report

  func opened(_ connection: Connection) {
    statistics.opened += 1
    joinAddress(connection)
    log(
      .debug, "connected", ["connection": "\(connection.id.rawValue)", "address": connection.remoteAddress])
  }

  func received(_ connection: Connection) {
    statistics.messagesReceived += 1
    if connection.isRateLimited { count(connection) }
  }

  func closed(_ connection: Connection) {
    shared.releaseConnection()
    leaveAddress(connection)
    statistics.closed += 1
    log(.debug, "disconnected", ["connection": "\(connection.id.rawValue)"])
  }

  func destroyed(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    if recent === connection { recent = nil }
    shared.releaseSocket(from: connection.countsTowardsAddress ? connection.remoteAddress : nil)
  }

  func log(
    _ level: Logger.Level, _ event: String, _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    logger.log(level, event, fields())
  }

  // MARK: - Writing

  /// Sends what waits for a connection.
  ///
  /// - Parameters:
  ///   - connection: Whom to serve.
  ///   - canClose: Whether this runs in the library's own callback for the socket, which alone may close it.
  /// - Returns: Whether the callback is to close the socket.
  func flush(_ connection: Connection, canClose: Bool) -> LWSVerdict {
    guard let socket = connection.socket, let service = connection.service else { return .keep }
    if case .closing = connection.phase { return .keep }
    if socket.hasUnsentBytes {
      socket.askWritable()
      return .keep
    }
    scratch.removeAll(keepingCapacity: true)
    let hasMore = service.takeBytes(for: connection.id, limit: configuration.writeBatchBytes, into: &scratch)
    statistics.bytesSent += scratch.count
    let isUsable = scratch.withUnsafeBytes { socket.write($0) }
    // One giant frame does not keep its memory.
    if scratch.capacity > 4 * configuration.writeBatchBytes { scratch = [] }
    guard isUsable else {
      guard !canClose else { return .close }
      kill(connection)
      return .keep
    }
    if hasMore || socket.hasUnsentBytes {
      socket.askWritable()
    } else if case .ending(let service, let end) = connection.phase {
      guard canClose else {
        socket.askWritable()
        return .keep
      }
      socket.setCloseReason(code: end.code.rawValue, reason: end.reason)
      connection.phase = .closing(service)
      return .close
    }
    return .keep
  }

  /// When the events of this turn arrived.
  var turnTime: Duration { turnBegan ?? loop.now }

  /// Has the library look at what it held back; it does so only in its own turn.
  func pokeContext() { context?.poke() }

  private func flushAwake() {
    // Serving one connection may wake another; a service that never stops waking must not stop the loop.
    for _ in 0..<8 where !awake.isEmpty {
      let batch = awake
      awake.removeAll(keepingCapacity: true)
      for id in batch {
        guard let connection = connection(id) else { continue }
        connection.isAwake = false
        _ = flush(connection, canClose: false)
      }
    }
    if !awake.isEmpty { loop.enqueue {} }
  }

  /// Ends a connection at once; not from within one of its callbacks.
  private func kill(_ connection: Connection) { connection.socket?.kill() }

  private func connection(_ id: ConnectionID) -> Connection? {
    if let recent, recent.id == id { return recent }
    recent = connections[id]
    return recent
  }
}

// MARK: - Turns

extension LoopCore: LibevLoopDelegate {
  func woken() { loop.runWaiting(on: self) }

  func acceptable() { accept() }

  func timerFired() { armedDeadline = nil }

  func turnBegins() { turnBegan = loop.now }

  func turnEnds() {
    advanceIfDue()
    releaseThrottled()
    flushAwake()
    service?.endTurn()
    cutOffEndings()
    if let turnBegan {
      let now = loop.now
      statistics.longestTurn = max(statistics.longestTurn, now - turnBegan)
      self.turnBegan = nil
    }
    if isFinished { libev?.stop() }
    armTimer()
  }

  private func advanceIfDue() {
    for service in [service, echo] {
      guard let service, let deadline = service.nextDeadline, deadline <= loop.now else { continue }
      service.advance(to: loop.now)
    }
  }

  private func cutOffEndings() {
    var done = 0
    for (deadline, id) in endings {
      if let connection = connections[id], connection.service != nil {
        guard deadline <= loop.now else { break }
        log(.info, "cut off", ["connection": "\(id.rawValue)"])
        kill(connection)
      }
      done += 1
    }
    endings.removeFirst(done)
  }

  private func armTimer() {
    let deadlines = [
      service?.nextDeadline, endings.first?.deadline, stopDeadline, throttled.nextDeadline,
    ].compactMap { $0 }
    let next = deadlines.min()
    guard next != armedDeadline else { return }
    armedDeadline = next
    libev?.setTimer(after: next.map { $0 - loop.now })
  }
}

// MARK: - What services ask for

extension LoopCore: Transport {
  func wake(_ id: ConnectionID) {
    guard let connection = connection(id), !connection.isAwake, connection.service != nil else { return }
    connection.isAwake = true
    awake.append(id)
  }

  func close(_ id: ConnectionID, _ reason: ConnectionEnd) {
    guard let connection = connection(id), case .open(let service) = connection.phase else { return }
    connection.phase = .ending(service, reason)
    connection.partialMessage = []
    endings.append((loop.now + configuration.closeTimeout, id))
    // The peer's own close frame must be heard.
    if connection.isThrottled {
      connection.isThrottled = false
      connection.applyReading()
      pokeContext()
    }
    setReading(id, true)
    wake(id)
  }

  func setReading(_ id: ConnectionID, _ isReading: Bool) {
    guard let connection = connection(id), connection.service != nil, connection.isReading != isReading else {
      return
    }
    connection.isReading = isReading
    connection.applyReading()
    if isReading { pokeContext() }
  }
}
