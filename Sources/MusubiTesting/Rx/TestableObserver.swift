// SPDX-License-Identifier: Apache-2.0

public import MusubiRx

/// An observer that records its events and their times.
public final class TestableObserver<Element>: ObserverType {
  private let scheduler: TestScheduler

  /// What came so far.
  public private(set) var events: [Recorded<Event<Element>>] = []

  init(scheduler: TestScheduler) { self.scheduler = scheduler }

  /// Records an event with the present virtual time.
  public func on(_ event: Event<Element>) { events.append(Recorded(time: scheduler.clock, value: event)) }
}
