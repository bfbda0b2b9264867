// SPDX-License-Identifier: Apache-2.0

/// Something that can be bound to observers: an `ObservableType` or an `Infallible`.
public protocol BindableType<Element>: ObservableConvertibleType {}

extension BindableType {
  /// Passes every event on to observers.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element { asObservable().bind(all: observers) }

  /// Passes every event on to observers of the optional type.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? { asObservable().bind(all: observers) }

  /// Passes every element on to relays.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element { asObservable().bind(all: relays) }

  /// Passes every element on to relays of the optional type.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? { asObservable().bind(all: relays) }

  /// Hands the sequence to a function that subscribes.
  public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

  /// Hands the sequence to a function that subscribes, then an argument to the function that it returns.
  public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
    binder(self)(curriedArgument)
  }

  /// Subscribes a closure to the elements of a sequence that does not fail.
  public func bind(onNext: @escaping (Element) -> Void) -> any Disposable {
    let leaf = Leaf(binding: onNext)
    asObservable().subscribe(consumer: leaf)
    return leaf
  }

  /// Subscribes a closure that gets an object along, as long as it lives.
  public func bind<Object: AnyObject>(
    with object: Object, onNext: @escaping (Object, Element) -> Void
  ) -> any Disposable {
    bind { [weak object] element in
      if let object { onNext(object, element) }
    }
  }
}

// Driver and Signal share these.
extension Observable {
  func bind<Observer: ObserverType>(all observers: [Observer]) -> any Disposable
  where Observer.Element == Element {
    if observers.count == 1 { return subscribe(observers[0]) }
    return subscribe { event in for observer in observers { observer.on(event) } }
  }

  func bind<Observer: ObserverType>(all observers: [Observer]) -> any Disposable
  where Observer.Element == Element? {
    subscribe { event in for observer in observers { observer.on(event.map { $0 }) } }
  }

  func bind<Relay: RelayType>(all relays: [Relay]) -> any Disposable where Relay.Element == Element {
    if relays.count == 1 { return bind(to: RelayEnd(relays[0])) }
    return bind { element in for relay in relays { relay.accept(element) } }
  }

  func bind<Relay: RelayType>(all relays: [Relay]) -> any Disposable where Relay.Element == Element? {
    bind { element in for relay in relays { relay.accept(element) } }
  }
}

extension BindableType {
  func bind(to end: BindingEnd<Element>) -> any Disposable {
    asObservable().subscribe(consumer: end)
    return end
  }
}

/// The end of a chain that leads into one object, in one allocation; errors are reported as those of a binding.
class BindingEnd<Element>: Consumer<Element> {
  final override func error(_ error: any Error) {
    if markEnded() { UnhandledErrors.reportInBinding(error) }
  }

  final override func completed() { _ = markEnded() }
}

private final class RelayEnd<Relay: RelayType>: BindingEnd<Relay.Element> {
  private let relay: Relay

  init(_ relay: Relay) { self.relay = relay }

  override func next(_ element: Relay.Element) {
    if !isDisposed { relay.accept(element) }
  }
}

extension UnhandledErrors {
  static func reportInBinding(_ error: any Error) {
    #if DEBUG
      print(
        "Binding error: \(error). A sequence that is bound to a view or a relay must not fail; catch the error in the chain."
      )
    #endif
  }
}
