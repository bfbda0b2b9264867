// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// What an output emits whose rows are ViewModels: all of them.
protocol ViewModelRowsElement {
  /// Declares the list and its rows' inputs.
  ///
  /// - Parameters:
  ///   - name: The output's name.
  ///   - screen: The screen's name, for errors.
  ///   - builder: Collects the names.
  /// - Returns: A closure of type `(Self) throws -> Void`, which shows rows.
  /// - Throws: `SchemaError` if the rows' inputs cannot be bound.
  static func declare(_ name: String, screen: String, _ builder: ScreenBuilder) throws -> Any
}

extension Array: ViewModelRowsElement
where Element: InputOutputViewModel & Identifiable, Element.ID: Codable {
  static func declare(_ name: String, screen: String, _ builder: ScreenBuilder) throws -> Any {
    let rows = try ViewModelRows<Element>(name, screen: screen, builder)
    return { (models: [Element]) in rows.show(models) }
  }
}

/// ViewModels, whether or not they can be rows.
protocol ViewModels {}

extension Array: ViewModels where Element: InputOutputViewModel {}

/// A list whose rows are ViewModels: each is bound once, for as long as its id is in the list.
///
/// A row has a board of its own, and what is written there becomes the row's value. An input from a row goes to the row's
/// own inputs: `ScreenBuilder.rowInputs` finds them by the row's id.
final class ViewModelRows<Model: InputOutputViewModel & Identifiable>: RowInputsOwner
where Model.ID: Codable {
  private let slot: OutputSlot
  private let screen: String
  private var rows: [ViewModelRow] = []
  private weak var board: OutputBoard?

  init(_ name: String, screen: String, _ builder: ScreenBuilder) throws {
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
          "the input \"\(input.name)\" of the rows of \"\(name)\" takes a \(input.kind), which rows that are "
          + "ViewModels do not; make it an input of the screen.")
    }
    builder.declareRowInputs(example.inputs.map(\.name), of: self)
    builder.rowRules.append { inputs in
      try InputRule.all(by: Model.rules, of: inputs, screen: screen) {
        try Model.Inputs(from: InputsDecoder(streams: $0, codingPath: []))
      }
    }
  }

  /// Shows these rows, and binds those that are new.
  func show(_ models: [Model]) {
    var old = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    var new: [ViewModelRow] = []
    var ids: Set<String> = []
    for model in models {
      do {
        let id = try ValueEncoder.encode(model.id)
        let text = id.stringValue ?? id.description
        guard ids.insert(text).inserted else {
          throw SchemaError(screen: screen, problem: "two rows of \"\(slot.name)\" have the id \(text).")
        }
        if let row = old.removeValue(forKey: text) {
          if row.model === model {
            new.append(row)
            continue
          }
          row.end()
        }
        new.append(try row(of: model, id, text))
      } catch {
        board?.report("a row of \"\(slot.name)\" is not shown: \(error)")
      }
    }
    for row in old.values { row.end() }
    let isSame = new.count == rows.count && zip(new, rows).allSatisfy { $0 === $1 }
    rows = new
    if !isSame || slot.value == nil { slot.write(.array(rows.map(\.value))) }
  }

  private func row(of model: Model, _ id: Value, _ text: String) throws -> ViewModelRow {
    let row = ViewModelRow(model, id: text)
    let builder = ScreenBuilder()
    let lifecycle = Lifecycle()
    let declaration = StreamDeclaration(
      screen: screen, builder: builder, lifecycle: lifecycle, disposeBag: row.disposeBag)
    try builder.collect {
      try declaration.declare(model.bind(try declaration.inputs(Model.Inputs.self)))
    }
    if let problem = builder.problems.first { throw SchemaError(screen: screen, problem: problem) }
    if let event = builder.events.first {
      throw SchemaError(
        screen: screen,
        problem: "the output \"\(event)\" of a row is an event; a row has state: make it a Driver.")
    }
    guard builder.windows.isEmpty, !builder.hasRowInputs,
      !builder.board.slots.contains(where: { $0.name == "id" })
    else {
      throw SchemaError(
        screen: screen, problem: "a row has no list of ViewModels or WindowedRows, and no output \"id\".")
    }
    row.begin(builder, id: id) { [weak self] row in self?.changed(row) }
    lifecycle.didLoad.onNext(())
    return row
  }

  private func changed(_ row: ViewModelRow) {
    for problem in row.takeProblems() { board?.report(problem) }
    guard let place = rows.firstIndex(where: { $0 === row }) else { return }
    slot.replaceElements(place..<place + 1, with: [row.value])
  }

  func input(_ name: String, ofRow id: String) -> InputSlot? {
    rows.first { $0.id == id }?.input(name)
  }
}

/// One row that is a ViewModel.
private final class ViewModelRow: OutputBoardOwner {
  let model: AnyObject
  /// Its id as pages tell it.
  let id: String
  let disposeBag = DisposeBag()
  private(set) var value = Value.null
  private var board: OutputBoard?
  private var inputs: [InputSlot] = []
  private var changed: (ViewModelRow) -> Void = { _ in }

  init(_ model: AnyObject, id: String) { (self.model, self.id) = (model, id) }

  deinit { end() }

  func begin(_ builder: ScreenBuilder, id: Value, _ changed: @escaping (ViewModelRow) -> Void) {
    (board, inputs, self.changed) = (builder.board, builder.inputs, changed)
    value = ["id": id]
    take()
    builder.board.owner = self
  }

  /// Nothing is shown of it any more.
  func end() {
    board?.owner = nil
    board?.close()
    (board, inputs) = (nil, [])
  }

  func wroteOutside() {
    take()
    changed(self)
  }

  /// Makes what was written the row's value, and is told of what is written next.
  private func take() {
    guard let board else { return }
    board.beginEvent()
    guard case .object(var members) = value else { return }
    board.takeChanges { slot, value, _ in members[slot.name] = value }
    value = .object(members)
    board.endEvent()
  }

  func takeProblems() -> [String] { board?.takeProblems() ?? [] }

  func input(_ name: String) -> InputSlot? { inputs.first { $0.name == name } }
}

/// A list whose rows have inputs of their own.
protocol RowInputsOwner: AnyObject {
  /// An input of a row; nil if there is no such row.
  func input(_ name: String, ofRow id: String) -> InputSlot?
}

/// The lists of a screen whose rows have inputs of a name.
final class RowInputs {
  let name: String
  var lists: [any RowInputsOwner] = []

  init(_ name: String) { self.name = name }

  /// The input of a row.
  ///
  /// - Parameter row: The ids on the way, that of the row first.
  /// - Returns: The row's own input.
  /// - Throws: `BindingError` if there is no such row, or two have the id.
  func input(of row: [String]) throws(BindingError) -> InputSlot {
    guard let id = row.first else {
      throw BindingError(.wrongType, "The input \"\(name)\" comes from a row.")
    }
    let inputs = lists.compactMap { $0.input(name, ofRow: id) }
    guard let input = inputs.first else { throw .unknownRow(row) }
    guard inputs.count == 1 else {
      throw BindingError(
        .wrongType, "Rows of two lists have the id \"\(id.prefix(80))\" and an input \"\(name)\".")
    }
    return input
  }
}
