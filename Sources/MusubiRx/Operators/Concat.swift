// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Goes on with a second sequence after the end of this one.
  ///
  /// - Parameter second: The second sequence.
  /// - Returns: The elements of both, in order.
  public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
  where Source.Element == Element { Concat([asObservable(), second.asObservable()]) }

  /// Delivers several sequences one after the other.
  ///
  /// - Parameter sequence: The sequences; each is asked for when its turn has come.
  /// - Returns: The elements of all, in order.
  public static func concat<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> { Concat(sequence) }

  /// Delivers several sequences one after the other.
  ///
  /// - Parameter collection: The sequences.
  /// - Returns: The elements of all, in order.
  public static func concat<Sources: Collection>(_ collection: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> { Concat(collection) }

  /// Delivers several sequences one after the other.
  ///
  /// - Parameter sources: The sequences.
  /// - Returns: The elements of all, in order.
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> { Concat(sources) }
}

private final class Concat<Sources: Sequence, Element>: Producer<Element>
where Sources.Element == Observable<Element> {
  private let sources: Sources

  init(_ sources: Sources) { self.sources = sources }

  override func run(_ consumer: Consumer<Element>) {
    var iterator = sources.makeIterator()
    ChainSink(consumer) { _ in iterator.next() }.start()
  }
}

/// Follows one source after the other; a closure names the next when one has ended.
///
/// Sources that end at once are followed in a loop, not in a recursion.
final class ChainSink<Element>: Origin<Element> {
  /// How a source ended.
  typealias End = (any Error)?

  private let following: (End) throws -> Observable<Element>?
  private let followsErrors: Bool
  private var current: ChainInner<Element>?
  private var isAdvancing = false
  private var pending: [End] = []

  init(
    _ downstream: Consumer<Element>, followsErrors: Bool = false,
    following: @escaping (End) throws -> Observable<Element>?
  ) {
    self.followsErrors = followsErrors
    self.following = following
    super.init(downstream)
  }

  func start() {
    downstream.attach(to: self)
    advance(after: nil)
  }

  fileprivate func sourceEnded(_ inner: ChainInner<Element>, _ end: End) {
    if isDisposed { return }
    if let end, !followsErrors { return finish(end) }
    if end == nil && followsErrors { return finish() }
    current = nil
    advance(after: end)
  }

  private func advance(after end: End) {
    pending.append(end)
    guard !isAdvancing else { return }
    isAdvancing = true
    while !isDisposed, let end = pending.popLast() {
      do {
        if let source = try following(end) {
          let inner = ChainInner(self)
          current = inner
          source.subscribe(consumer: inner)
        } else if let end {
          finish(end)
        } else {
          finish()
        }
      } catch { finish(error) }
    }
    isAdvancing = false
  }

  override func dispose() {
    guard !isDisposed else { return }
    super.dispose()
    let old = current
    current = nil
    old?.dispose()
  }
}

/// Follows one of the sources.
private final class ChainInner<Element>: Consumer<Element> {
  private let parent: ChainSink<Element>

  init(_ parent: ChainSink<Element>) { self.parent = parent }

  override func markCrossing() { parent.markCrossing() }

  override func next(_ element: Element) {
    if !isDisposed { parent.downstream.next(element) }
  }

  override func error(_ error: any Error) { end(error) }
  override func completed() { end(nil) }

  private func end(_ end: (any Error)?) {
    guard !isDisposed else { return }
    dispose()
    parent.sourceEnded(self, end)
  }
}
