// SPDX-License-Identifier: Apache-2.0

/// Something that can be seen as an observable.
public protocol ObservableConvertibleType<Element> {
  /// The type of the elements.
  associatedtype Element

  /// The observable.
  func asObservable() -> Observable<Element>
}

/// Something that observers can subscribe to.
public protocol ObservableType<Element>: BindableType {
  /// Subscribes an observer.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  /// This sequence as an `Observable`.
  public func asObservable() -> Observable<Element> { Observable.create { self.subscribe($0) } }
}
