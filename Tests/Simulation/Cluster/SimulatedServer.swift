// SPDX-License-Identifier: Apache-2.0
import MusubiCluster
import MusubiSession
import MusubiStorage
import MusubiTesting

/// A server's process among others, in virtual time: says that it lives, reads the directory, and does what
/// the real `Ownership`
/// decides, as `ClusterNode` does.
final class SimulatedServer {
  /// Names the process.
  let id: Int64
  /// The server, which a restart keeps.
  let number: Int
  unowned let cluster: SimulatedCluster
  private(set) lazy var owner = SimulatedOwner(self)
  private(set) var hasEnded = false
  private(set) var ownership: Ownership
  private var connections: [EngineConnection] = []
  private var directory: EngineConnection?
  private var pulse: EngineConnection?
  private var version = -1
  /// Slots of which the loops were not told yet who has them.
  private var untold: [Int: DirectorySlot] = [:]
  /// What slots were read from when they were taken: a mistake.
  private var early: [Int: EngineState] = [:]
  /// What happens one after the other, as on the queue of a `ClusterNode`.
  private let work = WorkQueue()

  init(_ cluster: SimulatedCluster, number: Int, id: Int64) {
    (self.cluster, self.number, self.id) = (cluster, number, id)
    ownership = Ownership(node: id, settings: cluster.settings)
  }

  /// The server of the simulated network.
  var node: SimulatedNode { cluster.network.nodes[number] }

  private var gateways: [Gateway] { node.gateways }

  /// The time that `Ownership` goes by.
  private var clock: Duration {
    let now = cluster.network.now
    return cluster.mistake == .usesWallClock ? now + node.wallError : node.time(at: now)
  }

  /// Does something after a while on its clock, unless it ends before.
  func after(_ pause: Duration, _ work: @escaping () -> Void) {
    let moment = cluster.network.now + pause * 1_000 / node.rate
    cluster.network.schedule(moment, on: node) { [weak self] in if self?.hasEnded == false { work() } }
  }

  /// Does what `Task` does: soon, and beside what else happens.
  private func soon(_ work: @escaping () -> Void) { after(cluster.taskDelay(), work) }

  // MARK: - Beginning and ending

  func start() {
    for gateway in gateways {
      gateway.onOwner = { [unowned self] slot, generation, place in
        let other = cluster.servers[Place.parts(of: place).peer]?.id
        work.add { [unowned self] done in
          ownership.hear(slot, generation: generation, of: other)
          done()
        }
      }
    }
    connect { [unowned self] connection in
      guard let connection else { return after(.milliseconds(500)) { [unowned self] in start() } }
      directory = connection
      let (id, number, now) = (id, number, cluster.network.now)
      connection.run(locking: { _ in [] }) { state, _ in
        state.join(id, server: number, at: now)
      } then: { [unowned self] answer in
        guard answer != nil else { return after(.milliseconds(500)) { [unowned self] in start() } }
        tick()
        beat()
      }
    }
  }

  /// The process ends; nothing of it goes on.
  func end() { hasEnded = true }

  /// Nothing that it has is its own any more.
  private func exit() { cluster.exit(number) }

  /// A commit was refused though nobody else has taken its slot.
  func loseStore(_ slot: Int) {
    cluster.noteLoss("the database has lost commits of slot \(slot), as server \(number) says")
    exit()
  }

  /// It is to give all that it has to the others, and to end then.
  func drain() { ownership.drain() }

  // MARK: - The database

  /// Opens a connection; nil if that is not possible now.
  func connect(_ then: @escaping (EngineConnection?) -> Void) {
    guard cluster.arrival(of: number, isLate: false) != nil else {
      return after(SimulatedCluster.patience) { then(nil) }
    }
    after(cluster.latency * 2) { [unowned self] in
      let engine = cluster.engine(of: number)
      guard engine.isUp else { return then(nil) }
      let connection = EngineConnection(of: self, to: engine)
      connections.removeAll(where: \.isLost)
      connections.append(connection)
      then(connection)
    }
  }

  /// A database has ended.
  func loseConnections(to engine: SimulatedEngine) {
    for connection in connections where connection.engine === engine { connection.lose() }
  }

  /// What it reads the records of a slot from; nil if it does not reach the database.
  func readable(_ slot: Int?) -> EngineState? {
    let engine = cluster.engine(of: number)
    guard engine.isUp, cluster.arrival(of: number, isLate: false) != nil else { return nil }
    return slot.flatMap { early[$0] } ?? engine.state
  }

  private func beat() {
    let again = { [unowned self] in after(.milliseconds(250)) { [unowned self] in beat() } }
    guard let pulse, !pulse.isLost else {
      return connect { [unowned self] connection in
        pulse = connection
        connection == nil ? again() : beat()
      }
    }
    pulse.run(locking: { _ in [] }) { [id, network = cluster.network] state, _ in
      state.beat(id, at: network.now)
    } then: { _ in
      again()
    }
  }

  /// Runs a statement of the directory; a connection that was lost is opened anew.
  private func ask<Answer>(
    locking locks: ((EngineState) -> [Int])?,
    _ body: @escaping (inout EngineState, EngineState?) -> Answer, then: @escaping (Answer?) -> Void
  ) {
    guard let directory, !directory.isLost else {
      return connect { [unowned self] connection in
        // The database may be another one now, whose version is an older one.
        (directory, version) = (connection, -1)
        guard connection != nil else { return then(nil) }
        ask(locking: locks, body, then: then)
      }
    }
    directory.run(locking: locks, body, then: then)
  }

  /// Runs one that changes nothing that others lock.
  private func change(
    _ body: @escaping (inout EngineState, EngineState?) -> Void, then: @escaping (Void?) -> Void
  ) {
    ask(locking: { _ in [] }, body, then: then)
  }

  // MARK: - Beats

  private func tick() {
    work.add { [unowned self] done in
      read { [unowned self] isUrgent in
        done()
        after(isUrgent ? .zero : .milliseconds(250)) { [unowned self] in tick() }
      }
    }
  }

  private func read(_ then: @escaping (_ isUrgent: Bool) -> Void) {
    ask(locking: nil) { [unowned self, network = cluster.network] state, _ in
      // All of it on a new connection.
      state.read(since: version, at: network.now)
    } then: { [unowned self] (answer: (reading: DirectoryReading, version: Int)?) in
      guard let (reading, version) = answer else { return then(false) }
      self.version = version
      let orders = ownership.read(reading, at: clock)
      if reading.isWhole { untold = [:] }
      for slot in reading.moved { untold[slot.slot] = slot }
      tellHomes()
      perform(orders[...], isUrgent: false) { [unowned self] isUrgent in
        if ownership.isDrained { return leave() }
        then(isUrgent)
      }
    }
  }

  /// All is given away.
  private func leave() {
    change({ [id] state, _ in state.leave(id) }) { [unowned self] _ in exit() }
  }

  private func tellHomes() {
    for (slot, row) in untold.sorted(by: { $0.key < $1.key }) {
      if row.node == id {
        untold[slot] = nil
      } else if let owner = ownership.owner(of: slot), let peer = Int(owner.address) {
        untold[slot] = nil
        let home = Place.remote(peer: peer, loop: slot % cluster.loops)
        let move = SlotMove(generation: UInt32(row.generation), lostSince: UInt32(row.lostSince))
        after(.zero) { [unowned self] in for gateway in gateways { gateway.note(slot, home: home, move) } }
      }
    }
  }

  /// Nobody listens at the address of a process, or somebody does.
  func note(_ id: Int64, isRefused: Bool) { ownership.note(id, isRefused: isRefused) }
}

// MARK: - Orders

extension SimulatedServer {
  /// Does one order after the other.
  private func perform(
    _ orders: ArraySlice<Ownership.Order>, isUrgent: Bool, then: @escaping (_ isUrgent: Bool) -> Void
  ) {
    guard let order = orders.first else { return then(isUrgent) }
    let goOn = { [unowned self] (isUrgentToo: Bool) in
      perform(orders.dropFirst(), isUrgent: isUrgent || isUrgentToo, then: then)
    }
    switch order {
    case .bury(let silent):
      ask(locking: { _ in [] }) { state, _ in
        state.bury(silent)
      } then: { [unowned self] buried in
        for id in buried ?? [] { cluster.noteBurial(of: id) }
        goOn(buried != nil)
      }
    case .announceDraining:
      change({ [id] state, _ in state.drain(id) }) { goOn($0 != nil) }
    case .take(let count): take(count) { goOn($0) }
    case .load(let slots): load(slots) { goOn(false) }
    case .lose(let slots):
      lose(slots) { [unowned self] in ownership.lost(slots) }
      goOn(false)
    case .abandon(let slots):
      lose(slots) { [unowned self] in handOver(slots, isLost: true) }
      goOn(false)
    case .release(let slots, _):
      release(slots)
      goOn(false)
    case .handOver(let slots, let other): handOver(slots, to: other, isLost: true) { goOn(false) }
    case .readAgain:
      directory = nil
      goOn(true)
    case .exit: exit()
    }
  }

  private func take(_ count: Int, then: @escaping (Bool) -> Void) {
    let (id, isAtOnce) = (id, cluster.mistake == .takesAndLoadsAtOnce)
    var slots: [Int] = []
    ask(locking: {
      slots = $0.free(count)
      return slots + [EngineState.versionRow]
    }) { state, snapshot in
      state.take(slots, by: id)
      return isAtOnce ? snapshot : nil
    } then: { [unowned self] (snapshot: EngineState??) in
      for slot in slots { early[slot] = snapshot ?? nil }
      then(snapshot != nil)
    }
  }

  private func load(_ slots: [Int], then: @escaping () -> Void) {
    let early = early
    ask(locking: nil) { [id] state, _ in
      state.load(slots, of: id) { early[$0] }
    } then: { [unowned self] loaded in
      defer { then() }
      guard let loaded else { return ownership.notLoaded(slots) }
      ownership.notLoaded(slots.filter { loaded[$0] == nil })
      soon { [unowned self] in
        owner.own(loaded.mapValues(\.fence)) { [unowned self] in
          work.add { [unowned self] done in
            serve(loaded)
            done()
          }
        }
      }
    }
  }

  /// Has the loops serve slots whose commits are stored from now on.
  private func serve(_ slots: [Int: LoadedSlot]) {
    ownership.loaded(slots.mapValues(\.fence.generation))
    after(.zero) { [unowned self] in
      for (slot, content) in slots.sorted(by: { $0.key < $1.key }) {
        let move = SlotMove(
          generation: UInt32(content.fence.generation), lostSince: UInt32(content.lostSince))
        node.gateways[slot % cluster.loops].adopt(slot, content.state, move)
      }
    }
  }

  /// Has the loops drop slots, and the store as well.
  private func lose(_ slots: [Int], then: @escaping () -> Void) {
    soon { [unowned self] in
      for gateway in node.gateways {
        gateway.sessions.lose(Set(slots.filter { $0 % cluster.loops == gateway.loop }))
      }
      soon { [unowned self] in
        owner.letGo(slots) { [unowned self] in
          work.add { done in
            then()
            done()
          }
        }
      }
    }
  }

  private func release(_ slots: [Int]) {
    after(.zero) { [unowned self] in
      for gateway in node.gateways {
        let part = Set(slots.filter { $0 % cluster.loops == gateway.loop })
        gateway.sessions.release(part) { [weak self] slot, _ in
          self?.soon { [weak self] in
            self?.owner.letGo([slot]) { [weak self] in self?.handOver([slot], isLost: false) }
          }
        }
      }
    }
  }

  private func handOver(_ slots: [Int], isLost: Bool) {
    work.add { [unowned self] done in
      var parts: [Int64: [Int]] = [:]
      for slot in slots {
        if let other = ownership.released(slot) { parts[other, default: []].append(slot) }
      }
      // As a rule there is one.
      for (other, slots) in parts.sorted(by: { $0.key < $1.key }) {
        handOver(slots, to: other, isLost: isLost, then: parts.count == 1 ? done : {})
      }
      if parts.count != 1 { done() }
    }
  }

  private func handOver(_ slots: [Int], to other: Int64, isLost: Bool, then: @escaping () -> Void) {
    var known: [Int: Int] = [:]
    for slot in slots { known[slot] = ownership.generation(of: slot) }
    ask(locking: { _ in slots + [EngineState.versionRow] }) { [id] state, _ in
      state.handOver(known, from: id, to: other, isLost: isLost)
    } then: { [unowned self] answer in
      if answer != nil { ownership.handedOver(slots) }
      then()
    }
  }
}
