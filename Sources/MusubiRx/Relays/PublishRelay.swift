// SPDX-License-Identifier: Apache-2.0

/// A subject that never fails and never ends: for events such as taps.
///
///     let refreshes = PublishRelay<Void>()
///     button.rx.tap.bind(to: refreshes).disposed(by: bag)
public final class PublishRelay<Element>: ObservableType, RelayType {
  private let subject = PublishSubject<Element>()

  /// Creates a relay.
  public init() {}

  /// Tells the observers an element.
  public func accept(_ event: Element) { subject.onNext(event) }

  /// Subscribes an observer.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { subject.subscribe(observer) }

  /// The read-only side.
  public func asObservable() -> Observable<Element> { subject }
}
