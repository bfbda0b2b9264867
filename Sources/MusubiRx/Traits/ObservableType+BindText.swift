// SPDX-License-Identifier: Apache-2.0

// What `bind(to:)` does for observers of any type, without an event in between: texts are what most screens show, and
// here their type is known when this is compiled.
extension ObservableType where Element == String {
  /// Shows every element as the text of an outlet.
  ///
  /// - Parameter text: The outlet's text, such as `label.rx.text`.
  /// - Returns: What ends the binding.
  public func bind(to text: Binder<String?>) -> any Disposable { bind(to: BinderEnd(text)) }

  /// Shows every element as the text of a field.
  ///
  /// - Parameter text: The field's text, such as `textField.rx.text`.
  /// - Returns: What ends the binding.
  public func bind(to text: ControlProperty<String?>) -> any Disposable { bind(to: PropertyEnd(text)) }
}

/// Sets a text by a binder; a closure would be two allocations more.
private final class BinderEnd: BindingEnd<String> {
  private let binder: Binder<String?>

  init(_ binder: Binder<String?>) { self.binder = binder }

  override func next(_ element: String) {
    if !isDisposed { binder.onNext(element) }
  }
}

/// Sets the text of a control.
private final class PropertyEnd: BindingEnd<String> {
  private let field: AnyObserver<String?>

  init(_ property: ControlProperty<String?>) { field = property.asObserver() }

  override func next(_ element: String) {
    if !isDisposed { field.onNext(element) }
  }
}
