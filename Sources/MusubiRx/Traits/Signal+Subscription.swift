// SPDX-License-Identifier: Apache-2.0

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// Subscribes observers.
  public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Subscribes observers of the optional type.
  public func emit<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe { event in for observer in observers { observer.on(event.map { $0 }) } }
  }

  /// Passes every element on to relays.
  public func emit<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element {
    emit(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Passes every element on to relays of the optional type.
  public func emit<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? {
    emit(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Subscribes closures that get an object along, as long as it lives.
  public func emit<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe(
      with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures.
  public func emit(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    MainScheduler.ensureExecutingOnScheduler(errorMessage: subscribedElsewhere)
    return asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes for the side effects only.
  public func emit() -> any Disposable { emit(onNext: { _ in }) }
}
