// SPDX-License-Identifier: Apache-2.0

/// Emits numbers from 0, at a time and then in a rhythm.
final class TimerProducer<Element: FixedWidthInteger>: Producer<Element> {
  private let dueTime: RxTimeInterval
  private let period: RxTimeInterval?
  private let scheduler: any SchedulerType

  init(_ dueTime: RxTimeInterval, _ period: RxTimeInterval?, _ scheduler: any SchedulerType) {
    self.dueTime = dueTime
    self.period = period
    self.scheduler = scheduler
  }

  override func run(_ consumer: Consumer<Element>) {
    let sink = TimedSink<Element, Element>(consumer)
    consumer.attach(to: sink)
    guard let period else {
      return sink.hold(
        scheduler.scheduleRelative(sink, dueTime: dueTime) { sink in
          if !sink.isDisposed { sink.downstream.next(0) }
          sink.finish()
          return Disposables.create()
        })
    }
    sink.hold(
      scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) { number in
        if !sink.isDisposed { sink.downstream.next(number) }
        return number &+ 1
      })
  }
}

/// A stage that a timer works on.
class TimedSink<Input, Output>: Sink<Input, Output> {
  final let lock = Lock()
  private final let timer = SerialDisposable()

  override init(_ downstream: Consumer<Output>) {
    super.init(downstream)
    downstream.markCrossing()
  }

  /// Keeps a piece of work to cancel; the one before is cancelled.
  final func hold(_ work: any Disposable) { timer.disposable = work }

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
    hold(
      scheduler.scheduleRelative(self, dueTime: dueTime) { sink in
        sink.lock.with { if sink.isOpen { sink.finish() } else { sink.isOpen = true } }
        return Disposables.create()
      })
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
    hold(
      scheduler.scheduleRelative(self, dueTime: dueTime) { sink in
        if !sink.isDisposed { source.subscribe(consumer: sink) }
        return Disposables.create()
      })
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }
}

/// Moves to another sequence when an element takes too long to come.
final class TimeoutSink<Element>: TimedSink<Element, Element> {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private let other: Observable<Element>
  private var round = 0

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
    round += 1
    let place = SingleAssignmentDisposable()
    hold(place)
    place.setDisposable(
      scheduler.scheduleRelative((self, round), dueTime: dueTime) { sink, round in
        sink.timeOut(round)
        return Disposables.create()
      })
  }

  private func timeOut(_ expired: Int) {
    lock.with {
      guard !isDisposed, expired == round else { return }
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
      round += 1
      downstream.next(element)
      if !isDisposed { startTimer() }
    }
  }

  override func error(_ error: any Error) { lock.with { finish(error) } }
  override func completed() { lock.with { finish() } }
}
