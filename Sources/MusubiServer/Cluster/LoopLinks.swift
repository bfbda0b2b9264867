// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiSession

/// What all loops' links of a node have in common.
struct LinkSettings: Sendable {
  let node: Int64
  let build: String
  let secret: [UInt8]
  let loops: [EventLoop]
  let logger: Logger
  let handlers: NodeLinks.Handlers

  /// Runs a closure on a loop's thread with that loop's links; nil if there are none any more.
  ///
  /// - Returns: Whether it will run: the loop has not ended.
  @discardableResult
  func command(_ loop: EventLoop, _ body: @escaping @Sendable (LoopLinks?) -> Void) -> Bool {
    loop.command { [node] core in body(core.links?.settings.node == node ? core.links : nil) }
  }
}

/// The links of one loop to the loops of other nodes; for the loop's thread alone.
///
/// Loop 0 accepts for all: after the hello a connection goes to its loop.
final class LoopLinks: WatchedSocketOwner {
  let settings: LinkSettings
  unowned let core: LoopCore
  private(set) var peers: [Int64: LinkPeer] = [:]
  private var links: [LinkWay: NodeLink] = [:]
  /// What this end connects.
  private var attempts: [LinkWay: Attempt] = [:]
  private var retries = DeadlineQueue<LinkWay>()
  private var handshakes: [ObjectIdentifier: LinkHandshake] = [:]
  private var timeouts = DeadlineQueue<LinkHandshake>()
  /// How many of the handshakes were accepted.
  private var acceptedCount = 0
  private var listener: ListenSocket?
  private var listenerWatch: WatchedSocket?

  private static let shortestPause = Duration.milliseconds(50)
  private static let longestPause = Duration.seconds(1)
  /// A hello, with making the connection, takes no longer.
  private static let helloTime = Duration.seconds(2)
  private static let mostAccepted = 64

  /// A link that this end makes, and makes again.
  private struct Attempt {
    /// How long it waits after the next failure.
    var pause = LoopLinks.shortestPause
    /// Whether it is under way, or the link is open.
    var isBusy = false
    /// How often it was tried: the addresses of a name take turns.
    var tries = 0
    var addressCount = 0
    /// How many addresses in a row have refused.
    var refusals = 0
  }

  init(_ settings: LinkSettings, _ core: LoopCore) {
    self.settings = settings
    self.core = core
  }

  var loop: EventLoop { core.loop }

  /// When something is due.
  var nextDeadline: Duration? { .earlier(retries.nextDeadline, timeouts.nextDeadline) }

  /// Does what is due.
  func advance(to now: Duration) {
    while let way = retries.take(at: now) { connect(way) }
    while let handshake = timeouts.take(at: now) { handshake.expire() }
  }

  /// Ends everything; what was open is told.
  func end() {
    listenerWatch.map { _ = $0.take() }
    listener?.close()
    (listener, listenerWatch) = (nil, nil)
    for node in Array(peers.keys) { forget(node) }
    for handshake in handshakes.values { handshake.close() }
    (handshakes, timeouts, retries) = ([:], DeadlineQueue(), DeadlineQueue())
  }

  // MARK: - Peers

  /// Says which other nodes there are.
  func update(_ list: [LinkPeer]) {
    let others = list.filter { $0.node != settings.node }
    let new = Dictionary(others.map { ($0.node, $0) }) { $1 }
    for peer in peers.values where new[peer.node] != peer {
      // Without the directory it does not know that it is dead for the others.
      if new[peer.node] == nil { tellBurial(of: peer.node) }
      forget(peer.node)
    }
    let added = new.values.filter { peers[$0.node] == nil }
    peers = new
    for peer in added where settings.node < peer.node {
      for otherLoop in 0..<peer.loops {
        let way = LinkWay(node: peer.node, loop: otherLoop)
        attempts[way] = Attempt()
        connect(way)
      }
    }
  }

  private func tellBurial(of node: Int64) {
    for link in links.values where link.way.node == node { link.sendBurial() }
  }

  /// The node at the other end says that this one is not among the nodes any more.
  func buried() { settings.handlers.buried() }

  private func forget(_ node: Int64) {
    peers[node] = nil
    for way in attempts.keys where way.node == node { attempts[way] = nil }
    for handshake in handshakes.values where handshake.way?.node == node {
      handshake.close()
      remove(handshake)
    }
    for link in links.values where link.way.node == node { finish(link, "the node has gone") }
  }

  // MARK: - Connecting

  private func connect(_ way: LinkWay) {
    guard let peer = peers[way.node], attempts[way]?.isBusy == false else { return }
    attempts[way]?.isBusy = true
    let addresses = SocketAddress.all(of: peer.address, isNumeric: true)
    guard addresses.isEmpty else { return connect(way, peer, to: addresses) }
    // Looking a name up may take seconds.
    let isRunning = startThread { [settings, loop] in
      let addresses = SocketAddress.all(of: peer.address, isNumeric: false)
      settings.command(loop) { $0?.connect(way, peer, to: addresses) }
    }
    if !isRunning { connect(way, peer, to: []) }
  }

  private func connect(_ way: LinkWay, _ peer: LinkPeer, to addresses: [SocketAddress]) {
    // The node may have gone meanwhile.
    guard peers[way.node] == peer, let tries = attempts[way]?.tries, let libev = core.libev else { return }
    guard !addresses.isEmpty else {
      let message = "there is no address \(quoted(peer.address))"
      return failed(way, LinkProblem(reason: "link-address", message: message), peer.address)
    }
    attempts[way]?.tries += 1
    attempts[way]?.addressCount = addresses.count
    switch LinkSocket.connecting(to: addresses[tries % addresses.count]) {
    case .success(let descriptor):
      add(LinkHandshake(WatchedSocket(descriptor, on: libev), way, peerName: peer.address, self))
    case .failure(let error):
      failed(way, .unreachable(error), peer.address, isRefused: error.number == ECONNREFUSED)
    }
  }

  private func failed(_ way: LinkWay, _ problem: LinkProblem, _ peerName: String, isRefused: Bool = false) {
    log(problem, peerName)
    guard var attempt = attempts[way] else { return }
    attempt.refusals = isRefused ? attempt.refusals + 1 : 0
    attempts[way] = attempt
    retry(way)
    if isRefused, attempt.refusals >= attempt.addressCount { settings.handlers.refused(way.node) }
  }

  private func retry(_ way: LinkWay) {
    guard var attempt = attempts[way] else { return }
    attempt.isBusy = false
    // Not all of them at the same time.
    retries.insert(way, at: loop.now + attempt.pause * Double.random(in: 0.75..<1.25))
    attempt.pause = min(Self.longestPause, attempt.pause * 2)
    attempts[way] = attempt
  }

  // MARK: - Accepting

  /// Accepts from a socket from now on.
  func listen(_ listener: ListenSocket) {
    guard let libev = core.libev else { return }
    let watch = WatchedSocket(listener.descriptor, on: libev)
    watch.owner = self
    watch.watch(reading: true, writing: false)
    (self.listener, listenerWatch) = (listener, watch)
  }

  func ready(isReadable: Bool, isWritable: Bool) {
    guard let libev = core.libev else { return }
    while acceptedCount < Self.mostAccepted, let (descriptor, address) = listener?.accept() {
      LinkSocket.setOptions(of: descriptor)
      acceptedCount += 1
      add(LinkHandshake(WatchedSocket(descriptor, on: libev), nil, peerName: address, self))
    }
    // The others wait in the queue until some are done.
    listenerWatch?.watch(reading: acceptedCount < Self.mostAccepted, writing: false)
  }

  // MARK: - Hellos

  /// What this node says to another one.
  func hello(to node: Int64, otherLoop: Int, loop: Int) -> LinkHello {
    LinkHello(
      from: settings.node, to: node, fromLoop: loop, toLoop: otherLoop, loops: settings.loops.count,
      nonce: Cryptography.randomBytes(16), build: settings.build)
  }

  private func add(_ handshake: LinkHandshake) {
    handshakes[ObjectIdentifier(handshake)] = handshake
    timeouts.insert(handshake, at: loop.now + Self.helloTime)
  }

  private func remove(_ handshake: LinkHandshake) {
    guard handshakes.removeValue(forKey: ObjectIdentifier(handshake)) != nil, handshake.way == nil else {
      return
    }
    acceptedCount -= 1
    listenerWatch?.watch(reading: true, writing: false)
  }

  /// A handshake came to nothing.
  func failed(_ handshake: LinkHandshake, _ problem: LinkProblem, isRefused: Bool) {
    remove(handshake)
    if let way = handshake.way {
      failed(way, problem, handshake.peerName, isRefused: isRefused)
    } else {
      log(problem, handshake.peerName)
    }
  }

  /// Both ends have proven that they have the secret.
  func agreed(_ handshake: LinkHandshake, _ hello: LinkHello, _ descriptor: Int32) {
    remove(handshake)
    let way = LinkWay(node: hello.from, loop: hello.fromLoop)
    if let way = handshake.way { return open(descriptor, way, build: hello.build) }
    let willRun = settings.command(settings.loops[hello.toLoop]) { links in
      guard let links else {
        close(descriptor)
        return
      }
      links.open(descriptor, way, build: hello.build)
    }
    if !willRun { close(descriptor) }
  }

  // MARK: - Open links

  private func open(_ descriptor: Int32, _ way: LinkWay, build: String) {
    guard let peer = peers[way.node], way.loop < peer.loops, let libev = core.libev else {
      close(descriptor)
      return
    }
    if let older = links[way] { finish(older, "another one takes its place") }
    links[way] = NodeLink(WatchedSocket(descriptor, on: libev), way, peer, self)
    attempts[way]?.refusals = 0
    attempts[way]?.isBusy = true
    log(.info, "link opened", way, [("build", build)])
    settings.handlers.opened(loop.index, peer, way.loop)
  }

  /// Sends a frame over the link to a loop; it is dropped if there is none.
  func send(_ bytes: [UInt8], _ way: LinkWay) { links[way]?.send(bytes) }

  func received(_ link: NodeLink, _ bytes: UnsafeRawBufferPointer) -> Bool {
    settings.handlers.received(loop.index, link.peer, link.way.loop, bytes)
  }

  func flows(_ link: NodeLink, _ isFlowing: Bool) {
    settings.handlers.flows(loop.index, link.peer, link.way.loop, isFlowing)
  }

  /// A link has closed: its end is told when nobody is in the midst of something.
  func finishLater(_ link: NodeLink) {
    let link = LoopBound(link, on: loop)
    settings.command(loop) { $0?.finish(link.value, "") }
  }

  private func finish(_ link: NodeLink, _ reason: String) {
    guard links[link.way] === link else { return }
    link.close(reason)
    links[link.way] = nil
    log(.info, "link ended", link.way, [("reason", link.end ?? "")])
    // One that ends at once is not made again at once.
    if loop.now - link.since > Self.longestPause { attempts[link.way]?.pause = Self.shortestPause }
    retry(link.way)
    settings.handlers.ended(loop.index, link.peer, link.way.loop)
  }

  // MARK: - The log

  /// Tells of the links to one node once a second.
  private func log(_ level: Logger.Level, _ event: String, _ way: LinkWay, _ fields: [(String, String)]) {
    let node = "\(way.node)"
    guard let count = core.shared.ledger.refusals.tell(event, of: node, at: loop.now) else { return }
    settings.logger.log(level, event, [("node", node)] + fields + [("count", "\(count)")])
  }

  private func log(_ problem: LinkProblem, _ peerName: String) {
    guard let count = core.shared.ledger.refusals.tell(problem.reason, of: peerName, at: loop.now) else {
      return
    }
    settings.logger.log(
      problem.level, "no link",
      [
        ("reason", problem.reason), ("peer", peerName), ("message", problem.message), ("count", "\(count)"),
      ])
  }
}
