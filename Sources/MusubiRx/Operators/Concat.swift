// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Goes on with a second sequence after the end of this one.
  public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
  where Source.Element == Element { Concat([asObservable(), second.asObservable()], count: 2) }

  /// Delivers several sequences one after the other.
  public static func concat<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> { Concat(sequence) }

  /// Delivers several sequences one after the other.
  public static func concat<Sources: Collection>(_ collection: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> { Concat(collection, count: collection.count) }

  /// Delivers several sequences one after the other.
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    Concat(sources, count: sources.count)
  }
}

/// The sources that a concatenation has left.
struct ChainedSources<Element> {
  let next: () -> Observable<Element>?
  /// How many there are; nil if only asking for them tells.
  var remaining: Int?
}

private final class Concat<Sources: Sequence, Element>: Producer<Element>
where Sources.Element == Observable<Element> {
  private let sources: Sources
  private let count: Int?

  init(_ sources: Sources, count: Int? = nil) {
    self.sources = sources
    self.count = count
  }

  override func chained() -> ChainedSources<Element>? {
    var iterator = sources.makeIterator()
    return ChainedSources(next: { iterator.next() }, remaining: count)
  }

  override func run(_ consumer: Consumer<Element>) {
    var iterator = sources.makeIterator()
    ChainSink(consumer, ChainedSources(next: { iterator.next() }, remaining: count)).start()
  }
}

/// Follows one source after the other.
///
/// Sources that end at once are followed in a loop, not in a recursion; a concatenation among them is not nested but
/// takes its place, so that one that ends in itself again and again grows neither the stack nor memory.
final class ChainSink<Element>: Origin<Element> {
  private let followsErrors: Bool
  private var chains: [ChainedSources<Element>]
  private var current: Inner<Never, Element>?
  private var isAdvancing = false
  private var mustAdvance = false
  private var lastError: (any Error)?

  init(_ downstream: Consumer<Element>, _ sources: ChainedSources<Element>, followsErrors: Bool = false) {
    self.followsErrors = followsErrors
    chains = [sources]
    super.init(downstream)
  }

  func start() {
    downstream.attach(to: self)
    advance()
  }

  override func innerFailed(_ inner: Inner<Never, Element>, _ error: any Error) {
    inner.dispose()
    guard followsErrors else { return finish(error) }
    lastError = error
    advance()
  }

  override func innerCompleted(_ inner: Inner<Never, Element>) {
    inner.dispose()
    if followsErrors { finish() } else { advance() }
  }

  private func advance() {
    mustAdvance = true
    guard !isAdvancing else { return }
    isAdvancing = true
    while mustAdvance && !isDisposed {
      mustAdvance = false
      guard let source = nextSource() else {
        if let lastError { finish(lastError) } else { finish() }
        break
      }
      let inner = Inner(self)
      if guardedWhileAlive({ current = inner }) { source.subscribe(consumer: inner) }
    }
    isAdvancing = false
  }

  private func nextSource() -> Observable<Element>? {
    while var chain = chains.popLast() {
      // A chain that has no more after this one is not kept.
      if let remaining = chain.remaining { chain.remaining = remaining - 1 }
      if chain.remaining ?? 1 > 0 { chains.append(chain) }
      guard let source = chain.next() else {
        if chain.remaining ?? 1 > 0 { chains.removeLast() }
        continue
      }
      guard !followsErrors, let nested = source.chained() else { return source }
      chains.append(nested)
    }
    return nil
  }

  override func disposed() { guarded { current.take() }?.dispose() }
}
