// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for the wall clock alone.
import Foundation
import MusubiServer
import MusubiSession
import MusubiStorage

/// What all loops of a server have, and the part of each.
struct LoopResources: Sendable {
  let ledger: PeerLedger
  /// Asks who somebody is; nil if nobody is asked.
  let visitors: VisitorIdentifier?
  let screenBytes: ScreenBytes
  let store: (any SessionStore)?
  /// Each loop's part of what was stored.
  let restored: [StoredState]
  let record: RunRecord?
  let records: [any RecordFolder]
  let mailboxes: LoopMailboxes
  /// Whether a screen has a control for files.
  let takesFiles: Bool
  let presence = PresenceExchange()
  let trials = TrialTurn()
}

extension Application {
  /// Makes what answers a loop's connections; called on its thread when it begins.
  func service(of loop: EventLoop, _ resources: LoopResources) -> any ConnectionService {
    var environment = environment(of: loop, configuration.logger, resources.ledger)
    if let visitors = resources.visitors { environment.ask(visitors, on: loop) }
    environment.presence = resources.presence
    environment.trials = resources.trials
    environment.store = resources.store
    environment.isClustered = resources.mailboxes.isClustered
    environment.build = resources.mailboxes.isClustered ? RunningCluster.buildTime : nil
    environment.files = resources.takesFiles ? uploading : nil
    environment.arrivals = uploading.arrivals
    environment.restored = resources.restored[loop.index]
    environment.records = resources.records
    environment.screenBytes = resources.screenBytes
    // What TLS keeps for a connection is mostly its buffers and keys (musubi-bench tls).
    if configuration.certificateFile != nil { environment.connectionBytes += 14_336 }
    environment.record = resources.record?.record(ofLoop: loop.index)
    let sessions = SessionLoop(
      routes: routes, models: models, configuration: sessionConfiguration, environment: environment)
    running.add(sessions, on: loop)
    let service = resources.mailboxes.service(of: loop, sessions)
    return configuration.isDevelopment ? SlowLines(service) { loop.now } : service
  }

  private var sessionConfiguration: SessionConfiguration {
    var sessions = configuration.sessions
    sessions.maxMemoryBytes =
      (configuration.memory ?? ProcessMemory.limit / 2) / configuration.server.loops
    sessions.announcesNames = configuration.isDevelopment
    // Where nobody can be known, a page need not say that nobody is.
    sessions.announcesVisitors = identify != nil || authorize != nil || configuration.scriptVisitors != nil
    sessions.messageRate = configuration.messagesPerSecond.map {
      MessageRate(perSecond: $0, burst: 5 * min($0, 1_000_000))
    }
    if configuration.keepsSessions {
      // Nobody knows the disk of another machine.
      let elsewhere = (configuration.storeURL ?? configuration.clusterURL).map { _ in 8 << 30 }
      let limit =
        configuration.dataLimit ?? elsewhere ?? configuration.dataFolder.map { DiskSize.of($0) / 10 } ?? 0
      sessions.maxStoredBytes = max(1, limit / configuration.server.loops)
    }
    // A page is to be heard before it counts as gone.
    sessions.heartbeat = min(sessions.heartbeat, configuration.deadAfter * 2 / 3)
    return sessions
  }

  func environment(of loop: EventLoop, _ logger: Logger, _ ledger: PeerLedger) -> LoopEnvironment {
    var environment = LoopEnvironment(
      clock: { loop.now }, wallClock: { Date().timeIntervalSince1970 },
      entropy: Cryptography.randomBytes, sha256: Cryptography.sha256,
      authorize: { [authorize, scripted = configuration.scriptVisitors] request in
        var visitor =
          try scripted?.visitor(request.headers["authorization"]) ?? authorize?(HandshakeRequest(request))
          ?? .anonymous
        if visitor.locales.isEmpty {
          visitor.locales = AcceptLanguage.tags(in: request.headers["accept-language"])
        }
        return visitor
      },
      observe: NoticeLog(
        logger: logger, logsTraffic: configuration.isDevelopment, refusals: ledger.refusals,
        clock: { loop.now }
      ).observer)
    environment.arrival = { loop.iterationTime }
    environment.allowsRoom = allowsRoom
    environment.ledger = ledger
    environment.loop = loop.index
    environment.loops = configuration.server.loops
    environment.observesTraffic = configuration.isDevelopment
    environment.isOnLoop = { loop.isCurrent }
    environment.enqueue = { work in loop.enqueue(work) }
    return environment
  }
}
