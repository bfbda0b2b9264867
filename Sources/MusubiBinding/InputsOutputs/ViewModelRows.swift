// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiText
import MusubiWire

/// What an output emits whose rows are ViewModels: all of them.
protocol ViewModelRowsElement {
  /// Declares the list and its rows' inputs.
  ///
  /// - Parameters:
  ///   - name: The output's name.
  ///   - components: The names of the components that it is in.
  ///   - screen: The screen's name, for errors.
  ///   - builder: Collects the names.
  ///   - lifecycle: The screen's.
  /// - Returns: A closure of type `(Self) -> Void`, which shows rows.
  /// - Throws: `SchemaError` if the rows' inputs cannot be bound.
  static func declare(
    _ name: String, in components: [String], screen: String, _ builder: ScreenBuilder, _ lifecycle: Lifecycle
  ) throws -> Any
}

extension Array: ViewModelRowsElement
where Element: InputOutputViewModel & Identifiable, Element.ID: Codable {
  static func declare(
    _ name: String, in components: [String], screen: String, _ builder: ScreenBuilder, _ lifecycle: Lifecycle
  ) throws -> Any {
    let rows = try ViewModelRows<Element>(name, in: components, screen: screen, builder, lifecycle)
    return { (models: [Element]) in rows.show(models) }
  }
}

/// ViewModels, whether or not they can be rows.
protocol ViewModels {}

extension Array: ViewModels where Element: InputOutputViewModel {}

/// A list whose rows are ViewModels: each is bound once, for as long as its id is in the list.
///
/// A row has a board of its own, and what is written there becomes the row's value. An input from a row goes to the row's
/// own inputs: `ViewModelRowInputs` finds them by the row's id.
final class ViewModelRows<Model: InputOutputViewModel & Identifiable>: RowInputsOwner
where Model.ID: Codable {
  private let slot: OutputSlot
  private let screen: String
  private weak var board: OutputBoard?
  private var rows: [ViewModelRow] = []
  /// ViewModels in the list that cannot be rows; the log was told.
  private var refused: [Model] = []
  /// Whether rows are being bound, which may have the list emitted again.
  private var isShowing = false
  private var next: [Model]?
  /// Whether the screen has begun to live.
  private var isLoaded = false
  private let disposeBag = DisposeBag()

  init(
    _ name: String, in components: [String], screen: String, _ builder: ScreenBuilder, _ lifecycle: Lifecycle
  ) throws {
    self.screen = screen
    board = builder.board
    slot = builder.declareList(name, of: Model.Outputs.self)
    // Names that no row has to be there for.
    let example = ScreenBuilder()
    let declaration = StreamDeclaration(
      screen: screen, builder: example, lifecycle: Lifecycle(), disposeBag: DisposeBag())
    _ = try declaration.inputs(Model.Inputs.self)
    if let input = example.inputs.first(where: { $0.kind == .move || $0.kind == .file }) {
      throw SchemaError(
        screen: screen,
        problem:
          "the input \"\(input.name)\" of the rows of \"\(name)\" takes a \(input.kind), which rows that "
          + "are ViewModels do not; make it an input of the screen.")
    }
    let names = Set(example.inputs.map(\.name))
    builder.declareRowInputs(example.inputs.map(\.name), of: self)
    for component in components {
      for input in example.inputs {
        let full = StreamDeclaration.joined(component, input.name)
        builder.declareRowInput(full, as: input.name, ViewModelRowInputs(full, of: input.name)) {
          $0.lists.append(self)
        }
      }
    }
    builder.rowRules.append { inputs in
      try InputRule.all(by: Model.rules, of: inputs.filter { names.contains($0.name) }, screen: screen) {
        try Model.Inputs(from: InputsDecoder(streams: $0, codingPath: []))
      }
    }
    lifecycle.didLoad.subscribe(onNext: { [unowned self] in
      isLoaded = true
      for row in rows { row.load() }
    }).disposed(by: disposeBag)
  }

  /// Shows these rows, and binds those that are new.
  func show(_ models: [Model]) {
    next = models
    // What binding a row has emitted comes behind it.
    guard !isShowing else { return }
    isShowing = true
    defer { isShowing = false }
    while let models = next {
      next = nil
      showNow(models)
    }
  }

  private func showNow(_ models: [Model]) {
    var old = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    var new: [ViewModelRow] = []
    var added: [ViewModelRow] = []
    var ids: Set<ExactString> = []
    refused.removeAll { model in !models.contains { $0 === model } }
    for model in models where !refused.contains(where: { $0 === model }) {
      do {
        let (id, value) = try id(of: model)
        guard ids.insert(id).inserted else {
          board?.report("a row of \"\(slot.name)\" is not shown: two have the id \(value)")
          continue
        }
        if let row = old.removeValue(forKey: id) {
          if row.model === model {
            new.append(row)
            continue
          }
          row.end()
        }
        let row = try bind(model, id, value)
        new.append(row)
        added.append(row)
      } catch {
        refused.append(model)
        board?.report("a row of \"\(slot.name)\" is not shown: \(error)")
      }
    }
    for row in old.values { row.end() }
    let gone = rows
    rows = new
    if !added.isEmpty || new.count != gone.count || zip(new, gone).contains(where: { $0 !== $1 })
      || slot.value == nil
    {
      slot.write(.array(rows.map(\.value)))
    }
    if isLoaded { for row in added { row.load() } }
    // A ViewModel that goes may have something to say.
    withExtendedLifetime(gone) {}
  }

  /// The id of a row, as pages tell it.
  private func id(of model: Model) throws -> (ExactString, Value) {
    let value = try ValueEncoder.encode(model.id)
    guard let text = value.idText else {
      throw SchemaError(
        screen: screen,
        problem: "the id \(value) of a row of \"\(slot.name)\" is neither a text nor a whole number.")
    }
    return (ExactString(text), value)
  }

  private func bind(_ model: Model, _ id: ExactString, _ value: Value) throws -> ViewModelRow {
    let row = ViewModelRow(model, id: id)
    let builder = ScreenBuilder()
    let declaration = StreamDeclaration(
      screen: screen, builder: builder, lifecycle: row.lifecycle, disposeBag: row.disposeBag)
    try builder.collect {
      try declaration.declare(model.bind(try declaration.inputs(Model.Inputs.self)))
    }
    let outputs = builder.board.slots
    let problem =
      if let problem = builder.problems.first {
        problem
      } else if let event = builder.events.first {
        "the output \"\(event)\" of a row is an event; a row has state: make it a Driver."
      } else if let answer = outputs.first(where: \.expectsQuestions) {
        "the output \"\(answer.name)\" of a row is of Answer, which is for the screen's own texts."
      } else if !builder.windows.isEmpty || builder.hasRowInputs
        || outputs.contains(where: { $0.name == "id" })
      {
        "a row has no list of ViewModels or WindowedRows, and no output \"id\"."
      } else {
        String?.none
      }
    if let problem { throw SchemaError(screen: screen, problem: problem) }
    row.begin(builder, id: value) { [weak self] row in self?.changed(row) }
    tellProblems(of: row)
    return row
  }

  private func changed(_ row: ViewModelRow) {
    tellProblems(of: row)
    guard let place = rows.firstIndex(where: { $0 === row }) else { return }
    slot.replaceElements(place..<place + 1, with: [row.value])
  }

  private func tellProblems(of row: ViewModelRow) {
    for problem in row.takeProblems() { board?.report(problem) }
  }

  // MARK: - Inputs

  var output: Int { slot.index }

  func row(_ id: String) -> ViewModelRow? { rows.first { $0.id == ExactString(id) } }
}

/// One row that is a ViewModel.
final class ViewModelRow: OutputBoardOwner {
  fileprivate let model: AnyObject
  /// Its id as pages tell it.
  fileprivate let id: ExactString
  fileprivate let lifecycle = Lifecycle()
  fileprivate let disposeBag = DisposeBag()
  fileprivate private(set) var value = Value.null
  private var board: OutputBoard?
  private var inputs: [InputSlot] = []
  private var changed: (ViewModelRow) -> Void = { _ in }

  fileprivate init(_ model: AnyObject, id: ExactString) { (self.model, self.id) = (model, id) }

  deinit { end() }

  fileprivate func begin(_ builder: ScreenBuilder, id: Value, _ changed: @escaping (ViewModelRow) -> Void) {
    (board, inputs, self.changed) = (builder.board, builder.inputs, changed)
    value = ["id": id]
    take()
    builder.board.owner = self
  }

  /// The ViewModel begins to live.
  fileprivate func load() { lifecycle.didLoad.onNext(()) }

  /// Nothing is shown of it any more.
  fileprivate func end() {
    board?.owner = nil
    board?.close()
    (board, inputs) = (nil, [])
  }

  package func wroteOutside() {
    take()
    changed(self)
  }

  /// Makes what was written the row's value, and is told of what is written next.
  private func take() {
    guard let board, case .object(var members) = value else { return }
    board.beginEvent()
    board.takeChanges { slot, value, _ in members[slot.name] = value }
    value = .object(members)
    board.endEvent()
  }

  fileprivate func takeProblems() -> [String] { board?.takeProblems() ?? [] }

  /// Its input of a name; nil if it has ended.
  func input(_ name: String) -> InputSlot? { inputs.first { $0.name == name } }
}

/// A list whose rows have inputs of their own.
protocol RowInputsOwner: AnyObject {
  /// The place of the list's output.
  var output: Int { get }
  /// The row of an id, as pages tell it; nil if there is none.
  func row(_ id: String) -> ViewModelRow?
}

/// The inputs of one name that rows have which are ViewModels.
final class ViewModelRowInputs: RowInputs {
  let name: String
  let declaredName: String
  var lists: [any RowInputsOwner] = []

  init(_ name: String, of declaredName: String? = nil) {
    (self.name, self.declaredName) = (name, declaredName ?? name)
  }

  func takesText(fromRow row: [String]) throws(BindingError) -> Bool {
    try find(row).row.input(declaredName)?.takesText(fromRow: Array(row.dropFirst())) ?? false
  }

  func output(ofRow row: [String]) throws(BindingError) -> Int { try find(row).output }

  func deliver(_ value: Value?, row: [String], in output: Int?) throws(BindingError) {
    let found = try find(row, in: output).row
    // The ViewModel may take itself out of the list.
    defer { withExtendedLifetime(found) {} }
    guard let input = found.input(declaredName) else { throw .unknownRow(row) }
    try input.deliver(value, row: Array(row.dropFirst()))
  }

  /// The row, which is to be held while it takes the input, and the place of its list's output.
  private func find(_ row: [String], in output: Int? = nil) throws(BindingError) -> (
    row: ViewModelRow, output: Int
  ) {
    guard let id = row.first else {
      throw BindingError(.wrongType, "The input \"\(name)\" comes from a row.")
    }
    let found = lists.compactMap { list in
      output ?? list.output == list.output ? list.row(id).map { ($0, list.output) } : nil
    }
    guard let first = found.first else { throw .unknownRow(row) }
    guard found.count == 1 else {
      throw BindingError(
        .wrongType, "Rows of two lists have the id \"\(id.prefix(80))\" and an input \"\(name)\".")
    }
    return first
  }
}
