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
struct RowList {
  /// The place of the output that shows the rows.
  let output: Int
  /// Whether the input takes any text.
  let takesText: Bool
  /// The model of a row.
  let find: (_ row: ArraySlice<String>) -> RowMatch<AnyObject>
  /// Reads the input and hands it to a model that was found; throws before the model has seen anything.
  let take: (_ model: AnyObject, _ value: Value?, _ id: String) throws(BindingError) -> Void
  /// Shows a row again.
  let restate: (_ row: ArraySlice<String>) -> Void

  /// A list whose rows have an input without a value.
  init<Model: AnyObject>(_ rows: RowFinder<Model>, _ name: String, tap: @escaping (Model) -> Void) {
    self.init(rows, takesText: false) { model, value, id throws(BindingError) in
      // A page may say the row's own id once more.
      if let value, value.idText != id { throw .wrongType(name, expects: .void, got: value) }
      tap(model)
    }
  }

  /// A list whose rows have an input with a value.
  init<Model: AnyObject, Content: Decodable>(
    _ rows: RowFinder<Model>, _ name: String, take: @escaping (Model, Content) -> Void
  ) {
    let read = { (value: Value?) throws(BindingError) -> Content in
      do {
        guard let value else { throw MissingValue() }
        return try ValueDecoder.decode(Content.self, as: Content.self, from: value)
      } catch {
        let came = (value?.description ?? "nothing").prefix(80)
        throw BindingError(.wrongType, "The input \"\(name)\" takes a \(Content.self), but \(came) came.")
      }
    }
    var takesText = true
    do throws(BindingError) { _ = try read(.string("")) } catch { takesText = false }
    self.init(rows, takesText: takesText) { model, value, _ throws(BindingError) in
      take(model, try read(value))
    }
  }

  private init<Model: AnyObject>(
    _ rows: RowFinder<Model>, takesText: Bool,
    _ take: @escaping (Model, Value?, String) throws(BindingError) -> Void
  ) {
    (output, self.takesText, restate) = (rows.output, takesText, rows.restate)
    find = { row in rows.find(row).inside { .one($0) } }
    self.take = { model, value, id throws(BindingError) in
      if let model = model as? Model { try take(model, value, id) }
    }
  }
}

/// Nothing came.
private struct MissingValue: Error {}

// MARK: - Inputs

/// The inputs of one name that rows of `@Observable` models have.
final class ModelRowInputs: RowInputs {
  let name: String
  let declaredName: String
  var lists: [RowList] = []

  init(_ name: String, of declaredName: String? = nil) {
    (self.name, self.declaredName) = (name, declaredName ?? name)
  }

  func takesText(fromRow row: [String]) throws(BindingError) -> Bool { try find(row).list.takesText }

  func output(ofRow row: [String]) throws(BindingError) -> Int { try find(row).list.output }

  func deliver(_ value: Value?, row: [String], in output: Int?) throws(BindingError) {
    // Without a row the value names it.
    let (row, value) = row.isEmpty ? try split(value) : (row, value)
    let (list, model) = try find(row, in: output)
    try list.take(model, value, row.last ?? "")
    for list in lists { list.restate(row[...]) }
  }

  /// The row that a value names, and what is for the row: an id, or an object of `id` and `value`.
  private func split(_ value: Value?) throws(BindingError) -> ([String], Value?) {
    guard let id = value?.idText ?? value?["id"]?.idText else {
      throw .wrongType(name, expects: .string, got: value)
    }
    return ([id], value?["value"])
  }

  /// One model may be in rows of several lists.
  private func find(_ row: [String], in output: Int? = nil) throws(BindingError) -> (
    list: RowList, model: AnyObject
  ) {
    var found: (list: RowList, model: AnyObject)?
    for list in lists where output ?? list.output == list.output {
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
