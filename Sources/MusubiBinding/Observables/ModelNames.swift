// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// Declares the names of a model's bindings, those of a part of it with the part's name before them.
struct ModelNames {
  let screen: ScreenModels
  private let prefix: String

  init(_ screen: ScreenModels, prefix: String = "") {
    self.screen = screen
    self.prefix = prefix
  }

  /// The names of a part.
  func inside(_ name: String) -> ModelNames { ModelNames(screen, prefix: full(name)) }

  /// A name with that of the part that it is in.
  func full(_ name: String) -> String { StreamDeclaration.joined(prefix, name) }

  // MARK: - Outputs

  /// Declares an output; its value is null while there is none.
  ///
  /// - Returns: What follows the value; nil if the screen is not being made.
  func output<Content: Encodable>(_ name: String, _ read: @escaping () -> Content?) -> TrackedOutput? {
    let name = full(name)
    guard let builder = ScreenBuilder.active else { return nil }
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

  /// Declares a list of models, and the inputs of its rows.
  func rows<Row: ObservableViewModel & Identifiable>(_ name: String, _ read: @escaping () -> [Row])
  where Row.ID: CustomStringConvertible {
    guard let builder = ScreenBuilder.active else { return }
    let slot = builder.declareList(full(name), of: Row.self)
    let rows = TrackedRows(slot, of: screen, read)
    screen.follow(rows)
    let finder = RowFinder(find: { rows.row($0) }, all: { rows.all }, restate: { rows.restate($0) })
    for binding in Row.bindings { binding.bindRows?(ModelNames(screen), finder) }
  }

  // MARK: - Inputs

  /// Declares an input with a value.
  func input<Content: Decodable>(
    _ name: String, of type: Content.Type, _ take: @escaping (Content) throws(BindingError) -> Void
  ) {
    let name = full(name)
    let kind: InputKind =
      switch type {
      case is String.Type: .string
      case is Bool.Type: .bool
      case is Int.Type: .integer
      case is Double.Type: .number
      default: .value
      }
    declare(.decoding(name, kind: kind, type, accept: take))
  }

  /// Declares an input without a value.
  func tap(_ name: String, _ take: @escaping () throws(BindingError) -> Void) {
    declare(InputSlot(name: full(name), kind: .void) { _ throws(BindingError) in try take() })
  }

  /// Declares an input of rows with a value.
  func rowInput<Model: AnyObject, Content: Decodable>(
    _ name: String, of type: Content.Type, _ rows: RowFinder<Model>,
    _ take: @escaping (Model, Content) -> Void
  ) {
    declareRows(name, rows, RowInput<Content>.self) { take($0, $1.value) }
  }

  /// Declares an input of rows without a value.
  func rowTap<Model: AnyObject>(_ name: String, _ rows: RowFinder<Model>, _ take: @escaping (Model) -> Void) {
    declareRows(name, rows, RowTap.self) { model, _ in take(model) }
  }

  private func declareRows<Model: AnyObject, Input: RowNaming>(
    _ name: String, _ rows: RowFinder<Model>, _ type: Input.Type, _ take: @escaping (Model, Input) -> Void
  ) {
    let name = full(name)
    // Two lists of one type have the same inputs: the row tells which list it is.
    let handler = screen.rowHandler(name, Input.self) { input in
      guard let model = rows.find(input.id) else { return false }
      take(model, input)
      rows.restate(input.id)
      return true
    }
    guard let handler else { return }
    declare(
      .decoding(name, kind: .value, type) { input throws(BindingError) in
        guard handler.take(input) else { throw .unknownRow([input.id]) }
      })
  }

  private func declare(_ slot: InputSlot) {
    if let events = screen.lifecycle.events(named: slot.name) {
      // It fires by itself, and no page sends it.
      screen.keep(events.subscribe(onNext: { [screen] in screen.run(slot) }))
    } else {
      ScreenBuilder.active?.declareInput(slot)
    }
  }
}

/// Finds the models of a list's rows.
struct RowFinder<Model> {
  /// The one in the row of an id; nil if it has gone.
  let find: (_ id: String) -> Model?
  /// All with the ids of their rows, in their order.
  let all: () -> [(id: String, model: Model)]
  /// Shows a row again, also if nothing of it has changed.
  let restate: (_ id: String) -> Void
}

/// An input that names the row that it comes from.
protocol RowNaming: Decodable {
  var id: String { get }
}

/// A tap in a row.
struct RowTap: RowNaming {
  let id: String

  init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(String.self) }
}

/// A value from a row.
struct RowInput<Content: Decodable>: RowNaming {
  let id: String
  let value: Content
}

/// Hands an input to the first list that has its row.
final class RowHandler<Input> {
  private var handlers: [(Input) -> Bool] = []

  func add(_ handler: @escaping (Input) -> Bool) { handlers.append(handler) }

  func take(_ input: Input) -> Bool { handlers.contains { $0(input) } }
}
