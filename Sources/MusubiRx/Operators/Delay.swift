// SPDX-License-Identifier: Apache-2.0

/// Delivers each element and the end some time later; errors at once.
final class DelaySink<Element>: Sink<Element, Element> {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private let lock = Lock()
  private let timer = SerialDisposable()
  private var queue = Fifo<(time: RxTime, event: Event<Element>)>()
  private var isWaiting = false

  init(_ downstream: Consumer<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
    self.dueTime = dueTime
    self.scheduler = scheduler
    super.init(downstream)
    downstream.markCrossing()
  }

  override func next(_ element: Element) { enqueue(.next(element)) }
  override func completed() { enqueue(.completed) }
  override func error(_ error: any Error) { lock.with { finish(error) } }

  private func enqueue(_ event: Event<Element>) {
    lock.with {
      if isDisposed { return }
      queue.append((scheduler.now, event))
      guard !isWaiting else { return }
      isWaiting = true
      wait(dueTime)
    }
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
    lock.with {
      guard !isDisposed, let (_, event) = queue.popFirst() else { return }
      if case .next(let element) = event { downstream.next(element) } else { finish() }
      guard !isDisposed else { return }
      if let following = queue.first {
        wait(dueTime.remaining(since: following.time, now: scheduler.now))
      } else {
        isWaiting = false
      }
    }
  }

  override func disposed() { timer.dispose() }
}
