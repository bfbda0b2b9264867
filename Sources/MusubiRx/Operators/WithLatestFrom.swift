// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Combines each element with the latest one of a second sequence.
  ///
  /// - Parameters:
  ///   - second: Its latest element is taken; before its first one, nothing is delivered.
  ///   - resultSelector: Makes the result; its error ends the sequence.
  /// - Returns: A result for each element of this sequence.
  public func withLatestFrom<Source: ObservableConvertibleType, ResultType>(
    _ second: Source, resultSelector: @escaping (Element, Source.Element) throws -> ResultType
  ) -> Observable<ResultType> {
    let (first, second) = (asObservable(), second.asObservable())
    return AnonymousProducer { WithLatestSink($0, resultSelector).start(first, second) }
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
  private let latest = Cell<Second>()

  init(_ downstream: Consumer<Result>, _ selector: @escaping (First, Second) throws -> Result) {
    self.selector = selector
    super.init(downstream)
  }

  func start(_ first: Observable<First>, _ second: Observable<Second>) {
    downstream.attach(to: self)
    pair(Trigger(self) { [self] element in inTurn { latest.set(element) } }, with: second)
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
