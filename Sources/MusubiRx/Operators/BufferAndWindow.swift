// SPDX-License-Identifier: Apache-2.0

/// Cuts a sequence into parts: each has enough elements, or is over in time.
class SpanSink<Element, Part>: TimedSink<Element, Part> {
  private let timeSpan: RxTimeInterval
  private let count: Int
  private let scheduler: any SchedulerType
  private var filled = 0

  init(
    _ downstream: Consumer<Part>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType
  ) {
    self.timeSpan = timeSpan
    self.count = count
    self.scheduler = scheduler
    // On one thread no asynchronous boundary: the observers' objects then go with a disposal, not only when a
    // cancelled timer is due.
    super.init(downstream, isAsynchronous: scheduler.leavesThread)
  }

  /// Adds an element to the part that is open.
  func add(_ element: Element) {}

  /// Closes the part that is open, and opens another.
  func openNext() {}

  final func startTimer() { after(timeSpan, scheduler) { [self] in cut() } }

  private func cut() {
    filled = 0
    openNext()
    if !isDisposed { startTimer() }
  }

  final override func next(_ element: Element) {
    lock.with {
      if isDisposed { return }
      add(element)
      filled += 1
      if filled == count { cut() }
    }
  }
}

/// Delivers each part as an array, when it is closed.
final class BufferSink<Element>: SpanSink<Element, [Element]> {
  private var buffer: [Element] = []

  func start(_ source: Observable<Element>) {
    downstream.attach(to: self)
    startTimer()
    source.subscribe(consumer: self)
  }

  override func add(_ element: Element) { buffer.append(element) }

  override func openNext() {
    let full = buffer
    buffer = []
    downstream.next(full)
  }

  override func completed() {
    lock.with {
      if isDisposed { return }
      downstream.next(buffer)
      finish()
    }
  }
}

/// Delivers each part as a sequence of its own, when it is opened.
final class WindowSink<Element>: SpanSink<Element, Observable<Element>> {
  private let users = RefCountedUpstream()
  private var window = PublishSubject<Element>()

  func start(_ source: Observable<Element>) {
    downstream.attach(to: users)
    users.node = self
    downstream.next(users.counted(window))
    startTimer()
    source.subscribe(consumer: self)
  }

  override func add(_ element: Element) { window.onNext(element) }

  override func openNext() {
    window.onCompleted()
    window = PublishSubject()
    if !users.isPrimaryGone { downstream.next(users.counted(window)) }
  }

  override func error(_ error: any Error) {
    lock.with {
      window.onError(error)
      finish(error)
    }
  }

  override func completed() {
    lock.with {
      window.onCompleted()
      finish()
    }
  }

  override func disposed() {
    users.node = nil
    super.disposed()
  }
}
