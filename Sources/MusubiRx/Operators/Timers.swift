// SPDX-License-Identifier: Apache-2.0

/// A stage that a timer works on.
class TimedSink<Input, Output>: Sink<Input, Output> {
  final let lock = Lock()
  final let timer = SerialDisposable()

  init(_ downstream: Consumer<Output>, isAsynchronous: Bool = true) {
    super.init(downstream)
    if isAsynchronous { downstream.markAsynchronous() }
  }

  /// Runs a body after a time, under the lock; what waits here already is forgotten.
  final func after(
    _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, _ body: @escaping () -> Void
  ) {
    let place = SingleAssignmentDisposable()
    timer.disposable = place
    place.setDisposable(
      scheduler.scheduleRelative(lock, dueTime: dueTime) { lock in
        lock.with { if !place.isDisposed { body() } }
        return Disposables.create()
      })
  }

  override func error(_ error: any Error) { lock.with { finish(error) } }

  override func completed() { lock.with { finish() } }

  override func disposed() { timer.dispose() }
}

/// Opens or closes a sequence after a time.
final class TimedGateSink<Element>: TimedSink<Element, Element> {
  private var isOpen: Bool

  init(_ downstream: Consumer<Element>, isOpen: Bool) {
    self.isOpen = isOpen
    super.init(downstream)
  }

  func start(_ source: Observable<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
    downstream.attach(to: self)
    after(dueTime, scheduler) { [self] in if isOpen { finish() } else { isOpen = true } }
    if !isDisposed { source.subscribe(consumer: self) }
  }

  override func next(_ element: Element) {
    lock.with { if isOpen && !isDisposed { downstream.next(element) } }
  }
}

/// Subscribes to its source some time later.
final class DelayedSubscriptionSink<Element>: TimedSink<Element, Element> {
  func start(_ source: Observable<Element>, _ dueTime: RxTimeInterval, _ scheduler: any SchedulerType) {
    downstream.attach(to: self)
    after(dueTime, scheduler) { [self] in source.subscribe(consumer: self) }
  }

  override func next(_ element: Element) {
    lock.with { if !isDisposed { downstream.next(element) } }
  }
}

/// Moves to another sequence when an element takes too long to come.
final class TimeoutSink<Element>: TimedSink<Element, Element> {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private let other: Observable<Element>

  init(
    _ downstream: Consumer<Element>, _ dueTime: RxTimeInterval, _ other: Observable<Element>,
    _ scheduler: any SchedulerType
  ) {
    self.dueTime = dueTime
    self.other = other
    self.scheduler = scheduler
    super.init(downstream)
  }

  func start(_ source: Observable<Element>) {
    downstream.attach(to: self)
    startTimer()
    source.subscribe(consumer: self)
  }

  private func startTimer() {
    after(dueTime, scheduler) { [self] in
      let rest = PassThrough(downstream)
      downstream.attach(to: rest)
      dispose()
      other.subscribe(consumer: rest)
    }
  }

  override func next(_ element: Element) {
    lock.with {
      if isDisposed { return }
      // From here on the running timer counts for nothing, even if the delivery takes long.
      timer.disposable = Disposables.create()
      downstream.next(element)
      if !isDisposed { startTimer() }
    }
  }
}
