// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// A sequence that a closure makes anew for every observer.
  public static func create(
    _ subscribe: @escaping (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> { Create(subscribe) }

  /// A sequence of one element.
  public static func just(_ element: Element) -> Observable<Element> { Just(element) }

  /// A sequence of one element, delivered by a scheduler.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> { from([element], scheduler: scheduler) }

  /// A sequence without elements that ends at once.
  public static func empty() -> Observable<Element> { Empty() }

  /// A sequence without elements that never ends.
  public static func never() -> Observable<Element> { Never() }

  /// A sequence that fails at once.
  public static func error(_ error: any Swift.Error) -> Observable<Element> { Fail(error) }

  /// A sequence that is made when somebody subscribes.
  public static func deferred(
    _ observableFactory: @escaping () throws -> Observable<Element>
  ) -> Observable<Element> {
    Weave { consumer in
      do { try observableFactory().subscribe(consumer: consumer) } catch { consumer.error(error) }
    }
  }
}

private final class Create<Element>: Producer<Element> {
  private let handler: (AnyObserver<Element>) -> any Disposable

  init(_ handler: @escaping (AnyObserver<Element>) -> any Disposable) { self.handler = handler }

  override func run(_ consumer: Consumer<Element>) {
    let sink = CreateSink(consumer)
    consumer.attach(to: sink)
    sink.hold(handler(AnyObserver(consumer: sink)))
  }
}

/// A stage with a disposable of its own, which is disposed after what is above.
class HoldingSink<Element>: GuardedSink<Element, Element> {
  private final var held: (any Disposable)?

  /// Keeps the disposable; if the stage has ended already, it is disposed now.
  final func hold(_ disposable: any Disposable) {
    if !guardedWhileAlive({ held = disposable }) { disposable.dispose() }
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func disposed() {
    let old = guarded {
      defer { held = nil }
      return held
    }
    old?.dispose()
  }
}

/// What the closure of `create` feeds: enforces the grammar.
private final class CreateSink<Element>: HoldingSink<Element> {
  private var hasStopped = false
  #if DEBUG
    private var overlaps = OverlapDetector()
  #endif

  override func next(_ element: Element) {
    if isDisposed || hasStopped { return }
    #if DEBUG
      overlaps.enter()
      defer { overlaps.leave() }
    #endif
    downstream.next(element)
  }

  override func error(_ error: any Error) {
    if hasStopped { return }
    hasStopped = true
    finish(error)
  }

  override func completed() {
    if hasStopped { return }
    hasStopped = true
    finish()
  }
}

private final class Just<Element>: Observable<Element> {
  private let element: Element

  init(_ element: Element) { self.element = element }

  override func subscribe(consumer: Consumer<Element>) {
    consumer.next(element)
    consumer.completed()
  }
}

private final class Empty<Element>: Observable<Element> {
  override func subscribe(consumer: Consumer<Element>) { consumer.completed() }
}

private final class Never<Element>: Observable<Element> {}

private final class Fail<Element>: Observable<Element> {
  private let error: any Swift.Error

  init(_ error: any Swift.Error) { self.error = error }

  override func subscribe(consumer: Consumer<Element>) { consumer.error(error) }
}
