// SPDX-License-Identifier: Apache-2.0

/// An observer whose own type is hidden.
public struct AnyObserver<Element>: ObserverType {
  let consumer: Consumer<Element>

  init(consumer: Consumer<Element>) { self.consumer = consumer }

  /// Creates an observer from a closure.
  ///
  /// - Parameter eventHandler: Called with every event.
  public init(eventHandler: @escaping (Event<Element>) -> Void) {
    consumer = EventHandlerConsumer(eventHandler)
  }

  /// Hides the type of an observer.
  ///
  /// - Parameter observer: Gets every event.
  public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    consumer = (observer as? AnyObserver<Element>)?.consumer ?? ObserverConsumer(observer)
  }

  /// Takes one event.
  ///
  /// - Parameter event: The event.
  public func on(_ event: Event<Element>) { consumer.on(event) }

  /// Takes the next element.
  ///
  /// - Parameter element: The element.
  public func onNext(_ element: Element) { consumer.next(element) }

  /// Takes the end by an error.
  ///
  /// - Parameter error: What went wrong.
  public func onError(_ error: any Swift.Error) { consumer.error(error) }

  /// Takes the end.
  public func onCompleted() { consumer.completed() }

  /// This observer.
  ///
  /// - Returns: The observer itself.
  public func asObserver() -> AnyObserver<Element> { self }
}
