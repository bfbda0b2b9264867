// SPDX-License-Identifier: Apache-2.0

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Subscribes observers.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Subscribes observers of the optional type.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element? {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe { event in for observer in observers { observer.on(event.map { $0 }) } }
  }

  /// Passes every element on to relays.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element {
    drive(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Passes every element on to relays of the optional type.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element? {
    drive(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Hands the sequence to a function that subscribes.
  public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return transformation(asObservable())
  }

  /// Hands the sequence to a function that subscribes, then an argument to what it returns.
  public func drive<R1, R2>(_ with: (Observable<Element>) -> (R1) -> R2, curriedArgument: R1) -> R2 {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return with(asObservable())(curriedArgument)
  }

  /// Subscribes closures that get an object along, as long as it lives.
  public func drive<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe(
      with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures.
  public func drive(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes for the side effects only.
  public func drive() -> any Disposable { drive(onNext: { _ in }) }
}

/// What a debug or release build says when a view sequence is subscribed to from a foreign thread.
let subscribedElsewhere =
  "A Driver or Signal belongs to the loop (or the main thread); subscribe to it there, or use observe(on:) first."
