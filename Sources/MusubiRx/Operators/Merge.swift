// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Makes a sequence for each element, and mixes what all of them deliver.
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Staged(asObservable()) { FlatMapSink($0, .max, selector) }
  }

  /// Makes a sequence for each element, and delivers them one after the other.
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Staged(asObservable()) { FlatMapSink($0, 1, selector) }
  }

  /// Makes a sequence for an element, and ignores further elements until that sequence has ended.
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Staged(asObservable()) { FlatMapSink($0, 0, selector) }
  }

  /// Mixes what several sequences deliver.
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> { merge(all: sources) }

  /// Mixes what several sequences deliver.
  public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> { merge(all: sources) }

  /// Mixes what several sequences deliver.
  public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> { merge(all: Array(sources)) }

  private static func merge(all sources: [Observable<Element>]) -> Observable<Element> {
    AnonymousProducer { consumer in
      let sink = FlatMapSink<Observable<Element>, Observable<Element>>(consumer, .max) { $0 }
      consumer.attach(to: sink)
      for source in sources where !sink.isDisposed { sink.next(source) }
      sink.completed()
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Mixes what the arriving sequences deliver.
  public func merge() -> Observable<Element.Element> {
    Staged(asObservable()) { FlatMapSink($0, .max) { $0 } }
  }

  /// Mixes what the arriving sequences deliver, at most some of them at a time.
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    Staged(asObservable()) { FlatMapSink($0, maxConcurrent) { $0 } }
  }

  /// Delivers the arriving sequences one after the other.
  public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

/// Flattens: `limit` sequences run at once and others wait; with a limit of 0, one runs and others are ignored.
private class MergeSink<Source, Result>: GuardedSink<Source, Result> {
  private let limit: Int
  private var inners: ContiguousArray<Inner<Source, Result>> = []
  private var waiting = Fifo<(source: Observable<Result>, cause: (any WorkCause)?)>()
  private var isDraining = false
  private var hasEnded = false

  init(_ downstream: Consumer<Result>, _ limit: Int) {
    self.limit = limit
    super.init(downstream)
  }

  /// The sequence that an element stands for.
  func sequence(for element: Source) throws -> Observable<Result> { .never() }

  final override func next(_ element: Source) {
    inTurn {
      if isDisposed || (limit == 0 && !inners.isEmpty) { return }
      let source: Observable<Result>
      do { source = try sequence(for: element) } catch { return finish(error) }
      // While waiting ones begin, an author's code may send another one, which comes behind them.
      if limit > 0 && (inners.count >= limit || isDraining) {
        let cause = LoopContext.cause
        _ = guardedWhileAlive { waiting.append((source, cause)) }
      } else {
        follow(source)
      }
    }
  }

  override func error(_ error: any Error) { inTurn { finish(error) } }

  override func completed() {
    inTurn {
      if isDisposed { return }
      hasEnded = true
      if inners.isEmpty && !isDraining { finish() } else { releaseUpstream() }
    }
  }

  private func follow(_ source: Observable<Result>) {
    let inner = Inner(self)
    inner.place = inners.count
    if guardedWhileAlive({ inners.append(inner) }) { source.subscribe(consumer: inner) }
  }

  final override func innerCompleted(_ inner: Inner<Source, Result>) {
    inner.dispose()
    let isAlive = guardedWhileAlive {
      let last = inners.removeLast()
      if last !== inner {
        inners[inner.place] = last
        last.place = inner.place
      }
    }
    guard isAlive, !isDraining else { return }
    // Those that end at once follow each other in this loop, not in a recursion.
    isDraining = true
    while inners.count < limit, let (source, cause) = guarded({ waiting.popFirst() }) {
      LoopContext.causing(by: cause) { follow(source) }
    }
    isDraining = false
    if hasEnded && inners.isEmpty { finish() }
  }

  override func disposed() {
    let all = guarded {
      defer {
        inners = []
        waiting.removeAll()
      }
      return inners
    }
    for inner in all { inner.dispose() }
  }
}

/// Asks the author's closure itself: another one around it would be an allocation more for each chain.
private final class FlatMapSink<Source, Inner: ObservableConvertibleType>: MergeSink<Source, Inner.Element> {
  private let selector: (Source) throws -> Inner

  init(
    _ downstream: Consumer<Inner.Element>, _ limit: Int, _ selector: @escaping (Source) throws -> Inner
  ) {
    self.selector = selector
    super.init(downstream, limit)
  }

  override func sequence(for element: Source) throws -> Observable<Inner.Element> {
    try selector(element).asObservable()
  }
}
