// SPDX-License-Identifier: Apache-2.0

/// A sequence of elements over time.
///
/// An observable belongs to one loop, or in a test to one thread: it is not `Sendable`, and elements pass without
/// a lock.
///
///     let numbers = Observable.of(1, 2, 3)
///     numbers.map { $0 * 2 }.subscribe(onNext: { print($0) }).disposed(by: bag)
public class Observable<Element>: DisposeBase, ObservableType {
  override init() {}

  /// Subscribes an observer.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    let consumer = ObserverConsumer(observer)
    subscribe(consumer: consumer)
    return consumer
  }

  /// This observable.
  public func asObservable() -> Observable<Element> { self }

  /// Delivers to a consumer: attaches it first, then emits.
  @usableFromInline func subscribe(consumer: Consumer<Element>) {}

  /// The sources of a concatenation, which `concat` takes over instead of nesting them; nil of anything else.
  func chained() -> ChainedSources<Element>? { nil }
}

/// An observable that builds something for every subscription.
///
/// The outermost subscription on a thread opens the trampoline of `CurrentThreadScheduler`; sources that emit at
/// once (`of`, `from`, `range`) therefore take turns, as they do in RxSwift.
@usableFromInline class Producer<Element>: Observable<Element> {
  final override func subscribe(consumer: Consumer<Element>) {
    ThreadContext.withCurrent { context in
      if context.needsGates { consumer.markAsynchronous() }
      if context.trampoline.isRunning { run(consumer) } else { context.trampoline.enter { run(consumer) } }
    }
  }

  func run(_ consumer: Consumer<Element>) {}
}
