// SPDX-License-Identifier: Apache-2.0

extension SharedSequenceConvertibleType {
  /// The elements for whoever subscribes here, which must be the loop.
  func subscribedHere() -> Observable<Element> {
    MainScheduler.ensureExecutingOnScheduler(
      errorMessage: """
        A Driver or Signal belongs to the loop (or the main thread); subscribe to it there, or use observe(on:) first.
        """)
    return asObservable()
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Subscribes observers.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element { subscribedHere().bind(all: observers) }

  /// Subscribes observers of the optional type.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element? { subscribedHere().bind(all: observers) }

  /// Passes every element on to relays.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element { subscribedHere().bind(all: relays) }

  /// Passes every element on to relays of the optional type.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element? { subscribedHere().bind(all: relays) }

  /// Hands the sequence to a function that subscribes.
  public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    transformation(subscribedHere())
  }

  /// Hands the sequence to a function that subscribes, then an argument to the function that it returns.
  public func drive<R1, R2>(_ with: (Observable<Element>) -> (R1) -> R2, curriedArgument: R1) -> R2 {
    with(subscribedHere())(curriedArgument)
  }

  /// Subscribes closures that get an object along, as long as it lives.
  public func drive<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    subscribedHere().subscribe(
      with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures.
  public func drive(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    subscribedHere().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes for the side effects only.
  public func drive() -> any Disposable { drive(onNext: { _ in }) }
}
