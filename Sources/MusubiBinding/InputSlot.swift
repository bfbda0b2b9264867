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
  private let accept: (Value?) -> Void

  /// An input that hands every value of the right kind to `accept`.
  package init(name: String, kind: InputKind, accept: @escaping (Value?) -> Void) {
    self.name = name
    self.kind = kind
    self.accept = accept
  }

  /// Hands a value to the ViewModel.
  ///
  /// - Parameter value: The value from the wire, nil if the frame had none.
  /// - Throws: `BindingError` `wrong-type`, before the ViewModel has seen anything.
  package func deliver(_ value: Value?) throws(BindingError) {
    guard kind.accepts(value) else { throw .wrongType(name, expects: kind, got: value) }
    accept(value)
  }
}
