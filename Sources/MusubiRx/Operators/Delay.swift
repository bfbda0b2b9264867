// SPDX-License-Identifier: Apache-2.0

/// Delivers each element and the end some time later; errors at once.
final class DelaySink<Element>: TimedSink<Element, Element> {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private var queue = Fifo<(time: RxTime, event: Event<Element>, cause: (any WorkCause)?)>()
  private var isWaiting = false
  /// Whether an event is on its way down, which is not locked: nobody waits for a slow observer.
  private var isDelivering = false
  private var failure: (any Error)?

  init(_ downstream: Consumer<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
    self.dueTime = dueTime
    self.scheduler = scheduler
    super.init(downstream)
  }

  override func next(_ element: Element) { enqueue(.next(element)) }
  override func completed() { enqueue(.completed) }

  override func error(_ error: any Error) {
    let isFree = lock.with {
      queue.removeAll()
      failure = error
      return !isDelivering
    }
    if isFree { finish(error) }
  }

  private func enqueue(_ event: Event<Element>) {
    let cause = LoopContext.cause
    let mustWait = lock.with {
      if isDisposed || failure != nil { return false }
      queue.append((scheduler.now, event, cause))
      defer { isWaiting = true }
      return !isWaiting
    }
    if mustWait { wait(dueTime) }
  }

  private func wait(_ time: RxTimeInterval) {
    timer.hold {
      scheduler.scheduleRelative(self, dueTime: time) { sink in
        sink.deliverFirst()
        return Disposables.create()
      }
    }
  }

  private func deliverFirst() {
    let due = lock.with {
      let due = isDisposed ? nil : queue.popFirst()
      isDelivering = due != nil
      return due
    }
    guard let due else { return }
    LoopContext.causing(by: due.cause) {
      if case .next(let element) = due.event { downstream.next(element) } else { finish() }
    }
    let (failure, following) = lock.with {
      isDelivering = false
      isWaiting = !queue.isEmpty
      return (self.failure, queue.first)
    }
    if let failure { return finish(failure) }
    if let following, !isDisposed {
      wait(dueTime.remaining(since: following.time, now: scheduler.now))
    }
  }
}
