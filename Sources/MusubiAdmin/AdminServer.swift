// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx
package import MusubiServer
package import MusubiSession
import Synchronization

/// The port for who runs the server: metrics, health and the status screen, on a loop of its own.
///
/// A loop of the application that is blocked does not keep it from answering.
package final class AdminServer: Sendable {
  /// Where the application's server is in its life.
  package enum Phase: Sendable {
    /// It does not listen yet.
    case starting
    case serving
    /// It sends its pages away, and ends.
    case draining
  }

  package let server: Server
  /// What happens in rooms, for the inspector; nil if there is none.
  package let inspected: InspectedRooms?
  /// The newest report; a loop that subscribes gets it about once a second.
  private let reports: SharedRelay<ServerReport>
  private let life: Life
  private let storesSessions: Bool
  private let ask: Question

  /// Asks a loop of the application what it has done and what it has; the answer comes on the loop's thread.
  package typealias Question =
    @Sendable (EventLoop, _ answer: @escaping @Sendable (LoopStatistics, SessionReport?) -> Void) -> Void

  /// What the site's answers look at.
  private final class Life: Sendable {
    let phase = Mutex(Phase.starting)
  }

  /// A port that does not listen yet.
  ///
  /// - Parameters:
  ///   - configuration: Where it listens, and who may look.
  ///   - logger: The application's log.
  ///   - storesSessions: Whether the application's sessions and rooms outlive its process.
  ///   - inspected: What happens in rooms, for the inspector; nil if there is to be none.
  ///   - pages: The application's pages, which the inspector shows; nil if there is to be none.
  ///   - environment: Makes what the status screen's sessions need on the port's loop.
  ///   - ask: Asks a loop of the application.
  package init(
    _ configuration: ServerConfiguration, logger: Logger, storesSessions: Bool, inspected: InspectedRooms?,
    pages: StaticFiles?,
    environment: @escaping @Sendable (EventLoop, PeerLedger) -> LoopEnvironment, ask: @escaping Question
  ) {
    let (life, reports) = (Life(), SharedRelay(value: ServerReport(), isPerServer: true))
    (self.life, self.reports, self.storesSessions, self.ask) = (life, reports, storesSessions, ask)
    self.inspected = inspected
    let screens =
      [StatusScreen.route(reports, hasInspector: inspected != nil)]
      + (inspected.map { InspectorScreen.routes($0) } ?? [])
    let site = Site(
      files: (pages ?? StaticFiles()).adding(
        StatusScreen.files + (inspected == nil ? [] : InspectorScreen.files)),
      handlers: [
        "/metrics": { _ in
          HTTPResponse(
            status: 200,
            headers: [
              ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store"),
            ], body: Array(MetricsText(reports.value ?? ServerReport()).text.utf8))
        },
        "/readyz": { _ in
          switch life.phase.withLock({ $0 }) {
          case .starting: .text(503, "starting")
          case .serving: reports.value?.node?.readiness.answer ?? .text(200, "ready")
          case .draining: .text(503, "restarting")
          }
        },
      ])
    let ledger = PeerLedger(Self.limits)
    server = Server(configuration: configuration, site: site, logger: logger, ledger: ledger) { loop in
      var environment = environment(loop, ledger)
      environment.loops = 1
      environment.observesTraffic = false
      return SessionLoop(routes: screens, configuration: SessionConfiguration(), environment: environment)
    }
  }

  /// Somebody who guesses tokens from one address has 16 attempts a second.
  ///
  /// The inspector's frames are sessions, too.
  private static var limits: PeerLimits {
    var limits = PeerLimits()
    limits.sessions = MessageRate(perSecond: 2, burst: 30)
    return limits
  }

  /// Listens, and begins to ask an application's server how it is.
  ///
  /// - Parameters:
  ///   - main: The application's server.
  ///   - screens: The application's screens, by their names.
  ///   - slowLines: Whether a page of the application may ask for a slow line.
  /// - Throws: `ServerError` with one sentence for the operator.
  package func start(
    following main: Server, _ screens: [String: ScreenSchema], slowLines: Bool
  ) throws(ServerError) {
    // It is known when that listens.
    let address: @Sendable () -> String? = { [weak main] in main?.address }
    inspected?.pages.know(
      inputs: screens.mapValues { $0.inputs.map(\.name) }, slowLinesAt: slowLines ? address : nil)
    do throws(ServerError) { try server.start() } catch { throw error.about(option: "--admin") }
    let collector = ReportCollector(
      main, admin: server.ledger.refusals, storesSessions: storesSessions, ask: ask)
    reports.accept(collector.report())
    server.keep(
      Task.detached(priority: .utility) { [life, reports] in
        await collector.run { report in
          var report = report
          report.isDraining = life.phase.withLock { $0 == .draining }
          reports.accept(report)
        }
      })
  }

  package var phase: Phase {
    get { life.phase.withLock { $0 } }
    set {
      life.phase.withLock { $0 = newValue }
      // A short stop is over before the next report.
      guard newValue == .draining, var report = reports.value else { return }
      report.isDraining = true
      reports.accept(report)
    }
  }

  /// Ends the port.
  package func stop() async { await server.stop() }
}
