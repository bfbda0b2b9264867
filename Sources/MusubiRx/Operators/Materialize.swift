// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Delivers the events themselves as elements.
  public func materialize() -> Observable<Event<Element>> { Staged(asObservable()) { MaterializeSink($0) } }
}

extension ObservableType where Element: EventConvertible {
  /// Turns elements that are events back into events.
  public func dematerialize() -> Observable<Element.Element> {
    stage {
      Steps { element, sink in
        switch element.event {
        case .next(let element): sink.downstream.next(element)
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }
}

private final class MaterializeSink<Element>: Sink<Element, Event<Element>> {
  override func next(_ element: Element) {
    if !isDisposed { downstream.next(.next(element)) }
  }

  override func error(_ error: any Error) { end(.error(error)) }
  override func completed() { end(.completed) }

  private func end(_ event: Event<Element>) {
    guard !isDisposed else { return }
    downstream.next(event)
    finish()
  }
}
