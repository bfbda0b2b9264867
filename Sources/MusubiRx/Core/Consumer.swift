// SPDX-License-Identifier: Apache-2.0

/// The receiving end of a stage.
///
/// Elements arrive by a method of their own instead of an `Event`: nothing is wrapped, copied or switched over on the way.
class Consumer<Element>: Node {
  func next(_ element: Element) {}
  func error(_ error: any Error) {}
  func completed() {}

  final func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): next(element)
    case .error(let error): self.error(error)
    case .completed: completed()
    }
  }
}

/// Hands events to an observer of the public interface.
final class ObserverConsumer<Observer: ObserverType>: Consumer<Observer.Element> {
  private let observer: Observer

  init(_ observer: Observer) { self.observer = observer }

  override func next(_ element: Observer.Element) {
    if !isDisposed { observer.onNext(element) }
  }

  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    upstream = nil
    observer.onError(error)
  }

  override func completed() {
    guard !isDisposed else { return }
    upstream = nil
    observer.onCompleted()
  }
}

/// Hands events to a closure, until the first end.
final class EventHandlerConsumer<Element>: Consumer<Element> {
  // Nil after the end, so that a handle that is kept does not keep what the closure captured.
  @exclusivity(unchecked) private var handler: ((Event<Element>) -> Void)?

  init(_ handler: @escaping (Event<Element>) -> Void) { self.handler = handler }

  override func next(_ element: Element) {
    if !isDisposed { handler?(.next(element)) }
  }

  override func error(_ error: any Error) { stop(.error(error)) }

  override func completed() { stop(.completed) }

  private func stop(_ event: Event<Element>) {
    guard beginEnd() else { return }
    upstream = nil
    let last = handler
    handler = nil
    last?(event)
  }

  override func dispose() {
    super.dispose()
    handler = nil
  }
}
