// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for the wall clock alone.
import Foundation
import MusubiAdmin
public import MusubiBinding
import MusubiRx
package import MusubiServer
package import MusubiSession
package import MusubiStorage

/// The screens of a server and how it runs.
///
/// ```swift
/// var application = Application()
/// application.screen("number", scope: .room, page: "number.html") { context in
///   NumberView(model: RandomNumberModel(generator: context.random))
/// }
/// await application.run()
/// ```
public struct Application: Sendable {
  /// How the server runs.
  public var configuration: Configuration
  /// The screens by name and factory.
  package private(set) var routes: [ScreenRoute] = []
  /// The shared models.
  package private(set) var models: [ScreenRoute] = []
  private(set) var pages: [PageRoute] = []
  /// The addresses that the program answers.
  var table = RouteTable()
  private let sealing = Secrets()
  /// The files that are sent to it.
  let uploading = Uploads()
  private let running = RunningLoops()
  private var authorize: (@Sendable (HandshakeRequest) throws -> Visitor)?
  var identify: VisitorIdentifier.Hook?
  private var allowsRoom: (@Sendable (Visitor, String, String) -> Bool)?

  /// An application without screens.
  ///
  /// - Parameter configuration: How the server runs.
  public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// Adds a screen: a name, a page, and what makes its View.
  ///
  /// - Parameters:
  ///   - name: The name in the page's `data-screen` and in `/live/<name>`.
  ///   - scope: Who shares the screen's state.
  ///   - keepsRunning: Whether repeating timers (`interval`) of a screen in session scope go on while its page is not
  ///     connected; if not, the next beat comes when the page is back.
  ///   - path: Where the page is shown; `/<name>` if left out. A segment such as `<id>` stands for anything.
  ///   - page: The page's file in the public folder.
  ///   - permission: Who may open the screen; everybody if left out.
  ///   - make: Makes the View; called on the loop of its room, once for each room or session, and some 70 times when
  ///     the server starts, to learn the screen's names and to measure it.
  public mutating func screen(
    _ name: String, scope: Scope = .session, keepsRunning: Bool = false, path: String? = nil, page: String,
    for permission: Permission? = nil,
    make: @escaping @Sendable (ScreenContext) throws -> View
  ) {
    let route = ScreenRoute(
      name: name, scope: scope, keepsRunning: keepsRunning, path: path, permission: permission
    ) { context in
      try make(context)
    }
    add(route, page: page)
  }

  /// Adds a screen whose View other Views can present: `present { GreetingView(text: text) }`.
  ///
  /// - Parameters:
  ///   - name: The name in the page's `data-screen` and in `/live/<name>`.
  ///   - scope: Who shares the screen's state, when it is opened by its address.
  ///   - keepsRunning: Whether repeating timers (`interval`) of a screen in session scope go on while its page is not
  ///     connected; if not, the next beat comes when the page is back.
  ///   - path: Where the page is shown; `/<name>` if left out. A segment such as `<id>` stands for anything.
  ///   - page: The page's file in the public folder.
  ///   - permission: Who may open the screen; everybody if left out.
  ///   - presenting: The View's type.
  ///   - address: The address of the page that shows a certain View; `path` if left out.
  ///   - example: Makes a View to learn the names from; needed if `make` throws `ScreenNotFound` without an address.
  ///   - make: Makes the View for a page that was opened by its address.
  public mutating func screen<Shown: View>(
    _ name: String, scope: Scope = .session, keepsRunning: Bool = false, path: String? = nil, page: String,
    for permission: Permission? = nil, presenting: Shown.Type,
    address: (@Sendable (Shown) -> String)? = nil, example: (@Sendable () -> Shown)? = nil,
    make: @escaping @Sendable (ScreenContext) throws -> Shown
  ) {
    let route = ScreenRoute(
      name: name, scope: scope, keepsRunning: keepsRunning, path: path, type: ObjectIdentifier(Shown.self),
      address: Self.erased(address), permission: permission,
      example: example.map { example -> @Sendable () -> any ScreenContent in { example() } }
    ) { context in try make(context) }
    add(route, page: page)
  }

  /// Adds a screen whose ViewModel turns inputs into outputs; another ViewModel navigates to it by emitting one.
  ///
  /// - Parameters:
  ///   - name: The name in the page's `data-screen` and in `/live/<name>`.
  ///   - scope: Who shares the screen's state, when it is opened by its address.
  ///   - keepsRunning: Whether repeating timers (`interval`) of a screen in session scope go on while its page is not
  ///     connected; if not, the next beat comes when the page is back.
  ///   - path: Where the page is shown; `/<name>` if left out. A segment such as `<id>` stands for anything, and is in
  ///     the context's `parameters`.
  ///   - page: The page's file in the public folder.
  ///   - permission: Who may open the screen; everybody if left out.
  ///   - address: The address of the page that shows a certain ViewModel; `path` if left out.
  ///   - example: Makes a ViewModel to learn the names from when the server starts; needed if `make` throws
  ///     `ScreenNotFound` without an address.
  ///   - make: Makes the ViewModel for a page that was opened by its address; throws `ScreenNotFound` if there is none.
  public mutating func screen<ViewModel: InputOutputViewModel & SendableMetatype>(
    _ name: String, scope: Scope = .session, keepsRunning: Bool = false, path: String? = nil, page: String,
    for permission: Permission? = nil,
    address: (@Sendable (ViewModel) -> String)? = nil, example: (@Sendable () -> ViewModel)? = nil,
    make: @escaping @Sendable (ScreenContext) throws -> ViewModel
  ) {
    let route = ScreenRoute(
      name: name, scope: scope, keepsRunning: keepsRunning, path: path,
      type: ObjectIdentifier(ViewModel.self),
      address: Self.erased(address), permission: permission,
      example: example.map { example -> @Sendable () -> any ScreenContent in
        { InputOutputScreen(example(), name: name) }
      }
    ) { context in InputOutputScreen(try make(context), name: name) }
    add(route, page: page)
  }

  /// Adds a model that screens of several visitors share: `context.shared(TodoModel.self, room: name)`.
  ///
  /// ```swift
  /// application.sharedModel("todo") { context in TodoModel(stored: try context.restored()) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: Its name in logs, metrics and the store: letters from a to z, digits, and `-`, `_`, `.`, `~`.
  ///   - make: Makes the model of a room when the first screen asks for it, on the loop that is its home. The context has
  ///     the room's name, the clock, the source of chance, and what was stored; its visitor is nobody.
  public mutating func sharedModel<Model: SharedModel>(
    _ name: String, make: @escaping @Sendable (ScreenContext) throws -> Model
  ) { models.append(.model(name, make: make)) }

  mutating func add(_ route: ScreenRoute, page: String) {
    routes.append(route)
    pages.append(PageRoute(path: route.path, file: page))
  }

  static func erased<Shown: AnyObject>(
    _ address: (@Sendable (Shown) -> String)?
  ) -> (@Sendable (AnyObject) -> String)? {
    guard let address else { return nil }
    return { shown in (shown as? Shown).map(address) ?? "" }
  }

  /// Decides who a visitor is, or that somebody may not enter.
  ///
  /// - Parameter hook: Called before each WebSocket handshake is accepted, on an event loop, so it must not
  ///   block. It is asked about the address, and at a resume about each screen of the session that the
  ///   address does not name. An error refuses the handshake with status 401: `Denied` with its sentence,
  ///   which the page shows; any other error with a fixed one, and a line in the log.
  @available(
    *, deprecated,
    message: "Write identifyVisitors { request in ... }: it may wait, and request.cookies has the cookies."
  )
  public mutating func authorize(_ hook: @escaping @Sendable (HandshakeRequest) throws -> Visitor) {
    authorize = hook
    identify = nil
  }

  /// Decides who a visitor is, or that somebody may not enter.
  ///
  /// ```swift
  /// application.identifyVisitors { request in
  ///   guard let token = request.cookies["login"] else { throw LogInRequired(at: "/login") }
  ///   return try await logins.visitor(of: token)
  /// }
  /// ```
  ///
  /// - Parameter hook: Asked about each page that comes or comes back, off the event loops, so that it may wait: as long as
  ///   `Configuration.identifyTimeout` says, for at most 32 pages of one address at once. At a resume it is asked about
  ///   each screen of the session that the address does not name. Its errors refuse the page: `LogInRequired` sends it to
  ///   the log-in, `Denied` shows it a sentence; any other error shows it a fixed one, and is a line in the log. After
  ///   `HTTPError` of status 503, which is in the log as well, it comes back by itself.
  public mutating func identifyVisitors(_ hook: @escaping @Sendable (Request) async throws -> Visitor) {
    identify = hook
  }

  /// Decides who may enter a room of a screen in room scope; everybody if nothing does.
  ///
  /// ```swift
  /// application.allowsRoom { visitor, screen, room in visitor.id != nil && clubs.has(visitor.id, room) }
  /// ```
  ///
  /// Whoever may not enter gets the same answer for a room that is there and for one that is not.
  ///
  /// - Parameter decide: Called on an event loop for the visitor, the screen's name and the room's name, after
  ///   `identifyVisitors`, at each handshake; it must not block.
  public mutating func allowsRoom(
    _ decide: @escaping @Sendable (_ visitor: Visitor, _ screen: String, _ room: String) -> Bool
  ) { allowsRoom = decide }

  /// Seals what browsers keep for the application, such as who is logged in.
  public var secrets: Secrets {
    sealing.isUsed = true
    return sealing
  }

  /// The visitors while the server runs: signs them out.
  public var visitors: Visitors { Visitors(running) }

  /// Starts the server, prints `listening http://HOST:PORT` on standard output, and serves until SIGTERM or SIGINT.
  ///
  /// With `configuration.admin` it prints `admin http://HOST:PORT` as well. With a certificate the address begins with `https`, and SIGHUP has the certificate read again.
  ///
  /// - Throws: `SchemaError`, `ContentSecurityError`, `PageError` or a server's error with one sentence, before anything listens.
  public func serve() async throws {
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let hasTLS = configuration.certificateFile != nil
    let watcher = try SignalWatcher(
      SignalWatcher.endingSignals + (hasTLS ? [SignalWatcher.reloadingSignal] : [])
    ) {
      continuation.yield($0)
    }
    var arrivals = signals.makeAsyncIterator()
    let admin = try adminServer(running)
    let run = try await StoredRun.open(configuration) { continuation.yield(StoredRun.lossSignal) }
    if let wait = run?.wait, wait > .zero {
      // No signal has the number 0: the wait is over.
      let waiting = Task {
        try await Task.sleep(for: wait)
        continuation.yield(0)
      }
      var arrival = await arrivals.next()
      while arrival == SignalWatcher.reloadingSignal { arrival = await arrivals.next() }
      guard arrival == 0 else {
        waiting.cancel()
        await run?.store.close()
        if arrival == StoredRun.lossSignal { throw run?.loss ?? CancellationError() }
        return
      }
    }
    let server: Server
    let records: RecordFiles?
    let mailboxes = LoopMailboxes(isClustered: configuration.clusterURL != nil)
    let cluster: RunningCluster?
    if mailboxes.isClustered { running.join(.apart) }
    do {
      try run?.start()
      records = try configuration.recordFolder.map { folder throws(StorageError) in
        try RecordFiles(folder, limit: configuration.recordLimit, configuration.logger)
      }
      run?.note(records)
      server = try start(
        store: run?.store, stored: run?.state ?? StoredState(), record: run?.record,
        records: (records.map { [$0] } ?? []) + (admin?.inspected.map { [$0] } ?? []), mailboxes: mailboxes,
        secret: try RunningCluster.secret(configuration)
      ) {
        guard let admin else { return }
        try admin.start(following: $0, $1, slowLines: configuration.isDevelopment)
        admin.server.tellUntold(in: configuration.logger)
      }
      do {
        cluster = try RunningCluster.join(configuration, run, server, mailboxes)
        if let cluster { running.join(.among(cluster)) }
      } catch {
        await server.stop()
        running.detach(server.loops)
        throw error
      }
    } catch {
      await admin?.stop()
      await run?.giveUp()
      throw error
    }
    run?.listens()
    StandardOutput.write("listening \(server.address)\n")
    if configuration.isDevelopment, run != nil { tellForgetful() }
    admin?.phase = .serving
    if let admin { StandardOutput.write("admin \(admin.server.address)\n") }
    var arrival = await arrivals.next()
    while arrival == SignalWatcher.reloadingSignal {
      server.reloadCertificate()
      admin?.server.reloadCertificate()
      arrival = await arrivals.next()
    }
    admin?.phase = .draining
    if arrival != StoredRun.lossSignal { await cluster?.drain() }
    cluster?.unlink()
    if cluster != nil { running.join(.apart) }
    await server.stop()
    records?.flush()
    running.detach(server.loops)
    await admin?.stop()
    await run?.end()
    await cluster?.leave()
    withExtendedLifetime(watcher) {}
    // Whoever supervises the process starts another one, which waits until it may have the store.
    if arrival == StoredRun.lossSignal, let loss = run?.loss { throw loss }
  }

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
    let limits = screens.values.flatMap(\.files.values)
    var table = table
    if let largest = limits.map(\.size).max() {
      uploading.isUsed = true
      uploading.identifies = identify != nil
      table.addFileControls(uploading, to: largest)
    }
    try configuration.contentSecurity.check()
    guard (configuration.certificateFile == nil) == (configuration.keyFile == nil) else {
      throw ServerError.halfACertificate
    }
    let files = try StaticFiles(root: configuration.publicFolder, routes: pages)
    let shared = routes.filter { $0.scope != .session }.map(\.name)
    try PageCheck(screens: routes.map(\.name), shared: Set(shared)).check(files)
    try table.check(pages: pages, filePaths: files.paths, echo: configuration.conformanceEcho)
    let logger = configuration.logger
    for path in files.hidden {
      logger.log(.warning, "file not served", ["file": path, "message": PageFinding.hiddenFile])
    }
    try sealing.useKeys(of: configuration, sharing: secret, logger)
    if let secret { uploading.secrets.use([Cryptography.derivedKey(from: secret, for: "musubi uploads 1")]) }
    let uploads = try uploading.open(configuration)
    let ledger = PeerLedger(configuration.peerLimits)
    let presence = PresenceExchange()
    let trials = TrialTurn()
    let visitors = identify.map { identifier(asking: $0, logger, ledger) }
    let loops = configuration.server.loops
    let (parts, unnamed) = stored.parts(loops: loops)
    let screenBytes = ScreenBytes(
      measuring: routes + models, models: ModelProbe(models), isHere: ProcessMemory.isOnThisThread
    ) {
      ProcessMemory.heapInUse
    }
    let maxMemoryBytes = (configuration.memory ?? ProcessMemory.limit / 2) / loops
    let answering = RouteAnswer(asking: visitors, logger, ledger)
    let server = Server(
      configuration: configuration.server, site: site(files, answering, table), logger: logger,
      ledger: ledger,
      onFilesChanged: { [running] in running.reload() }
    ) { [self] loop in
      var environment = environment(of: loop, logger, ledger)
      if let visitors { environment.ask(visitors, on: loop) }
      environment.presence = presence
      environment.trials = trials
      environment.store = store
      environment.isClustered = mailboxes.isClustered
      environment.files = limits.isEmpty ? nil : uploading
      environment.arrivals = uploading.arrivals
      environment.restored = parts[loop.index]
      environment.records = records
      environment.screenBytes = screenBytes
      // What TLS keeps for a connection is mostly its buffers and keys (musubi-bench tls).
      if configuration.certificateFile != nil { environment.connectionBytes += 14_336 }
      environment.record = record?.record(ofLoop: loop.index)
      let sessions = SessionLoop(
        routes: routes, models: models, configuration: sessionConfiguration(maxMemoryBytes),
        environment: environment)
      running.add(sessions, on: loop)
      let service = mailboxes.service(of: loop, sessions)
      return configuration.isDevelopment ? SlowLines(service) { loop.now } : service
    }
    mailboxes.attach(server.loops, unnamed: unnamed)
    running.attach(server.loops)
    do {
      try last(server, screens)
      try server.start()
    } catch {
      running.detach(server.loops)
      throw error
    }
    let watcher = MemoryWatcher(loops: running)
    server.keep(Task.detached(priority: .utility) { await watcher.run() })
    if let uploads {
      server.keep(
        Task.detached(priority: .utility) {
          await uploads.sweepAlways { logger.log(.error, "upload not noted", ["message": $0.description]) }
        })
    }
    server.tellUntold(in: logger)
    return server
  }

  private func sessionConfiguration(_ maxMemoryBytes: Int) -> SessionConfiguration {
    var sessions = configuration.sessions
    sessions.maxMemoryBytes = maxMemoryBytes
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

  /// Makes one instance of every screen, and checks its names and types.
  ///
  /// - Returns: The names and types of each screen.
  /// - Throws: `SchemaError` with the screen and the property to blame.
  @discardableResult
  package func checkScreens() throws -> [String: ScreenSchema] {
    var schemas: [String: ScreenSchema] = [:]
    var names: Set<String> = []
    let known = ModelProbe(models)
    try checkModels(known)
    for route in routes {
      if let problem = ScreenName.problem(of: route.name) {
        throw SchemaError(screen: route.name, problem: problem)
      }
      guard names.insert(route.name).inserted else {
        throw SchemaError(screen: route.name, problem: "two screens have this name; give one another name.")
      }
      let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
      var context = ScreenContext(
        screen: route.name, room: nil, path: "/\(route.name)", clock: scheduler, random: RandomSource(seed: 0)
      )
      context.models = known
      let schema = try LoopContext.with(scheduler) { try route.probe(context) }
      schemas[route.name] = schema
      for destination in schema.destinations where !routes.contains(where: { $0.type == destination.type }) {
        throw SchemaError(
          screen: route.name,
          problem:
            "the output \"\(destination.output)\" emits a \(destination.typeName), which no screen of the "
            + "application shows; add one by screen(_:page:make:).")
      }
    }
    return schemas
  }

  /// What is wrong with the pages of the public folder.
  ///
  /// - Throws: `SchemaError` if the screens themselves cannot be used, `ServerError` if the folder cannot be read.
  func pageFindings() throws -> [PageFinding] {
    var inspection = PageInspection(
      schemas: try checkScreens(),
      routes: zip(routes, pages).map { .init(screen: $0.name, path: $0.path, file: $1.file) },
      shared: Set(routes.filter { $0.scope != .session }.map(\.name)),
      ownPaths: Set(table.routes.filter { $0.method == .get }.map(\.path)))
    let files: StaticFiles
    do throws(ServerError) {
      files = try StaticFiles(root: configuration.publicFolder, routes: [])
    } catch {
      guard !error.pages.isEmpty else { throw error }
      return error.pages.map {
        PageFinding(kind: .brokenPage, file: $0.place.file, line: $0.place.line, message: $0.message)
      }
    }
    let hidden = files.hidden.map {
      PageFinding(kind: .hiddenFile, file: $0, line: 1, message: PageFinding.hiddenFile)
    }
    inspection.place = { line, file in files.place(ofLine: line, in: "/" + file) }
    let found = inspection.findings(
      in: files.htmlPages.map { (file: String($0.path.dropFirst()), text: $0.text) })
    // A mistake in a layout is one, however many pages have it.
    var known: Set<String> = []
    return hidden + found.filter { known.insert("\($0.file):\($0.line): \($0.message)").inserted }
  }

  /// Makes one instance of every shared model.
  ///
  /// - Throws: `SchemaError` with the model to blame; what its factory throws.
  private func checkModels(_ known: ModelProbe) throws {
    var types: Set<ObjectIdentifier?> = []
    for model in models {
      let name = String(model.name.drop { $0 != ":" }.dropFirst())
      if let problem = ScreenName.problem(of: name) { throw SchemaError(screen: name, problem: problem) }
      guard models.count(where: { $0.name == model.name }) == 1 else {
        throw SchemaError(screen: name, problem: "two shared models have this name; give one another name.")
      }
      guard types.insert(model.type).inserted else {
        throw SchemaError(
          screen: name,
          problem:
            "another shared model has the same type, by which screens ask for it; give one a type of its own."
        )
      }
      let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
      var context = ScreenContext(
        screen: model.name, room: "lobby", path: "", clock: scheduler, random: RandomSource(seed: 0))
      context.models = known
      _ = try LoopContext.with(scheduler) { try ScreenInstance(model, context: context) }
    }
  }
}
