// SPDX-License-Identifier: Apache-2.0
public import MusubiBinding
import MusubiServer

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
  let sealing = Secrets()
  /// The files that are sent to it.
  let uploading = Uploads()
  let running = RunningLoops()
  var authorize: (@Sendable (HandshakeRequest) throws -> Visitor)?
  var identify: VisitorIdentifier.Hook?
  var allowsRoom: (@Sendable (Visitor, String, String) -> Bool)?

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
}
