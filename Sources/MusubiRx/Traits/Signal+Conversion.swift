// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
  /// This sequence as a signal; at an error, one element is delivered and the sequence ends.
  public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler).catchAndReturn(onErrorJustReturn))
  }

  /// This sequence as a signal; at an error, another signal goes on.
  public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    asSignal { _ in onErrorSignalWith }
  }

  /// This sequence as a signal; at an error, another signal goes on.
  public func asSignal(
    onErrorRecover: @escaping (_ error: any Swift.Error) -> Signal<Element>
  ) -> Signal<Element> {
    Signal(
      asObservable().observe(on: SignalSharingStrategy.scheduler).catch { onErrorRecover($0).asObservable() })
  }
}

extension PublishRelay {
  /// The relay's elements as a signal.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler))
  }
}

extension BehaviorRelay {
  /// The relay's values as a signal.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler))
  }
}

extension Infallible {
  /// This sequence as a signal.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler))
  }
}

extension ControlEvent {
  /// The events as a signal.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler))
  }
}

extension ControlProperty {
  /// The property's values as a signal.
  public func asSignal() -> Signal<Element> {
    Signal(asObservable().observe(on: SignalSharingStrategy.scheduler))
  }
}
