// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Transforms each element and drops those that become nil.
  public func compactMap<Result>(_ transform: @escaping (Element) throws -> Result?) -> Observable<Result> {
    Staged(asObservable()) { CompactMapSink($0, transform) }
  }
}

private final class CompactMapSink<Source, Result>: Sink<Source, Result> {
  private let transform: (Source) throws -> Result?

  init(_ downstream: Consumer<Result>, _ transform: @escaping (Source) throws -> Result?) {
    self.transform = transform
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    let result: Result?
    do { result = try transform(element) } catch { return finish(error) }
    if let result { downstream.next(result) }
  }
}
