// SPDX-License-Identifier: Apache-2.0

/// A value for the view: never fails, is delivered on the loop, and tells each new observer its latest element first.
///
///     let title: Driver<String> = name.map { "Hello, \($0)!" }.asDriver(onErrorJustReturn: "")
///     title.drive(label.rx.text).disposed(by: bag)
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

/// Shares one subscription, and replays the latest element.
public struct DriverSharingStrategy: SharingStrategyProtocol {
  /// Where observers are called.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// Shares with the latest element.
  public static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(replay: 1, scope: .whileConnected)
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// This sequence as a driver.
  public func asDriver() -> Driver<Element> { asSharedSequence() }
}
