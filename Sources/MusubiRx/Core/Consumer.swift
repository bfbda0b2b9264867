// SPDX-License-Identifier: Apache-2.0

/// The receiving end of a stage.
///
/// Elements arrive by a method of their own instead of an `Event`: nothing is wrapped, copied or switched over on the way.
@usableFromInline class Consumer<Element>: Node {
  @usableFromInline func next(_ element: Element) {}

  final func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): next(element)
    case .error(let error): self.error(error)
    case .completed: completed()
    }
  }
}

/// Hands events to an observer of the public interface, until the first end.
final class ObserverConsumer<Observer: ObserverType>: Consumer<Observer.Element> {
  private let observer: Observer

  init(_ observer: Observer) { self.observer = observer }

  override func next(_ element: Observer.Element) {
    if !isDisposed { observer.onNext(element) }
  }

  override func error(_ error: any Error) {
    guard markEnded() else { return }
    observer.onError(error)
  }

  override func completed() {
    guard markEnded() else { return }
    observer.onCompleted()
  }
}

/// Hands every event to a closure; it is the observer's business what follows an end.
final class EventConsumer<Element>: Consumer<Element> {
  private let handler: (Event<Element>) -> Void

  init(_ handler: @escaping (Event<Element>) -> Void) { self.handler = handler }

  override func next(_ element: Element) { handler(.next(element)) }
  override func error(_ error: any Error) { handler(.error(error)) }
  override func completed() { handler(.completed) }
}
