// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension ObservableType {
  /// A sequence that a closure makes for every observer.
  public static func create(
    _ subscribe: @escaping (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> { created(subscribe) }

  /// A sequence of one element.
  public static func just(_ element: Element) -> Observable<Element> {
    Immediate { consumer in
      consumer.next(element)
      consumer.completed()
    }
  }

  /// A sequence of one element, delivered by a scheduler.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> { from([element], scheduler: scheduler) }

  /// A sequence without elements that ends at once.
  public static func empty() -> Observable<Element> { Immediate { $0.completed() } }

  /// A sequence without elements that never ends.
  public static func never() -> Observable<Element> { Immediate { _ in } }

  /// A sequence that fails at once.
  public static func error(_ error: any Swift.Error) -> Observable<Element> {
    Immediate { $0.error(error) }
  }

  /// A sequence that is made when somebody subscribes.
  public static func deferred(
    _ observableFactory: @escaping () throws -> Observable<Element>
  ) -> Observable<Element> {
    AnonymousProducer { consumer in
      do { try observableFactory().subscribe(consumer: consumer) } catch { consumer.error(error) }
    }
  }
}

/// A sequence that a closure makes; `isAsynchronous`, which each subscription asks, if the closure's observer may be
/// told from another thread.
func created<Element>(
  isAsynchronous: @autoclosure @escaping () -> Bool = false,
  _ handler: @escaping (AnyObserver<Element>) -> any Disposable
) -> Observable<Element> {
  AnonymousProducer { consumer in
    let sink = CreateSink(consumer)
    if isAsynchronous() { sink.markAsynchronous() }
    consumer.attach(to: sink)
    sink.hold(handler(AnyObserver(consumer: sink)))
  }
}

/// A stage with a disposable of its own, which is disposed after the upstream.
///
/// A callback may end it on another thread, while the disposable is on its way.
class HoldingSink<Element>: Sink<Element, Element> {
  private final var held: (any Disposable)?
  /// Whether the disposable has come, or the end: who comes second disposes.
  private final let isMet = Atomic(false)

  /// Keeps the disposable, the only one; if the stage has ended already, it is disposed now.
  final func hold(_ disposable: any Disposable) {
    held = disposable
    if isMet.exchange(true, ordering: .acquiringAndReleasing) { letGo() }
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func disposed() {
    if isMet.exchange(true, ordering: .acquiringAndReleasing) { letGo() }
  }

  private func letGo() { held.take()?.dispose() }
}

/// What the closure of `create` feeds: enforces the grammar.
private final class CreateSink<Element>: HoldingSink<Element> {
  private var hasStopped = false
  /// Who has caused the subscription, and so what comes of it later.
  private let cause = LoopContext.cause
  #if DEBUG
    private var overlaps = OverlapDetector()
  #endif

  override func next(_ element: Element) {
    if isDisposed || hasStopped { return }
    #if DEBUG
      overlaps.enter(isEvent: true)
      defer { overlaps.leave(isEvent: true) }
    #endif
    guard let cause, LoopContext.cause == nil else { return downstream.next(element) }
    LoopContext.causing(by: cause) { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if hasStopped { return }
    hasStopped = true
    LoopContext.causing(by: LoopContext.cause ?? cause) { finish(error) }
  }

  override func completed() {
    if hasStopped { return }
    hasStopped = true
    LoopContext.causing(by: LoopContext.cause ?? cause) { finish() }
  }
}

/// Tells each observer the same, at once.
private final class Immediate<Element>: Observable<Element> {
  private let tell: (Consumer<Element>) -> Void

  init(_ tell: @escaping (Consumer<Element>) -> Void) { self.tell = tell }

  override func subscribe(consumer: Consumer<Element>) { tell(consumer) }
}
