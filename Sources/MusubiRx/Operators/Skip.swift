// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Drops the first elements.
  ///
  /// - Parameter count: How many.
  /// - Returns: The rest.
  public func skip(_ count: Int) -> Observable<Element> { Skip(asObservable(), count) }
}

private final class Skip<Element>: Producer<Element> {
  private let source: Observable<Element>
  private let count: Int

  init(_ source: Observable<Element>, _ count: Int) {
    self.source = source
    self.count = count
  }

  override func run(_ consumer: Consumer<Element>) { SkipSink(consumer, count).connect(source) }
}

private final class SkipSink<Element>: Sink<Element, Element> {
  private var remaining: Int

  init(_ downstream: Consumer<Element>, _ count: Int) {
    remaining = count
    super.init(downstream)
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    if remaining > 0 { remaining -= 1 } else { downstream.next(element) }
  }
}
