// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc
import MusubiSession
import MusubiWire

/// The objects of a loop's thread: the libev loop, the libwebsockets context, the connections, the services.
///
/// Created on the thread that starts the server, then used by the loop's thread only. Everything here is
/// synchronous. One iteration: events arrive, services react and wake connections, and at the end of the
/// iteration each woken connection gets what waits for it in one write.
final class LoopCore {
  let loop: EventLoop
  let configuration: ServerConfiguration
  let shared: SharedLimits
  let logger: Logger
  var site: Site
  let handshake: Handshake

  var service: (any ConnectionService)?
  /// Who takes how much memory, as its service counts.
  private(set) var memory = MemoryLedger(limit: nil)
  var echo: EchoService?
  var connections: [UInt64: Connection] = [:]
  var statistics = LoopStatistics()
  private(set) var isDraining = false
  /// Whether new visitors may come, as long as it does not drain.
  var readiness = Readiness.ready

  private var lastID: UInt64 = 0
  /// The number of the last request that the program was asked.
  var lastExchange: UInt64 = 0
  /// When requests that the program answers are given up.
  var exchanges = DeadlineQueue<(connection: UInt64, number: UInt64)>()
  /// Connections whose request for the program is complete.
  var arrivedRequests: [Connection] = []
  /// The exchanges that the program works on, by their numbers: what they bring counts until it has ended.
  var works: [UInt64: RouteExchange] = [:]
  /// Connections for which bytes wait.
  var awake: [Connection] = []
  /// Lent to `flushAwake`, so that an iteration allocates nothing.
  private var flushing: [Connection] = []
  /// WebSockets whose handshake the library has answered, and whose bytes are still the library's.
  var openings: [Connection] = []
  /// How many of them, from the first on, the library reads no more.
  var quietOpenings = 0
  /// Connections that are read from again, and whose bytes of before are not taken yet.
  var resumed: [Connection] = []
  /// When silent peers are looked for.
  var idleTimeout: IdleTimeout
  /// Where everything that arrives is read to, one connection after the other.
  let receiveBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Connections to be cut off if they do not read up to the close frame; in order of time.
  private var closing: [(deadline: Duration, connection: Connection)] = []
  /// Those whose end was asked for in this iteration: nobody could read anything yet.
  var ending: [Connection] = []
  /// Those that wait to hear who they are, by the time at which they do so no longer.
  var undecided = DeadlineQueue<(connection: Connection, request: HTTPRequest)>()
  /// Connections that are not read from for a while, because they sent too much.
  var throttled = DeadlineQueue<Connection>()
  private var armedDeadline: Duration?
  private var iterationBegan: Duration?
  private var stopDeadline: Duration?
  /// When those that were accepted and have asked for nothing yet are given up; nil while the loop serves.
  private var graceDeadline: Duration?
  /// Whether the pages are still to be sent away.
  private var hasToSendAway = false
  private var scratch = ByteBuffer()

  /// The links to the loops of other nodes, if there are some.
  var links: LoopLinks?

  private let listener: ListenSocket
  private(set) var libev: LibevLoop?
  private var context: LWSContext?

  init(
    loop: EventLoop, configuration: ServerConfiguration, shared: SharedLimits, site: Site, logger: Logger,
    listener: ListenSocket, identity: TLSIdentity?
  ) throws(ServerError) {
    self.loop = loop
    self.configuration = configuration
    self.shared = shared
    self.site = site
    self.logger = logger
    self.listener = listener
    idleTimeout = IdleTimeout(configuration)
    handshake = Handshake(
      allowedOrigins: configuration.allowedOrigins, allowedHosts: configuration.allowedHosts,
      subprotocol: "musubi.v1")
    let libev = try LibevLoop(core: self)
    context = try LWSContext(
      loop: libev, configuration: configuration, subprotocol: handshake.subprotocol,
      identity: identity)
    self.libev = libev
    loop.attach(libev.waker)
    shared.loopAccepts()
  }

  deinit { receiveBuffer.deallocate() }

  // MARK: - The thread's life

  /// Serves until the loop is stopped; called once, on the loop's thread.
  ///
  /// - Parameter makeService: Makes what the loop serves.
  func run(makeService: (EventLoop) -> any ConnectionService) {
    loop.adoptCurrentThread(with: self)
    let service = makeService(loop)
    self.service = service
    if let ledger = service.ledger { memory = ledger }
    if configuration.conformanceEcho != nil { echo = EchoService() }
    libev?.watch(listener)
    // The jobs that were enqueued before the thread ran.
    loop.runWaiting(on: self)
    libev?.run()
    links?.end()
    context?.destroy()
    context = nil
    endLoop()
    (awake, openings, resumed, closing, ending, throttled) = ([], [], [], [], [], DeadlineQueue())
    undecided = DeadlineQueue()
    (arrivedRequests, exchanges, works) = ([], DeadlineQueue(), [:])
    libev = nil
    service.end()
    self.service = nil
    echo = nil
  }

  /// Gives everything back without having run.
  func discard() {
    context?.destroy()
    context = nil
    endLoop()
    libev = nil
  }

  /// Runs what still waits; links that begin only then end at once.
  private func endLoop() {
    loop.end(on: self)
    links?.end()
    links = nil
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
    stopDeadline = loop.now + configuration.stopTimeout
    graceDeadline = loop.now + configuration.stopGrace
    hasToSendAway = true
    sendAllAway()
  }

  /// Sends the pages away once no loop accepts: a page that came back to another loop would be sent away again.
  ///
  /// A loop that is busy is waited for until the grace ends.
  private func sendAllAway() {
    let isOver = graceDeadline.map { $0 <= loop.now } ?? true
    guard hasToSendAway, shared.acceptsNobody || isOver else { return }
    hasToSendAway = false
    for connection in connections.values.sorted(by: { $0.id < $1.id }) {
      switch connection.phase {
      case .open: sendAway(connection)
      case .http where connection.answering == nil && connection.hasRequested: connection.kill()
      // A large body would hold the process: what has arrived is the program's, and the browser brings the rest to the next.
      case .http where connection.exchange?.arriving?.isComplete == false: connection.kill()
      case .answering: connection.kill()
      default: break
      }
    }
  }

  /// Closes a connection, and tells its page when to come back: each at another time.
  ///
  /// Whoever has just come first sees what there is to see, which may be on its way from another loop.
  private func sendAway(_ connection: Connection) {
    guard !hasToSendAway, connection.hasBeenServed || graceDeadline == nil else { return }
    let delay = Int(configuration.restartSpread.inSeconds * Double.random(in: 0..<1_000))
    connection.close(ConnectionEnd(.serverRestarting, "\(delay) ms, then come back: the server restarts"))
  }

  /// Gives up those that were accepted and have asked for nothing, or that nobody serves.
  private func endGrace() {
    sendAllAway()
    guard let graceDeadline, graceDeadline <= loop.now else { return }
    self.graceDeadline = nil
    for connection in connections.values {
      switch connection.phase {
      case .http where connection.answering == nil: connection.kill()
      case .open, .deciding: sendAway(connection)
      default: break
      }
    }
  }

  /// Whether the loop may end.
  private var isFinished: Bool {
    guard let stopDeadline else { return false }
    return shared.isDeserted || loop.now >= stopDeadline
  }

  /// Shows another certificate from the next handshake on.
  func use(_ identity: TLSIdentity) {
    if context?.use(identity) == false {
      log(.warning, "certificate refused", ["loop": "\(loop.index)"])
    }
  }

  // MARK: - Accepting

  /// Takes one connection out of the queue.
  ///
  /// - Returns: Whether there was one.
  private func acceptOne() -> Bool {
    guard let (descriptor, address) = listener.accept() else { return false }
    let peer = IPAddress(address)
    // The visitors behind a trusted proxy are told apart when they have asked for something.
    let peers = peer.map { configuration.trustedProxies.contains($0) ? [] : counted($0) } ?? []
    guard let charge = admitSocket(from: address, peers) else {
      Glibc.close(descriptor)
      return true
    }
    lastID += 1
    let connection = Connection(
      id: lastID, remoteAddress: address, socketPeers: peers, charge: charge, core: self)
    connections[connection.id] = connection
    connection.socket = context?.adopt(descriptor, for: connection)
    if connection.socket == nil { connection.destroyed() }
    return true
  }

  // MARK: - What connections report

  func opened(_ connection: Connection) {
    statistics.opened += 1
    joinAddress(connection)
    log(
      .debug, "connected", ["connection": "\(connection.id)", "address": connection.remoteAddress])
  }

  /// The service knows a connection; one that comes while the loop drains gets its state, and goes.
  func began(_ connection: Connection) {
    if isDraining { sendAway(connection) }
  }

  func received(_ connection: Connection) {
    statistics.messagesReceived += 1
    if !connection.isEcho { count(connection) }
  }

  func closed(_ connection: Connection) {
    releasePlace(of: connection)
    leaveAddress(connection)
    statistics.closed += 1
    log(.debug, "disconnected", ["connection": "\(connection.id)"])
  }

  func destroyed(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    shared.releaseSocket()
    shared.ledger.releaseSocket(of: connection.socketPeers)
  }

  func log(
    _ level: Logger.Level, _ event: String, _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    logger.log(level, event, fields())
  }

  // MARK: - Writing

  /// Sends what waits for a connection, as one write.
  func flush(_ connection: Connection) {
    // Bytes that the kernel has not taken go first, and costs this one connection.
    guard connection.stream != nil, connection.unsent.isEmpty, !connection.isIgnored else { return }
    scratch.removeAll()
    if !connection.controlFrames.isEmpty {
      scratch.append(contentsOf: connection.controlFrames)
      connection.controlFrames = []
    }
    let ownBytes = scratch.count
    var hasMore = false
    switch connection.phase {
    case .open:
      hasMore = connection.handler?.write(into: &scratch, limit: configuration.writeBatchBytes) ?? false
    case .ending(let end):
      hasMore = connection.handler?.write(into: &scratch, limit: configuration.writeBatchBytes) ?? false
      guard !hasMore else { break }
      scratch.appendFrame(.close, WebSocketFrame.closePayload(end.code, end.reason))
      connection.phase = .closing
    case .http, .answering, .asking, .opening, .refused, .deciding, .closing, .gone: return
    }
    statistics.bytesSent += scratch.count
    connection.write(UnsafeRawBufferPointer(scratch.bytes))
    if hasMore { connection.waitToWrite(true) }
    // The answer to the handshake alone is not what the page came for.
    if scratch.count == ownBytes { return }
    connection.hasBeenServed = true
    if isDraining { sendAway(connection) }
  }

  /// When the events of this iteration arrived.
  var iterationTime: Duration { iterationBegan ?? loop.now }

  private func flushAwake() {
    // Serving one connection may wake another; a service that never stops waking must not stop the loop.
    for _ in 0..<8 where !awake.isEmpty {
      // A connection that is woken meanwhile belongs to the next round.
      swap(&awake, &flushing)
      for connection in flushing {
        connection.isAwake = false
        flush(connection)
      }
      flushing.removeAll(keepingCapacity: true)
    }
    if !awake.isEmpty { loop.enqueue {} }
  }
}

// MARK: - Iterations

extension LoopCore {
  /// Another thread has something for the loop.
  func woken() { loop.runWaiting(on: self) }

  /// The listening socket has connections to accept.
  func acceptable() {
    // A batch, so that an iteration of many new pages does not keep the others waiting. Its time counts because TLS
    // answers a client's first bytes, which are there already, at once.
    let end = loop.now + configuration.acceptBudget
    var count = 0
    while count < 64, acceptOne() {
      count += 1
      if loop.now >= end { break }
    }
    statistics.mostAccepted = max(statistics.mostAccepted, count)
  }

  /// The time set last has passed.
  func timerFired() { armedDeadline = nil }

  /// Events have arrived.
  func iterationBegins() { iterationBegan = loop.now }

  /// All events have been handled; the loop is about to wait.
  func iterationEnds() {
    takeOpenings()
    takeRequests()
    expireExchanges()
    advanceIfDue()
    links?.advance(to: loop.now)
    releaseThrottled()
    giveUpUndecided()
    takeResumed()
    if let deadline = idleTimeout.deadline, deadline <= iterationTime { checkIdle() }
    service?.finishTurns()
    flushAwake()
    service?.endIteration()
    cutOffClosing()
    endGrace()
    if let iterationBegan {
      measureIteration(loop.now - iterationBegan)
      self.iterationBegan = nil
    }
    if isFinished { libev?.stop() }
    armTimer()
  }

  /// Keeps the longest iteration, and logs one that was felt: a single input is never interrupted.
  private func measureIteration(_ length: Duration) {
    if length > statistics.longestLately { statistics.longestLately = length }
    guard length > statistics.longestIteration else { return }
    // Each line tells of an iteration half as long again, so that there are few.
    if length >= .milliseconds(100), length * 2 > statistics.longestIteration * 3 {
      service?.suspectIteration()
      log(
        .warning, "long iteration",
        ["loop": "\(loop.index)", "milliseconds": "\(Int(length.inSeconds * 1_000))"])
    }
    statistics.longestIteration = length
  }

  private func advanceIfDue() {
    guard let deadline = service?.nextDeadline, deadline <= loop.now else { return }
    service?.advance(to: loop.now)
  }

  /// Cuts off those whose time was over when the iteration began: what they had sent by then has been read.
  ///
  /// However long an iteration takes, each of them has its time between two of them.
  private func cutOffClosing() {
    guard !closing.isEmpty || !ending.isEmpty else { return }
    let deadline = loop.now + configuration.closeTimeout
    closing += ending.map { (deadline, $0) }
    ending.removeAll()
    var done = 0
    for (deadline, connection) in closing {
      if connection.isWebSocket {
        guard deadline <= iterationTime else { break }
        refused("cut-off", event: "cut off", of: connection.peerName, [("connection", "\(connection.id)")])
        connection.kill()
      }
      done += 1
    }
    closing.removeFirst(done)
  }

  private func armTimer() {
    var next = Duration.earlier(service?.nextDeadline, closing.first?.deadline)
    next = .earlier(next, .earlier(stopDeadline, .earlier(throttled.nextDeadline, idleTimeout.deadline)))
    next = .earlier(next, .earlier(graceDeadline, .earlier(undecided.nextDeadline, exchanges.nextDeadline)))
    next = .earlier(next, links?.nextDeadline)
    // The last page of another loop may have gone.
    if isDraining { next = .earlier(next, loop.now + .milliseconds(20)) }
    guard next != armedDeadline else { return }
    armedDeadline = next
    libev?.setTimer(after: next.map { $0 - loop.now })
  }
}
