// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiCluster
import MusubiSession
import MusubiTesting

/// Servers with a database, in virtual time: the real loops, the real `Ownership` and the real rules of
/// commits, on a network and a
/// database that are simulated.
final class SimulatedCluster {
  /// How long a server waits for an answer or a connection.
  static let patience = Duration.seconds(2)
  /// So many slots there are.
  static let slots = 8
  /// What a server may take until it is heard again when it was in trouble: its connections have to be
  /// opened anew.
  private static let comeback = Duration.seconds(6)

  let loops: Int
  let mistake: ClusterMistake?
  let settings: Ownership.Settings
  let network: SimulatedNetwork
  /// The process of each server; nil while it has none.
  private(set) var servers: [SimulatedServer?]
  /// The database that counts: what it has is there in the end.
  private(set) var engine: SimulatedEngine
  /// Servers that reach another one, which has been replaced and does not know it.
  private var formerEngine: (engine: SimulatedEngine, servers: Set<Int>)?
  /// How long a message takes between servers and the database.
  let latency: Duration
  /// How long a change takes to come to the database's disk, as a rule.
  private let flush: Duration
  /// Until when servers do not reach the database.
  private var cuts: [Int: Duration] = [:]
  /// Until when answers of the database are lost.
  var dropsUntil: Duration = .zero
  /// When a server was last in trouble of its own.
  private var troubles: [Duration]
  private var lives: [Int]
  private var lastID: Int64 = 0
  private let below: (Int) -> Int
  /// Whether what was acknowledged before a standby took the database's place may be lost.
  var forgivesLoss = false
  /// Until when acknowledgements may be on their way of what was stored before that.
  private var forgivenUntil: Duration = .zero
  /// What must not have happened but has.
  private(set) var problem: String?
  /// How often each kind of thing has happened.
  private(set) var counts: [String: Int] = [:]

  /// Servers that run, on a database that holds nothing.
  init(
    seed: UInt64, servers count: Int, loops: Int, mistake: ClusterMistake?, routes: [ScreenRoute],
    _ below: @escaping (Int) -> Int
  ) {
    (self.loops, self.mistake, self.below) = (loops, mistake, below)
    var settings = Ownership.Settings()
    settings.slots = Self.slots
    // Servers that are there for long are balanced now and then.
    (settings.balanceAge, settings.balanceInterval, settings.maxMoves) = (.seconds(4), .seconds(3), 1)
    if mistake == .buriesAfterOutage { (settings.gap, settings.grace) = (.seconds(10_000), .zero) }
    self.settings = settings
    servers = Array(repeating: nil, count: count)
    (troubles, lives) = (
      Array(repeating: .zero - Self.comeback, count: count), Array(repeating: 0, count: count)
    )
    var configuration = SessionConfiguration()
    configuration.sessionLifetime = .seconds(3_600)
    configuration.roomLifetime = .seconds(3_600)
    configuration.unusedSessionLifetime = .seconds(3_600)
    let me = WeakCluster()
    network = SimulatedNetwork(
      seed: seed, nodes: count, loops: loops,
      latency: SimulatedNetwork.Latency(.milliseconds(1), .milliseconds([1, 20, 200][below(3)])),
      configuration: configuration,
      stores: { server, _ in
        let life = me.cluster?.lives[server] ?? 0
        return ClusterStoreClient { me.cluster?.process(of: server, life: life) }
      }, routes: routes)
    latency = .milliseconds([0, 1, 10, 60][below(4)])
    flush = .milliseconds([0, 1, 15, 60][below(4)])
    network.nodeLatency = .init(.zero, .milliseconds([1, 5, 50][below(3)]))
    network.loopLatency = .init(.zero, .milliseconds(below(6)))
    engine = SimulatedEngine(network, EngineState(slots: Self.slots), mistake, below)
    engine.flush = flush
    me.cluster = self
    for node in network.nodes { node.rate = 900 + below(201) }
    for server in servers.indices { begin(server) }
  }

  private final class WeakCluster { weak var cluster: SimulatedCluster? }

  private func process(of server: Int, life: Int) -> SimulatedServer? {
    lives[server] == life ? servers[server] : nil
  }

  private func begin(_ server: Int) {
    lastID += 1
    let process = SimulatedServer(self, number: server, id: lastID)
    servers[server] = process
    process.start()
  }

  // MARK: - The database

  /// The database that a server reaches.
  func engine(of server: Int) -> SimulatedEngine {
    if let formerEngine, formerEngine.servers.contains(server) { formerEngine.engine } else { engine }
  }

  /// When something arrives at the database or comes from it; nil if it never does.
  ///
  /// - Parameters:
  ///   - server: The other end.
  ///   - isLate: Whether it may arrive when the way is open again, whoever has given it up by then.
  /// - Returns: The time.
  func arrival(of server: Int, isLate: Bool) -> Duration? {
    let way = latency * (500 + below(1_000)) / 1_000
    guard let end = cuts[server], end > network.now else { return network.now + way }
    return isLate && below(2) == 0 ? end + way : nil
  }

  /// Whether an answer is lost, and its connection with it.
  func dropsAnswer() -> Bool { dropsUntil > network.now && below(3) == 0 }

  /// How long it takes until a task begins.
  func taskDelay() -> Duration { .milliseconds(below(20) == 0 ? below(400) : 0) }

  // MARK: - What is told

  /// A process was taken for dead by another one.
  func noteBurial(of id: Int64) {
    count("buried")
    // If nobody waits for a standby, two databases may be used at once.
    guard !forgivesLoss, let server = servers.firstIndex(where: { $0?.id == id }) else { return }
    if troubles[server] + Self.comeback <= network.now {
      fail("server \(server) was taken for dead, and was well")
    }
  }

  /// A server says that commits were lost.
  func noteLoss(_ sentence: String) {
    count("losses told")
    if !forgivesLoss { fail(sentence) }
  }

  func fail(_ sentence: String) { problem = problem ?? sentence }

  /// A page was told that an input was taken.
  func noteAcknowledged(_ number: Int, of session: String) {
    let taken = engine.state.taken(of: session)
    guard taken ?? -1 < number, !(forgivesLoss && network.now < forgivenUntil) else { return }
    let known = taken.map { "input \($0)" } ?? "no session"
    fail("input \(number) of \(session) is acknowledged, and the database has \(known)")
  }

  /// Looks at what must hold after each step.
  func check() { if let problem = engine.state.problem { fail(problem) } }

  func count(_ kind: String) { counts[kind, default: 0] += 1 }
}

// MARK: - Faults

extension SimulatedCluster {
  private func trouble(_ server: Int, until time: Duration) { troubles[server] = max(troubles[server], time) }

  /// No server is sure to be heard.
  private func troubleAll(until time: Duration) {
    for server in servers.indices { trouble(server, until: time) }
  }

  /// A server is killed, and started again by its supervisor.
  func kill(_ server: Int, for pause: Duration) {
    guard let process = servers[server] else { return }
    trouble(server, until: network.now + pause)
    process.end()
    servers[server] = nil
    lives[server] += 1
    network.kill(server)
    if below(2) == 0 {
      // Somebody dials it.
      for other in servers.compactMap({ $0 }) {
        other.after(.milliseconds(below(800))) { other.note(process.id, isRefused: true) }
      }
    }
    network.schedule(network.now + pause) { [weak self] in
      guard let self, servers[server] == nil else { return }
      network.startNode(server)
      begin(server)
    }
  }

  /// A server ends by itself.
  func exit(_ server: Int) {
    count("ended")
    kill(server, for: .seconds(1))
  }

  /// A server gives everything away, and ends.
  func drain(_ server: Int) {
    trouble(server, until: network.now + .seconds(10))
    servers[server]?.drain()
  }

  /// A server stands still.
  func pause(_ server: Int, for pause: Duration) {
    let node = network.nodes[server]
    guard servers[server] != nil, !node.isPaused else { return }
    trouble(server, until: network.now + pause)
    node.pause()
    let process = servers[server]
    network.schedule(network.now + pause) { [weak self, weak node] in
      if let self, servers[server] === process { node?.resume() }
    }
  }

  /// A server does not reach the database.
  func cut(_ server: Int, for pause: Duration) {
    cuts[server] = network.now + pause
    trouble(server, until: network.now + pause)
  }

  /// The links between two servers are cut, or take nothing.
  func cutLink(_ one: Int, _ other: Int, for pause: Duration, isStopped: Bool) {
    let end = network.now + pause
    if isStopped {
      network.setFlowing(one, to: other, false)
      network.schedule(end) { [weak network] in network?.setFlowing(one, to: other, true) }
    } else {
      network.cutLink(one, other)
      network.schedule(end) { [weak network] in network?.openLink(one, other) }
    }
  }

  /// Statements of the database lie about before they begin, and take long to come to the disk.
  func slowDown(delay: Duration, flush: Duration, for pause: Duration) {
    (engine.delay, engine.flush) = (delay, flush)
    troubleAll(until: network.now + pause + delay)
    network.schedule(network.now + pause) { [self, engine] in
      (engine.delay, engine.flush) = (.zero, self.flush)
    }
  }

  /// The database ends, and is there again after a while: the same one, or its standby.
  func restartEngine(for pause: Duration, isReplaced: Bool) {
    guard engine.isUp, formerEngine == nil else { return }
    let standby = isReplaced ? engine.standby() : nil
    if isReplaced { forgivenUntil = network.now + Self.comeback }
    engine.crash()
    if let standby { engine.replace(by: standby) }
    loseConnections(to: engine)
    network.schedule(network.now + pause) { [weak self] in self?.engine.start() }
  }

  /// The standby takes the place of a database that lives on, for some servers, on the other side of a
  /// partition.
  func divide(_ others: Set<Int>, for pause: Duration) {
    guard engine.isUp, formerEngine == nil else { return }
    let former = engine
    forgivenUntil = network.now + pause + Self.comeback
    engine = SimulatedEngine(network, former.standby(), mistake, below)
    engine.flush = flush
    former.abandon()
    formerEngine = (former, others)
    for server in servers.indices {
      if others.contains(server) {
        trouble(server, until: network.now + pause)
      } else {
        servers[server]?.loseConnections(to: former)
      }
    }
    network.schedule(network.now + pause) { [weak self] in
      guard let self else { return }
      formerEngine = nil
      former.crash()
      loseConnections(to: former)
    }
  }

  private func loseConnections(to engine: SimulatedEngine) {
    for process in servers { process?.loseConnections(to: engine) }
  }
}
