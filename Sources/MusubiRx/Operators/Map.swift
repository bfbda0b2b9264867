// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Transforms each element.
  ///
  /// - Parameter transform: Makes the new element; what it throws ends the sequence.
  /// - Returns: The transformed elements.
  public func map<Result>(_ transform: @escaping (Element) throws -> Result) -> Observable<Result> {
    Map(asObservable(), transform)
  }
}

private final class Map<Source, Result>: Producer<Result> {
  private let source: Observable<Source>
  private let transform: (Source) throws -> Result

  init(_ source: Observable<Source>, _ transform: @escaping (Source) throws -> Result) {
    self.source = source
    self.transform = transform
  }

  override func run(_ consumer: Consumer<Result>) { MapSink(consumer, transform).connect(source) }
}

private final class MapSink<Source, Result>: Sink<Source, Result> {
  private let transform: (Source) throws -> Result

  init(_ downstream: Consumer<Result>, _ transform: @escaping (Source) throws -> Result) {
    self.transform = transform
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    let result: Result
    do { result = try transform(element) } catch { return finish(error) }
    downstream.next(result)
  }
}
