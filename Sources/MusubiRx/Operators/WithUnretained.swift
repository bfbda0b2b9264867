// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Combines an object with each element, as long as it lives.
  ///
  /// - Parameters:
  ///   - object: Held weakly; the sequence ends at the first element after it has gone.
  ///   - resultSelector: Makes the result; its error ends the sequence.
  /// - Returns: The results.
  public func withUnretained<Object: AnyObject, Result>(
    _ object: Object, resultSelector: @escaping (Object, Element) throws -> Result
  ) -> Observable<Result> {
    stage { [weak object] in
      Steps { [weak object] element, sink in
        guard let object else { return sink.finish() }
        sink.downstream.next(try resultSelector(object, element))
      }
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
