// SPDX-License-Identifier: Apache-2.0

/// Something that takes the events of an observable.
public protocol ObserverType<Element> {
  /// The type of the elements that it takes.
  associatedtype Element

  /// Takes one event.
  ///
  /// - Parameter event: The event; nothing may follow an `error` or `completed`.
  func on(_ event: Event<Element>)

  /// Takes the next element.
  ///
  /// - Parameter element: The element.
  func onNext(_ element: Element)

  /// Takes the end by an error.
  ///
  /// - Parameter error: What went wrong.
  func onError(_ error: any Swift.Error)

  /// Takes the end.
  func onCompleted()
}

extension ObserverType {
  /// Takes the next element.
  ///
  /// - Parameter element: The element.
  public func onNext(_ element: Element) { on(.next(element)) }

  /// Takes the end by an error.
  ///
  /// - Parameter error: What went wrong.
  public func onError(_ error: any Swift.Error) { on(.error(error)) }

  /// Takes the end.
  public func onCompleted() { on(.completed) }

  /// This observer without its type.
  ///
  /// - Returns: An observer that hands every event on.
  public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

  /// An observer of another type, whose elements are transformed for this one.
  ///
  /// - Parameter transform: Turns the other type into this one's; what it throws arrives as `error`.
  /// - Returns: The observer of the other type.
  public func mapObserver<Result>(_ transform: @escaping (Result) throws -> Element) -> AnyObserver<Result> {
    AnyObserver { self.on($0.map(transform)) }
  }
}
