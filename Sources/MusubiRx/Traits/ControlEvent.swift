// SPDX-License-Identifier: Apache-2.0

/// Something that is a stream of a control's events.
public protocol ControlEventType: ObservableType {
  /// The events.
  ///
  /// - Returns: The control event.
  func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control, such as taps: never fails, replays nothing, is delivered on the loop.
public struct ControlEvent<PropertyType>: ControlEventType {
  /// The type of the events.
  public typealias Element = PropertyType

  let events: Observable<PropertyType>

  /// Creates the event stream of a control.
  ///
  /// - Parameter events: What the control emits; must not fail.
  public init<Events: ObservableType>(events: Events) where Events.Element == Element {
    self.events = events.asObservable()
  }

  /// Subscribes an observer.
  ///
  /// - Parameter observer: Gets every event.
  /// - Returns: What ends the subscription.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { events.subscribe(observer) }

  /// The events as an `Observable`.
  ///
  /// - Returns: The observable.
  public func asObservable() -> Observable<Element> { events }

  /// This control event.
  ///
  /// - Returns: The control event itself.
  public func asControlEvent() -> ControlEvent<Element> { self }
}
