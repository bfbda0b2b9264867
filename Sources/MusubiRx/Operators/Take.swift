// SPDX-License-Identifier: Apache-2.0

/// Whether `take(while:)` and `take(until:)` deliver the element that ends the sequence.
public enum TakeBehavior: Sendable {
  /// The element is delivered.
  case inclusive
  /// The element is not delivered.
  case exclusive
}

extension ObservableType {
  /// Delivers the first elements, then ends.
  public func take(_ count: Int) -> Observable<Element> {
    if count == 0 { return .empty() }
    return stage {
      var remaining = count
      return Steps { element, sink in
        guard remaining > 0 else { return }
        remaining -= 1
        let isLast = remaining == 0
        sink.downstream.next(element)
        if isLast { sink.finish() }
      }
    }
  }

  /// Delivers elements until one does not satisfy a predicate.
  public func take(
    while predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    stage {
      Steps { element, sink in
        let goesOn = try predicate(element)
        if goesOn || behavior == .inclusive { sink.downstream.next(element) }
        if !goesOn { sink.finish() }
      }
    }
  }

  /// Delivers elements until one satisfies a predicate.
  public func take(
    until predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> { take(while: { try !predicate($0) }, behavior: behavior) }

  /// Delivers elements until another sequence delivers.
  public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let (source, gate) = (asObservable(), other.asObservable())
    return AnonymousProducer { TakeUntilSink($0).start(source, gate) }
  }

  /// Delivers the last elements when the sequence has ended.
  public func takeLast(_ count: Int) -> Observable<Element> {
    stage {
      var last = Fifo<Element>()
      return Steps { element, _ in
        last.append(element)
        if last.count > count { _ = last.popFirst() }
      } completed: { sink in
        while let element = last.popFirst() { sink.downstream.next(element) }
      }
    }
  }
}

private final class TakeUntilSink<Element>: PairedSink<Element, Element> {
  func start<Gate>(_ source: Observable<Element>, _ other: Observable<Gate>) {
    downstream.attach(to: self)
    pair(Trigger<Gate>(self) { [self] _ in completed() }, with: other)
    if !isDisposed { source.subscribe(consumer: self) }
  }

  override func next(_ element: Element) {
    inTurn { if !isDisposed { downstream.next(element) } }
  }
}
