// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Lets through the elements that satisfy a predicate.
  public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    Filter(asObservable(), predicate)
  }

  /// Lets no element through, only the end.
  public func ignoreElements() -> Observable<Swift.Never> { end() }

  /// The end of this sequence as that of a sequence of another type.
  func end<Other>(as type: Other.Type = Other.self) -> Observable<Other> { stage { Steps { _, _ in } } }
}

private final class Filter<Element>: Producer<Element> {
  private let source: Observable<Element>
  private let predicate: (Element) throws -> Bool

  init(_ source: Observable<Element>, _ predicate: @escaping (Element) throws -> Bool) {
    self.source = source
    self.predicate = predicate
  }

  override func run(_ consumer: Consumer<Element>) { FilterSink(consumer, predicate).connect(source) }
}

private final class FilterSink<Element>: Sink<Element, Element> {
  private let predicate: (Element) throws -> Bool

  init(_ downstream: Consumer<Element>, _ predicate: @escaping (Element) throws -> Bool) {
    self.predicate = predicate
    super.init(downstream)
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    do {
      guard try predicate(element) else { return }
    } catch { return finish(error) }
    downstream.next(element)
  }
}
