// SPDX-License-Identifier: Apache-2.0

/// Something that takes the events of an observable.
public protocol ObserverType<Element> {
  /// The type of the elements that it takes.
  associatedtype Element

  /// Takes one event.
  func on(_ event: Event<Element>)

  /// Takes the next element.
  func onNext(_ element: Element)

  /// Takes the end by an error.
  func onError(_ error: any Swift.Error)

  /// Takes the end.
  func onCompleted()
}

extension ObserverType {
  /// Takes the next element.
  public func onNext(_ element: Element) { on(.next(element)) }

  /// Takes the end by an error.
  public func onError(_ error: any Swift.Error) { on(.error(error)) }

  /// Takes the end.
  public func onCompleted() { on(.completed) }

  /// This observer without its type.
  public func asObserver() -> AnyObserver<Element> { AnyObserver(self) }

  /// An observer of another type, whose elements are transformed for this one.
  public func mapObserver<Result>(_ transform: @escaping (Result) throws -> Element) -> AnyObserver<Result> {
    AnyObserver { self.on($0.map(transform)) }
  }
}
