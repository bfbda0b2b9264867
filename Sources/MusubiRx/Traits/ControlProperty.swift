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

  /// Creates a property.
  public init<Values: ObservableType, Sink: ObserverType>(values: Values, valueSink: Sink)
  where Element == Values.Element, Element == Sink.Element {
    self.values = values.asObservable().subscribedAtHome()
    self.valueSink = valueSink.asObserver()
  }

  /// Subscribes an observer.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { values.subscribe(observer) }

  /// The changes by the user, without the present value.
  public var changed: ControlEvent<PropertyType> { ControlEvent(events: values.skip(1)) }

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
      values: original.values.map { $0 ?? "" }, valueSink: original.valueSink.mapObserver { $0 })
  }
}
