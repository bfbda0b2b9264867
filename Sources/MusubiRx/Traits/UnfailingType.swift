// SPDX-License-Identifier: Apache-2.0

/// Something that never fails: a relay, an `Infallible`, a control's events or its property.
public protocol UnfailingType<Element>: ObservableConvertibleType {}

extension BehaviorRelay: UnfailingType {}
extension PublishRelay: UnfailingType {}
extension ReplayRelay: UnfailingType {}
extension ControlEvent: UnfailingType {}
extension ControlProperty: UnfailingType {}

extension UnfailingType {
  /// The elements as a driver.
  public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }

  /// The elements as a signal.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler))
  }

  /// The elements as an `Infallible`.
  public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}
