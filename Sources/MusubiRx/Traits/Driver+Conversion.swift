// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
  /// This sequence as a driver; at an error, one element is delivered and the sequence ends.
  ///
  /// - Parameter onErrorJustReturn: The element.
  /// - Returns: The driver.
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler).catchAndReturn(onErrorJustReturn))
  }

  /// This sequence as a driver; at an error, another driver goes on.
  ///
  /// - Parameter onErrorDriverWith: The other driver.
  /// - Returns: The driver.
  public func asDriver(onErrorDriverWith: Driver<Element>) -> Driver<Element> {
    asDriver { _ in onErrorDriverWith }
  }

  /// This sequence as a driver; at an error, another driver goes on.
  ///
  /// - Parameter onErrorRecover: Makes the other driver.
  /// - Returns: The driver.
  public func asDriver(
    onErrorRecover: @escaping (_ error: any Swift.Error) -> Driver<Element>
  ) -> Driver<Element> {
    Driver(
      asObservable().observe(on: DriverSharingStrategy.scheduler).catch { onErrorRecover($0).asObservable() })
  }
}

extension BehaviorRelay {
  /// The relay's value as a driver.
  ///
  /// - Returns: The driver; it delivers the present value first.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension Infallible {
  /// This sequence as a driver.
  ///
  /// - Returns: The driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension ControlEvent {
  /// The events as a driver.
  ///
  /// - Returns: The driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension ControlProperty {
  /// The property's values as a driver.
  ///
  /// - Returns: The driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}
