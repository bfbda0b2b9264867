// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Combines each element with the latest one of a second sequence.
  ///
  /// - Parameters:
  ///   - second: Its latest element is taken; before its first one, nothing is delivered.
  ///   - resultSelector: Makes the result; what it throws ends the sequence.
  /// - Returns: A result for each element of this sequence.
  public func withLatestFrom<Source: ObservableConvertibleType, ResultType>(
    _ second: Source, resultSelector: @escaping (Element, Source.Element) throws -> ResultType
  ) -> Observable<ResultType> {
    let (first, second) = (asObservable(), second.asObservable())
    return Weave { WithLatestSink($0, resultSelector).start(first, second) }
  }

  /// Replaces each element by the latest one of a second sequence.
  ///
  /// - Parameter second: Its latest element is taken; before its first one, nothing is delivered.
  /// - Returns: The latest element of the second sequence for each element of this one.
  public func withLatestFrom<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Source.Element> { withLatestFrom(second) { $1 } }
}

private final class WithLatestSink<First, Second, Result>: PairedSink<First, Result> {
  private let selector: (First, Second) throws -> Result
  @exclusivity(unchecked) fileprivate var latest = Cell<Second>()

  init(_ downstream: Consumer<Result>, _ selector: @escaping (First, Second) throws -> Result) {
    self.selector = selector
    super.init(downstream)
  }

  func start(_ first: Observable<First>, _ second: Observable<Second>) {
    downstream.attach(to: self)
    pair(LatestInlet(self), with: second)
    if !isDisposed { first.subscribe(consumer: self) }
  }

  override func next(_ element: First) {
    inTurn {
      if isDisposed || latest.isEmpty { return }
      let result: Result
      do { result = try selector(element, latest.value) } catch { return finish(error) }
      downstream.next(result)
    }
  }
}

/// Keeps the latest element of the second sequence.
private final class LatestInlet<First, Second, Result>: Consumer<Second> {
  private let parent: WithLatestSink<First, Second, Result>

  init(_ parent: WithLatestSink<First, Second, Result>) { self.parent = parent }

  override func markCrossing() { parent.markCrossing() }

  override func next(_ element: Second) {
    parent.inTurn { if !isDisposed { parent.latest.set(element) } }
  }

  override func error(_ error: any Error) {
    parent.inTurn { if !isDisposed { parent.finish(error) } }
  }

  override func completed() { dispose() }
}
