// SPDX-License-Identifier: Apache-2.0

/// Delivers an element when none has followed it for a while.
final class DebounceSink<Element>: TimedSink<Element, Element> {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private var waiting: Element?

  init(_ downstream: Consumer<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
    self.dueTime = dueTime
    self.scheduler = scheduler
    super.init(downstream)
  }

  override func next(_ element: Element) {
    lock.with {
      if isDisposed { return }
      waiting = element
      after(dueTime, scheduler) { [self] in deliver() }
    }
  }

  override func completed() {
    lock.with {
      deliver()
      finish()
    }
  }

  private func deliver() {
    guard !isDisposed, let element = waiting else { return }
    waiting = nil
    downstream.next(element)
  }
}
