// SPDX-License-Identifier: Apache-2.0
import Dispatch
package import MusubiServer
package import MusubiSession
package import MusubiStorage
import Synchronization

/// A node among others: tells the directory that it lives, does what `Ownership` decides, and carries what its loops have for those
/// of other nodes.
///
/// ```
/// directory ──reading──► Ownership ──orders──► directory (take, bury, hand over)
///                                       └────► loops (adopt, lose, release), store (own, let go), links (peers)
/// ```
///
/// All of it happens on one queue, beside the loops. What blocks on PostgreSQL blocks this queue alone.
package final class ClusterNode: RemoteLoops, Sendable {
  /// How often the node says that it lives, and reads the directory, in seconds.
  static let beat = 0.25
  /// How long a slot's new owner has to read it, and to tell itself that it has it: pages that come before are sent away again.
  private static let ownWord: Duration = .seconds(1)
  /// For how long the directory may not be read until the log tells it, and until the node is to be taken for dead.
  private static let (blindness, maxBlindness): (Duration, Duration) = (.seconds(3), .seconds(10))

  let entry: DirectoryEntry
  let store: PostgresSessionStore
  let mailboxes: LoopMailboxes
  let logger: Logger
  let queue = DispatchQueue(label: "musubi.cluster", autoreleaseFrequency: .workItem)
  /// Used on the queue alone.
  let state: Mutex<State>
  private let pulses = DispatchQueue(label: "musubi.pulse", autoreleaseFrequency: .workItem)
  /// Used on the queue of pulses alone; nil once the node has ended.
  private let pulse: Mutex<PostgresPulse?>
  /// What everybody may ask.
  private let shared: Mutex<Shared>
  private let onReport: @Sendable (NodeReport) -> Void
  private let onPulse: @Sendable () -> Void

  struct State {
    let directory: PostgresDirectory
    var ownership: Ownership
    /// The numbers of the other nodes, which places are made of.
    var numbers: [Int64: Int] = [:]
    var lastNumber = -1
    /// Slots of which the loops were not told yet who has them, and when they are.
    var untold: [Int: (slot: DirectorySlot, due: Duration)] = [:]
    var hasEnded = false
    /// Since when the directory cannot be read, although pulses arrive, and whether the log has told it.
    var blindness: (since: Duration, isTold: Bool)?
    /// Since when the directory cannot be read, whatever the reason.
    var away: Duration?
    var isolation = Isolation()
    /// For how many readings others have had a newer build.
    var olderReadings = 0
    /// What could not be read, each told once.
    var unreadable: Set<String> = []
    /// Who was signed out, and how far that is.
    var signOuts = SignOutProgress()
  }

  private struct Shared {
    var links: NodeLinks?
    /// How many of them are open.
    var openLinks = 0
    var nodes: [Int: Int64] = [:]
    var report: NodeReport
    var drained: [CheckedContinuation<Void, Never>] = []
    var released: [Int] = []
    var isEnding = false
    /// Whether the node does not know what it owns, and says no more that it lives.
    var isBlind = false
    /// When it has said so last.
    var lastPulse: Duration?
  }

  /// A node that has not joined yet.
  ///
  /// - Parameters:
  ///   - entry: Who it is.
  ///   - directory: The tables.
  ///   - pulse: Says that the node lives.
  ///   - store: Where its loops store.
  ///   - mailboxes: Its loops.
  ///   - settings: How fast it acts.
  ///   - logger: Takes events.
  ///   - onPulse: Called when the node has told the others that it lives, on a queue for that alone.
  ///   - onReport: Told what the node has whenever that changes, on the node's queue.
  package init(
    _ entry: DirectoryEntry, directory: sending PostgresDirectory, pulse: sending PostgresPulse,
    store: PostgresSessionStore,
    mailboxes: LoopMailboxes, settings: Ownership.Settings, logger: Logger,
    onPulse: @escaping @Sendable () -> Void, onReport: @escaping @Sendable (NodeReport) -> Void
  ) {
    self.onPulse = onPulse
    self.onReport = onReport
    shared = Mutex(Shared(report: NodeReport(id: entry.node)))
    self.pulse = Mutex(pulse)
    self.entry = entry
    self.store = store
    self.mailboxes = mailboxes
    self.logger = logger
    state = Mutex(
      State(directory: directory, ownership: Ownership(node: entry.node, settings: settings)))
  }

  // MARK: - Beginning and ending

  /// Enters the directory; blocks.
  ///
  /// - Parameter address: Where its links arrive.
  /// - Throws: `StorageError` with one sentence for the operator.
  package func join(address: String) throws(StorageError) {
    let number = try state.withLock { state throws(StorageError) in
      let number = try state.directory.join(address: address)
      state.signOuts = SignOutProgress(after: number)
      tellStandby(state.directory)
      return number
    }
    for loop in 0..<entry.loops { mailboxes.run(on: loop) { $0.sessions.noteSignOuts(upTo: number) } }
  }

  /// What the links tell.
  package var handlers: NodeLinks.Handlers {
    var handlers = NodeLinks.Handlers(
      opened: { [mailboxes, weak self] loop, peer, other in
        self?.note(peer.node, isRefused: false)
        self?.shared.withLock { $0.openLinks += 1 }
        mailboxes.gateway(of: loop)?.open(Place.remote(peer: peer.number, loop: other))
      },
      received: { [mailboxes, logger] loop, peer, other, bytes in
        do throws(LinkError) {
          try mailboxes.gateway(of: loop)?.take(bytes, from: Place.remote(peer: peer.number, loop: other))
          return true
        } catch {
          logger.log(.error, "link", ["node": "\(peer.node)", "message": "\(error)"])
          return false
        }
      },
      flows: { [mailboxes] loop, peer, other, isFlowing in
        mailboxes.gateway(of: loop)?.setFlowing(Place.remote(peer: peer.number, loop: other), isFlowing)
      },
      ended: { [mailboxes, weak self] loop, peer, other in
        self?.shared.withLock { $0.openLinks -= 1 }
        mailboxes.gateway(of: loop)?.end(Place.remote(peer: peer.number, loop: other))
      },
      refused: { [weak self] node in self?.note(node, isRefused: true) })
    handlers.buried = { [weak self] in self?.buried() }
    return handlers
  }

  /// The other nodes have what this one had; they tell because it may not reach the directory.
  private func buried() {
    queue.async { [self] in
      state.withLock { state in
        if !state.hasEnded { _ = perform(.exit, &state) }
      }
    }
  }

  package func lost(_ slots: Set<Int>) {
    logger.log(
      .warning, "commit refused",
      [
        "slots": "\(slots.count)", "reason": "they are not this server's any more",
        "consequence": "their pages come back",
      ])
    queue.async { [self] in state.withLock { $0.ownership.dropped(slots) } }
  }

  /// Begins to take slots, and to talk to other nodes.
  package func start(_ links: NodeLinks) {
    shared.withLock { $0.links = links }
    queue.async { [self] in tick() }
    pulses.async { [self] in beat() }
  }

  /// Says that the node lives, again and again.
  private func beat() {
    let goesOn = pulse.withLock { pulse in
      guard let pulse else { return false }
      // A node without the directory does not serve what it is given.
      guard !shared.withLock(\.isBlind) else { return true }
      // Whoever cannot say it is told by the next reading what has become of it.
      do {
        try pulse.beat()
        shared.withLock { $0.lastPulse = MonotonicTime.now }
        onPulse()
      } catch {
        logger.log(.debug, "no pulse", ["message": "\(error)"])
        // Readings may come from a server that is not the primary any more, and answers all the same.
        queue.async { [self] in state.withLock { $0.directory.reconnect() } }
      }
      return true
    }
    guard goesOn else { return }
    pulses.asyncAfter(deadline: .now() + Self.beat) { [weak self] in self?.beat() }
  }

  /// What the node has, for its operator.
  package var report: NodeReport { shared.withLock { $0.report } }

  /// Tells that the node takes no new visitors.
  package func announceEnd() {
    queue.async { [self] in
      shared.withLock { $0.isEnding = true }
      state.withLock { note(&$0) }
    }
  }

  /// Gives all slots to other nodes; returns when they have them, when nobody is there who could, or when the time is over.
  ///
  /// - Parameter limit: How long to wait for effects and commits that do not end.
  package func drain(within limit: Duration) async {
    await withCheckedContinuation { continuation in
      shared.withLock { $0.drained.append(continuation) }
      queue.asyncAfter(deadline: .now() + limit / .seconds(1)) { [self] in finishDraining() }
      queue.async { [self] in
        state.withLock { $0.ownership.drain() }
        tick()
      }
    }
  }

  /// Ends: the node is taken out of the directory, and what it still has is nobody's.
  package func stop() async {
    shared.withLock { $0.links }?.stop()
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        state.withLock { state in
          state.hasEnded = true
          pulse.withLock { $0 = nil }
          attempt("leave") { try state.directory.leave() }
        }
        continuation.resume()
      }
    }
  }

  /// Nobody listens at a node's address, or somebody does.
  private func note(_ node: Int64, isRefused: Bool) {
    queue.async { [self] in state.withLock { $0.ownership.note(node, isRefused: isRefused) } }
  }

  package func hear(_ slot: Int, generation: Int, of place: Int) {
    let peer = Place.parts(of: place).peer
    let node = shared.withLock { $0.nodes[peer] }
    // Not before a reading that is under way: that one may be older.
    queue.async { [self] in state.withLock { $0.ownership.hear(slot, generation: generation, of: node) } }
  }

  // MARK: - Batches

  package func post(_ batch: LoopBatch, from loop: Int, to place: Int) {
    let (peer, other) = Place.parts(of: place)
    let (links, node) = shared.withLock { ($0.links, $0.nodes[peer]) }
    guard let links, let node else { return }
    links.send(batch.encoded(at: MonotonicTime.now), loop: loop, node: node, otherLoop: other)
  }

  // MARK: - Beats

  private func tick() {
    let isUrgent = state.withLock { state in
      guard !state.hasEnded else { return false }
      do {
        let reading = try state.directory.read()
        noteReading(nil, &state)
        let orders = state.ownership.read(reading, at: MonotonicTime.now)
        // What was read is not to be told: the server may have forgotten who is there.
        guard orders != [.exit], !reading.hasForgotten else { return perform(.exit, &state) }
        if reading.isWhole { state.untold = [:] }
        let due = MonotonicTime.now + (reading.isWhole ? .zero : Self.ownWord)
        for slot in reading.moved { state.untold[slot.slot] = (slot, due) }
        meet(reading.nodes, &state)
        tellHomes(&state)
        end(reading.signOuts, &state)
        var isUrgent = false
        for order in orders where perform(order, &state) { isUrgent = true }
        tellSignOuts(&state)
        note(&state)
        return isUrgent
      } catch {
        // The next beat asks again.
        noteReading(error, &state)
        return false
      }
    }
    guard !state.withLock(\.hasEnded) else { return finishDraining() }
    queue.asyncAfter(deadline: .now() + (isUrgent ? 0 : Self.beat)) { [weak self] in self?.tick() }
  }

  /// The directory was read, or could not be.
  ///
  /// That PostgreSQL is away the store tells, and no pulse arrives then. Where pulses arrive, others can do what this node cannot: read
  /// who owns what, or store it.
  private func noteReading(_ error: (any Error)?, _ state: inout State) {
    guard error != nil || store.isAway else {
      if state.blindness?.isTold == true { logger.log(.info, "directory is back") }
      (state.blindness, state.away) = (nil, nil)
      return shared.withLock { $0.isBlind = false }
    }
    let now = MonotonicTime.now
    let isAlive = shared.withLock { $0.isBlind || $0.lastPulse.map { now - $0 < .seconds(1) } ?? false }
    if error == nil {
      state.away = nil
    } else {
      if state.away.map({ now - $0 >= Self.blindness }) ?? false { noteAway() }
      state.away = state.away ?? now
    }
    guard isAlive else { return state.blindness = nil }
    var blindness = state.blindness ?? (now, false)
    if now - blindness.since >= Self.blindness, !blindness.isTold {
      blindness.isTold = true
      let problem =
        error.map { "cannot take what it is given: \(StorageError(postgres: $0))" }
        ?? "cannot store what it has, although PostgreSQL answers it"
      logger.log(.error, "directory is away", ["message": "the node \(problem)"])
    }
    state.blindness = blindness
    shared.withLock { $0.isBlind = now - blindness.since >= Self.maxBlindness }
  }

  /// Tells the links which other nodes there are.
  private func meet(_ nodes: [DirectoryNode], _ state: inout State) {
    let others = nodes.filter { $0.id != entry.node }
    for node in others where state.numbers[node.id] == nil {
      let used = Set(state.numbers.values)
      repeat {
        state.lastNumber = (state.lastNumber + 1) % Place.maxPeers
      } while used.contains(state.lastNumber)
      state.numbers[node.id] = state.lastNumber
      logger.log(.info, "node came", ["node": "\(node.id)", "address": node.address, "build": node.build])
    }
    let living = Set(others.map(\.id))
    for id in state.numbers.keys where !living.contains(id) {
      state.numbers[id] = nil
      logger.log(.warning, "node went", ["node": "\(id)"])
    }
    let numbers = state.numbers
    let links = shared.withLock { shared in
      shared.nodes = Dictionary(uniqueKeysWithValues: numbers.map { ($1, $0) })
      return shared.links
    }
    links?.update(
      others.compactMap { node in
        numbers[node.id].map {
          LinkPeer(node: node.id, address: node.address, loops: node.loops, number: $0)
        }
      })
  }

  /// Tells all loops where slots of other nodes are.
  private func tellHomes(_ state: inout State) {
    var homes: [(slot: Int, place: Int, move: SlotMove)] = []
    let now = MonotonicTime.now
    for (number, (slot, due)) in state.untold where due <= now {
      if slot.node == entry.node {
        state.untold[number] = nil
      } else if let owner = state.ownership.owner(of: number), let peer = state.numbers[owner.id] {
        state.untold[number] = nil
        homes.append((number, Place.remote(peer: peer, loop: number % owner.loops), slot.move))
      }
    }
    guard !homes.isEmpty else { return }
    let told = homes
    for loop in 0..<entry.loops {
      mailboxes.run(on: loop) { gateway in
        for (slot, place, move) in told { gateway.note(slot, home: place, move) }
      }
    }
  }

  /// Notes what there is for the operator, and whether everything was given away.
  func note(_ state: inout State) {
    tellAge(&state)
    var report = NodeReport(id: entry.node)
    (report.slots, report.nodes) = (state.ownership.here, state.numbers.count + 1)
    report.readiness = state.ownership.isReady ? .ready : .starting
    let links = shared.withLock(\.openLinks)
    state.isolation.note(others: state.numbers.count, links: links, at: MonotonicTime.now, logger)
    let hasChanged = shared.withLock { shared in
      if shared.isEnding || state.ownership.isDraining { report.readiness = .restarting }
      // Once it was ready, pages wait for slots that move.
      if shared.report.readiness == .ready, report.readiness == .starting { report.readiness = .ready }
      defer { shared.report = report }
      return shared.report != report
    }
    if hasChanged { onReport(report) }
    if state.ownership.isDrained { finishDraining() }
  }

  /// Without the directory nobody knows whose the slots are: no new visitors until it is back.
  private func noteAway() {
    let report = shared.withLock { shared -> NodeReport? in
      guard shared.report.readiness == .ready else { return nil }
      shared.report.readiness = .starting
      return shared.report
    }
    report.map(onReport)
  }

  private func finishDraining() {
    let waiting = shared.withLock { shared in
      defer { shared.drained = [] }
      return shared.drained
    }
    for continuation in waiting { continuation.resume() }
  }
}

// MARK: - Orders

extension ClusterNode {
  /// Does what was decided.
  ///
  /// - Returns: Whether the directory has changed, so that it is to be read at once.
  private func perform(_ order: Ownership.Order, _ state: inout State) -> Bool {
    switch order {
    case .bury(let nodes): return attempt("bury") { try state.directory.bury(nodes) }
    case .announceDraining: return attempt("drain") { try state.directory.drain() }
    case .take(let count):
      // Others may have locked those that are nobody's.
      var hasTaken = false
      attempt("take") { hasTaken = try state.directory.take(count) }
      return hasTaken
    case .load(let slots): load(slots, &state)
    case .lose(let slots): lose(slots)
    case .abandon(let slots): abandon(slots)
    case .release(let slots, _): release(slots)
    case .handOver(let slots, let other): handOver(slots, to: other, isLost: true, &state)
    case .readAgain:
      state.directory.reconnect()
      return true
    case .exit:
      state.hasEnded = true
      pulse.withLock { $0 = nil }
      store.end(
        "The other nodes have taken this one for dead, and have what it had, or PostgreSQL has lost changes of owners."
      )
      // Behind that, since the database may be away.
      tellSuccessor(state.directory)
    }
    return false
  }

  /// Runs a statement that the next beat repeats if it fails.
  @discardableResult
  func attempt(_ name: String, _ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      logger.log(.warning, "directory", ["step": name, "message": StorageError(postgres: error).description])
      return false
    }
  }

  private func lose(_ slots: [Int]) {
    Task { [self] in
      await onLoops(of: slots) { gateway, slots in gateway.sessions.lose(Set(slots)) }
      await store.letGo(Set(slots))
      queue.async { [self] in state.withLock { $0.ownership.lost(slots) } }
    }
  }

  /// Drops what does not come to its end in slots that are to be let go.
  private func abandon(_ slots: [Int]) {
    logger.log(
      .warning, "slots abandoned", ["slots": "\(slots.count)", "reason": "something in them does not end"])
    Task { [self] in
      await onLoops(of: slots) { gateway, slots in gateway.sessions.lose(Set(slots)) }
      await store.letGo(Set(slots))
      queue.async { [self] in handOver(slots, isLost: true) }
    }
  }

  private func release(_ slots: [Int]) {
    for loop in 0..<entry.loops {
      let part = slots.filter { $0 % entry.loops == loop }
      mailboxes.run(on: loop) { [self] gateway in
        gateway.release(Set(part)) { [self] slot, _ in released(slot) }
      }
    }
  }

  /// Nothing here uses a slot any more; those of a moment go together.
  private func released(_ slot: Int) {
    let isFirst = shared.withLock { shared in
      shared.released.append(slot)
      return shared.released.count == 1
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + 0.01) { [self] in
      let slots = shared.withLock { shared in
        defer { shared.released = [] }
        return shared.released
      }
      Task { [self] in
        await store.letGo(Set(slots))
        queue.async { [self] in handOver(slots) }
      }
    }
  }

  private func handOver(_ slots: [Int], isLost: Bool = false) {
    state.withLock { state in
      var parts: [Int64: [Int]] = [:]
      for slot in slots {
        if let other = state.ownership.released(slot) { parts[other, default: []].append(slot) }
      }
      for (other, slots) in parts { handOver(slots, to: other, isLost: isLost, &state) }
    }
  }

  private func handOver(_ slots: [Int], to other: Int64, isLost: Bool, _ state: inout State) {
    var known: [Int: Int] = [:]
    for slot in slots { known[slot] = state.ownership.generation(of: slot) }
    guard attempt("hand over", { try state.directory.handOver(known, to: other, isLost: isLost) }) else {
      return
    }
    state.ownership.handedOver(slots)
  }

  /// Runs something on the loops that slots belong to, and waits until it has.
  private func onLoops(of slots: [Int], _ body: @escaping @Sendable (Gateway, [Int]) -> Void) async {
    for loop in 0..<entry.loops {
      let part = slots.filter { $0 % entry.loops == loop }
      guard !part.isEmpty else { continue }
      await withCheckedContinuation { continuation in
        let willRun = mailboxes.run(on: loop) { gateway in
          body(gateway, part)
          continuation.resume()
        }
        if !willRun { continuation.resume() }
      }
    }
  }
}
