// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession

extension SimulatedNetwork {
  /// What each loop of each server runs.
  struct Program {
    let configuration: SessionConfiguration
    let stores: ((_ node: Int, _ loop: Int) -> any SessionStore)?
    let routes: [ScreenRoute]
    let models: [ScreenRoute]
    let files: (any SentFiles)?
    let authorize: (ConnectionRequest) throws -> Visitor
  }

  /// Makes the sessions of a loop, with what is stored of them.
  func makeSessions(_ node: SimulatedNode, _ loop: Int, _ stored: StoredState) -> SessionLoop {
    var environment = bareEnvironment(of: node)
    environment.loop = loop
    environment.ledger = node.ledger
    environment.presence = node.presence
    environment.trials = node.trials
    environment.loops = loops
    environment.isClustered = nodes.count > 1
    environment.build = node.build
    environment.store =
      program.stores?(node.number, loop)
      ?? store.map { store in
        SimulatedStoreClient(store, of: node.number) { [weak node] slot in
          node?.gateway(loop)?.generation(of: slot) ?? 0
        }
      }
    environment.files = program.files
    environment.arrivals = arrivals
    environment.restored = stored
    environment.record = store?.record
    return SessionLoop(
      routes: node.routes ?? program.routes, models: program.models, configuration: program.configuration,
      environment: environment)
  }

  /// The clock and the chance of a server, how it asks who somebody is, and how loops call themselves.
  private func bareEnvironment(of node: SimulatedNode) -> LoopEnvironment {
    let (random, authorize) = (random, program.authorize)
    var environment = LoopEnvironment(
      clock: { [unowned self, unowned node] in
        now += clockStep
        return node.time(at: now)
      },
      wallClock: { [unowned self, unowned node] in (now + node.wallError) / .seconds(1) },
      entropy: { count in (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } },
      sha256: testHash,
      authorize: authorize,
      observe: { [weak self] in self?.notices.append($0) })
    environment.authorize = { [weak self] request, then in
      let answer = Authorization { try authorize(request) }
      guard let self, let delay = answerDelay?() else { return then(answer) }
      let services = node.services
      schedule(now + delay, on: node) {
        // A restarted server has asked nothing.
        if node.services.elementsEqual(services, by: ===) { then(answer) }
      }
    }
    let later = Carried { [weak self, weak node] (work: @escaping @Sendable () -> Void) in
      if let self, let node { schedule(now, on: node, work) }
    }
    environment.enqueue = { work in
      // Messages of an event to its own loop are no part of that event.
      if LoopContext.current == nil { work() } else { later.element(work) }
    }
    environment.allowsRoom = { [weak self] in self?.allowsRoom?($0, $1, $2) ?? true }
    return environment
  }
}
