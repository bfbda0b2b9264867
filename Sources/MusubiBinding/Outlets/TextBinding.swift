// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

// What `bind(to:)` does for observers of any type, without an event in between: texts are what most screens show, and
// here their type is known when this is compiled.
extension ObservableType where Element == String {
  /// Shows every element as the text of an outlet.
  ///
  /// - Parameter text: The outlet's text, such as `label.rx.text`.
  /// - Returns: What ends the binding.
  public func bind(to text: Binder<String?>) -> any Disposable { bind(onNext: { text.onNext($0) }) }

  /// Shows every element as the text of a field.
  ///
  /// - Parameter text: The field's text, such as `textField.rx.text`.
  /// - Returns: What ends the binding.
  public func bind(to text: ControlProperty<String?>) -> any Disposable {
    let field = text.asObserver()
    return bind(onNext: { field.onNext($0) })
  }
}
