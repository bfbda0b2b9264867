// SPDX-License-Identifier: Apache-2.0

/// Delivers an element, then none for a while.
final class Throttle<Element>: Producer<Element> {
  private let source: Observable<Element>
  fileprivate let dueTime: RxTimeInterval
  fileprivate let deliversLatest: Bool
  fileprivate let scheduler: any SchedulerType

  init(
    _ source: Observable<Element>, _ dueTime: RxTimeInterval, latest: Bool, _ scheduler: any SchedulerType
  ) {
    self.source = source
    self.dueTime = dueTime
    deliversLatest = latest
    self.scheduler = scheduler
  }

  override func run(_ consumer: Consumer<Element>) { ThrottleSink(consumer, self).connect(source) }
}

private final class ThrottleSink<Element>: Sink<Element, Element> {
  private let parent: Throttle<Element>
  private let lock = Lock()
  private let timer = SerialDisposable()
  private var lastDelivery: RxTime?
  private var waiting: Element?
  private var hasEnded = false

  init(_ downstream: Consumer<Element>, _ parent: Throttle<Element>) {
    self.parent = parent
    super.init(downstream)
  }

  override func next(_ element: Element) {
    lock.with {
      if isDisposed { return }
      let now = parent.scheduler.now
      guard let lastDelivery, !parent.dueTime.hasPassed(since: lastDelivery, now: now) else {
        return deliver(element)
      }
      guard parent.deliversLatest else { return }
      let isTimerRunning = waiting != nil
      waiting = element
      guard !isTimerRunning else { return }
      let left = parent.dueTime.remaining(since: lastDelivery, now: now)
      timer.disposable = parent.scheduler.scheduleRelative(self, dueTime: left) { sink in
        sink.deliverWaiting()
        return Disposables.create()
      }
    }
  }

  override func error(_ error: any Error) { lock.with { finish(error) } }

  override func completed() {
    lock.with {
      if waiting == nil { finish() } else { hasEnded = true }
    }
  }

  private func deliver(_ element: Element) {
    waiting = nil
    downstream.next(element)
    lastDelivery = parent.scheduler.now
  }

  private func deliverWaiting() {
    lock.with {
      guard !isDisposed, let element = waiting else { return }
      deliver(element)
      if hasEnded { finish() }
    }
  }

  override func dispose() {
    lock.with {
      guard !isDisposed else { return }
      super.dispose()
      waiting = nil
      timer.dispose()
    }
  }
}
