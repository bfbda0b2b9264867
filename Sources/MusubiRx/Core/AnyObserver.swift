// SPDX-License-Identifier: Apache-2.0

/// An observer whose own type is hidden.
public struct AnyObserver<Element>: ObserverType {
  let consumer: Consumer<Element>

  init(consumer: Consumer<Element>) { self.consumer = consumer }

  /// Creates an observer from a closure.
  public init(eventHandler: @escaping (Event<Element>) -> Void) { consumer = EventConsumer(eventHandler) }

  /// Hides the type of an observer.
  public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    consumer = (observer as? AnyObserver<Element>)?.consumer ?? ObserverConsumer(observer)
  }

  /// Takes one event.
  public func on(_ event: Event<Element>) { consumer.on(event) }

  /// Takes the next element.
  public func onNext(_ element: Element) { consumer.next(element) }

  /// Takes the end by an error.
  public func onError(_ error: any Swift.Error) { consumer.error(error) }

  /// Takes the end.
  public func onCompleted() { consumer.completed() }

  /// This observer.
  public func asObserver() -> AnyObserver<Element> { self }
}
