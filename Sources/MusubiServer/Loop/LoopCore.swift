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
  @exclusivity(unchecked) var statistics = LoopStatistics()
  private(set) var isDraining = false

  private var lastID: UInt64 = 0
  /// Most inputs wake the page that sent them, and turns wake the same pages again.
  @exclusivity(unchecked) var recent = RecentConnections()
  @exclusivity(unchecked) private var awake: [Connection] = []
  /// Lent to `flushAwake`, so that a turn allocates nothing.
  @exclusivity(unchecked) private var flushing: [Connection] = []
  /// WebSockets whose handshake the library has answered in this turn; their bytes are still the library's.
  var newcomers: [ConnectionID] = []
  /// Connections that are read from again, and whose bytes of before are not taken yet.
  var resumed: [ConnectionID] = []
  /// When silent peers are looked for.
  var lookOut: LookOut
  /// Where everything that arrives is read to, one connection after the other.
  let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Connections to be cut off if they do not read what was sent before the close frame; in order of time.
  var endings: [(deadline: Duration, id: ConnectionID)] = []
  /// Connections that are not read from for a while, because they sent too much.
  var throttled = DeadlineQueue<ConnectionID>()
  private var armedDeadline: Duration?
  private var turnBegan: Duration?
  private var stopDeadline: Duration?
  /// When those that were accepted and have asked for nothing yet are given up; nil while the loop serves.
  private var patienceDeadline: Duration?
  @exclusivity(unchecked) private var scratch: [UInt8] = []

  private let listener: ListenSocket
  private(set) var libev: LibevLoop?
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
    lookOut = LookOut(configuration)
    handshake = Handshake(
      allowedOrigins: configuration.allowedOrigins, allowedHosts: configuration.allowedHosts,
      subprotocol: "musubi.v1")
    let libev = try LibevLoop(delegate: self)
    context = try LWSContext(loop: libev, configuration: configuration, subprotocol: handshake.subprotocol)
    self.libev = libev
    loop.attach(libev.waker)
    shared.loopAccepts()
  }

  deinit { receiveBuffer.deallocate() }

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
    for connection in connections.values where connection.socket == nil { connection.kill() }
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

  /// Stops accepting, sends the pages away, and ends the loop when they are gone or time is up.
  ///
  /// Nobody who was accepted is refused: a handshake that is on its way is answered, and its page is sent away then.
  func stop() {
    guard !isDraining else { return }
    isDraining = true
    libev?.unwatch()
    // Closing the socket resets who waits in its queue; one that is inherited keeps them for the next process.
    if !listener.isInherited { while acceptOne() {} }
    listener.close()
    shared.loopStops()
    service?.drain()
    stopDeadline = loop.now + configuration.stopTimeout
    patienceDeadline = loop.now + configuration.stopPatience
    for connection in connections.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      switch connection.phase {
      case .open: sendAway(connection)
      case .http where connection.response == nil && connection.hasRequested: connection.kill()
      default: break
      }
    }
  }

  /// Closes a connection, and tells its page when to come back: each at another time.
  ///
  /// Whoever has just come first sees what there is to see, which may be on its way from another loop.
  private func sendAway(_ connection: Connection) {
    guard connection.hasBeenServed || patienceDeadline == nil else { return }
    let delay = Int(configuration.restartSpread.inSeconds * Double.random(in: 0..<1_000))
    close(connection.id, ConnectionEnd(.serverRestarting, "\(delay) ms, then come back: the server restarts"))
  }

  /// Gives up those that were accepted and have asked for nothing, or that nobody serves.
  private func endPatience() {
    guard let patienceDeadline, patienceDeadline <= loop.now else { return }
    self.patienceDeadline = nil
    for connection in connections.values {
      switch connection.phase {
      case .http where connection.response == nil: connection.kill()
      case .open: sendAway(connection)
      default: break
      }
    }
  }

  /// Whether the loop may end.
  private var isFinished: Bool {
    guard let stopDeadline else { return false }
    return shared.isDeserted || loop.now >= stopDeadline
  }

  // MARK: - Accepting

  private func accept() {
    // A batch, so that one turn of many new pages does not keep the others waiting.
    for _ in 0..<64 where !acceptOne() { return }
  }

  /// Takes one connection out of the queue.
  ///
  /// - Returns: Whether there was one.
  private func acceptOne() -> Bool {
    guard let (descriptor, address) = listener.accept() else { return false }
    let counts = configuration.countsLoopback || !Self.isLoopback(address)
    guard shared.admitSocket(from: counts ? address : nil) else {
      log(.warning, "too many sockets", ["address": address])
      Glibc.close(descriptor)
      return true
    }
    lastID += 1
    let connection = Connection(
      id: ConnectionID(lastID), remoteAddress: address, countsTowardsAddress: counts, core: self)
    connections[connection.id] = connection
    connection.stream = libev.flatMap { SocketStream(descriptor, on: $0, for: connection) }
    if connection.stream == nil {
      Glibc.close(descriptor)
      connection.destroyed()
    }
    beginLookOut()
    return true
  }

  /// Leaves a connection to the library, from its first byte on.
  func handOver(_ connection: Connection) {
    guard let descriptor = connection.stream?.release() else { return }
    connection.stream = nil
    connection.socket = context?.adopt(descriptor, for: connection)
    if connection.socket == nil { connection.destroyed() }
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

  /// The service knows a connection; one that comes while the loop drains gets what it would show, and goes.
  func began(_ connection: Connection) {
    if isDraining { sendAway(connection) }
  }

  func received(_ connection: Connection) {
    statistics.messagesReceived += 1
    if !connection.isEcho { count(connection) }
  }

  func closed(_ connection: Connection) {
    shared.releaseConnection()
    leaveAddress(connection)
    statistics.closed += 1
    log(.debug, "disconnected", ["connection": "\(connection.id.rawValue)"])
  }

  func destroyed(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    recent[connection.id] = nil
    shared.releaseSocket(from: connection.countsTowardsAddress ? connection.remoteAddress : nil)
  }

  func log(
    _ level: Logger.Level, _ event: String, _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    logger.log(level, event, fields())
  }

  // MARK: - Writing

  /// Sends what waits for a connection, as one write.
  func flush(_ connection: Connection) {
    // What the kernel has not taken goes first, and costs this one connection.
    guard connection.stream != nil, connection.unsent.isEmpty, !connection.isIgnored else { return }
    scratch.removeAll(keepingCapacity: true)
    if !connection.controlFrames.isEmpty {
      scratch += connection.controlFrames
      connection.controlFrames = []
    }
    let ownBytes = scratch.count
    var hasMore = false
    switch connection.phase {
    case .open(let service):
      hasMore = service.takeBytes(for: connection.id, limit: configuration.writeBatchBytes, into: &scratch)
    case .ending(let service, let end):
      hasMore = service.takeBytes(for: connection.id, limit: configuration.writeBatchBytes, into: &scratch)
      guard !hasMore else { break }
      WebSocketFrame.appendUnmasked(
        .close, WebSocketFrame.closePayload(end.code, end.reason), to: &scratch)
      connection.phase = .closing(service)
    case .http, .upgrading, .closing, .gone: return
    }
    statistics.bytesSent += scratch.count
    scratch.withUnsafeBytes { connection.write($0) }
    // One giant frame does not keep its memory.
    if scratch.capacity > 4 * configuration.writeBatchBytes { scratch = [] }
    if hasMore { connection.waitToWrite(true) }
    // The answer to the handshake alone is not what the page came for.
    if scratch.count == ownBytes { return }
    connection.hasBeenServed = true
    if isDraining { sendAway(connection) }
  }

  /// When the events of this turn arrived.
  var turnTime: Duration { turnBegan ?? loop.now }

  private func flushAwake() {
    // Serving one connection may wake another; a service that never stops waking must not stop the loop.
    for _ in 0..<8 where !awake.isEmpty {
      // What is woken meanwhile belongs to the next round.
      swap(&awake, &flushing)
      for connection in flushing {
        connection.isAwake = false
        flush(connection)
      }
      flushing.removeAll(keepingCapacity: true)
    }
    if !awake.isEmpty { loop.enqueue {} }
  }

  private func connection(_ id: ConnectionID) -> Connection? {
    if let known = recent[id] { return unsafeDowncast(known, to: Connection.self) }
    let connection = connections[id]
    recent[id] = connection
    return connection
  }
}

// MARK: - Turns

extension LoopCore: LibevLoopDelegate {
  func woken() { loop.runWaiting(on: self) }

  func acceptable() { accept() }

  func timerFired() { armedDeadline = nil }

  func turnBegins() { turnBegan = loop.now }

  func turnEnds() {
    takeNewcomers()
    advanceIfDue()
    releaseThrottled()
    takeResumed()
    if let deadline = lookOut.deadline, deadline <= turnTime { lookAround() }
    service?.finishTurns()
    flushAwake()
    service?.endTurn()
    cutOffEndings()
    endPatience()
    if let turnBegan {
      measureTurn(loop.now - turnBegan)
      self.turnBegan = nil
    }
    if isFinished { libev?.stop() }
    armTimer()
  }

  /// Keeps the longest turn, and logs one that was felt: a single input is never interrupted.
  private func measureTurn(_ length: Duration) {
    guard length > statistics.longestTurn else { return }
    // Each line tells of a turn half as long again, so that there are few.
    if length >= .milliseconds(100), length * 2 > statistics.longestTurn * 3 {
      log(
        .warning, "long turn", ["loop": "\(loop.index)", "milliseconds": "\(Int(length.inSeconds * 1_000))"])
    }
    statistics.longestTurn = length
  }

  private func advanceIfDue() {
    guard let deadline = service?.nextDeadline, deadline <= loop.now else { return }
    service?.advance(to: loop.now)
  }

  private func cutOffEndings() {
    guard !endings.isEmpty else { return }
    var done = 0
    for (deadline, id) in endings {
      if let connection = connections[id], connection.service != nil {
        guard deadline <= loop.now else { break }
        log(.info, "cut off", ["connection": "\(id.rawValue)"])
        connection.kill()
      }
      done += 1
    }
    endings.removeFirst(done)
  }

  private func armTimer() {
    var next = Duration.earlier(service?.nextDeadline, endings.first?.deadline)
    next = .earlier(next, .earlier(stopDeadline, .earlier(throttled.nextDeadline, lookOut.deadline)))
    next = .earlier(next, patienceDeadline)
    // The last page of another loop may have gone.
    if isDraining { next = .earlier(next, loop.now + .milliseconds(20)) }
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
    awake.append(connection)
  }

  func close(_ id: ConnectionID, _ reason: ConnectionEnd) {
    guard let connection = connection(id), case .open(let service) = connection.phase else { return }
    connection.phase = .ending(service, reason)
    expectEnd(of: connection)
    // The peer's own close frame must be heard.
    connection.isThrottled = false
    connection.isReading = true
    connection.applyReading()
    wake(id)
  }

  func setReading(_ id: ConnectionID, _ isReading: Bool) {
    guard let connection = connection(id), connection.service != nil, connection.isReading != isReading else {
      return
    }
    connection.isReading = isReading
    connection.applyReading()
  }
}
