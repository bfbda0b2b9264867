// SPDX-License-Identifier: Apache-2.0

/// How a shared sequence is delivered and shared.
public protocol SharingStrategyProtocol {
  /// Where observers are called.
  static var scheduler: any SchedulerType { get }

  /// Shares one subscription among all observers.
  static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
}

/// Something that can be seen as a shared sequence.
public protocol SharedSequenceConvertibleType<Element>: ObservableConvertibleType {
  /// How it is shared.
  associatedtype SharingStrategy: SharingStrategyProtocol

  /// The shared sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

/// A sequence for the view: it never fails, is delivered on the loop, and all observers share one subscription.
///
/// `Driver` and `Signal` are its two kinds.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element>: SharedSequenceConvertibleType
{
  let source: Observable<Element>

  init(_ source: Observable<Element>) { self.source = SharingStrategy.share(source) }

  init(raw: Observable<Element>) { source = raw }

  /// The sequence as an `Observable`.
  public func asObservable() -> Observable<Element> { source }

  /// This sequence.
  public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }
}

extension ObservableConvertibleType {
  /// The elements as a shared sequence; an error is replaced by an element, and ends it.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable().observe(on: Strategy.scheduler).catchAndReturn(onErrorJustReturn))
  }

  /// The elements as a shared sequence; an error moves on to another one.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorDriveWith: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> { asSharedSequence { _ in onErrorDriveWith } }

  /// The elements as a shared sequence; an error moves on to another one.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorRecover: @escaping (_ error: any Swift.Error) -> SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(
      asObservable().observe(on: Strategy.scheduler).catch { onErrorRecover($0).asObservable() })
  }
}

extension SharedSequenceConvertibleType {
  /// The sequence as an `Observable`.
  public func asObservable() -> Observable<Element> { asSharedSequence().source }
}

/// Which scheduler delivers drivers and signals.
public enum SharingScheduler {
  /// Makes the scheduler; `MainScheduler` unless `mock` replaced it.
  public static var make: () -> any SchedulerType {
    ThreadContext.current.makeSharingScheduler ?? { MainScheduler.instance }
  }

  /// Replaces the scheduler while an action runs, on this thread.
  public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
    try mock(makeScheduler: { scheduler }, action: action)
  }

  /// Replaces the scheduler while an action runs, on this thread.
  public static func mock(
    makeScheduler: @escaping () -> any SchedulerType, action: () throws -> Void
  ) rethrows {
    let context = ThreadContext.current
    let outer = context.makeSharingScheduler
    context.makeSharingScheduler = makeScheduler
    defer { context.makeSharingScheduler = outer }
    try action()
  }
}
