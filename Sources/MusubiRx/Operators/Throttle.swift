// SPDX-License-Identifier: Apache-2.0

/// Delivers an element, then none for a while.
final class ThrottleSink<Element>: TimedSink<Element, Element> {
  private let dueTime: RxTimeInterval
  private let deliversLatest: Bool
  private let scheduler: any SchedulerType
  private var lastDelivery: RxTime?
  private var waiting: (element: Element, cause: (any WorkCause)?)?
  private var hasEnded = false

  init(
    _ downstream: Consumer<Element>, _ dueTime: RxTimeInterval, latest: Bool, _ scheduler: any SchedulerType
  ) {
    self.dueTime = dueTime
    deliversLatest = latest
    self.scheduler = scheduler
    super.init(downstream)
  }

  override func next(_ element: Element) {
    lock.with {
      if isDisposed { return }
      let now = scheduler.now
      guard let lastDelivery, !dueTime.hasPassed(since: lastDelivery, now: now) else {
        return deliver(element)
      }
      guard deliversLatest else { return }
      let isTimerRunning = waiting != nil
      waiting = (element, LoopContext.cause)
      guard !isTimerRunning else { return }
      let left = dueTime.remaining(since: lastDelivery, now: now)
      after(left, scheduler) { [self] in deliverWaiting() }
    }
  }

  override func completed() {
    lock.with {
      if waiting == nil { finish() } else { hasEnded = true }
    }
  }

  private func deliver(_ element: Element) {
    waiting = nil
    downstream.next(element)
    lastDelivery = scheduler.now
  }

  private func deliverWaiting() {
    guard !isDisposed, let waiting else { return }
    LoopContext.causing(by: waiting.cause) { deliver(waiting.element) }
    if hasEnded { finish() }
  }
}
