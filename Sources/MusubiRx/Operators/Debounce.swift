// SPDX-License-Identifier: Apache-2.0

/// Delivers an element when none has followed it for a while.
final class DebounceSink<Element>: Sink<Element, Element> {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private let lock = Lock()
  private let timer = SerialDisposable()
  private var waiting: Element?

  init(_ downstream: Consumer<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
    self.dueTime = dueTime
    self.scheduler = scheduler
    super.init(downstream)
    downstream.markCrossing()
  }

  override func next(_ element: Element) {
    lock.with {
      if isDisposed { return }
      waiting = element
      let place = SingleAssignmentDisposable()
      timer.disposable = place
      place.setDisposable(
        scheduler.scheduleRelative(self, dueTime: dueTime) { sink in
          sink.deliver(unless: place)
          return Disposables.create()
        })
    }
  }

  override func error(_ error: any Error) { lock.with { finish(error) } }

  override func completed() {
    lock.with {
      deliver(unless: nil)
      finish()
    }
  }

  private func deliver(unless replaced: SingleAssignmentDisposable?) {
    lock.with {
      if isDisposed || replaced?.isDisposed == true { return }
      guard let element = waiting else { return }
      waiting = nil
      downstream.next(element)
    }
  }

  override func disposed() { timer.dispose() }
}
