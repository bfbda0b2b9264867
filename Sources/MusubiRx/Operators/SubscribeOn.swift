// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Subscribes to the source, and disposes that subscription, on a scheduler.
  ///
  /// This is an asynchronous boundary: the source works where the scheduler runs it.
  ///
  /// - Parameter scheduler: Where the source is subscribed to.
  /// - Returns: The same sequence, subscribed elsewhere.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    let subscribe: (Passage<Element>) -> Void
    if let source = self as? Observable<Element> {
      subscribe = { source.subscribe(consumer: $0) }
    } else {
      subscribe = { $0.hold(self.subscribe(AnyObserver(consumer: $0))) }
    }
    return AnonymousProducer { SubscribeOnSink($0).start(scheduler, subscribe) }
  }
}

private final class SubscribeOnSink<Element>: Sink<Element, Element> {
  private let work = SerialDisposable()

  func start(_ scheduler: any ImmediateSchedulerType, _ subscribe: @escaping (Passage<Element>) -> Void) {
    downstream.attach(to: self)
    markAsynchronous()
    work.hold {
      scheduler.schedule(self) { sink in
        let passage = Passage(sink)
        sink.work.disposable = ScheduledDisposable(scheduler: scheduler, disposable: passage)
        // The disposal of the passage may meet a delivery, or the subscription itself.
        if scheduler.isConcurrent { withGates { subscribe(passage) } } else { subscribe(passage) }
        return Disposables.create()
      }
    }
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func disposed() { work.dispose() }
}

/// Hands events on, and leaves the source when it is told to: also after an end, that happens on the scheduler.
private final class Passage<Element>: HoldingSink<Element> {
  override func error(_ error: any Error) {
    if !isDisposed { downstream.error(error) }
  }

  override func completed() {
    if !isDisposed { downstream.completed() }
  }
}
