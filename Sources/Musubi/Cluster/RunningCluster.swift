// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiCluster
import MusubiRx
import MusubiServer
import MusubiSession
import MusubiStorage

/// The node of a running server that is one of several.
struct RunningCluster {
  private let node: ClusterNode
  private let links: NodeLinks
  private let logger: Logger
  private let readyDelay: Duration

  /// Enters the server among the others, which begin to send it pages.
  ///
  /// - Parameters:
  ///   - configuration: Says where the directory is, and where links arrive.
  ///   - run: The server's store.
  ///   - server: The server; its loops run.
  ///   - mailboxes: Its loops' gateways.
  /// - Returns: nil if it is alone.
  /// - Throws: `StorageError` or `ServerError` with one sentence for the operator.
  static func join(
    _ configuration: Configuration, _ run: StoredRun?, _ server: Server, _ mailboxes: LoopMailboxes
  ) throws -> RunningCluster? {
    guard let url = configuration.clusterURL, let store = run?.store as? PostgresSessionStore else {
      return nil
    }
    let logger = configuration.logger
    let entry = DirectoryEntry(
      node: run?.node ?? 0, folder: run?.folderNode ?? run?.node ?? 0, build: build,
      loops: server.loops.count)
    var place = PostgresStoreConfiguration(url: url)
    place.silence = configuration.nodeSilence
    let directory = PostgresDirectory(place, entry)
    let secret = try directory.secret()
    let listen =
      configuration.nodeListen.flatMap(NodeAddress.init)
      ?? NodeAddress(host: directory.localAddress ?? "127.0.0.1", port: 0)
    var settings = Ownership.Settings()
    settings.silence = configuration.nodeSilence
    settings.balanceAge = configuration.balanceAge
    settings.balanceInterval = min(settings.balanceInterval, configuration.balanceAge)
    let node = ClusterNode(
      entry, directory: directory, pulse: PostgresPulse(place, node: entry.node), store: store,
      mailboxes: mailboxes, settings: settings, logger: logger
    ) { [weak server] in
      server?.lastHeartbeat = MonotonicTime.now
    } onReport: { [weak server] in
      server?.node = $0
    }
    let links = NodeLinks(
      node: entry.node, build: entry.build, secret: secret, loops: server.loops, logger: logger,
      handlers: node.handlers)
    do {
      try links.start(host: listen.host, port: listen.port)
    } catch {
      throw error.about(option: "--node-listen")
    }
    let address = configuration.nodeAddress ?? NodeAddress(host: listen.host, port: links.port).text
    if configuration.nodeListen == nil, configuration.nodeAddress == nil, isLoopback(listen.host) {
      logger.log(
        .warning, "node address",
        [
          "address": address, "consequence": "servers on other machines do not reach this one",
          "hint": "--node-listen",
        ])
    }
    do {
      try node.join(address: address)
    } catch {
      links.stop()
      throw error
    }
    mailboxes.join(node)
    node.start(links)
    logger.log(
      .info, "joined", ["node": "\(entry.node)", "address": address, "build": entry.build])
    return RunningCluster(node: node, links: links, logger: logger, readyDelay: configuration.readyDelay)
  }

  /// Finds what would keep the other servers from this one.
  ///
  /// - Throws: `StorageError` with one sentence for the operator.
  static func check(
    _ configuration: Configuration, relays: [String] = SharedRelayPlaces.all
  ) throws(StorageError) {
    guard configuration.clusterURL != nil else { return }
    if let place = relays.first {
      throw StorageError(
        "Each server would have a SharedRelay of its own that is made in \(place), and what one accepts the others would not see; keep it in a shared model, or say isPerServer: true where each server fills its own, or each screen makes one for itself."
      )
    }
    SharedRelayPlaces.follow { [logger = configuration.logger] place in
      let hint = "a shared model, or isPerServer: true"
      logger.log(
        .error, "shared relay",
        ["place": place, "consequence": "each server has its own", "hint": hint])
    }
    guard configuration.nodeAddress == nil, let listen = configuration.nodeListen,
      let host = NodeAddress(listen)?.host, ["0.0.0.0", "::", "*"].contains(host)
    else { return }
    throw StorageError(
      "--node-listen \(listen) takes links at all addresses of this machine; say which one the other servers call, by --node-address HOST:PORT."
    )
  }

  private static func isLoopback(_ host: String) -> Bool { host == "::1" || host.hasPrefix("127.") }

  /// The secret of all servers, which is in their database; nil if the server is alone.
  ///
  /// - Throws: `StorageError` with one sentence for the operator.
  static func secret(_ configuration: Configuration) throws -> [UInt8]? {
    guard let url = configuration.clusterURL else { return nil }
    let nobody = DirectoryEntry(node: 0, folder: 0, build: build, loops: 0)
    return try PostgresDirectory(PostgresStoreConfiguration(url: url), nobody).secret()
  }

  /// Names what the process runs: when the program's file was written, and how long it is.
  private static var build: String {
    var file = stat()
    guard stat("/proc/self/exe", &file) == 0 else { return "unknown" }
    return "\(file.st_mtim.tv_sec)-\(file.st_size)"
  }

  /// When the program's file was written, in seconds since 1970: so servers know who of them has the newer program.
  static var buildTime: Int {
    DirectoryNode.buildTime(of: build)
  }

  /// Gives everything to other nodes, if there are some.
  func drain() async {
    guard node.report.nodes > 1 else { return }
    logger.log(.info, "draining", ["slots": "\(node.report.slots)"])
    node.announceEnd()
    // Load balancers ask now and then whether the server is ready.
    do { try await Task.sleep(for: readyDelay) } catch { return }
    await node.drain(within: Ownership.Settings().releaseLimit + .seconds(5))
    logger.log(.info, "drained", ["left": "\(node.report.slots)"])
  }

  /// Ends the sessions of a visitor, or of one log-in, on all nodes.
  ///
  /// - Returns: Whether all that live have ended them for good.
  func endSessions(of who: SignedOut) async -> Bool { await node.signOut(who) }

  /// Closes the links, before the loops end.
  func unlink() { links.stop() }

  /// Takes the node out, once everything is stored.
  func leave() async { await node.stop() }
}
