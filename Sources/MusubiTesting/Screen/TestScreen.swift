// SPDX-License-Identifier: Apache-2.0
import Glibc
public import MusubiBinding
public import MusubiRx
import MusubiText
import MusubiWire

/// Runs a View or a ViewModel as its page would, without server and network: type, tap, and read its outputs.
///
/// ```swift
/// let screen = try TestScreen { NumberView(model: StubModel(number: 7)) }
/// try screen.tap("roll")
/// #expect(screen["label"] == "7")
///
/// let greeting = try TestScreen { GreetingViewModel() }
/// try greeting.type("Ann", into: "name")
/// #expect(greeting["greeting"] == "Hello, Ann!")
/// ```
///
/// It refuses what a server refuses as it starts: names that no page can use, and first values that cannot be sent.
public final class TestScreen {
  /// Something that the screen has said once, such as a message: an output that is a `Signal`.
  public struct Event: Equatable, Sendable {
    /// The output's name.
    public let name: String
    /// Its value as text; nil if it carries none.
    public let value: String?

    /// An event to compare with.
    ///
    /// - Parameters:
    ///   - name: The output's name.
    ///   - value: Its value as text; nil if it carries none.
    public init(name: String, value: String? = nil) {
      self.name = name
      self.value = value
    }
  }

  private let instance: ScreenInstance
  private let life: ScreenLife
  private var seen: [Event] = []
  private var lastDialog: Event?
  private var lastOpened: TestScreen?
  /// What the page looks at, by the names of long lists.
  private var windows: [String: RowWindow] = [:]
  /// Who types and taps from now on: the sender of `Sent` inputs, and of events `withSender`; `context.visitor` while one runs.
  public var visitor: Visitor
  /// So many files were sent.
  var uploads = 0

  /// Makes the View, lets it bind, and has it appear.
  ///
  /// - Parameters:
  ///   - visitor: Who types and taps.
  ///   - make: Makes the View; its outlets find their screen while it runs.
  /// - Throws: `SchemaError` if the names cannot be used; what `make` throws.
  public convenience init(visitor: Visitor = .anonymous, _ make: () throws -> View) throws {
    try self.init(visitor, nil, make)
  }

  /// Makes the ViewModel, binds its outputs to its inputs, and lets `viewDidLoad` and `viewDidAppear` fire.
  ///
  /// - Parameters:
  ///   - visitor: Who types and taps.
  ///   - make: Makes the ViewModel.
  /// - Throws: `SchemaError` if a name or a type cannot be used; what `make` throws.
  public convenience init<ViewModel: InputOutputViewModel>(
    visitor: Visitor = .anonymous, _ make: () throws -> ViewModel
  ) throws {
    try self.init(visitor, "\(ViewModel.self)") { InputOutputScreen(try make(), name: "\(ViewModel.self)") }
  }

  /// Makes the model, binds its properties, and lets `viewDidLoad` and `viewDidAppear` fire.
  ///
  /// - Parameters:
  ///   - visitor: Who types and taps.
  ///   - make: Makes the model.
  /// - Throws: `SchemaError` if a name or a type cannot be used; what `make` throws.
  public convenience init<Model: ObservableViewModel>(
    visitor: Visitor = .anonymous, _ make: () throws -> Model
  ) throws {
    try self.init(visitor, "\(Model.self)") { ObservableScreen(try make(), name: "\(Model.self)") }
  }

  /// Makes the View as its route does for a page that came with parameters in its address.
  ///
  /// ```swift
  /// let screen = try TestScreen(query: ["shelf": "unread"]) { context in
  ///   BooksViewModel(shelf: context.query["shelf"], word: context.query["word"])
  /// }
  /// #expect(screen["shelf"] == "unread")
  /// ```
  ///
  /// - Parameters:
  ///   - query: The parameters, decoded.
  ///   - visitor: Who types and taps.
  ///   - clock: The context's clock.
  ///   - make: Makes the View.
  /// - Throws: `SchemaError` if the names cannot be used; what `make` throws.
  public convenience init(
    query: [String: String], visitor: Visitor = .anonymous,
    clock: any SchedulerType = TestScheduler(initialClock: 0), _ make: (ScreenContext) throws -> View
  ) throws {
    try self.init(visitor: visitor) { try make(Self.context(query, visitor, clock)) }
  }

  /// Makes the ViewModel as its route does for a page that came with parameters in its address.
  ///
  /// - Parameters:
  ///   - query: The parameters, decoded.
  ///   - visitor: Who types and taps.
  ///   - clock: The context's clock.
  ///   - make: Makes the ViewModel.
  /// - Throws: `SchemaError` if a name or a type cannot be used; what `make` throws.
  public convenience init<ViewModel: InputOutputViewModel>(
    query: [String: String], visitor: Visitor = .anonymous,
    clock: any SchedulerType = TestScheduler(initialClock: 0), _ make: (ScreenContext) throws -> ViewModel
  ) throws {
    try self.init(visitor: visitor) { try make(Self.context(query, visitor, clock)) }
  }

  /// Makes the model as its route does for a page that came with parameters in its address.
  ///
  /// - Parameters:
  ///   - query: The parameters, decoded.
  ///   - visitor: Who types and taps.
  ///   - clock: The context's clock.
  ///   - make: Makes the model.
  /// - Throws: `SchemaError` if a name or a type cannot be used; what `make` throws.
  public convenience init<Model: ObservableViewModel>(
    query: [String: String], visitor: Visitor = .anonymous,
    clock: any SchedulerType = TestScheduler(initialClock: 0), _ make: (ScreenContext) throws -> Model
  ) throws {
    try self.init(visitor: visitor) { try make(Self.context(query, visitor, clock)) }
  }

  private static func context(
    _ query: [String: String], _ visitor: Visitor, _ clock: any SchedulerType
  ) -> ScreenContext {
    ScreenContext(screen: "", query: query, visitor: visitor, clock: clock, random: RandomSource(seed: 0))
  }

  private convenience init(
    _ visitor: Visitor, _ name: String?, _ make: () throws -> any ScreenContent
  ) throws {
    let builder = ScreenBuilder()
    let life = ScreenLife()
    let content = try life.run {
      try builder.collect {
        let content = try make()
        try content.start()
        return content
      }
    }
    let name = name ?? "\(Swift.type(of: content))"
    let instance = try ScreenInstance(name, builder: builder, content: content)
    try instance.check(name, builder)
    self.init(visitor, instance, life)
    life.enter(visitor)
  }

  /// Waits until the screen's tasks, and the `async` actions of an `@Observable` model, have ended.
  ///
  /// Before that, outputs show what tasks do up to where they first wait.
  public func settle() async { await life.tasks.home?.settle() }

  /// What an output shows as text; nil before its first value, or if there is no such output, which standard error says.
  ///
  /// A name may lead into a value, as in the page: `work.message`, and into a row, as in a script: `dishes[0].title`.
  public subscript(output: String) -> String? {
    update()
    let slots = instance.board.slots
    let way = output.split { ".[]".contains($0) }.map(String.init)
    let inner = JSONPointer(Array(way.dropFirst()))
    if let name = way.first, instance.window(named: name) != nil {
      // A page that has not looked yet knows how many rows there are.
      let whole = window(name) ?? slots.first { $0.name == name }?.value
      guard let value = whole?[inner] else {
        complain(about: output, name)
        return nil
      }
      return Self.text(value)
    }
    if let slot = slots.first(where: { $0.name == output }) { return slot.value.map(Self.text) }
    guard let slot = slots.first(where: { $0.name == way.first }) else {
      complain(about: output, way.first ?? "")
      return nil
    }
    return slot.value?[inner].map(Self.text)
  }

  /// Looks at some rows of a long list, as a page does that scrolls there.
  ///
  /// ```swift
  /// try screen.look(at: "entries", first: 5_000, count: 20)
  /// #expect(screen["entries.first"] == "5000")
  /// ```
  ///
  /// The rows stay in view when others are added above them: `entries.first` is another place then. `entries.rows` and
  /// `entries.count` have the rows as JSON, and the number of all.
  ///
  /// - Parameters:
  ///   - output: The name of an output of `WindowedRows`, with a part of it behind a slash: `cards/done`.
  ///   - first: The place of the first row.
  ///   - count: How many rows the page looks at, at most 400.
  ///   - word: The word by which the page's visitor filters the rows.
  /// - Throws: If there is no such output, or no page may look at so many rows.
  public func look(at output: String, first: Int, count: Int, word: String = "") throws {
    guard let (_, part) = instance.window(named: output) else {
      throw BindingError.unknownInput(output, known: instance.windows.map(\.name))
    }
    let wanted: Value = [
      "first": .integer(Int64(first)), "count": .integer(Int64(count)), "word": .string(word),
    ]
    guard let window = RowWindow(wanted, part: part) else {
      throw BindingError.wrongWindow(output)
    }
    update()
    windows[output] = window
    // From now on it is held by its first row.
    _ = self.window(output)
  }

  /// What the page shows of a long list; nil if it does not look at any of its rows.
  private func window(_ output: String) -> Value? {
    guard let (list, _) = instance.window(named: output) else { return nil }
    do { return try windows[output]?.value(of: list) } catch {
      preconditionFailure("The rows of \"\(output)\" cannot be sent: \(error)")
    }
  }

  /// Says on standard error that there is nothing to be seen under a name.
  private func complain(about output: String, _ name: String) {
    let schema = instance.schema
    let names = schema.shownOutputs
    let hint =
      if instance.window(named: name) != nil {
        "It is a part of a long list: look at it first, by look(at:first:count:)."
      } else if schema.events.contains(name) {
        "It is said once: events has it."
      } else if let nearest = names.nearest(to: name).first {
        "Did you mean \(nearest)?"
      } else {
        "It has \(names.joined(separator: ", "))."
      }
    let sentence = "TestScreen: the screen shows no output \"\(output)\". \(hint)\n"
    _ = Array(sentence.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// What the screen has said once so far, in its order: each element of an output that is a `Signal`.
  public var events: [Event] {
    seen += instance.board.takeEvents().map { Event(name: $0.name, value: $0.value.map(Self.text)) }
    return seen
  }

  /// The question that the screen has asked last: its dialog's name, and what that shows as text; nil before the first one.
  public var dialog: Event? {
    get throws {
      try takeRequests()
      return lastDialog
    }
  }

  /// The screen that this one has opened last, as the same visitor sees it; nil before the first one.
  ///
  /// ```swift
  /// try chores.tap("open", row: "1")
  /// #expect(try chores.opened?["title"] == "Sweep")
  /// ```
  public var opened: TestScreen? {
    get throws {
      try takeRequests()
      return lastOpened
    }
  }

  private func takeRequests() throws {
    instance.board.updateRequests()
    for (request, _) in instance.board.takeRequests() {
      switch request {
      case .ask(let name, let value): lastDialog = Event(name: name, value: value.map(Self.text))
      case .present(let presentation):
        // Its tasks are begun by the context of this one.
        let opened = try life.run { try ScreenInstance.presented(presentation, as: presentation.typeName) }
        lastOpened = TestScreen(visitor, opened.instance, life)
      }
    }
  }

  private init(_ visitor: Visitor, _ instance: ScreenInstance, _ life: ScreenLife) {
    (self.visitor, self.instance, self.life) = (visitor, instance, life)
    life.run {
      instance.load()
      instance.appear()
    }
  }

  /// Shows what tasks have reported, and what models have changed.
  private func update() {
    life.followPresence()
    life.tasks.home?.runPosted()
    instance.board.update()
  }

  private static func text(_ value: Value) -> String { value.stringValue ?? value.description }

  /// Sends an input without a value.
  ///
  /// - Parameters:
  ///   - input: The input's name.
  ///   - row: The id of the row in which it is; nil outside of lists.
  /// - Throws: If the screen has no such input or row, it takes a value, or a rule keeps the visitor from it.
  public func tap(_ input: String, row: String? = nil) throws { try tap(input, row: Self.way(row)) }

  /// Sends an input without a value from a row that is in another row.
  ///
  /// ```swift
  /// try board.tap("finish", row: ["todo", "7"])
  /// ```
  ///
  /// - Parameters:
  ///   - input: The input's name.
  ///   - row: The ids on the way to the row, outermost first.
  /// - Throws: As of a row.
  public func tap(_ input: String, row: [String]) throws { try deliver(nil, to: input, row) }

  /// Sends a text to an input, as if the whole field had been replaced by it.
  ///
  /// - Parameters:
  ///   - text: What the field holds now.
  ///   - input: The input's name.
  ///   - row: The id of the row in which it is; nil outside of lists.
  /// - Throws: If the screen has no such input or row, it takes no text, or a rule keeps the visitor from it.
  public func type(_ text: String, into input: String, row: String? = nil) throws {
    try type(text, into: input, row: Self.way(row))
  }

  /// Sends a text to an input of a row that is in another row.
  ///
  /// - Parameters:
  ///   - text: What the field holds now.
  ///   - input: The input's name.
  ///   - row: The ids on the way to the row, outermost first.
  /// - Throws: As of a row.
  public func type(_ text: String, into input: String, row: [String]) throws {
    try deliver(.string(text), to: input, row)
  }

  /// Sends a value to an input, as a box, a list or a handle does.
  ///
  /// - Parameters:
  ///   - value: What the control has now: a truth value, a number, a date, or anything else that the input decodes.
  ///   - input: The input's name.
  ///   - row: The id of the row in which it is; nil outside of lists.
  /// - Throws: If the screen has no such input or row, it takes another type, or a rule keeps the visitor from it.
  public func send(_ value: some Encodable, to input: String, row: String? = nil) throws {
    try send(value, to: input, row: Self.way(row))
  }

  /// Sends a value to an input of a row that is in another row.
  ///
  /// - Parameters:
  ///   - value: What the control has now.
  ///   - input: The input's name.
  ///   - row: The ids on the way to the row, outermost first.
  /// - Throws: As of a row.
  public func send(_ value: some Encodable, to input: String, row: [String]) throws {
    try deliver(try ValueEncoder.encode(value), to: input, row)
  }

  /// Puts a row elsewhere, as pointers, fingers and keyboards do.
  ///
  /// ```swift
  /// try screen.drag("move", row: "3", before: "1", list: "chores")
  /// ```
  ///
  /// - Parameters:
  ///   - input: The input's name, of `data-on-move`.
  ///   - row: The row's id.
  ///   - before: The id of the row that it goes in front of; nil if it goes to the end.
  ///   - list: The list that it goes to.
  /// - Throws: If the screen has no such input, row or list, it takes no moves, or a rule keeps the visitor from it.
  public func drag(_ input: String, row: String, before: String? = nil, list: String) throws {
    try drag(input, row: [row], before: before, list: [list])
  }

  /// Puts a row of a list in a row elsewhere.
  ///
  /// ```swift
  /// try board.drag("move", row: ["todo", "7"], before: "9", list: ["columns", "done", "cards"])
  /// ```
  ///
  /// - Parameters:
  ///   - input: The input's name, of `data-on-move`.
  ///   - row: The ids on the way to the row, outermost first.
  ///   - before: The id of the row that it goes in front of; nil if it goes to the end.
  ///   - list: The way to the list that it goes to: lists and ids, outermost first.
  /// - Throws: If the screen has no such input, row or list, it takes no moves, or a rule keeps the visitor from it.
  public func drag(_ input: String, row: [String], before: String? = nil, list: [String]) throws {
    try deliver(
      ["before": before.map(Value.string) ?? .null, "list": .array(list.map(Value.string))], to: input, row)
  }

  /// One more page of somebody's shows the room, as `context.presence` tells; the screen's first visitor has one already.
  ///
  /// ```swift
  /// let screen = try TestScreen(query: [:], visitor: ann) { NoteViewModel(presence: $0.presence) }
  /// screen.enter(bob)
  /// #expect(screen["count"] == "2")
  /// ```
  ///
  /// People come and go at once here. Time is that of the context's clock: let it go by for idle people, and for those who
  /// have stopped typing.
  ///
  /// - Parameter visitor: Whose page it is; an anonymous page is a person of its own.
  public func enter(_ visitor: Visitor) { life.enter(visitor) }

  /// A page of somebody's no longer shows the room; the person is gone if it was the last one.
  ///
  /// - Parameter visitor: Whose page it is.
  public func leave(_ visitor: Visitor) { life.leave(visitor) }

  /// Has other people be in another room, as `context.presence(in:of:)` tells.
  ///
  /// ```swift
  /// screen.setPresence(Presence([Presence.Person(id: "1")]), in: "tearoom", of: "note")
  /// ```
  ///
  /// - Parameters:
  ///   - presence: Who is there.
  ///   - room: The room's name.
  ///   - screen: The name of its screen.
  public func setPresence(_ presence: Presence, in room: String, of screen: String) {
    life.setPresence(presence, in: PresenceExchange.Place(screen: screen, room: room))
  }

  /// Has files be on their way to a control, as `context.arrivingFiles(for:)` tells.
  ///
  /// ```swift
  /// screen.setArriving([ArrivingFile(id: "1", name: "tea.png", size: 200, received: 50)], for: "picture")
  /// ```
  ///
  /// - Parameters:
  ///   - files: The files.
  ///   - input: The control's name.
  public func setArriving(_ files: [ArrivingFile], for input: String) {
    life.run { life.tasks.arrivingFiles(for: input).accept(files) }
  }

  /// Whether a value is the text of a field that people share.
  private func isText(_ value: Value?, _ input: String, _ row: [String]) -> Bool {
    guard case .string = value else { return false }
    guard !row.isEmpty else {
      let schema = instance.schema
      return schema.twoWayOutputs.contains { schema.outputs[$0] == input }
    }
    do throws(BindingError) {
      _ = try instance.rowText(input, row: row)
      return true
    } catch {
      return false
    }
  }

  /// Which files an input takes; nil if it takes none.
  func limit(of input: String) throws -> FileLimit? { try instance.rules().files[input] }

  /// Sends a file that has arrived.
  func deliver(_ file: UploadedFile, to input: String, _ row: [String]) throws {
    try act(on: input) { try instance.deliver(file, to: input, row: row) }
    if life.tasks.presence != nil { life.noteInput(of: visitor, text: nil) }
  }

  private func act(on input: String, _ body: () throws -> Void) throws {
    // Whoever acts sees what is shown.
    update()
    if let permission = try instance.rules().permissions[input], !instance.grants(permission, to: visitor) {
      throw BindingError.notAllowed(input)
    }
    try life.run { try Visitor.$ofTest.withValue(visitor, operation: body) }
  }

  /// The ids on the way to a row of a screen's own list.
  static func way(_ row: String?) -> [String] { row.map { [$0] } ?? [] }

  private func deliver(_ value: Value?, to input: String, _ row: [String]) throws {
    try act(on: input) { try instance.deliver(input, value, row: row) }
    if life.tasks.presence != nil {
      life.noteInput(of: visitor, text: isText(value, input, row) ? input : nil)
    }
  }
}

/// What ends with a screen, and with those that it has opened.
private final class ScreenLife {
  let tasks = ScreenTasks(on: nil)
  /// The pages that show the screen.
  private var pages: [(number: Int, visitor: Visitor)] = []
  private var lastPage = 0
  /// The last page that presence knows.
  private var lastFollowed = 0
  /// Who is in other rooms.
  private var followed: [SharedRelay<Presence>] = []

  deinit {
    let home = tasks.home
    tasks.end()
    // So that what was cancelled comes to its end.
    home?.runReady()
  }

  /// Runs what makes the screen, or what it does.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try ScreenTasks.$ofTest.withValue(Carried(tasks), operation: body)
  }

  // MARK: - Presence

  func enter(_ visitor: Visitor) {
    lastPage += 1
    pages.append((lastPage, visitor))
    followPresence()
  }

  func leave(_ visitor: Visitor) {
    guard let place = pages.lastIndex(where: { $0.visitor.id == visitor.id }) else { return }
    let page = pages.remove(at: place).number
    run { tasks.presence?.leave(page: page) }
  }

  func setPresence(_ presence: Presence, in place: PresenceExchange.Place) {
    let relay = tasks.presenceExchange.follow(place)
    // It stays for a screen that asks later.
    if !followed.contains(where: { $0 === relay }) { followed.append(relay) }
    run { relay.accept(presence) }
  }

  func noteInput(of visitor: Visitor, text: String?) {
    if !pages.contains(where: { $0.visitor.id == visitor.id }) { enter(visitor) }
    followPresence()
    guard let page = pages.first(where: { $0.visitor.id == visitor.id })?.number else { return }
    run { tasks.presence?.noteInput(page: page, text: text) }
  }

  /// Tells presence, if the screen has asked for it, of pages that it does not know.
  func followPresence() {
    guard let presence = tasks.presence, lastFollowed < lastPage else { return }
    let new = pages.filter { $0.number > lastFollowed }
    lastFollowed = lastPage
    run { for page in new { presence.enter(page: page.number, page.visitor) } }
  }
}
