// SPDX-License-Identifier: Apache-2.0
import Glibc
package import MusubiSession
import Synchronization

/// The server: event loops that share a port, each with its own thread and service.
///
/// May be used from every thread. `start` once, then `stop` once.
package final class Server: Sendable {
  /// Makes what a loop serves, on that loop's thread.
  package typealias ServiceFactory = @Sendable (EventLoop, any Transport) -> any ConnectionService

  /// The loops, in the order of their indices; they take work also before `start`.
  package let loops: [EventLoop]

  private let configuration: ServerConfiguration
  private let site: Site
  private let logger: Logger
  private let onFilesChanged: (@Sendable () -> Void)?
  private let makeService: ServiceFactory
  private let state = Mutex(State())

  private struct State {
    var host = ""
    var port: UInt16 = 0
    var threads: [LoopThread] = []
    var watcher: Task<Void, Never>?
  }

  /// Makes a server that does not listen yet.
  ///
  /// - Parameters:
  ///   - configuration: What an operator may change.
  ///   - site: What plain requests see.
  ///   - logger: Takes events.
  ///   - onFilesChanged: Called after files have changed and are shown anew, in development only.
  ///   - service: Makes what a loop serves; called on each loop's thread when it starts.
  package init(
    configuration: ServerConfiguration, site: Site, logger: Logger,
    onFilesChanged: (@Sendable () -> Void)? = nil, service: @escaping ServiceFactory
  ) {
    self.onFilesChanged = onFilesChanged
    self.configuration = configuration
    self.site = site
    self.logger = logger
    makeService = service
    // Each socket that was handed over has a loop that accepts from it.
    let count = max(1, configuration.loops, configuration.inheritedSockets.count)
    loops = (0..<count).map { EventLoop(index: $0) }
  }

  /// The port that the server listens on; 0 before `start`.
  package var port: UInt16 { state.withLock { $0.port } }

  /// The address that the server listens on; empty before `start`.
  package var host: String { state.withLock { $0.host } }

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
    let shared = SharedLimits(configuration, openFiles: ProcessLimits.openFiles)
    let (cores, host, port) = try makeCores(shared)
    let threads = cores.map { LoopThread(core: $0, makeService: makeService) }
    let watcher = configuration.isDevelopment ? watchFiles() : nil
    state.withLock { state in
      state.host = host
      state.port = port
      state.threads = threads
      state.watcher = watcher
    }
    logger.log(
      .info, "listening",
      [
        "host": host, "port": "\(port)", "loops": "\(loops.count)",
        "inherited-sockets": "\(configuration.inheritedSockets.count)",
        "max-connections": "\(shared.maxConnections)",
      ])
  }

  /// Makes what the loops own.
  private func makeCores(
    _ shared: SharedLimits
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
            listener: listener))
      }
    } catch {
      for core in cores { core.discard() }
      throw error
    }
    return (cores, host, port)
  }

  private func makeListener(of loop: Int, port: UInt16) throws(ServerError) -> ListenSocket {
    let inherited = configuration.inheritedSockets
    let bytes = configuration.sendBufferBytes
    return inherited.isEmpty
      ? try ListenSocket(host: configuration.host, port: port, sendBufferBytes: bytes)
      : try ListenSocket(inherited: inherited[loop % inherited.count], sendBufferBytes: bytes)
  }

  /// Stops accepting, sends all pages away until the server is back, and ends the loops within the configured time.
  package func stop() async {
    let threads = state.withLock { state in
      let threads = state.threads
      state.threads = []
      state.watcher?.cancel()
      state.watcher = nil
      return threads
    }
    for loop in loops { loop.command { $0.stop() } }
    for thread in threads { await thread.hasEnded() }
    logger.log(.info, "stopped")
  }

  /// Shows other files from the next request on.
  ///
  /// - Parameter files: The files, read already.
  package func replaceFiles(by files: StaticFiles) {
    for loop in loops { loop.command { $0.site.files = files } }
  }

  /// Shows changed files from their change on, for authors.
  private func watchFiles() -> Task<Void, Never> {
    let watcher = FileWatcher(files: site.files, logger: logger) { [weak self] files in
      self?.replaceFiles(by: files)
      self?.onFilesChanged?()
    }
    return Task.detached(priority: .utility) { await watcher.run() }
  }

  /// What the loops have done, in the order of their indices; without those that have ended.
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
