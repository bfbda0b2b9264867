// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Combines an object with each element, as long as it lives.
  ///
  /// - Parameters:
  ///   - object: Held weakly; the sequence ends at the first element after it has gone.
  ///   - resultSelector: Makes the result; what it throws ends the sequence.
  /// - Returns: The results.
  public func withUnretained<Object: AnyObject, Result>(
    _ object: Object, resultSelector: @escaping (Object, Element) throws -> Result
  ) -> Observable<Result> {
    WithUnretained(asObservable()) { [weak object] element in
      guard let object else { return nil }
      return try resultSelector(object, element)
    }
  }

  /// Hands an object along with each element, as long as it lives.
  ///
  /// - Parameter object: Held weakly; the sequence ends at the first element after it has gone.
  /// - Returns: Pairs of the object and the element.
  public func withUnretained<Object: AnyObject>(_ object: Object) -> Observable<(Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}

private final class WithUnretained<Source, Result>: Producer<Result> {
  private let source: Observable<Source>
  private let transform: (Source) throws -> Result?

  init(_ source: Observable<Source>, _ transform: @escaping (Source) throws -> Result?) {
    self.source = source
    self.transform = transform
  }

  override func run(_ consumer: Consumer<Result>) {
    WithUnretainedSink(consumer, transform).connect(source)
  }
}

/// Ends when the transform has nothing to give any more.
private final class WithUnretainedSink<Source, Result>: Sink<Source, Result> {
  private let transform: (Source) throws -> Result?

  init(_ downstream: Consumer<Result>, _ transform: @escaping (Source) throws -> Result?) {
    self.transform = transform
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    let result: Result
    do {
      guard let some = try transform(element) else { return finish() }
      result = some
    } catch { return finish(error) }
    downstream.next(result)
  }
}
