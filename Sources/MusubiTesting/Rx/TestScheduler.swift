// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
public import Foundation
public import MusubiRx

/// A scheduler whose time a test moves by hand; it starts at 0 and counts whole ticks.
public class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter> {
  /// When `start` creates, subscribes and disposes unless it is told otherwise.
  public enum Defaults {
    /// The time of creation.
    public static let created: TestTime = 100
    /// The time of subscription.
    public static let subscribed: TestTime = 200
    /// The time of disposal.
    public static let disposed: TestTime = 1000
  }

  private let simulateProcessingDelay: Bool

  /// Creates a scheduler.
  public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
    self.simulateProcessingDelay = simulateProcessingDelay
    super.init(
      initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
  }

  /// An observable that emits at given times, whoever listens.
  public func createHotObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> { HotObservable(self, events) }

  /// An observable that emits at given times after each subscription.
  public func createColdObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> { ColdObservable(self, events) }

  /// An observer that records its events and their times.
  public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
    TestableObserver(scheduler: self)
  }

  /// Runs a closure at a point in virtual time.
  public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
    _ = scheduleAbsoluteVirtual((), time: time) { _ in
      action()
      return Disposables.create()
    }
  }

  /// Moves work for the past or the present to the next tick, if that was asked for.
  public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
    max(time, simulateProcessingDelay ? clock + 1 : clock)
  }

  /// Creates a sequence, subscribes and disposes at given times, and runs everything.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    created: TestTime = Defaults.created, subscribed: TestTime = Defaults.subscribed, disposed: TestTime,
    create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    var source: Observable<Element>?
    var subscription: (any Disposable)?
    let observer = createObserver(Element.self)
    scheduleAt(created) { source = create().asObservable() }
    scheduleAt(subscribed) { subscription = source?.subscribe(observer) }
    scheduleAt(disposed) { subscription?.dispose() }
    start()
    return observer
  }

  /// Creates at 100, subscribes at 200, disposes at 1000, and runs everything.
  public func start<Element, OutputSequence: ObservableConvertibleType>(
    _ create: @escaping () -> OutputSequence
  ) -> TestableObserver<Element> where OutputSequence.Element == Element {
    start(disposed: Defaults.disposed, create: create)
  }

  /// Subscribes a recording observer now.
  ///
  /// A source without an end, such as `interval`, keeps `start()` running: give it a time, or move the clock by `advanceTo`.
  ///
  /// - Parameters:
  ///   - source: What is recorded.
  ///   - disposed: When the subscription is disposed of; never if nil.
  /// - Returns: The observer.
  public func record<Source: ObservableConvertibleType>(
    _ source: Source, until disposed: TestTime? = nil
  ) -> TestableObserver<Source.Element> {
    let observer = createObserver(Source.Element.self)
    let subscription = source.asObservable().subscribe(observer)
    if let disposed { scheduleAt(disposed) { subscription.dispose() } }
    return observer
  }
}

/// A point in a test's virtual time, in ticks.
public typealias TestTime = Int

/// Converts between ticks and dates.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
  /// Ticks are virtual times.
  public typealias VirtualTimeUnit = TestTime
  /// Ticks are virtual lengths.
  public typealias VirtualTimeIntervalUnit = TestTime

  private let resolution: Double

  init(resolution: Double) { self.resolution = resolution }

  /// The date of a tick.
  public func convertFromVirtualTime(_ virtualTime: TestTime) -> RxTime {
    Date(timeIntervalSince1970: Double(virtualTime) * resolution)
  }

  /// The tick of a date.
  public func convertToVirtualTime(_ time: RxTime) -> TestTime {
    TestTime(clamped: time.timeIntervalSince1970 / resolution + 0.5)
  }

  /// The seconds of ticks.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: TestTime) -> Double {
    Double(virtualTimeInterval) * resolution
  }

  /// The ticks of seconds.
  public func convertToVirtualTimeInterval(_ timeInterval: Double) -> TestTime {
    TestTime(clamped: timeInterval / resolution + 0.5)
  }

  /// A tick, moved.
  public func offsetVirtualTime(_ time: TestTime, offset: TestTime) -> TestTime { time + offset }

  /// The order of two ticks.
  public func compareVirtualTime(_ lhs: TestTime, _ rhs: TestTime) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
  }
}

extension TestTime {
  /// The nearest tick below; times without end become the last tick that leaves room for arithmetic.
  fileprivate init(clamped value: Double) { self = value < 4e18 ? Int(value) : .max / 2 }
}
