// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Transforms each element and drops those that become nil.
  ///
  /// - Parameter transform: Makes the new element; what it throws ends the sequence.
  /// - Returns: The transformed elements that are not nil.
  public func compactMap<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Observable<Result> { CompactMap(asObservable(), transform) }
}

private final class CompactMap<Source, Result>: Producer<Result> {
  private let source: Observable<Source>
  private let transform: (Source) throws -> Result?

  init(_ source: Observable<Source>, _ transform: @escaping (Source) throws -> Result?) {
    self.source = source
    self.transform = transform
  }

  override func run(_ consumer: Consumer<Result>) { CompactMapSink(consumer, transform).connect(source) }
}

private final class CompactMapSink<Source, Result>: Sink<Source, Result> {
  private let transform: (Source) throws -> Result?

  init(_ downstream: Consumer<Result>, _ transform: @escaping (Source) throws -> Result?) {
    self.transform = transform
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    let result: Result
    do {
      guard let some = try transform(element) else { return }
      result = some
    } catch { return finish(error) }
    downstream.next(result)
  }
}
