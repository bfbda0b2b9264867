// SPDX-License-Identifier: Apache-2.0

/// Something that is a stream of a control's events.
public protocol ControlEventType: ObservableType {
  /// The events.
  func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control, such as taps: never fails, replays nothing, is delivered on the loop.
public struct ControlEvent<PropertyType>: ControlEventType {
  /// The type of the events.
  public typealias Element = PropertyType

  let events: Observable<PropertyType>

  /// Creates the event stream of a control.
  public init<Events: ObservableType>(events: Events) where Events.Element == Element {
    self.events = events.asObservable().subscribedAtHome()
  }

  /// Subscribes an observer.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { events.subscribe(observer) }

  /// The events as an `Observable`.
  public func asObservable() -> Observable<Element> { events }

  /// This control event.
  public func asControlEvent() -> ControlEvent<Element> { self }
}

extension Observable {
  /// The same sequence, subscribed to on the loop (or the main thread), wherever its observer subscribes.
  func subscribedAtHome() -> Observable<Element> {
    AnonymousProducer { consumer in
      let source = ThreadContext.current.isHome ? self : self.subscribe(on: MainScheduler.instance)
      source.subscribe(consumer: consumer)
    }
  }
}
