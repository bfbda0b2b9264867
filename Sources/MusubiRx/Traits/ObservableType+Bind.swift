// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Passes every event on to observers.
  ///
  /// - Parameter observers: Each gets every event.
  /// - Returns: What ends the subscription.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element {
    if observers.count == 1 { return subscribe(observers[0]) }
    return subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Passes every event on to observers of the optional type.
  ///
  /// - Parameter observers: Each gets every event.
  /// - Returns: What ends the subscription.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? {
    subscribe { event in for observer in observers { observer.on(event.map { $0 }) } }
  }

  /// Hands the sequence to a function that subscribes.
  ///
  /// - Parameter binder: Gets the sequence.
  /// - Returns: What the function returns.
  public func bind<Result>(to binder: (Self) -> Result) -> Result { binder(self) }

  /// Hands the sequence to a function that subscribes, then an argument to what it returns.
  ///
  /// - Parameters:
  ///   - binder: Gets the sequence.
  ///   - curriedArgument: The argument.
  /// - Returns: What the function returns in the end.
  public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
    binder(self)(curriedArgument)
  }

  /// Subscribes a closure to the elements of a sequence that does not fail.
  ///
  /// - Parameter onNext: Called with every element.
  /// - Returns: What ends the subscription.
  public func bind(onNext: @escaping (Element) -> Void) -> any Disposable {
    subscribe(onNext: onNext, onError: { UnhandledErrors.reportInBinding($0) })
  }

  /// Subscribes a closure that gets an object along, as long as it lives.
  ///
  /// - Parameters:
  ///   - object: Held weakly, and passed to the closure.
  ///   - onNext: Called with every element.
  /// - Returns: What ends the subscription.
  public func bind<Object: AnyObject>(
    with object: Object, onNext: @escaping (Object, Element) -> Void
  ) -> any Disposable {
    bind { [weak object] element in
      if let object { onNext(object, element) }
    }
  }

  /// Passes every element on to relays.
  ///
  /// - Parameter relays: Each accepts every element; an error is a mistake of the author and is reported.
  /// - Returns: What ends the subscription.
  public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Passes every element on to relays of the optional type.
  ///
  /// - Parameter relays: Each accepts every element; an error is a mistake of the author and is reported.
  /// - Returns: What ends the subscription.
  public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Passes every element on to relays.
  ///
  /// - Parameter relays: Each accepts every element; an error is a mistake of the author and is reported.
  /// - Returns: What ends the subscription.
  public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Passes every element on to relays of the optional type.
  ///
  /// - Parameter relays: Each accepts every element; an error is a mistake of the author and is reported.
  /// - Returns: What ends the subscription.
  public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Passes every element on to relays.
  ///
  /// - Parameter relays: Each accepts every element; an error is a mistake of the author and is reported.
  /// - Returns: What ends the subscription.
  public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Passes every element on to relays of the optional type.
  ///
  /// - Parameter relays: Each accepts every element; an error is a mistake of the author and is reported.
  /// - Returns: What ends the subscription.
  public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
    bind { element in for relay in relays { relay.accept(element) } }
  }
}

extension UnhandledErrors {
  static func reportInBinding(_ error: any Error) {
    #if DEBUG
      print(
        "Binding error: \(error). What is bound to a view or a relay must not fail; catch the error in the chain."
      )
    #endif
  }
}
