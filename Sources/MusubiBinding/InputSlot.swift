// SPDX-License-Identifier: Apache-2.0
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
  private let accept: (Value?) throws(BindingError) -> Void

  /// An input that hands every value of the right kind to `accept`, which may still refuse it.
  package init(name: String, kind: InputKind, accept: @escaping (Value?) throws(BindingError) -> Void) {
    self.name = name
    self.kind = kind
    self.accept = accept
  }

  /// An input that takes whatever an author's type can be decoded from.
  static func decoding<Element>(
    _ name: String, _ type: any Decodable.Type, accept: @escaping (Element) -> Void
  ) -> InputSlot {
    InputSlot(name: name, kind: .value) { value throws(BindingError) in
      let element: Element
      do {
        element = try ValueDecoder.decode(type, as: Element.self, from: value ?? .null)
      } catch {
        let came = (value?.description ?? "nothing").prefix(80)
        throw BindingError(.wrongType, "The input \"\(name)\" takes a \(Element.self), but \(came) came.")
      }
      accept(element)
    }
  }

  /// Hands a value to the ViewModel.
  ///
  /// From a row, the row's id is the value of an input that got none; of one that got some, the ViewModel gets the value,
  /// or, if its type does not take that, both as members `id` and `value` of an object.
  ///
  /// - Parameters:
  ///   - value: The value from the wire, nil if the frame had none.
  ///   - row: The id of the row that the input comes from.
  /// - Throws: `BindingError` `wrong-type`, before the ViewModel has seen anything.
  package func deliver(_ value: Value?, row: String? = nil) throws(BindingError) {
    guard kind != .void, let row else { return try take(value) }
    // Ids are strings on the wire; an author's may be integers.
    let ids: [Value] = [.string(row)] + (Int64(row).map { [.integer($0)] } ?? [])
    let forms = value.map { value in [value] + ids.map { ["id": $0, "value": value] } } ?? ids
    var refusal: BindingError?
    for form in forms {
      do throws(BindingError) {
        return try take(form)
      } catch {
        refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
  }

  private func take(_ value: Value?) throws(BindingError) {
    guard kind.accepts(value) else { throw .wrongType(name, expects: kind, got: value) }
    try accept(value)
  }
}
