// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiServer
import MusubiSession
import Synchronization

/// The port for who runs the server: metrics, health and the status screen, on a loop of its own.
///
/// A loop of the application that is blocked does not keep it from answering.
final class AdminServer: Sendable {
  /// Where the application's server is in its life.
  enum Phase: Sendable {
    /// It does not listen yet.
    case starting
    case serving
    /// It sends its pages away, and ends.
    case draining
  }

  let server: Server
  /// The newest report; a loop that subscribes gets it about once a second.
  let reports: SharedRelay<ServerReport>
  private let life: Life
  private let loops: RunningLoops
  private let configuration: Configuration

  /// What the site's answers look at.
  private final class Life: Sendable {
    let phase = Mutex(Phase.starting)
  }

  /// The port that an application's configuration asks for; nil if it asks for none.
  ///
  /// - Throws: `AdminError` if the token is missing or lies open, or `ServerError` if the public folder cannot be read, or if
  ///   what was handed over is no listening socket.
  init?(of application: Application, _ running: RunningLoops) throws {
    let configuration = application.configuration
    guard let address = try configuration.adminAddress() else { return nil }
    let token = try AdminToken.read(for: address, file: configuration.adminTokenFile)
    let (life, reports) = (Life(), SharedRelay(value: ServerReport()))
    (self.life, self.reports, loops) = (life, reports, running)
    self.configuration = configuration
    let screens = [StatusScreen.route(reports)]
    let files = try StaticFiles(
      own: StatusScreen.files, and: ["musubi.js", "musubi-more.js"], of: configuration.publicFolder)
    let site = Site(
      files: files,
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
          case .serving: .text(200, "ready")
          case .draining: .text(503, "restarting")
          }
        },
      ])
    let (logger, ledger) = (configuration.logger, PeerLedger(Self.limits))
    let server = configuration.adminServer(at: address, token: token)
    if !address.isLoopback, server.certificateFiles == nil {
      logger.log(.warning, "admin not encrypted", ["host": address.host])
    }
    self.server = Server(configuration: server, site: site, logger: logger, ledger: ledger) { loop in
      var environment = application.environment(of: loop, logger, ledger)
      environment.loops = 1
      environment.observesTraffic = false
      environment.authorize = { request, then in
        then(.visitor(Visitor(locales: AcceptLanguage.tags(in: request.headers["accept-language"]))))
      }
      return SessionLoop(routes: screens, configuration: SessionConfiguration(), environment: environment)
    }
  }

  /// Somebody who guesses tokens from one address has eight attempts a second.
  private static var limits: PeerLimits {
    var limits = PeerLimits()
    limits.sessions = MessageRate(perSecond: 1, burst: 10)
    return limits
  }

  /// Listens, and begins to ask an application's server how it is.
  ///
  /// - Throws: `ServerError` with one sentence for the operator.
  func start(following main: Server) throws(ServerError) {
    do throws(ServerError) { try server.start() } catch { throw error.about(option: "--admin") }
    let collector = ReportCollector(main, loops, admin: server.ledger.refusals, configuration)
    reports.accept(collector.report())
    let untold = UntoldLog(logger: configuration.logger, refusals: server.ledger.refusals)
    server.keep(Task.detached(priority: .utility) { await untold.run() })
    server.keep(
      Task.detached(priority: .utility) { [life, reports] in
        await collector.run { report in
          var report = report
          report.isDraining = life.phase.withLock { $0 == .draining }
          reports.accept(report)
        }
      })
  }

  var phase: Phase {
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
  func stop() async { await server.stop() }
}

extension Configuration {
  /// Where the admin port listens: at the socket that was handed over for it, or where the settings say.
  ///
  /// - Returns: nil if there is to be none.
  /// - Throws: `ServerError` if what was handed over is no listening TCP socket.
  func adminAddress() throws(ServerError) -> AdminAddress? {
    guard let inheritedAdminSocket else { return admin }
    let (host, port) = try ServerConfiguration.address(ofInherited: inheritedAdminSocket)
    return AdminAddress(host: host, port: port)
  }

  /// The part that the admin port's socket needs.
  ///
  /// Elsewhere than on loopback it speaks TLS if the application's port does.
  func adminServer(at address: AdminAddress, token: String?) -> ServerConfiguration {
    var server = server
    (server.host, server.port, server.loops) = (address.host, address.port, 1)
    server.inheritedSockets = inheritedAdminSocket.map { [$0] } ?? []
    if address.isLoopback { server.certificateFiles = nil }
    server.gate = AccessGate(
      token: token, isGuarded: !address.isLoopback, isSecure: server.certificateFiles != nil)
    server.maxConnections = 256
    server.countsLoopback = true
    (server.isDevelopment, server.conformanceEcho) = (false, nil)
    // The application's own port has taken most of the time that a stop may take.
    (server.stopTimeout, server.stopGrace) = (.milliseconds(300), .zero)
    return server
  }
}
