// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for the wall clock alone.
import Foundation
public import MusubiBinding
import MusubiRx
package import MusubiServer
import MusubiSession

/// The screens of a server and how it runs.
///
/// ```swift
/// var application = Application()
/// application.screen("number", scope: .room, page: "number.html") { context in
///   NumberView(model: RandomNumberModel(generator: context.random))
/// }
/// try await application.run()
/// ```
public struct Application: Sendable {
  /// How the server runs.
  public var configuration: Configuration
  private var routes: [ScreenRoute] = []
  private var pages: [PageRoute] = []
  private let openPages = OpenPages()
  private var authorize: @Sendable (HandshakeRequest) throws -> Visitor = { _ in .anonymous }

  /// An application without screens.
  ///
  /// - Parameter configuration: How the server runs.
  public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// Adds a screen: a name, a page, and what makes its View.
  ///
  /// - Parameters:
  ///   - name: The name in the page's `data-screen` and in `/live/<name>`.
  ///   - scope: Who shares the screen's state.
  ///   - path: Where the page is shown; `/<name>` if left out. A segment such as `<id>` stands for anything.
  ///   - page: The page's file in the public folder.
  ///   - make: Makes the View; called on the loop of its room, once for each room or session, and once when the server
  ///     starts to learn the screen's names.
  public mutating func screen(
    _ name: String, scope: Scope = .session, path: String? = nil, page: String,
    make: @escaping @Sendable (ScreenContext) throws -> View
  ) {
    routes.append(ScreenRoute(name: name, scope: scope) { context in try make(context) })
    pages.append(PageRoute(path: path ?? "/\(name)", file: page))
  }

  /// Decides who a visitor is, or that somebody may not enter.
  ///
  /// - Parameter hook: Called before each WebSocket handshake is accepted, on an event loop, so it must not block.
  ///   What it throws refuses the handshake with status 401.
  public mutating func authorize(_ hook: @escaping @Sendable (HandshakeRequest) throws -> Visitor) {
    authorize = hook
  }

  /// Starts the server, prints `listening http://HOST:PORT` on standard output, and serves until SIGTERM or SIGINT.
  ///
  /// - Throws: `SchemaError`, `PageError` or a server's error with one sentence, before anything listens.
  public func run() async throws {
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let watcher = try SignalWatcher { continuation.yield($0) }
    let server = try start()
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    StandardOutput.write("listening http://\(host):\(server.port)\n")
    for await _ in signals { break }
    await server.stop()
    withExtendedLifetime(watcher) {}
  }

  /// Checks everything that can be checked before a page comes, and starts the server.
  ///
  /// - Throws: `SchemaError`, `PageError` or `ServerError`, with nothing left running.
  package func start() throws -> Server {
    try checkScreens()
    let files = try StaticFiles(root: configuration.publicFolder, routes: pages)
    try PageCheck(screens: routes.map(\.name)).check(files)
    let logger = configuration.logger
    let mailboxes = LoopMailboxes()
    let server = Server(
      configuration: configuration.server, site: Site(files: files), logger: logger,
      onFilesChanged: { [openPages] in openPages.reload() }
    ) { [self] loop, transport in
      let (service, hub) = mailboxes.service(of: loop, transport: transport) { transport in
        Hub(
          routes: routes, configuration: sessionConfiguration,
          environment: environment(of: loop, logger), transport: transport)
      }
      openPages.add(hub, on: loop)
      return service
    }
    mailboxes.attach(server.loops)
    try server.start()
    return server
  }

  private var sessionConfiguration: SessionConfiguration {
    var sessions = configuration.sessions
    sessions.announcesNames = configuration.isDevelopment
    return sessions
  }

  private func environment(of loop: EventLoop, _ logger: Logger) -> HubEnvironment {
    HubEnvironment(
      clock: { loop.now }, wallClock: { Date().timeIntervalSince1970 },
      entropy: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      },
      authorize: { [authorize] request in try authorize(HandshakeRequest(request)) },
      observe: HubLog(logger: logger, logsTraffic: configuration.isDevelopment).observer)
  }

  private func checkScreens() throws {
    var names: Set<String> = []
    for route in routes {
      guard names.insert(route.name).inserted else {
        throw SchemaError(screen: route.name, problem: "two screens have this name; give one another name.")
      }
      let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
      let context = ScreenContext(
        screen: route.name, room: nil, path: "/\(route.name)", clock: scheduler, random: RandomSource(seed: 0)
      )
      _ = try LoopContext.with(scheduler) { try route.probe(context) }
    }
  }
}
