// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

/// What a list has at the end of a way of ids.
enum RowMatch<Model> {
  case missing
  case one(Model)
  /// Several rows have the same ids, and nobody knows which one is meant.
  case several

  /// What a list in the row has.
  func inside<Inner>(_ find: (Model) -> RowMatch<Inner>) -> RowMatch<Inner> {
    switch self {
    case .missing: .missing
    case .one(let model): find(model)
    case .several: .several
    }
  }
}

extension RowMatch where Model: AnyObject & Identifiable, Model.ID: CustomStringConvertible {
  /// The model of an id.
  init(of id: String, among models: [Model]) {
    self = .missing
    for model in models where model.id.description.hasSameBytes(as: id) {
      if case .one(let first) = self, first !== model {
        self = .several
        return
      }
      self = .one(model)
    }
  }
}

/// Finds the models of a list's rows by the ids on the way to them, outermost first.
struct RowFinder<Model> {
  /// The place of the output that shows the rows.
  let output: Int
  /// What there is.
  let find: (_ row: ArraySlice<String>) -> RowMatch<Model>
  /// Shows a row again, also if nothing of it has changed.
  let restate: (_ row: ArraySlice<String>) -> Void
}

/// A list whose rows have an input.
struct RowList<Input> {
  /// The place of the output that shows the rows.
  let output: Int
  /// The model of a row.
  let find: (_ row: ArraySlice<String>) -> RowMatch<AnyObject>
  /// Hands the input to a model that was found.
  let take: (_ model: AnyObject, _ input: Input) -> Void
  /// Shows a row again.
  let restate: (_ row: ArraySlice<String>) -> Void

  init<Model: AnyObject>(_ rows: RowFinder<Model>, _ take: @escaping (Model, Input) -> Void) {
    output = rows.output
    find = { row in rows.find(row).inside { .one($0) } }
    self.take = { model, input in
      if let model = model as? Model { take(model, input) }
    }
    restate = rows.restate
  }
}

// MARK: - Inputs

/// An input that comes from a row.
protocol RowNaming {
  /// Whether it takes any text.
  static var takesText: Bool { get }

  /// The ids on the way to the row, outermost first.
  var row: [String] { get }

  /// Reads it.
  ///
  /// - Parameters:
  ///   - value: The value from the wire.
  ///   - row: The ids of the rows that it comes from, outermost first; if there are none, the value names the row.
  ///   - name: The input's name, for the error.
  /// - Throws: `BindingError` `wrong-type`.
  init(_ value: Value?, row: [String], of name: String) throws(BindingError)
}

/// A tap in a row.
struct RowTap: RowNaming {
  static var takesText: Bool { false }
  let row: [String]

  init(_ value: Value?, row: [String], of name: String) throws(BindingError) {
    guard let own = row.last else {
      guard let id = value?.idText else { throw .wrongType(name, expects: .string, got: value) }
      self.row = [id]
      return
    }
    // A page may say the row's own id once more.
    if let value, value.idText != own { throw .wrongType(name, expects: .void, got: value) }
    self.row = row
  }
}

/// A value from a row.
struct RowInput<Content: Decodable>: RowNaming {
  static var takesText: Bool {
    do {
      _ = try content(of: .string(""))
      return true
    } catch {
      return false
    }
  }

  let row: [String]
  let value: Content

  init(_ value: Value?, row: [String], of name: String) throws(BindingError) {
    let content = row.isEmpty ? value?["value"] : value
    let id = row.isEmpty ? value?["id"]?.idText : nil
    do {
      guard let content, !row.isEmpty || id != nil else { throw MissingValue() }
      self.value = try Self.content(of: content)
    } catch {
      let came = (value?.description ?? "nothing").prefix(80)
      throw BindingError(.wrongType, "The input \"\(name)\" takes a \(Content.self), but \(came) came.")
    }
    self.row = id.map { [$0] } ?? row
  }

  private static func content(of value: Value) throws -> Content {
    try ValueDecoder.decode(Content.self, as: Content.self, from: value)
  }
}

/// Nothing came, or nothing that names a row.
private struct MissingValue: Error {}

/// The inputs of one name that rows of `@Observable` models have.
class ModelRowInputs {
  final let name: String

  init(_ name: String) { self.name = name }

  /// Whether they take any text.
  var takesText: Bool { preconditionFailure("each kind of input knows that") }

  /// The place of the output that shows a row.
  ///
  /// - Throws: `BindingError` if there is no such row, or two have these ids.
  func output(ofRow row: [String]) throws(BindingError) -> Int {
    preconditionFailure("each kind of input finds its row")
  }

  /// Hands a value to the model of a row.
  ///
  /// - Throws: `BindingError`, before the model has seen anything.
  func deliver(_ value: Value?, row: [String]) throws(BindingError) {
    preconditionFailure("each kind of input has its own values")
  }
}

/// Hands an input to the model of its row, whichever list has it.
final class RowHandler<Input: RowNaming>: ModelRowInputs {
  private var lists: [RowList<Input>] = []

  func add(_ list: RowList<Input>) { lists.append(list) }

  override var takesText: Bool { Input.takesText }

  override func output(ofRow row: [String]) throws(BindingError) -> Int { try find(row).list.output }

  override func deliver(_ value: Value?, row: [String]) throws(BindingError) {
    let input = try Input(value, row: row, of: name)
    let (list, model) = try find(input.row)
    list.take(model, input)
    for list in lists { list.restate(input.row[...]) }
  }

  /// One model may be in rows of several lists.
  private func find(_ row: [String]) throws(BindingError) -> (list: RowList<Input>, model: AnyObject) {
    var found: (list: RowList<Input>, model: AnyObject)?
    for list in lists {
      switch list.find(row[...]) {
      case .missing: continue
      case .one(let model):
        guard let first = found?.model else {
          found = (list, model)
          continue
        }
        if first !== model { throw ambiguous(row, "Rows of two lists") }
      case .several: throw ambiguous(row, "Two rows of one list")
      }
    }
    guard let found else { throw .unknownRow(row) }
    return found
  }

  private func ambiguous(_ row: [String], _ rows: String) -> BindingError {
    let id = row.joined(separator: "/").prefix(80)
    return BindingError(.wrongType, "\(rows) have the id \"\(id)\" and an input \"\(name)\".")
  }
}
