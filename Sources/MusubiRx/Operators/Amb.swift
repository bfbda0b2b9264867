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
  private var hasWinner = false

  func start(_ sources: [Observable<Element>]) {
    downstream.attach(to: self)
    let all = sources.map { _ in AmbCandidate(self) }
    guard guardedWhileAlive({ candidates = all }) else { return }
    for (source, candidate) in zip(sources, all) where !candidate.isDisposed {
      source.subscribe(consumer: candidate)
    }
  }

  /// Lets a candidate win, unless another one has; called in turn.
  func choose(_ candidate: AmbCandidate<Element>) -> Bool {
    // Disposing of losers may run an author's code, which may have one of them deliver.
    if hasWinner { return false }
    hasWinner = true
    var losers: [AmbCandidate<Element>] = []
    let isAlive = guardedWhileAlive {
      losers = candidates.filter { $0 !== candidate }
      candidates = [candidate]
    }
    for loser in losers { loser.dispose() }
    return isAlive
  }

  override func disposed() {
    let all = guarded {
      defer { candidates = [] }
      return candidates
    }
    for candidate in all { candidate.dispose() }
  }
}

private final class AmbCandidate<Element>: Consumer<Element> {
  private let parent: AmbSink<Element>
  private var isChosen = false

  init(_ parent: AmbSink<Element>) { self.parent = parent }

  override func markAsynchronous() { parent.markAsynchronous() }

  /// Whether events of this candidate count; the first one decides, and they are asked in turn.
  private func wins() -> Bool {
    if isDisposed || parent.isDisposed { return false }
    if !isChosen { isChosen = parent.choose(self) }
    return isChosen
  }

  override func next(_ element: Element) {
    parent.inTurn { if wins() { parent.downstream.next(element) } }
  }

  override func error(_ error: any Error) {
    parent.inTurn { if wins() { parent.finish(error) } }
  }

  override func completed() {
    parent.inTurn { if wins() { parent.finish() } }
  }
}
