// SPDX-License-Identifier: Apache-2.0
package import MusubiServer
package import MusubiSession
package import MusubiStorage

extension Application {
  /// Checks everything that can be checked before a page comes, and starts the server.
  ///
  /// - Parameters:
  ///   - store: Where sessions and rooms outlive the process; nil if they do not.
  ///   - stored: The store's contents.
  ///   - record: The file in which the loops note their events; nil if nobody reads it.
  ///   - records: Where what happens in rooms is written down.
  ///   - mailboxes: Carries what its loops have for each other.
  ///   - secret: What all servers share if there are several.
  ///   - last: Called when everything is checked, before anything listens; with the screens by their names.
  /// - Returns: The running server.
  /// - Throws: `SchemaError`, `ContentSecurityError`, `PageError` or `ServerError`, with nothing left running.
  package func start(
    store: (any SessionStore)? = nil, stored: StoredState = StoredState(), record: RunRecord? = nil,
    records: [any RecordFolder] = [], mailboxes: LoopMailboxes = LoopMailboxes(), secret: [UInt8]? = nil,
    last: (Server, [String: ScreenSchema]) throws -> Void = { _, _ in }
  ) throws -> Server {
    let screens = try checkScreens()
    let table = tableWithUploads(of: screens)
    let files = try checkedFiles(table)
    let logger = configuration.logger
    try sealing.useKeys(of: configuration, sharing: secret, logger)
    if let secret { uploading.secrets.use([Cryptography.derivedKey(from: secret, for: "musubi uploads 1")]) }
    let uploads = try uploading.open(configuration, logger)
    let ledger = PeerLedger(configuration.peerLimits)
    let (parts, unnamed) = stored.parts(loops: configuration.server.loops)
    let resources = LoopResources(
      ledger: ledger, visitors: identify.map { identifier(asking: $0, logger, ledger) },
      screenBytes: ScreenBytes(
        measuring: routes + models, models: ModelProbe(models), isHere: ProcessMemory.isOnThisThread
      ) {
        ProcessMemory.heapInUse
      },
      store: store, restored: parts, record: record, records: records, mailboxes: mailboxes,
      takesFiles: screens.values.contains { !$0.files.isEmpty })
    let answering = RouteAnswer(asking: resources.visitors, logger, ledger)
    let server = Server(
      configuration: configuration.server, site: site(files, answering, table), logger: logger,
      ledger: ledger,
      onFilesChanged: { [running] in running.reload() }
    ) { [self] in service(of: $0, resources) }
    mailboxes.attach(server.loops, unnamed: unnamed)
    running.attach(server.loops)
    do {
      try last(server, screens)
      // It is ready when it knows whose the rooms are.
      if mailboxes.isClustered { server.node = NodeReport(id: 0) }
      try server.start()
    } catch {
      running.detach(server.loops)
      throw error
    }
    keepWatch(over: server, uploads)
    server.tellUntold(in: logger)
    return server
  }

  /// The addresses that the program answers, with those of files if a screen has a control for them.
  private func tableWithUploads(of screens: [String: ScreenSchema]) -> RouteTable {
    var table = table
    if let largest = screens.values.flatMap(\.files.values).map(\.size).max() {
      uploading.take(upTo: largest.bytes)
      uploading.identifies = identify != nil
      table.addFileControls(uploading, to: largest)
    }
    return table
  }

  /// Reads the public folder, and checks it with all that depends on it.
  private func checkedFiles(_ table: RouteTable) throws -> StaticFiles {
    try configuration.contentSecurity.check()
    guard (configuration.certificateFile == nil) == (configuration.keyFile == nil) else {
      throw ServerError.halfACertificate
    }
    let files = try StaticFiles(root: configuration.publicFolder, routes: pages)
    let shared = routes.filter { $0.scope != .session }.map(\.name)
    try PageCheck(screens: routes.map(\.name), shared: Set(shared)).check(files)
    try table.check(pages: pages, filePaths: files.paths, echo: configuration.conformanceEcho)
    for path in files.hidden {
      configuration.logger.log(
        .warning, "file not served", ["file": path, "message": PageFinding.hiddenFile])
    }
    return files
  }

  /// Starts what looks after a server as long as it runs.
  private func keepWatch(over server: Server, _ uploads: UploadDesk?) {
    let watcher = MemoryWatcher(loops: running)
    server.keep(Task.detached(priority: .utility) { await watcher.run() })
    guard let uploads else { return }
    let logger = configuration.logger
    server.keep(
      Task.detached(priority: .utility) {
        await uploads.sweepAlways { logger.log(.error, "upload not noted", ["message": $0.description]) }
      })
  }
}
