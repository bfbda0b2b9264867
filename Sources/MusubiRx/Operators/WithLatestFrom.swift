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
    WithLatestFrom(asObservable(), second.asObservable(), resultSelector)
  }

  /// Replaces each element by the latest one of a second sequence.
  ///
  /// - Parameter second: Its latest element is taken; before its first one, nothing is delivered.
  /// - Returns: The latest element of the second sequence for each element of this one.
  public func withLatestFrom<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Source.Element> {
    WithLatestFrom(asObservable(), second.asObservable()) { $1 }
  }
}

private final class WithLatestFrom<First, Second, Result>: Producer<Result> {
  private let first: Observable<First>
  private let second: Observable<Second>
  private let selector: (First, Second) throws -> Result

  init(
    _ first: Observable<First>, _ second: Observable<Second>,
    _ selector: @escaping (First, Second) throws -> Result
  ) {
    self.first = first
    self.second = second
    self.selector = selector
  }

  override func run(_ consumer: Consumer<Result>) {
    let sink = WithLatestSink(consumer, selector)
    consumer.attach(to: sink)
    second.subscribe(consumer: sink.latest)
    if !sink.isDisposed { first.subscribe(consumer: sink) }
  }
}

private final class WithLatestSink<First, Second, Result>: Sink<First, Result> {
  private let selector: (First, Second) throws -> Result
  let latest = LatestConsumer<Second>()

  init(_ downstream: Consumer<Result>, _ selector: @escaping (First, Second) throws -> Result) {
    self.selector = selector
    super.init(downstream)
    latest.onError = { [unowned self] in finish($0) }
  }

  override func next(_ element: First) {
    if isDisposed { return }
    let result: Result
    do {
      guard let value = latest.value else { return }
      result = try selector(element, value)
    } catch { return finish(error) }
    downstream.next(result)
  }

  override func dispose() {
    guard !isDisposed else { return }
    super.dispose()
    latest.dispose()
  }
}

/// Keeps the latest element of a sequence.
private final class LatestConsumer<Element>: Consumer<Element> {
  @exclusivity(unchecked) var value: Element?
  var onError: ((any Error) -> Void)?

  override func next(_ element: Element) {
    if !isDisposed { value = element }
  }

  override func error(_ error: any Error) {
    if !isDisposed { onError?(error) }
  }

  override func completed() { dispose() }
}
