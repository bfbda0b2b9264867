// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Follows the sequence that delivers anything first.
  public func amb<Source: ObservableType>(_ right: Source) -> Observable<Element>
  where Source.Element == Element { .amb([asObservable(), right.asObservable()]) }

  /// Follows the sequence that delivers anything first.
  public static func amb<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element: ObservableType, Sources.Element.Element == Element {
    let sources = sequence.map { $0.asObservable() }
    return AnonymousProducer { AmbSink($0).start(sources) }
  }
}

private final class AmbSink<Element>: Origin<Element> {
  private var candidates: [AmbCandidate<Element>] = []

  func start(_ sources: [Observable<Element>]) {
    downstream.attach(to: self)
    candidates = sources.map { _ in AmbCandidate(self) }
    for (source, candidate) in zip(sources, candidates) where !candidate.isDisposed {
      source.subscribe(consumer: candidate)
    }
  }

  func choose(_ winner: AmbCandidate<Element>) {
    let losers = candidates.filter { $0 !== winner }
    candidates = [winner]
    for loser in losers { loser.dispose() }
  }

  override func disposed() {
    let all = candidates
    candidates = []
    for candidate in all { candidate.dispose() }
  }
}

private final class AmbCandidate<Element>: Consumer<Element> {
  private let parent: AmbSink<Element>
  private var isChosen = false

  init(_ parent: AmbSink<Element>) { self.parent = parent }

  override func markAsynchronous() { parent.markAsynchronous() }

  /// Whether events of this candidate count; the first one decides.
  private func wins() -> Bool {
    if isDisposed || parent.isDisposed { return false }
    if !isChosen {
      isChosen = true
      parent.choose(self)
    }
    return true
  }

  override func next(_ element: Element) {
    if wins() { parent.downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if wins() { parent.finish(error) }
  }

  override func completed() {
    if wins() { parent.finish() }
  }
}
