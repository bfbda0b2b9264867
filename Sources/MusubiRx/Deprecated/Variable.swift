// SPDX-License-Identifier: Apache-2.0

/// A value with an observable that tells it first and then each change; completes when the variable goes.
@available(*, deprecated, message: "Use BehaviorRelay: accept(_:) sets its value.")
public final class Variable<Element> {
  private let subject: BehaviorSubject<Element>

  /// Creates a variable.
  public init(_ value: Element) { subject = BehaviorSubject(value: value) }

  deinit { subject.onCompleted() }

  /// The value; setting it tells the observers.
  public var value: Element {
    get { subject.latest }
    set { subject.onNext(newValue) }
  }

  /// The values, from the present one on.
  public func asObservable() -> Observable<Element> { subject }

  /// The values as a driver.
  public func asDriver() -> Driver<Element> { asObservable().asDriver(onErrorDriveWith: .empty()) }
}

extension ObservableType {
  /// Sets a variable to each element.
  @available(*, deprecated, message: "Bind to a BehaviorRelay.")
  public func bind(to variable: Variable<Element>) -> any Disposable { bind(onNext: { variable.value = $0 }) }

  /// Sets a variable of an optional to each element.
  @available(*, deprecated, message: "Bind to a BehaviorRelay.")
  public func bind(to variable: Variable<Element?>) -> any Disposable {
    bind(onNext: { variable.value = $0 })
  }
}
