// SPDX-License-Identifier: Apache-2.0

/// Collects elements until there are enough of them or time is over.
final class BufferSink<Element>: Sink<Element, [Element]> {
  private let count: Int
  private let timer: WindowTimer
  private var buffer: [Element] = []

  init(
    _ downstream: Consumer<[Element]>, _ timeSpan: RxTimeInterval, _ count: Int,
    _ scheduler: any SchedulerType
  ) {
    self.count = count
    timer = WindowTimer(timeSpan, scheduler)
    super.init(downstream)
  }

  func start(_ source: Observable<Element>) {
    downstream.attach(to: self)
    timer.start { [self] in flush() }
    source.subscribe(consumer: self)
  }

  private func flush() {
    let full = buffer
    buffer = []
    downstream.next(full)
    if !isDisposed { timer.start { [self] in flush() } }
  }

  override func next(_ element: Element) {
    timer.lock.with {
      if isDisposed { return }
      buffer.append(element)
      if buffer.count == count { flush() }
    }
  }

  override func error(_ error: any Error) { timer.lock.with { finish(error) } }

  override func completed() {
    timer.lock.with {
      if isDisposed { return }
      downstream.next(buffer)
      finish()
    }
  }

  override func disposed() { timer.dispose() }
}

/// Passes elements into a window until there are enough of them or time is over; then opens the next one.
final class WindowSink<Element>: Sink<Element, Observable<Element>> {
  private let count: Int
  private let timer: WindowTimer
  private let users = RefCountedUpstream()
  private var window = PublishSubject<Element>()
  private var filled = 0

  init(
    _ downstream: Consumer<Observable<Element>>, _ timeSpan: RxTimeInterval, _ count: Int,
    _ scheduler: any SchedulerType
  ) {
    self.count = count
    timer = WindowTimer(timeSpan, scheduler)
    super.init(downstream)
  }

  func start(_ source: Observable<Element>) {
    downstream.attach(to: users)
    users.node = self
    downstream.next(users.counted(window))
    timer.start { [self] in openNext() }
    source.subscribe(consumer: self)
  }

  private func openNext() {
    filled = 0
    window.onCompleted()
    window = PublishSubject()
    if !users.isPrimaryGone { downstream.next(users.counted(window)) }
    if !isDisposed { timer.start { [self] in openNext() } }
  }

  override func next(_ element: Element) {
    timer.lock.with {
      if isDisposed { return }
      window.onNext(element)
      filled += 1
      if filled == count { openNext() }
    }
  }

  override func error(_ error: any Error) {
    timer.lock.with {
      window.onError(error)
      finish(error)
    }
  }

  override func completed() {
    timer.lock.with {
      window.onCompleted()
      finish()
    }
  }

  override func disposed() { timer.dispose() }
}

/// Calls a closure when a window's time is over; starting it again forgets the window before.
final class WindowTimer {
  let lock = Lock()
  private let timeSpan: RxTimeInterval
  private let scheduler: any SchedulerType
  private let pending = SerialDisposable()

  init(_ timeSpan: RxTimeInterval, _ scheduler: any SchedulerType) {
    self.timeSpan = timeSpan
    self.scheduler = scheduler
  }

  func start(_ onTimeout: @escaping () -> Void) {
    let place = SingleAssignmentDisposable()
    pending.disposable = place
    place.setDisposable(
      scheduler.scheduleRelative((), dueTime: timeSpan) { [lock] _ in
        lock.with { if !place.isDisposed { onTimeout() } }
        return Disposables.create()
      })
  }

  func dispose() { pending.dispose() }
}
