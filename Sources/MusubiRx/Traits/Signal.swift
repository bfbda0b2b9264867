// SPDX-License-Identifier: Apache-2.0

/// Events for or from the view: never fails, is delivered on the loop, and replays nothing.
///
///     let failure: Signal<String> = errors.asSignal()
///     failure.emit(onNext: { print($0) }).disposed(by: bag)
public typealias Signal<Element> = SharedSequence<SignalSharingStrategy, Element>

/// Shares one subscription, and replays nothing.
public struct SignalSharingStrategy: SharingStrategyProtocol {
  /// Where observers are called.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// Shares without replay.
  public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(scope: .whileConnected)
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// This sequence as a signal.
  public func asSignal() -> Signal<Element> { asSharedSequence() }
}
