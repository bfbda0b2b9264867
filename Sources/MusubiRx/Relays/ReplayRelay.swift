// SPDX-License-Identifier: Apache-2.0

/// A relay that tells each new observer its last elements first.
public final class ReplayRelay<Element>: ObservableType, RelayType {
  private let subject: ReplaySubject<Element>

  private init(_ subject: ReplaySubject<Element>) { self.subject = subject }

  /// Creates a relay that keeps some elements.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    ReplayRelay(.create(bufferSize: bufferSize))
  }

  /// Creates a relay that keeps all elements.
  public static func createUnbound() -> ReplayRelay<Element> { ReplayRelay(.createUnbounded()) }

  /// Tells the observers an element.
  public func accept(_ event: Element) { subject.onNext(event) }

  /// Subscribes an observer; it gets the last elements first.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { subject.subscribe(observer) }

  /// The read-only side.
  public func asObservable() -> Observable<Element> { subject }
}
