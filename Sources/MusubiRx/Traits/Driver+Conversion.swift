// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
  /// This sequence as a driver; at an error, one element is delivered and the sequence ends.
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler).catchAndReturn(onErrorJustReturn))
  }

  /// This sequence as a driver; at an error, another driver goes on.
  public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    asDriver { _ in onErrorDriveWith }
  }

  /// This sequence as a driver; at an error, another driver goes on.
  public func asDriver(
    onErrorRecover: @escaping (_ error: any Swift.Error) -> Driver<Element>
  ) -> Driver<Element> {
    Driver(
      asObservable().observe(on: DriverSharingStrategy.scheduler).catch { onErrorRecover($0).asObservable() })
  }
}

extension BehaviorRelay {
  /// The relay's value as a driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension Infallible {
  /// This sequence as a driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension ControlEvent {
  /// The events as a driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension ControlProperty {
  /// The property's values as a driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}
