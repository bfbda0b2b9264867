// SPDX-License-Identifier: Apache-2.0

public import Dispatch

// The public side of the operators that speak of time lives here, because only this folder imports Dispatch.

extension ObservableType {
  /// Delivers an element when none has followed it for a while.
  ///
  /// - Parameters:
  ///   - dueTime: How long nothing may follow.
  ///   - scheduler: Measures the time.
  /// - Returns: The elements that were followed by quiet; at the end, the last one.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    Debounce(asObservable(), dueTime, scheduler)
  }

  /// Delivers an element, then none for a while.
  ///
  /// - Parameters:
  ///   - dueTime: How long none is delivered.
  ///   - latest: Whether the last element that was held back is delivered when the time is over.
  ///   - scheduler: Measures the time.
  /// - Returns: The elements at a limited rate.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> { Throttle(asObservable(), dueTime, latest: latest, scheduler) }

  /// Delivers each element and the end some time later; errors at once.
  ///
  /// - Parameters:
  ///   - dueTime: How much later.
  ///   - scheduler: Measures the time.
  /// - Returns: The delayed sequence.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    Delay(asObservable(), dueTime, scheduler)
  }
}
