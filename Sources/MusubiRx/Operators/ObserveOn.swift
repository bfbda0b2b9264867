// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Delivers the events on a scheduler.
  ///
  /// This is an asynchronous boundary: the source may emit on any queue; the rest of the chain belongs to the
  /// scheduler.
  ///
  /// - Parameter scheduler: Where observers are called.
  /// - Returns: The same sequence, delivered elsewhere.
  public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    if scheduler is MainScheduler { return Staged(asObservable()) { ObserveOnMainSink($0) } }
    return Staged(asObservable()) { ObserveOnSink($0, scheduler) }
  }
}

/// Queues events, and delivers one for each turn that the scheduler gives.
private final class ObserveOnSink<Element>: Sink<Element, Element> {
  private let scheduler: any ImmediateSchedulerType
  private let lock = Lock()
  private var queue = Fifo<(event: Event<Element>, cause: (any WorkCause)?)>()
  private var isDraining = false
  private let work = SerialDisposable()

  init(_ downstream: Consumer<Element>, _ scheduler: any ImmediateSchedulerType) {
    self.scheduler = scheduler
    super.init(downstream)
    downstream.markAsynchronous()
  }

  override func next(_ element: Element) { enqueue(.next(element)) }
  override func error(_ error: any Error) { enqueue(.error(error)) }
  override func completed() { enqueue(.completed) }

  private func enqueue(_ event: Event<Element>) {
    let cause = LoopContext.cause
    let mustStart = lock.with {
      queue.append((event, cause))
      defer { isDraining = true }
      return !isDraining
    }
    guard mustStart else { return }
    work.hold { scheduler.scheduleRecursive(self) { sink, recurse in sink.drain(recurse) } }
  }

  private func drain(_ recurse: (ObserveOnSink<Element>) -> Void) {
    guard let (event, cause) = lock.with({ queue.popFirst() }), !isDisposed else { return }
    LoopContext.causing(by: cause) {
      switch event {
      case .next(let element): downstream.next(element)
      case .error(let error): finish(error)
      case .completed: finish()
      }
    }
    let mustContinue = lock.with {
      isDraining = !queue.isEmpty
      return isDraining
    }
    if mustContinue && !isDisposed { recurse(self) }
  }

  override func disposed() { work.dispose() }
}

/// Delivers on the loop (or main thread) on which it was subscribed.
///
/// An element that comes there passes at once. One that comes during a delivery waits behind it. One that
/// comes from another thread is sent over.
private final class ObserveOnMainSink<Element>: Sink<Element, Element> {
  private let home: ThreadContext?
  private let loop: (any SchedulerType)?
  /// Whether the subscription was made in a task of a test, which may move between threads.
  private let isTaskHome: Bool
  private var isDelivering = false
  private var backlog = Fifo<Event<Element>>()
  /// Whether the backlog holds anything; spares a look into a generic array at every event.
  private var hasBacklog = false
  private let inFlight = InFlightCount()

  override init(_ downstream: Consumer<Element>) {
    let context = ThreadContext.current
    home = context.isHome ? context : nil
    loop = context.loop
    isTaskHome = home != nil && loop == nil && !context.isMainThread
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard isHome, !isDelivering, inFlight.isZero else { return forward(.next(element)) }
    if isDisposed { return }
    isDelivering = true
    downstream.next(element)
    if hasBacklog { deliverBacklog() }
    isDelivering = false
  }

  override func error(_ error: any Error) { forward(.error(error)) }
  override func completed() { forward(.completed) }

  private var isHome: Bool {
    ThreadContext.withCurrent { context in
      if context === home { return true }
      return home == nil ? context.isMainThread : isTaskHome && context.isHome
    }
  }

  private func forward(_ event: Event<Element>) {
    guard isHome, inFlight.isZero else { return cross(event) }
    append(event)
  }

  private func cross(_ event: Event<Element>) {
    inFlight.increase()
    let task = ScheduledTask((self, event)) { sink, event in
      sink.inFlight.decrease()
      sink.append(event)
      return Disposables.create()
    }
    MainQueue.enqueue(task, loop: loop)
  }

  private func append(_ event: Event<Element>) {
    backlog.append(event)
    hasBacklog = true
    if isDelivering { return }
    isDelivering = true
    deliverBacklog()
    isDelivering = false
  }

  private func deliverBacklog() {
    while let event = backlog.popFirst() {
      if isDisposed { continue }
      switch event {
      case .next(let element): downstream.next(element)
      case .error(let error): finish(error)
      case .completed: finish()
      }
    }
    hasBacklog = false
  }
}
