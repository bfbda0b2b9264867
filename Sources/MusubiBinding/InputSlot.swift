// SPDX-License-Identifier: Apache-2.0
import MusubiRx
package import MusubiWire

/// One named input of a live screen: checks a value from the wire and hands it to the ViewModel's stream.
///
/// Confined to the loop of its room, like everything of a screen. A value, because screens are many: all of a screen's
/// inputs are one allocation.
package struct InputSlot {
  /// The name in the page and on the wire.
  package let name: String
  /// What the input takes.
  package let kind: InputKind
  private let acceptance: Acceptance

  private enum Acceptance {
    /// Takes every value of the right kind, or refuses it.
    case plain((Value?) throws(BindingError) -> Void)
    /// Decodes a value, and takes it unless that was only a trial.
    case decoding((Value?, _ isTrial: Bool) throws(BindingError) -> Void)
    /// Leaves it to the input that a row has.
    case row(any RowInputs)
  }

  private init(name: String, kind: InputKind, _ acceptance: Acceptance) {
    self.name = name
    self.kind = kind
    self.acceptance = acceptance
  }

  /// An input that hands every value of the right kind to `accept`, which may still refuse it.
  package init(name: String, kind: InputKind, accept: @escaping (Value?) throws(BindingError) -> Void) {
    self.init(name: name, kind: kind, .plain(accept))
  }

  /// An input that takes whatever an author's type can be decoded from, of the values of a kind.
  static func decoding<Element>(
    _ name: String, kind: InputKind? = nil, _ type: any Decodable.Type,
    accept: @escaping (Element) throws(BindingError) -> Void
  ) -> InputSlot {
    let decode = { (value: Value?, isTrial: Bool) throws(BindingError) in
      let element: Element
      do {
        element = try ValueDecoder.decode(type, as: Element.self, from: value ?? .null)
      } catch {
        let came = (value?.description ?? "nothing").prefix(80)
        throw BindingError(.wrongType, "The input \"\(name)\" takes a \(Element.self), but \(came) came.")
      }
      if !isTrial { try accept(element) }
    }
    let own: InputKind =
      type is any RowMoveType.Type ? .move : type == UploadedFile.self ? .file : .value
    return InputSlot(name: name, kind: kind ?? own, .decoding(decode))
  }

  /// The inputs of one name that rows have.
  init(of rows: any RowInputs) { self.init(name: rows.name, kind: .value, .row(rows)) }

  /// Hands a value to the ViewModel.
  ///
  /// From a row, the row's id is the value of an input that got none; of one that got some, the ViewModel gets the value,
  /// or, if its type does not take that, both as members `id` and `value` of an object.
  ///
  /// - Parameters:
  ///   - value: The value from the wire, nil if the frame had none.
  ///   - row: The ids of the rows that the input comes from, outermost first; empty outside of lists.
  ///   - output: The place of the output that shows the row; nil if the ids have to say that.
  /// - Throws: `BindingError` `wrong-type` or `unknown-row`, before the ViewModel has seen anything.
  package func deliver(_ value: Value?, row: [String] = [], in output: Int? = nil) throws(BindingError) {
    if case .row(let rows) = acceptance { return try rows.deliver(value, row: row, in: output) }
    guard kind != .void, let row = row.last else { return try take(value) }
    try takeFirst(of: Self.forms(of: value, fromRow: row))
  }

  /// Whether rows have it, which know it by themselves, and not the screen.
  var isOfRows: Bool {
    if case .row = acceptance { true } else { false }
  }

  /// The name whose rules hold for it: of an input of rows the one that these declare.
  var declaredName: String {
    if case .row(let rows) = acceptance { rows.declaredName } else { name }
  }

  /// Finds the output that shows the row of an input that rows have.
  ///
  /// - Parameter row: The ids of the rows that the input comes from, outermost first.
  /// - Returns: The output's place; nil if it is an input of the screen.
  /// - Throws: `BindingError` if there is no such row, or two have these ids.
  func output(ofRow row: [String]) throws(BindingError) -> Int? {
    if case .row(let rows) = acceptance { try rows.output(ofRow: row) } else { nil }
  }

  /// Hands a row's move to the ViewModel.
  ///
  /// - Parameters:
  ///   - row: The row's id.
  ///   - before: The id of the row that it goes in front of; nil if it goes to the end.
  ///   - list: The name of the list that it goes to, or the id of the row that this one is in.
  /// - Throws: `BindingError` `wrong-type`, before the ViewModel has seen anything.
  func deliver(moveOf row: String, before: String?, to list: String) throws(BindingError) {
    func form(_ id: Value, _ before: Value?) -> Value {
      ["id": id, "before": before ?? .null, "list": .string(list)]
    }
    // Ids are strings on the wire; an author's may be integers.
    let numbers = [row, before ?? row].compactMap { Int64($0) }.map(Value.integer)
    try takeFirst(
      of: [form(.string(row), before.map(Value.string))]
        + (numbers.count == 2 ? [form(numbers[0], before == nil ? nil : numbers[1])] : []))
  }

  /// Whether it takes typing into the text of a row with those ids, outermost first.
  package func takesText(fromRow row: [String]) -> Bool {
    do throws(BindingError) {
      if case .row(let rows) = acceptance { return try rows.takesText(fromRow: row) }
      let forms = row.last.map { Self.forms(of: .string(""), fromRow: $0) } ?? [.string("")]
      try takeFirst(of: forms, isTrial: true)
      return true
    } catch {
      return false
    }
  }

  /// The forms that a value from a row may have for a ViewModel.
  private static func forms(of value: Value?, fromRow row: String) -> [Value] {
    // Ids are strings on the wire; an author's may be integers.
    let ids: [Value] = [.string(row)] + (Int64(row).map { [.integer($0)] } ?? [])
    return value.map { value in [value] + ids.map { ["id": $0, "value": value] } } ?? ids
  }

  private func takeFirst(of forms: [Value], isTrial: Bool = false) throws(BindingError) {
    var refusal: BindingError?
    for form in forms {
      do throws(BindingError) {
        return try take(form, isTrial: isTrial)
      } catch {
        refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
  }

  private func take(_ value: Value?, isTrial: Bool = false) throws(BindingError) {
    guard kind.accepts(value) else { throw .wrongType(name, expects: kind, got: value) }
    switch acceptance {
    case .plain(let accept): if !isTrial { try accept(value) }
    case .row: throw .unknownRow([name])
    case .decoding(let decode): try decode(value, isTrial)
    }
  }
}
