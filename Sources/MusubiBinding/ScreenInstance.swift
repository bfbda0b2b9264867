// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// What an author's class becomes on the server: something that starts, appears and disappears.
package protocol ScreenContent: AnyObject {
  /// The screen has been made, and binds its outputs; once per ViewModel.
  ///
  /// - Throws: `SchemaError` if a name or a type cannot cross the wire.
  func start() throws
  /// The screen begins to live: fetch its first content. Not called on the probe that tells the names.
  func load()
  /// A page shows the screen.
  func appear()
  /// A page no longer shows the screen.
  func disappear()
  /// A page is connected, or no longer is; it may come back.
  func connectionDidChange(ofPage page: Int, isConnected: Bool)
  /// The object with a state that can be stored, if the author's class has one.
  var restorable: (any Restorable)? { get }
  /// The ViewModels inside of that object that have states too.
  var components: [Component] { get }
  /// Who may send the inputs that not everybody may send, and which files they take.
  ///
  /// - Parameter inputs: All inputs.
  /// - Returns: What the rules say.
  /// - Throws: `SchemaError` if a rule is about something that is no such input, or one that takes files has none.
  func rules(of inputs: [ScreenSchema.Input]) throws -> InputRules
  /// The roles that somebody has here, besides those everywhere.
  func roles(of visitor: Visitor) -> Set<Role>
  /// Whether pages show values for their visitors alone.
  var hasPersonalOutputs: Bool { get }
  /// The values that one visitor's pages show in the place of outputs: an object.
  ///
  /// - Throws: What encoding throws.
  func personalOutputs(for visitor: Visitor) throws -> Value
}

extension ScreenContent {
  package var restorable: (any Restorable)? { self as? any Restorable }
  package var components: [Component] { [] }
  package func connectionDidChange(ofPage page: Int, isConnected: Bool) {}
  package func rules(of inputs: [ScreenSchema.Input]) throws -> InputRules { InputRules() }
  package func roles(of visitor: Visitor) -> Set<Role> { [] }
  package var hasPersonalOutputs: Bool { false }
  package func personalOutputs(for visitor: Visitor) throws -> Value { .object(Value.Object()) }
}

/// One live screen: an author's View or ViewModel with its named inputs and outputs.
///
/// Confined to the loop of its room. It knows neither sessions nor frames.
package final class ScreenInstance {
  /// The outputs.
  package let board: OutputBoard
  /// The inputs, by position.
  package let inputs: [InputSlot]
  /// The outputs that are no plain state; nil if there are none.
  private let eventOutputs: EventOutputs?
  private let content: any ScreenContent

  /// Makes a screen by running its factory, and lets it bind.
  ///
  /// - Parameters:
  ///   - route: The route to make a screen of.
  ///   - context: What the factory gets.
  /// - Throws: `SchemaError` if the names cannot be used; what the factory throws.
  package convenience init(_ route: ScreenRoute, context: ScreenContext) throws {
    try self.init(route.name) { try route.make(context) }
  }

  /// Makes the screen of that name.
  ///
  /// - Throws: `SchemaError` if the names cannot be used; what `make` throws.
  package convenience init(
    _ screen: String, builder: ScreenBuilder = ScreenBuilder(), make: () throws -> any ScreenContent
  ) throws {
    let content = try builder.collect {
      let content = try make()
      try content.start()
      return content
    }
    try self.init(screen, builder: builder, content: content)
  }

  /// The screen of that name, which has been made and has bound its outputs.
  ///
  /// - Throws: `SchemaError` if the names cannot be used.
  package convenience init(_ screen: String, builder: ScreenBuilder, content: any ScreenContent) throws {
    if let problem = builder.problems.first { throw SchemaError(screen: screen, problem: problem) }
    self.init(builder: builder, content: content)
    for path in builder.askedComponents where state?.has(path) != true {
      throw SchemaError(
        screen: screen,
        problem:
          "context.component(\"\(path.joined(separator: "/"))\") is asked for, and no Restorable part of the "
          + "ViewModel has that name.")
    }
    guard !builder.askedFiles.isEmpty else { return }
    let controls = try rules().files
    for name in builder.askedFiles where controls[name] == nil {
      throw SchemaError(
        screen: screen,
        problem:
          "context.arrivingFiles(for: \"\(name)\") is asked for, and no input of that name takes files.")
    }
  }

  /// Finds what a probe and a test refuse, and a server that runs would only tell its log.
  ///
  /// - Parameters:
  ///   - screen: The screen's name.
  ///   - builder: The builder with which it was made.
  /// - Throws: `SchemaError` if names, first values or rules cannot be used.
  package func check(_ screen: String, _ builder: ScreenBuilder) throws {
    if let problem = builder.hiddenInput ?? builder.ambiguousRowText ?? board.takeProblems().first {
      throw SchemaError(screen: screen, problem: problem)
    }
    _ = try rules()
  }

  /// Makes a screen that a ViewModel asked for, and lets it bind.
  ///
  /// - Parameters:
  ///   - presentation: The object to show.
  ///   - screen: The screen's name.
  /// - Returns: The screen, and the object that it shows.
  /// - Throws: `SchemaError` if the names cannot be used.
  package static func presented(
    _ presentation: Presentation, as screen: String
  ) throws -> (instance: ScreenInstance, subject: AnyObject) {
    let builder = ScreenBuilder()
    let made = try builder.collect {
      let made = presentation.make(screen)
      try made.content.start()
      return made
    }
    if let problem = builder.problems.first { throw SchemaError(screen: screen, problem: problem) }
    return (ScreenInstance(builder: builder, content: made.content), made.subject)
  }

  /// A screen of a builder's names.
  package init(builder: ScreenBuilder, content: any ScreenContent) {
    builder.declareEditedRows()
    builder.declareComponentRowInputs()
    board = builder.board
    inputs = builder.inputs
    eventOutputs =
      builder.events.isEmpty && builder.windows.isEmpty
      ? nil : EventOutputs(builder.events, builder.destinations, builder.windows)
    self.content = content
  }

  /// The outputs that are events, those that navigate among them, and those of windows: an object of its own, because most screens have none.
  private final class EventOutputs {
    let events: [String]
    let destinations: [ScreenSchema.Destination]
    let windows: [WindowedOutput]

    init(
      _ events: [String], _ destinations: [ScreenSchema.Destination], _ windows: [WindowedOutput]
    ) {
      self.events = events
      self.windows = windows
      self.destinations = destinations
    }
  }

  /// The name of the author's type.
  package var contentName: String {
    let name = String(describing: type(of: content))
    // That of the ViewModel in `InputOutputScreen<ViewModel>`.
    return name.firstIndex(of: "<").map { String(name[name.index(after: $0)...].dropLast()) } ?? name
  }

  /// The names and types, as this instance has declared them.
  package var schema: ScreenSchema {
    ScreenSchema(
      inputs: inputs.map { ScreenSchema.Input(name: $0.name, kind: $0.kind) },
      outputs: board.slots.map(\.name), events: eventOutputs?.events ?? [],
      destinations: eventOutputs?.destinations ?? [])
  }

  /// Whether its names and types are these; costs much less than making its schema.
  package func has(_ schema: ScreenSchema) -> Bool {
    inputs.elementsEqual(schema.inputs) { $0.name == $1.name && $0.kind == $1.kind }
      && board.slots.elementsEqual(schema.outputs) { $0.name == $1 }
      && eventOutputs?.events ?? [] == schema.events
      && eventOutputs?.destinations ?? [] == schema.destinations
  }

  /// The shared model that it is; nil if it is a screen.
  package var model: (any ModelContent)? { content as? any ModelContent }

  /// What is stored of it; nil if the screen begins again after a restart.
  package var state: ScreenState? { ScreenState(content.restorable, content.components) }

  /// Who may send the inputs that not everybody may send, and which files they take.
  ///
  /// - Throws: `SchemaError` if a rule is about something that is no such input, or one that takes files has none.
  package func rules() throws -> InputRules {
    let declared = inputs.filter { $0.declaredName == $0.name }
    var rules = try content.rules(of: declared.map { ScreenSchema.Input(name: $0.name, kind: $0.kind) })
    for input in inputs { rules.add(input.name, as: input.declaredName) }
    return rules
  }

  /// Whether somebody has a permission, by the visitor's own roles or by those that the screen gives.
  package func grants(_ permission: Permission, to visitor: Visitor) -> Bool {
    permission.isGranted(to: visitor) { content.roles(of: visitor) }
  }

  /// Whether pages show values for their visitors alone.
  package var hasPersonalOutputs: Bool { content.hasPersonalOutputs || !windows.isEmpty }

  /// The outputs of which each page gets the rows that it looks at.
  package var windows: [WindowedOutput] { eventOutputs?.windows ?? [] }

  /// The long list of a window, and the part of it that the window's name has behind a slash, as `cards/done`.
  package func window(named name: String) -> (output: WindowedOutput, part: String)? {
    let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let output = windows.first(where: { $0.name == parts.first ?? "" }) else { return nil }
    return (output, parts.count > 1 ? String(parts[1]) : "")
  }

  /// The values that one visitor's pages show in the place of outputs: an object.
  ///
  /// - Throws: What encoding throws.
  package func personalOutputs(for visitor: Visitor) throws -> Value {
    try content.personalOutputs(for: visitor)
  }

  /// Lets the author's code fetch its first content; once per ViewModel.
  package func load() { content.load() }

  /// Tells the author's code that one more page shows the screen.
  package func appear() { content.appear() }

  /// Tells the author's code that one page less shows the screen.
  package func disappear() { content.disappear() }

  /// Tells the author's code that a page is connected, or no longer is.
  package func connectionDidChange(ofPage page: Int, isConnected: Bool) {
    content.connectionDidChange(ofPage: page, isConnected: isConnected)
  }

  /// The input of a name; nil if the screen has none.
  package func input(named name: String) -> InputSlot? { inputs.first { $0.name == name } }

  /// Hands an input's value to the ViewModel.
  ///
  /// - Parameters:
  ///   - name: The input's name.
  ///   - value: Its value, nil if none came.
  ///   - row: The ids of the rows that the input comes from, outermost first; empty outside of lists.
  /// - Throws: `BindingError`: `unknown-input`, `unknown-row` or `wrong-type`, before the ViewModel has seen anything.
  package func deliver(_ name: String, _ value: Value?, row: [String] = []) throws(BindingError) {
    // Screens have few inputs; a scan over short strings is quicker than hashing one.
    guard let place = inputs.firstIndex(where: { $0.name == name }) else {
      throw .unknownInput(name, known: inputs.map(\.name))
    }
    if !row.isEmpty, try !hasRow(row, for: inputs[place]) { throw .unknownRow(row) }
    guard inputs[place].kind == .move else { return try inputs[place].deliver(value, row: row) }
    try deliverMove(of: row, value, to: inputs[place])
  }

  /// Hands a row's move to the ViewModel, if the place that it goes to is there.
  ///
  /// - Parameters:
  ///   - row: The ids on the way to the row.
  ///   - value: `before`, the id of the row that it goes in front of, or null; and `list`, the way to its list.
  ///   - input: The input.
  /// - Throws: `BindingError`, before the ViewModel has seen anything.
  private func deliverMove(of row: [String], _ value: Value?, to input: InputSlot) throws(BindingError) {
    let way = value?["list"]?.arrayValue?.compactMap(\.stringValue) ?? []
    guard let id = row.last, let name = way.first, let next = value?["before"],
      next == .null || next.stringValue != nil
    else { throw .wrongType(input.name, expects: .move, got: value) }
    let before = next.stringValue
    let list = board.slots.first { $0.name == name }?.value?.list(at: way[1...])
    let window = way.count == 1 ? window(named: name) : nil
    let isThere = { (id: String) in
      list?.hasRow([id]) ?? false
        || window.map { $0.output.position(ofRow: id, in: $0.part) != nil } ?? false
    }
    guard list != nil || window != nil, before.map(isThere) ?? true else {
      throw .unknownRow(way + (before.map { [$0] } ?? []))
    }
    guard !way.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element).starts(with: row) else {
      throw BindingError(.wrongType, "The row \"\(id.prefix(80))\" does not go into itself.")
    }
    let goal = way.count > 1 ? way[way.count - 2] : window.map { $0.part.isEmpty ? name : $0.part } ?? name
    try input.deliver(moveOf: id, before: before, to: goal)
  }

  /// Hands a file that has arrived to the ViewModel.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - name: The input's name.
  ///   - row: The ids of the rows that it comes from, outermost first.
  /// - Throws: `BindingError`, before the ViewModel has seen anything.
  package func deliver(_ file: UploadedFile, to name: String, row: [String] = []) throws(BindingError) {
    try UploadedFile.withArriving(file) { () throws(BindingError) in
      try deliver(name, .string(file.id), row: row)
    }
  }

  /// Hands a text to the ViewModel.
  ///
  /// - Parameters:
  ///   - text: What the field shows.
  ///   - place: The position of the input.
  /// - Throws: `BindingError` `wrong-type`, before the ViewModel has seen anything.
  package func deliver(text: String, toInput place: Int) throws(BindingError) {
    try inputs[place].deliver(.string(text))
  }

  // MARK: - Rows

  /// Whether some list has a row with the first id, that row one with the next, and so on.
  package func hasRow(_ row: [String]) -> Bool {
    board.slots.contains { $0.value?.hasRow(row[...]) ?? false }
      || row.count == 1 && windows.contains { $0.position(ofRow: row[0]) != nil }
  }

  /// Finds the output that shows a row whose input it is.
  ///
  /// - Parameters:
  ///   - row: The ids of the rows that it comes from, outermost first.
  ///   - name: The input's name.
  /// - Returns: The output's place; nil if rows have no inputs of that name, but the screen.
  /// - Throws: `BindingError` if there is no such row, or rows of two lists have these ids.
  package func output(ofRow row: [String], for name: String) throws(BindingError) -> Int? {
    try input(named: name)?.output(ofRow: row)
  }

  /// Whether a row is there that an input may come from.
  private func hasRow(_ row: [String], for input: InputSlot) throws(BindingError) -> Bool {
    guard let output = try input.output(ofRow: row) else { return hasRow(row) }
    return board.slots[output].value?.hasRow(row[...]) ?? false
  }

  /// Finds a two-way text in a row: a string, and the input of its name takes one.
  ///
  /// - Parameters:
  ///   - name: The text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Returns: The position of the list's output, and the way to the text from there, by ids.
  /// - Throws: `BindingError`: `unknown-input`, `unknown-row` or `wrong-type`.
  package func rowText(
    _ name: String, row: [String]
  ) throws(BindingError) -> (output: Int, way: [String]) {
    guard let place = inputs.firstIndex(where: { $0.name == name }) else {
      throw .unknownInput(name, known: inputs.map(\.name))
    }
    guard try hasRow(row, for: inputs[place]) else { throw .unknownRow(row) }
    // A text of the whole screen is none of a row.
    if inputs[place].takesText(fromRow: row), !board.slots.contains(where: { $0.name == name }) {
      let output = try inputs[place].output(ofRow: row)
      for slot in board.slots where output ?? slot.index == slot.index {
        if let way = slot.value?.way(toText: name, inRows: row[...]) { return (slot.index, way) }
      }
      if let refusal = refusal(of: name, row: row) { throw refusal }
    }
    throw BindingError(.wrongType, "The input \"\(name)\" takes whole values from a row, not edits.")
  }

  /// Hands a row's text to the ViewModel.
  ///
  /// - Parameters:
  ///   - text: What the field shows.
  ///   - name: The input's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  ///   - output: The place of the output that shows the row: another list may have a row of the same ids by now.
  /// - Throws: `BindingError`, before the ViewModel has seen anything.
  package func deliver(
    text: String, toInput name: String, ofRow row: [String], in output: Int
  ) throws(BindingError) {
    try input(named: name)?.deliver(.string(text), row: row, in: output)
  }
}
