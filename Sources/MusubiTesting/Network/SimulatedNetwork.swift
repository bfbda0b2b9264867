// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx
package import MusubiSession
import MusubiWire

/// The page's end of a simulated connection.
package protocol SimulatedPeer: AnyObject {
  /// The handshake has reached the server and its answer the page.
  func opened(_ link: SimulatedLink)
  /// The payload of a text frame has arrived.
  func received(_ payload: [UInt8], on link: SimulatedLink)
  /// The connection has gone: with the server's close code, or nil if the network dropped it.
  func closed(_ link: SimulatedLink, code: UInt16?)
}

/// A network in virtual time between pages and one server, or several: latency, jitter, lost connections, all from one seed.
///
/// Within a connection order is kept, as TCP does; between connections nothing is. What happens at one moment is one
/// iteration of the server's loops. The same seed gives the same run.
package final class SimulatedNetwork {
  /// How long a message travels, one way.
  package struct Latency: Sendable {
    /// The shortest time.
    package var least: Duration
    /// The longest time.
    package var most: Duration

    /// A range; the same value twice is a steady line.
    package init(_ least: Duration, _ most: Duration) {
      self.least = least
      self.most = most
    }
  }

  /// The virtual time since the network began.
  package internal(set) var now: Duration = .zero
  /// The latency of links that are opened from now on.
  package var latency: Latency
  /// The latency between the loops of the server.
  package var loopLatency = Latency(.zero, .milliseconds(5))
  /// By how much each look at the clock moves the time on, as a real clock never shows the same time twice.
  package var clockStep: Duration = .zero
  /// Tells whether a visitor may enter a room of a screen.
  package var allowsRoom: ((_ visitor: Visitor, _ screen: String, _ room: String) -> Bool)?
  /// How long the application takes to say who somebody is, for each question; nil if it answers at once.
  package var answerDelay: (() -> Duration?)?
  /// How often the loops read arrived messages, all of which are one iteration then; at once if zero.
  package var loopPause: Duration = .zero
  /// What the loops serve: one loop's sessions, or a gateway each; a restart replaces them.
  package var services: [any ConnectionService] { nodes.flatMap(\.services) }
  /// The servers.
  package internal(set) var nodes: [SimulatedNode] = []
  /// The server to which pages come; nil for any that runs.
  package var entrance: Int?
  /// The latency between servers.
  package var nodeLatency = Latency(.milliseconds(1), .milliseconds(5))
  /// How long it takes until servers hear from the directory who has a slot; nil if they do not.
  package var directoryDelay: Duration? = .milliseconds(250)
  /// Who has which slot.
  var owners: [Int: SlotOwner] = [:]
  /// Who was signed out, oldest first; the first has the number 1.
  var signOuts: [SignedOut] = []
  /// The links between servers, by their two ends.
  var nodeLinks: [NodePair: Int] = [:]
  var lastNodeLink = 0
  /// How many bytes have left servers for others.
  package internal(set) var nodeBytes = 0
  /// The most of them at once.
  package internal(set) var largestNodeBatch = 0
  /// How many stretches of turns have left servers for audiences.
  package internal(set) var audienceTurns = 0
  /// How many steps the run has taken: something arrives, a timer rings, a store answers.
  package private(set) var steps = 0
  /// Is called after each step with its number: the place to kill the server at every one of them.
  package var onStep: ((Int) -> Void)?
  private var stepsOfMoment = 0
  private var lastHandOver: [[Int]: Duration] = [:]
  /// What the server's log says of screens that failed, as `screen: message`.
  package var failures: [String] {
    notices.compactMap {
      if case .failed(let failed) = $0 { "\(failed.screen): \(failed.message)" } else { nil }
    }
  }
  /// Is told of each frame that reaches the server, before the server is.
  package var onReceive: ((_ payload: [UInt8], _ link: SimulatedLink) -> Void)?
  /// The source of all chance in the run.
  package let random: RandomSource
  private var events = DeadlineQueue<() -> Void>()
  var links: [Int: SimulatedLink] = [:]
  private var lastConnection = 0
  let loops: Int
  let limits: PeerLimits
  /// Who is in rooms that other screens follow, on the first server.
  package var presence: PresenceExchange { nodes[0].presence }
  /// What is on its way to controls.
  package let arrivals = FileArrivals()
  let store: SimulatedStore?
  let program: Program
  /// The handshakes that were refused, oldest first.
  package private(set) var refusals: [Admission] = []
  /// What the server tells its operator, oldest first.
  package internal(set) var notices: [Notice] = []

  /// A network with freshly started servers.
  ///
  /// - Parameters:
  ///   - seed: Decides everything that chance decides.
  ///   - nodes: How many servers there are; of several, nobody has a slot until it is told to take it.
  ///   - loops: How many event loops each has; a page comes to any of them.
  ///   - latency: The latency of the links.
  ///   - configuration: The limits of sessions and rooms.
  ///   - limits: What a visitor may have.
  ///   - store: Where sessions and rooms outlive the server; nil if they do not.
  ///   - stores: Makes what a loop of a server stores by, in place of `store`.
  ///   - routes: The screens.
  ///   - models: The shared models.
  ///   - files: Where visitors send files.
  ///   - authorize: Tells who a visitor is.
  package init(
    seed: UInt64, nodes: Int = 1, loops: Int = 1,
    latency: Latency = Latency(.milliseconds(10), .milliseconds(10)),
    configuration: SessionConfiguration = SessionConfiguration(), limits: PeerLimits = PeerLimits(),
    store: SimulatedStore? = nil, stores: ((_ node: Int, _ loop: Int) -> any SessionStore)? = nil,
    routes: [ScreenRoute], models: [ScreenRoute] = [],
    files: (any SentFiles)? = nil,
    authorize: @escaping (ConnectionRequest) throws -> Visitor = { _ in .anonymous }
  ) {
    random = RandomSource(seed: seed)
    self.latency = latency
    self.loops = loops
    self.limits = limits
    self.store = store
    program = Program(
      configuration: configuration, stores: stores, routes: routes, models: models, files: files,
      authorize: authorize)
    store?.network = self
    self.nodes = (0..<nodes).map { SimulatedNode($0, limits) }
    startServer()
    for node in self.nodes.dropFirst() {
      for other in self.nodes.prefix(node.number) { openLink(node.number, other.number) }
    }
  }

  // MARK: - Pages

  /// Opens a connection; the peer is told when the handshake has come back.
  ///
  /// - Parameters:
  ///   - peer: The page's end.
  ///   - screen: The screen's name.
  ///   - query: The parameters of the address.
  ///   - headers: The fields of the handshake that a hook may read.
  ///   - addresses: The peers of the address that it comes from; none if that is not counted.
  /// - Returns: The link.
  @discardableResult
  package func connect(
    _ peer: any SimulatedPeer, screen: String, query: [String: String], headers: [String: String] = [:],
    from addresses: [Peer] = []
  ) -> SimulatedLink {
    lastConnection += 1
    let running = nodes.filter { !$0.services.isEmpty && entrance ?? $0.number == $0.number }
    let choices = max(1, running.count * loops)
    let choice = choices > 1 ? Int(random.next() >> 33) % choices : 0
    let node = running.isEmpty ? entrance ?? 0 : running[choice / loops].number
    let link = SimulatedLink(
      id: lastConnection, peer: peer, latency: latency, node: node, loop: choice % loops, network: self)
    var request = ConnectionRequest(screen: screen, query: query, headers: headers)
    request.addresses = addresses
    schedule(link.arrival(toServer: true), on: nodes[link.node]) { [weak self] in
      self?.accept(link, request)
    }
    return link
  }

  /// Kills the server without a word and starts another one; every connection is lost.
  package func restartServer() {
    precondition(nodes.count == 1, "Of several servers one is killed at a time.")
    nodes[0].services = []
    store?.crash(random)
    loseLinks { _ in true }
    startServer()
  }

  /// A server has ended: its connections are lost.
  func loseLinks(where isLost: (SimulatedLink) -> Bool) {
    // In a fixed order, so that the same seed gives the same run in every process.
    for link in links.values.filter(isLost).sorted(by: { $0.id < $1.id }) {
      link.handler = nil
      drop(link)
      links[link.id] = nil
    }
  }

  private func startServer() {
    let stored: StoredState
    do {
      stored = try store?.start(at: now / .seconds(1)) ?? StoredState()
    } catch {
      fatalError("The simulated store holds what it is asked for: \(error)")
    }
    for node in nodes { start(node, nodes.count > 1 ? StoredState() : stored) }
  }

  /// Has a server begin with what is stored.
  func start(_ node: SimulatedNode, _ stored: StoredState) {
    node.reset(limits)
    let (parts, unnamed) = stored.parts(loops: loops)
    guard loops > 1 || nodes.count > 1 else {
      node.services = [makeSessions(node, 0, parts[0])]
      return
    }
    node.services = (0..<loops).map { loop in
      Gateway(
        loop: loop, of: loops, unnamed: unnamed, sessions: makeSessions(node, loop, parts[loop])
      ) { [weak self, weak node] batch, place in
        guard let self, let node else { return }
        if Place.isRemote(place) {
          send(batch, to: place, from: node)
        } else {
          handOver(batch, to: place, on: node)
        }
      }
    }
  }

  private var gateways: [Gateway] { nodes.flatMap(\.gateways) }

  /// Has the loop that has a slot give it to another one.
  package func move(_ slot: Int, to loop: Int) {
    schedule(now) { [weak self] in
      for gateway in self?.gateways ?? [] where gateway.loop != loop {
        gateway.move(slot, to: loop) { self?.store?.give(slot, $0.generation) ?? true }
      }
    }
  }

  /// Has a loop take a slot from whoever has it: that one hears of it when it next stores something, or from others.
  package func take(_ slot: Int, by loop: Int) {
    schedule(now) { [weak self] in
      guard let self, let store, let gateway = gateways.first(where: { $0.loop == loop }) else { return }
      let known = gateways.map { $0.generation(of: slot) }.max() ?? 0
      let generation = max(known, store.fence(of: slot)) + 1
      let move = SlotMove(generation: generation, lostSince: generation)
      gateway.adopt(slot, store.take(slot, generation: generation), move)
    }
  }

  /// Brings a batch to another loop: in order between two loops, in any order else.
  private func handOver(_ batch: LoopBatch, to other: Int, on node: SimulatedNode) {
    let receiver = node.services[other]
    let arrival = arrival(on: [node.number, batch.sender, node.number, other], loopLatency)
    schedule(arrival, on: node) { [weak node, weak receiver] in
      // A restarted server knows nothing of what its predecessor said to itself.
      guard let gateway = receiver as? Gateway, node?.gateway(other) === gateway else { return }
      gateway.take(batch)
    }
  }

  /// When something arrives at a loop that leaves another one now; never before what left earlier.
  ///
  /// - Parameters:
  ///   - way: From where to where.
  ///   - latency: How long it may take.
  /// - Returns: The time.
  func arrival(on way: [Int], _ latency: Latency) -> Duration {
    let delay = latency.least + (latency.most - latency.least) * Double(random.next() >> 40) / 0x1p24
    let arrival = max(now + delay, lastHandOver[way] ?? .zero)
    lastHandOver[way] = arrival
    return arrival
  }

  /// Runs work at a later virtual time.
  package func schedule(_ time: Duration, _ work: @escaping () -> Void) { events.insert(work, at: time) }

  /// Runs work of a server at a later virtual time, or when it goes on.
  package func schedule(_ time: Duration, on node: SimulatedNode, _ work: @escaping () -> Void) {
    schedule(time) { [weak node] in node?.handle(work) }
  }

  /// Runs until nothing is under way any more, or the time is over.
  ///
  /// - Parameter limit: The virtual time at which to stop; timers of pages may go on for ever.
  package func run(until limit: Duration) {
    while true {
      let deadlines = nodes.filter { !$0.isPaused }.flatMap { node in
        node.services.compactMap { $0.nextDeadline.map { node.moment(of: $0) } }
      }
      let planned = (deadlines + [events.nextDeadline].compactMap { $0 }).min()
      guard let next = planned, next <= limit else { break }
      stepsOfMoment = next > now ? 0 : stepsOfMoment + 1
      precondition(stepsOfMoment < 100_000, "Something is due that nobody does.")
      now = max(now, next)
      if let work = events.take(at: now) {
        work()
      } else {
        for node in nodes where !node.isPaused {
          for service in node.services { service.advance(to: node.time(at: now)) }
        }
      }
      endIterations()
      steps += 1
      onStep?(steps)
    }
    now = max(now, limit)
  }

  /// Ends the server and forgets all that is planned: it may hold the pages, which hold the network.
  package func end() {
    for node in nodes { node.services = [] }
    for link in links.values { link.handler = nil }
    links = [:]
    events = DeadlineQueue()
  }

  /// Ends the loops' iterations, unless more happens at this moment.
  private func endIterations() {
    if let next = events.nextDeadline, next <= now { return }
    for node in nodes where !node.isPaused {
      for service in node.services {
        service.finishTurns()
        service.endIteration()
      }
    }
  }

  // MARK: - Links

  /// The connections that the server knows.
  package var openLinks: [SimulatedLink] { Array(links.values) }

  func send(_ payload: [UInt8], on link: SimulatedLink) {
    let passes = link.passes(payload, toServer: true)
    schedule(link.arrival(toServer: true), on: nodes[link.node]) { [weak self, weak link] in
      guard let self, let link, links[link.id] === link else { return }
      guard link.isUp else { return passes ? straggle(payload, on: link) : () }
      guard passes else { return drop(link) }
      hand(payload, from: link)
    }
  }

  /// A message that was on its way when the page lost the connection arrives late, if the network lets it.
  private func straggle(_ payload: [UInt8], on link: SimulatedLink) {
    guard let delay = link.linger else { return }
    schedule(now + delay, on: nodes[link.node]) { [weak self] in
      guard let self, links[link.id] === link else { return }
      hand(payload, from: link)
    }
  }

  private func hand(_ payload: [UInt8], from link: SimulatedLink) {
    guard link.isRead, link.unread.isEmpty else { return link.unread.append(payload) }
    take(payload, from: link)
  }

  private func take(_ payload: [UInt8], from link: SimulatedLink) {
    onReceive?(payload, link)
    payload.withUnsafeBytes { link.handler?.receive($0, isText: true) }
  }

  /// Loses the connection now: what travels in either direction is lost, and each end notices by itself.
  func drop(_ link: SimulatedLink) {
    guard link.isUp else { return }
    link.isUp = false
    let end = now + link.latency.most + (link.linger.map { $0 * 2 } ?? .zero)
    schedule(end, on: nodes[link.node]) { [weak self] in
      // A restarted server has never heard of it.
      guard let self, links.removeValue(forKey: link.id) != nil else { return }
      link.end()
    }
    schedule(now + link.latency.least) { link.peer?.closed(link, code: nil) }
  }

  /// Fetches what waits for the page when what happens at this moment has happened.
  func flushSoon(_ link: SimulatedLink) {
    schedule(now, on: nodes[link.node]) { [weak self, weak link] in if let link { self?.flush(link) } }
  }

  /// Hands over the messages that arrived while the server did not read.
  func takeUnreadSoon(_ link: SimulatedLink) {
    schedule(now, on: nodes[link.node]) { [weak self, weak link] in
      while let self, let link, link.isRead, !link.unread.isEmpty, links[link.id] === link {
        take(link.unread.removeFirst(), from: link)
      }
    }
  }

  func flush(_ link: SimulatedLink) {
    guard link.isUp, !link.isStalled, let handler = link.handler else { return }
    var bytes = ByteBuffer()
    var hasMore = true
    while hasMore { hasMore = handler.write(into: &bytes, limit: 64 * 1_024) }
    for payload in Self.payloads(of: [UInt8](bytes)) {
      let passes = link.passes(payload, toServer: false)
      schedule(link.arrival(toServer: false)) { [weak self, weak link] in
        guard let self, let link, link.isUp else { return }
        guard passes else { return drop(link) }
        link.peer?.received(payload, on: link)
      }
    }
    if let code = link.closeCode { finish(link, code) }
  }

  private func accept(_ link: SimulatedLink, _ request: ConnectionRequest) {
    guard link.isUp else { return }
    let services = nodes[link.node].services
    // Nobody answers at an address where nothing runs; one of several servers is told so.
    guard !services.isEmpty else { return nodes.count > 1 ? drop(link) : () }
    let service = services[link.loop]
    var isLate = false
    var isDecided = false
    service.admit(request) { [self] admission in
      isDecided = true
      // The page may have gone meanwhile.
      guard !isLate || links[link.id] === link else { return }
      guard case .accepted(let admitted) = admission else {
        refusals.append(admission)
        return isLate ? finish(link, CloseCode.refused.rawValue) : drop(link)
      }
      if !isLate { open(link) }
      link.handler = service.connect(admitted, link)
      if isLate { link.setReading(true) }
    }
    isLate = true
    guard !isDecided else { return }
    open(link)
    link.isRead = false
  }

  /// The handshake is answered.
  private func open(_ link: SimulatedLink) {
    links[link.id] = link
    schedule(link.arrival(toServer: false)) { [weak link] in
      guard let link, link.isUp else { return }
      link.peer?.opened(link)
    }
  }

  private func finish(_ link: SimulatedLink, _ code: UInt16) {
    guard links.removeValue(forKey: link.id) != nil else { return }
    link.end()
    schedule(link.arrival(toServer: false)) { [weak link] in
      guard let link, link.isUp else { return }
      link.isUp = false
      link.peer?.closed(link, code: code)
    }
  }

  /// Splits the server's bytes into the payloads of its frames; they are whole and unmasked.
  private static func payloads(of bytes: [UInt8]) -> [[UInt8]] {
    var payloads: [[UInt8]] = []
    var index = 0
    while index < bytes.count {
      var length = Int(bytes[index + 1] & 0x7f)
      var header = 2
      if length > 125 {
        header = length == 126 ? 4 : 10
        length = bytes[(index + 2)..<(index + header)].reduce(0) { $0 << 8 | Int($1) }
      }
      payloads.append(Array(bytes[(index + header)..<(index + header + length)]))
      index += header + length
    }
    return payloads
  }
}
