// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Subscribes to the source, and disposes that subscription, on a scheduler.
  ///
  /// This is a sanctioned crossing: the source works where the scheduler runs it.
  ///
  /// - Parameter scheduler: Where the source is subscribed to.
  /// - Returns: The same sequence, subscribed elsewhere.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    let source = asObservable()
    return Weave { SubscribeOnSink($0).start(source, scheduler) }
  }
}

private final class SubscribeOnSink<Element>: Sink<Element, Element> {
  private let work = SerialDisposable()

  func start(_ source: Observable<Element>, _ scheduler: any ImmediateSchedulerType) {
    downstream.attach(to: self)
    markCrossing()
    let pending = SingleAssignmentDisposable()
    work.disposable = pending
    pending.setDisposable(
      scheduler.schedule(self) { sink in
        let inner = PassThrough(sink)
        sink.work.disposable = ScheduledDisposable(scheduler: scheduler, disposable: inner)
        source.subscribe(consumer: inner)
        return Disposables.create()
      })
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func disposed() { work.dispose() }
}
