// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Transforms each element and drops those that become nil.
  public func compactMap<Result>(_ transform: @escaping (Element) throws -> Result?) -> Observable<Result> {
    stage {
      Steps { element, sink in
        if let result = try transform(element) { sink.downstream.next(result) }
      }
    }
  }
}
