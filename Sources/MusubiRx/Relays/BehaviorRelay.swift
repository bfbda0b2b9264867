// SPDX-License-Identifier: Apache-2.0

/// A value that can be read, set and observed; it never fails and never ends.
///
///     let count = BehaviorRelay(value: 0)
///     count.accept(count.value + 1)
///     count.update { $0 += 1 }
///     count.map { "\($0)" }.bind(to: label.rx.text).disposed(by: bag)
public final class BehaviorRelay<Element>: ObservableType, RelayType {
  private let subject: BehaviorSubject<Element>

  /// Creates a relay.
  public init(value: Element) { subject = BehaviorSubject(value: value) }

  /// The latest value.
  public var value: Element { subject.latest }

  /// Sets the value and tells the observers.
  public func accept(_ event: Element) { subject.onNext(event) }

  /// Changes the value and tells the observers.
  ///
  /// - Parameter change: Changes the value; if it throws, nothing changes, and nobody is told.
  /// - Returns: What `change` returns.
  public func update<Output>(_ change: (inout Element) throws -> Output) rethrows -> Output {
    var element = value
    let output = try change(&element)
    accept(element)
    return output
  }

  /// Subscribes an observer; it gets the latest value first.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { subject.subscribe(observer) }

  /// The read-only side.
  public func asObservable() -> Observable<Element> { subject }
}
