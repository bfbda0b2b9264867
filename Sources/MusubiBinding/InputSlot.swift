// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// One named input of a live screen: checks a value from the wire and hands it to the ViewModel's stream.
///
/// Confined to the loop of its room, like everything of a screen.
package final class InputSlot {
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

  /// Hands a value to the ViewModel.
  ///
  /// - Parameters:
  ///   - value: The value from the wire, nil if the frame had none.
  ///   - row: The id of the row that the input comes from; it is the value of an input that takes one and got none.
  /// - Throws: `BindingError` `wrong-type`, before the ViewModel has seen anything.
  package func deliver(_ value: Value?, row: String? = nil) throws(BindingError) {
    guard value == nil, kind != .void, let row else { return try take(value) }
    // Ids are strings on the wire; an author's may be integers.
    do throws(BindingError) {
      try take(.string(row))
    } catch {
      guard let number = Int64(row) else { throw error }
      try take(.integer(number))
    }
  }

  private func take(_ value: Value?) throws(BindingError) {
    guard kind.accepts(value) else { throw .wrongType(name, expects: kind, got: value) }
    try accept(value)
  }
}
