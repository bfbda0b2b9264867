// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// Declares the names of a model's bindings, those of a part of it with the part's name before them.
struct ModelNames {
  let screen: ScreenModels
  /// The type whose bindings have the names, behind those that it is inside of.
  private let owners: [Any.Type]
  private let prefix: String
  /// The names of the parts on the way here, from the screen or the row on; the last is `prefix`.
  private let way: [String]
  /// What may stand before the names of a row: the names of parts that its lists are in.
  private let components: [String]
  private let parts = ModelParts()

  private init(_ screen: ScreenModels, of owners: [Any.Type], way: [String], rowsIn components: [String]) {
    (self.screen, self.owners, self.way, self.components) = (screen, owners, way, components)
    prefix = way.last ?? ""
  }

  /// The names of a screen.
  init(_ screen: ScreenModels, of type: Any.Type) {
    self.init(screen, of: [type], way: [], rowsIn: [])
  }

  /// The names of a part, or of rows, which have no name before them.
  ///
  /// - Returns: The names; nil if the type is inside of itself, which is a problem.
  func inside(_ name: String?, _ type: Any.Type) -> ModelNames? {
    guard !owners.contains(where: { $0 == type }) else {
      refuse(
        "the bindings of \(type) have others of \(type) inside, without an end: bind another type there.")
      return nil
    }
    if let name {
      return ModelNames(screen, of: owners + [type], way: way + [full(name)], rowsIn: components)
    }
    let all = ([""] + components).flatMap { outer in
      ([""] + way).map { StreamDeclaration.joined(outer, $0) }
    }
    return ModelNames(screen, of: owners + [type], way: [], rowsIn: all.filter { !$0.isEmpty })
  }

  /// A name with that of the part that it is in.
  func full(_ name: String) -> String { StreamDeclaration.joined(prefix, name) }

  /// Collects the names; nil if the screen is not being made.
  private var builder: ScreenBuilder? {
    let builder = ScreenBuilder.active
    builder?.owner = owners.last
    return builder
  }

  // MARK: - Parts

  /// The parts that have something to store.
  var storedParts: [Component] { parts.components }

  /// Has a part stored, if its type or those of its own parts have states.
  ///
  /// - Parameters:
  ///   - name: The part's.
  ///   - names: What its bindings have declared.
  ///   - model: Tells the part; nil while there is none.
  func keep<Part: ObservableViewModel>(
    _ name: String, _ names: ModelNames, _ model: @escaping () -> Part?
  ) {
    guard Part.self is any Restorable.Type || !names.storedParts.isEmpty else { return }
    parts.components.append(Component(name, names.storedParts, model))
  }

  // MARK: - Outputs

  /// Declares an output; its value is null while there is none.
  ///
  /// - Returns: What follows the value; nil if the screen is not being made.
  func output<Content: Encodable>(_ name: String, _ read: @escaping () -> Content?) -> TrackedOutput? {
    let name = full(name)
    guard let builder else { return nil }
    guard let list = Content.self as? any RowsElement.Type else {
      let slot = builder.declareOutput(name)
      return screen.follow(slot, read) {
        slot.write(try $0.map { try ValueEncoder.encode($0, like: slot.value) } ?? .null)
      }
    }
    let slot = builder.declareList(name, of: list.rowType)
    guard let write = list.writer(into: slot) as? (Content) throws -> Void else { return nil }
    return screen.follow(slot, read) { if let content = $0 { try write(content) } else { slot.write([]) } }
  }

  /// Declares a long list, of which each page gets the rows that it looks at; it is empty while there is none.
  func windows<Rows: WindowedRows>(_ name: String, _ read: @escaping () -> Rows?) {
    guard let builder else { return }
    let (slot, output) = builder.declareWindows(full(name), of: Rows.Row.self)
    _ = screen.follow(slot, read) { rows in
      if let rows { output.show(rows, in: slot) } else { output.clear(slot) }
    }
  }

  /// Declares a list of models, and the inputs of its rows.
  func rows<Row: ObservableViewModel & Identifiable>(_ name: String, _ read: @escaping () -> [Row])
  where Row.ID: CustomStringConvertible {
    guard let builder else { return }
    let slot = builder.declareList(full(name), of: Row.self)
    let rows = TrackedRows(slot, of: screen, read)
    screen.follow(rows)
    let finder = RowFinder<Row>(
      output: slot.index, find: { rows.find($0) }, restate: { rows.restate($0) })
    guard let names = inside(nil, Row.self) else { return }
    for binding in Row.bindings { binding.bindRows?(names, finder) }
  }

  // MARK: - Requests

  /// Declares a property whose content opens a screen.
  func destination<Content>(
    _ name: String, of type: Any.Type, _ read: @escaping () -> Content?, clear: @escaping () -> Void,
    _ presentation: @escaping (Content) -> Presentation
  ) {
    guard let builder else { return }
    builder.declareDestination(full(name), of: type)
    follow(name, read, clear) { .present(presentation($0)) }
  }

  /// Declares a property whose content is a question.
  func dialog<Content>(
    _ name: String, _ read: @escaping () -> Content?, clear: @escaping () -> Void,
    _ value: @escaping (Content) throws -> Value?
  ) {
    guard let builder else { return }
    let name = full(name)
    builder.declareEvent(name)
    follow(name, read, clear) { .ask(name: name, value: try value($0)) }
  }

  private func follow<Content>(
    _ name: String, _ read: @escaping () -> Content?, _ clear: @escaping () -> Void,
    _ request: @escaping (Content) throws -> ScreenRequest
  ) {
    screen.follow(
      TrackedRequest(of: screen, read, clear: clear) { [unowned screen] content in
        screen.ask(name) { try request(content) }
      })
  }

  /// Refuses a binding that does not work where it stands.
  func refuse(_ problem: String) { builder?.report(problem) }

  // MARK: - Inputs

  /// Declares an input with a value.
  func input<Content: Decodable>(
    _ name: String, of type: Content.Type, _ take: @escaping (Content) throws(BindingError) -> Void
  ) {
    guard screen.lifecycle.events(named: name) == nil else {
      return refuse("the input \"\(full(name))\" must be of Void.")
    }
    let kind: InputKind? =
      switch type {
      case is String.Type: .string
      case is Bool.Type: .bool
      case is Int.Type: .integer
      case is Double.Type: .number
      default: nil
      }
    builder?.declareInput(.decoding(full(name), kind: kind, type, accept: take))
  }

  /// Declares an input without a value, or takes an event of the screen's life.
  func tap(_ name: String, _ take: @escaping () throws(BindingError) -> Void) {
    guard let events = screen.lifecycle.events(named: name) else {
      builder?.declareInput(
        InputSlot(name: full(name), kind: .void) { _ throws(BindingError) in try take() })
      return
    }
    // It fires by itself, and no page sends it; a part that is not there does not hear it.
    screen.keep(events.subscribe(onNext: { do throws(BindingError) { try take() } catch {} }))
  }

  /// Declares an input of rows with a value.
  func rowInput<Model: AnyObject, Content: Decodable>(
    _ name: String, of type: Content.Type, _ rows: RowFinder<Model>,
    _ take: @escaping (Model, Content) -> Void
  ) {
    guard !(type is any RowMoveType.Type) else {
      return refuse(
        "the action \"\(name)\" of \(Model.self) takes a row's move, and a row does not know its list: "
          + "bind it in the model of the screen.")
    }
    declareRows(name) { RowList(rows, $0, take: take) }
  }

  /// Declares an input of rows without a value.
  func rowTap<Model: AnyObject>(_ name: String, _ rows: RowFinder<Model>, _ take: @escaping (Model) -> Void) {
    declareRows(name) { RowList(rows, $0, tap: take) }
  }

  private func declareRows(_ name: String, _ list: (_ name: String) -> RowList) {
    // Rows have no life of a screen; a model that is shown in a row may be a screen elsewhere.
    guard screen.lifecycle.events(named: name) == nil else { return }
    let name = full(name)
    // Several lists may have the same inputs: the ids tell which one it is.
    if let inputs = screen.addRows(list(name), to: name) { builder?.declareInput(InputSlot(of: inputs)) }
    for component in components {
      let full = StreamDeclaration.joined(component, name)
      builder?.declareRowInput(full, as: name, ModelRowInputs(full, of: name)) { $0.lists.append(list(full)) }
    }
  }
}

/// The parts of a model, while its names are declared.
private final class ModelParts {
  var components: [Component] = []
}
