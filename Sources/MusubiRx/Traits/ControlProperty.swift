// SPDX-License-Identifier: Apache-2.0

/// Something that is a control's property.
public protocol ControlPropertyType: ObservableType, ObserverType {
  /// The property.
  func asControlProperty() -> ControlProperty<Element>
}

/// A control's value, both ways: observing tells what the user does, setting does not fire it.
public struct ControlProperty<PropertyType>: ControlPropertyType {
  /// The type of the value.
  public typealias Element = PropertyType

  let values: Observable<PropertyType>
  let valueSink: AnyObserver<PropertyType>
  /// The changes by the user; nil if they are the values behind the first one, the present one.
  fileprivate let changes: Observable<PropertyType>?

  /// Creates a property.
  public init<Values: ObservableType, Sink: ObserverType>(values: Values, valueSink: Sink)
  where Element == Values.Element, Element == Sink.Element {
    self.init(values.asObservable(), changes: nil, valueSink.asObserver())
  }

  /// Creates a property whose values need not begin with the present one.
  package init<Values: ObservableType, Changes: ObservableType, Sink: ObserverType>(
    values: Values, changes: Changes, valueSink: Sink
  ) where Element == Values.Element, Element == Changes.Element, Element == Sink.Element {
    self.init(values.asObservable(), changes: changes.asObservable(), valueSink.asObserver())
  }

  fileprivate init(
    _ values: Observable<PropertyType>, changes: Observable<PropertyType>?,
    _ valueSink: AnyObserver<PropertyType>
  ) {
    self.values = values.subscribedAtHome()
    self.changes = changes
    self.valueSink = valueSink
  }

  /// Subscribes an observer.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { values.subscribe(observer) }

  /// The changes by the user, without the present value.
  public var changed: ControlEvent<PropertyType> { ControlEvent(events: changes ?? values.skip(1)) }

  /// The side that sets; keeping it does not keep the values.
  public func asObserver() -> AnyObserver<PropertyType> { valueSink }

  /// The values as an `Observable`.
  public func asObservable() -> Observable<Element> { values }

  /// This property.
  public func asControlProperty() -> ControlProperty<Element> { self }

  /// Sets the value.
  public func onNext(_ element: Element) { valueSink.onNext(element) }

  /// Sets the value from an event; an error is reported.
  public func on(_ event: Event<Element>) {
    switch event {
    case .error(let error): UnhandledErrors.reportInBinding(error)
    case .next, .completed: valueSink.on(event)
    }
  }
}

extension ControlPropertyType where Element == String? {
  /// The property with nil read as an empty text.
  public var orEmpty: ControlProperty<String> {
    let original = asControlProperty()
    return ControlProperty(
      original.values.map { $0 ?? "" }, changes: original.changes?.map { $0 ?? "" },
      original.valueSink.mapObserver { $0 })
  }
}
