// SPDX-License-Identifier: Apache-2.0

/// A subject that never fails and never ends: for events such as taps.
public final class PublishRelay<Element>: ObservableType {
  private let subject = PublishSubject<Element>()

  /// Creates a relay.
  public init() {}

  /// Tells the observers an element.
  ///
  /// - Parameter event: The element.
  public func accept(_ event: Element) { subject.onNext(event) }

  /// Subscribes an observer.
  ///
  /// - Parameter observer: Gets every element from now on.
  /// - Returns: What ends the subscription.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { subject.subscribe(observer) }

  /// The read-only side.
  ///
  /// - Returns: An observable of the elements.
  public func asObservable() -> Observable<Element> { subject }
}
