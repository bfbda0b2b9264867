// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
package import MusubiWire

/// The argument of a route's factory: the screen's place, its visitor, and its sources of time and chance.
///
/// ```swift
/// application.screen("contents", path: "/contents/<id>", page: "contents.html") { context in
///   ContentsView(id: context.parameters["id"], owner: context.visitor.id, clock: context.clock)
/// }
/// ```
public struct ScreenContext {
  /// The screen's name.
  public let screen: String
  /// The room's name; nil in session scope.
  public let room: String?
  /// The path of the page that opened the screen, `/contents/42`.
  public let path: String
  /// The parts of the path that the route's segments stand for: `["id": "42"]` for `/contents/<id>`.
  ///
  /// Empty if the path is another.
  public let parameters: [String: String]
  /// The parameters of the page's address, decoded: `["shelf": "unread"]` for `/books?shelf=unread`.
  ///
  /// The first of a name counts. Names and values have at most 2,048 bytes of UTF-8 together. Empty in a shared room, whose
  /// pages each have an address of their own, and for a screen that another one opens. A name that `data-bind-query` binds
  /// is the present one in each new session; what a restored screen has stored is newer.
  public let query: [String: String]
  /// Who the screen is for, as the newest handshake told: read it when it matters, and keep no copy.
  ///
  /// In session scope, whose session it is. In room scope, while the factory runs, who opens the room; while an input
  /// runs, or what it has begun (a timer, a task, a request), who sent it; at all other times nobody, who is anonymous.
  public var visitor: Visitor { source?.currentVisitor ?? first }
  /// The loop's scheduler: its `now` is the clock that a session can be replayed with, its timers are the loop's.
  public let clock: any SchedulerType
  /// The screen's source of chance.
  public let random: RandomSource
  /// The network from which the screen was opened first: an IPv4 address, or the /48 of an IPv6 address.
  ///
  /// Whoever takes another name still counts against it: bound by it what a screen keeps elsewhere, such as rows of a database. nil
  /// where the server counts no addresses, for a screen that another one opens, in a replay and in tests.
  public package(set) var network: String?
  /// The state that was stored before the server's process ended.
  package var stored: Value?
  /// The names on the way to the component that it is for; empty if it is for the whole screen.
  package private(set) var component: [String] = []
  /// Who is there when the screen is made.
  private let first: Visitor
  /// Knows who is there later, and has the screen's tasks; nil outside of a screen.
  package var source: (any VisitorSource)?
  /// The application's shared models; nil in tests.
  package var models: (any ModelSource)?
  /// Knows what is being sent to the screen's controls; nil where none takes files.
  package var arriving: (any ArrivingSource)?

  /// A context; tests make their own.
  ///
  /// - Parameters:
  ///   - screen: The screen's name.
  ///   - room: The room's name; nil in session scope.
  ///   - path: The path of the page that opened the screen.
  ///   - parameters: What the segments of the route's path stand for.
  ///   - query: The parameters of the page's address.
  ///   - visitor: Who opens the screen.
  ///   - clock: The scheduler whose time the screen lives in.
  ///   - random: The screen's source of chance.
  public init(
    screen: String, room: String? = nil, path: String = "/", parameters: [String: String] = [:],
    query: [String: String] = [:],
    visitor: Visitor = .anonymous, clock: any SchedulerType, random: RandomSource
  ) {
    self.screen = screen
    self.room = room
    self.path = path
    self.parameters = parameters
    self.query = query
    first = visitor
    self.clock = clock
    self.random = random
    source = ScreenTasks.ofTest?.element
    arriving = ScreenTasks.ofTest?.element
  }

  /// The context of a ViewModel inside of the screen's own: what it `restored` is the state of that component.
  ///
  /// ```swift
  /// application.screen("match", page: "match.html") { context in
  ///   MatchViewModel(
  ///     home: ScoreViewModel(points: try context.component("home").restored() ?? 0),
  ///     guest: ScoreViewModel(points: try context.component("guest").restored() ?? 0))
  /// }
  /// ```
  ///
  /// - Parameter name: The name of the ViewModel's property, and of the nested struct of inputs or outputs; of an `@Observable`
  ///   model, the name of its `.child`.
  /// - Returns: The context; the screen does not start if no `Restorable` component has that name.
  public func component(_ name: String) -> ScreenContext {
    var context = self
    context.component.append(name)
    context.stored = stored?.componentState(name)
    ScreenBuilder.active?.askedComponents.append(context.component)
    return context
  }
}

extension ScreenContext {
  /// A value from outside of the screen, which a record of its room has: what a file, a database or the system says.
  ///
  /// ```swift
  /// let isFree = context.value("isFree") { calendar.isFree(room, at: context.clock.now) }
  /// ```
  ///
  /// With `--record` the value is written down, and `replay` takes it from the record and does not ask again. Without, `pull` is
  /// called, and nothing else happens. Use it where the screen lives: in a ViewModel's own methods and closures.
  ///
  /// - Parameters:
  ///   - name: Names the value among those of the screen.
  ///   - pull: Gets the value; it must not block the screen's loop.
  /// - Returns: The value.
  /// - Throws: What `pull` throws, which is not recorded.
  public func value<Value: Codable>(_ name: String, _ pull: () throws -> Value) rethrows -> Value {
    try ValueRecording.value(name, pull)
  }

  /// Changes something outside of the screen: a replay of a record does not do it again.
  ///
  /// ```swift
  /// try context.perform("kept") { try store.keep(card) }
  /// ```
  ///
  /// The change may happen twice, if its input comes again after a kill of the process: it says how something is from now on.
  /// What must not happen twice needs `once`.
  ///
  /// - Parameters:
  ///   - name: Names it among the values of the screen.
  ///   - change: Makes the change; it must not block the screen's loop.
  /// - Throws: What `change` throws, which is not recorded.
  public func perform(_ name: String, _ change: () throws -> Void) rethrows {
    _ = try value(name) {
      try change()
      return true
    }
  }

  /// Changes something outside of the screen once, though its input may come again after a kill of the process.
  ///
  /// ```swift
  /// let isNew = try context.once("added") { key in try store.add(card, once: key) }
  /// ```
  ///
  /// A replay of a record takes what was returned then. Within an input the key is the input's; in a timer or a task, which do not
  /// come again, it is another one each time. For a change that takes a while, use `beginEffect()`.
  ///
  /// - Parameters:
  ///   - name: Names the value among those of the screen.
  ///   - change: Makes the change, and stores the key with it, as `transaction(once:)` of `MusubiSQLite` does: with a key that it
  ///     has, it changes nothing. It must not block the screen's loop.
  /// - Returns: What `change` returns.
  /// - Throws: What `change` throws, which is not recorded.
  public func once<Value: Codable>(
    _ name: String, _ change: (_ key: String) throws -> Value
  ) rethrows -> Value {
    let effect = beginEffect()
    defer { effect.finish() }
    return try value(name) { try change(effect.key) }
  }

  /// The same as `value` for one that takes a while, in a task of the screen.
  ///
  /// ```swift
  /// context.task { self.titles.accept(await context.value("titles") { await library.titles() }) }
  /// ```
  ///
  /// In a replay the value comes in the event in which it came then.
  ///
  /// - Parameters:
  ///   - name: Names the value among those of the screen.
  ///   - pull: Gets the value.
  /// - Returns: The value.
  /// - Throws: What `pull` throws, which is not recorded.
  public func value<Value: Codable>(_ name: String, _ pull: () async throws -> Value) async rethrows -> Value
  {
    try await ValueRecording.value(name, pull)
  }
}

/// Knows who a screen is for.
package protocol VisitorSource {
  /// Who it is for now; nil before the screen is made.
  var currentVisitor: Visitor? { get }
}
