// SPDX-License-Identifier: Apache-2.0
import Glibc
package import MusubiSession
import Synchronization

/// The server: event loops that share a port, each with its own thread and service.
///
/// May be used from every thread. `start` once, then `stop` once.
package final class Server: Sendable {
  /// Makes the service of a loop, on that loop's thread.
  package typealias ServiceFactory = @Sendable (EventLoop) -> any ConnectionService

  /// The loops, in the order of their indices; they take work also before `start`.
  package let loops: [EventLoop]

  private let configuration: ServerConfiguration
  private let site: Site
  private let logger: Logger
  private let onFilesChanged: (@Sendable () -> Void)?
  private let makeService: ServiceFactory
  private let state = Mutex(Running())

  private struct Running {
    var host = ""
    var port: UInt16 = 0
    var threads: [LoopThread] = []
    var watchers: [Task<Void, Never>] = []
    var identity: TLSIdentity?
    var node: NodeReport?
    var lastHeartbeat: Duration?
  }

  /// Makes a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - configuration: What an operator may change.
  ///   - site: What plain requests see.
  ///   - logger: Takes events.
  ///   - ledger: What each peer has.
  ///   - onFilesChanged: Called after files have changed and were read again, in development only.
  ///   - service: Makes the service of a loop; called on each loop's thread when it starts.
  package init(
    configuration: ServerConfiguration, site: Site, logger: Logger, ledger: PeerLedger = PeerLedger(),
    onFilesChanged: (@Sendable () -> Void)? = nil, service: @escaping ServiceFactory
  ) {
    self.onFilesChanged = onFilesChanged
    self.configuration = configuration
    var site = site
    site.files.isDevelopment = configuration.isDevelopment
    self.site = site
    self.logger = logger
    self.ledger = ledger
    makeService = service
    // Each socket that was handed over has a loop that accepts from it.
    let count = max(1, configuration.loops, configuration.inheritedSockets.count)
    loops = (0..<count).map { EventLoop(index: $0) }
  }

  /// The port that the server listens on; 0 before `start`.
  package var port: UInt16 { state.withLock { $0.port } }

  /// The address that the server listens on; empty before `start`.
  package var host: String { state.withLock { $0.host } }

  /// What a browser is told to come here.
  package var address: String {
    let host = host
    return "http\(isSecure ? "s" : "")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The peers' parts, and the refusals.
  package let ledger: PeerLedger

  /// Opens the listen sockets and starts the threads; connections are accepted when this returns.
  ///
  /// - Throws: `ServerError` with one sentence for the operator, and nothing is left running.
  package func start() throws(ServerError) {
    ProcessLimits.ignoreBrokenPipes()
    ProcessLimits.raiseOpenFiles(for: configuration.maxConnections)
    LWSLog.redirect(to: logger)
    if configuration.inheritedSockets.isEmpty {
      try ListenSocket.checkIsFree(host: configuration.host, port: configuration.port)
    }
    let identity = try configuration.certificateFiles.map { files throws(ServerError) in
      TLSIdentity(certificate: try Certificate(files))
    }
    let shared = SharedLimits(configuration, openFiles: ProcessLimits.openFiles, ledger: ledger)
    let (cores, host, port) = try ProcessLimits.limitingOpenFiles(for: configuration.maxConnections) {
      () throws(ServerError) in
      try makeCores(shared, identity)
    }
    let threads = cores.map { core in
      LoopThread(
        core: core, name: configuration.gate == nil ? "\(core.loop.index)" : "admin", makeService: makeService
      )
    }
    var watchers: [Task<Void, Never>] = []
    if configuration.isDevelopment { watchers.append(watchFiles()) }
    if let files = configuration.certificateFiles { watchers.append(watch(files)) }
    state.withLock { state in
      state.host = host
      state.port = port
      state.threads = threads
      state.watchers = watchers
      state.identity = identity
    }
    logger.log(
      .info, configuration.gate == nil ? "listening" : "admin listening",
      [
        "host": host, "port": "\(port)", "loops": "\(loops.count)",
        "inherited-sockets": "\(configuration.inheritedSockets.count)",
        "max-connections": "\(shared.maxConnections)",
      ])
  }

  /// Makes what the loops own.
  private func makeCores(
    _ shared: SharedLimits, _ identity: TLSIdentity?
  ) throws(ServerError) -> (cores: [LoopCore], host: String, port: UInt16) {
    var cores: [LoopCore] = []
    var (host, port) = (configuration.host, configuration.port)
    do throws(ServerError) {
      for loop in loops {
        let listener = try makeListener(of: loop.index, port: port)
        (host, port) = (listener.host, listener.port)
        cores.append(
          try LoopCore(
            loop: loop, configuration: configuration, shared: shared, site: site, logger: logger,
            listener: listener, identity: identity))
      }
    } catch {
      for core in cores { core.discard() }
      throw error
    }
    return (cores, host, port)
  }

  private func makeListener(of loop: Int, port: UInt16) throws(ServerError) -> ListenSocket {
    let inherited = configuration.inheritedSockets
    return inherited.isEmpty
      ? try ListenSocket(host: configuration.host, port: port, configuration)
      : try ListenSocket(inherited: inherited[loop % inherited.count], configuration)
  }

  /// Stops accepting, sends all pages away until the server is back, and ends the loops within the configured time.
  package func stop() async {
    let threads = state.withLock { state in
      let threads = state.threads
      state.threads = []
      for watcher in state.watchers { watcher.cancel() }
      state.watchers = []
      return threads
    }
    // It has never started.
    guard !threads.isEmpty else { return }
    for loop in loops { loop.command { $0.stop() } }
    for thread in threads { await thread.hasEnded() }
    logger.log(.info, configuration.gate == nil ? "stopped" : "admin stopped")
  }

  /// What the server has as one of several; nil if it is alone.
  package var node: NodeReport? {
    get { state.withLock { $0.node } }
    set {
      let hasChanged = state.withLock { state in
        defer { state.node = newValue }
        return state.node?.readiness != newValue?.readiness
      }
      guard hasChanged else { return }
      let readiness = newValue?.readiness ?? .ready
      for loop in loops { loop.command { $0.readiness = readiness } }
    }
  }

  /// When it has told the others last that it lives, as `MonotonicTime` counts; nil if it never has.
  package var lastHeartbeat: Duration? {
    get { state.withLock { $0.lastHeartbeat } }
    set { state.withLock { $0.lastHeartbeat = newValue } }
  }

  /// Has a task end when the server stops.
  package func keep(_ watcher: Task<Void, Never>) { state.withLock { $0.watchers.append(watcher) } }

  /// Shows other files from the next request on.
  ///
  /// - Parameter files: The files, read already.
  package func replaceFiles(by files: StaticFiles) {
    for loop in loops { loop.command { $0.site.files = files } }
  }

  /// Whether connections are encrypted.
  package var isSecure: Bool { configuration.certificateFiles != nil }

  /// Reads the certificate and its key again; if they fit together, they are shown from the next handshake on.
  ///
  /// Open connections go on with what they have. A pair that does not fit, such as a half-written one, is logged, and the
  /// old one stays.
  package func reloadCertificate() {
    guard let files = configuration.certificateFiles else { return }
    // Under the lock, so that all loops get the same one last.
    state.withLock { state in
      do throws(ServerError) {
        let certificate = try Certificate(files)
        state.identity?.certificate = certificate
        show(state.identity)
        logger.log(.info, "certificate changed", ["file": files.certificate])
      } catch {
        logger.log(.warning, "certificate not changed", ["reason": error.description])
      }
    }
  }

  /// Seals tickets by another key: who holds one of the old key makes a whole handshake.
  func changeTicketKey() {
    state.withLock { state in
      state.identity?.ticketKey = TLSIdentity.randomKey()
      show(state.identity)
    }
  }

  private func show(_ identity: TLSIdentity?) {
    guard let identity else { return }
    for loop in loops { loop.command { $0.use(identity) } }
  }

  /// Follows what happens to the certificate's files.
  private func watch(_ files: CertificateFiles) -> Task<Void, Never> {
    let watcher = CertificateWatcher(
      files: files, onChange: { [weak self] in self?.reloadCertificate() },
      onDay: { [weak self] in self?.changeTicketKey() })
    return Task.detached(priority: .utility) { await watcher.run() }
  }

  /// Shows changed files from their change on, for authors.
  private func watchFiles() -> Task<Void, Never> {
    let watcher = FileWatcher(files: site.files, logger: logger) { [weak self] files in
      self?.replaceFiles(by: files)
      self?.onFilesChanged?()
    }
    return Task.detached(priority: .utility) { await watcher.run() }
  }

  /// The loops' counts, in the order of their indices; without those that have ended.
  package func statistics() async -> [LoopStatistics] {
    var result: [LoopStatistics?] = []
    for loop in loops {
      result.append(
        await withCheckedContinuation { continuation in
          let willRun = loop.command { continuation.resume(returning: $0.statistics) }
          if !willRun { continuation.resume(returning: nil) }
        })
    }
    return result.compactMap { $0 }
  }
}
