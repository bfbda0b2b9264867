// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Drops the first elements.
  public func skip(_ count: Int) -> Observable<Element> {
    stage {
      var remaining = count
      return Steps { element, sink in
        if remaining > 0 { remaining -= 1 } else { sink.downstream.next(element) }
      }
    }
  }

  /// Drops elements until one does not satisfy a predicate.
  public func skip(while predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    stage {
      var isOpen = false
      return Steps { element, sink in
        if !isOpen { isOpen = try !predicate(element) }
        if isOpen { sink.downstream.next(element) }
      }
    }
  }

  /// Drops elements until another sequence delivers.
  public func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let (source, gate) = (asObservable(), other.asObservable())
    return AnonymousProducer { SkipUntilSink($0).start(source, gate) }
  }
}

private final class SkipUntilSink<Element>: PairedSink<Element, Element> {
  private var isOpen = false

  func start<Gate>(_ source: Observable<Element>, _ other: Observable<Gate>) {
    connect(source)
    let gate = Trigger<Gate>(self) { [self] _ in
      inTurn { isOpen = true }
      unpair()
    }
    pair(gate, with: other)
  }

  override func next(_ element: Element) {
    inTurn { if isOpen && !isDisposed { downstream.next(element) } }
  }

  override func completed() {
    // Closed, it stays silent for good; the downstream lets go of it.
    inTurn { if isOpen { finish() } else { downstream.releaseUpstream() } }
  }
}
