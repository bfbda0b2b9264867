// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Folds all elements into one result, delivered at the end.
  public func reduce<Accumulate, Result>(
    _ seed: Accumulate, accumulator: @escaping (Accumulate, Element) throws -> Accumulate,
    mapResult: @escaping (Accumulate) throws -> Result
  ) -> Observable<Result> {
    stage {
      var accumulation = seed
      return Steps { element, _ in
        accumulation = try accumulator(accumulation, element)
      } completed: { sink in
        sink.downstream.next(try mapResult(accumulation))
      }
    }
  }

  /// Folds all elements into one result, delivered at the end.
  public func reduce<Accumulate>(
    _ seed: Accumulate, accumulator: @escaping (Accumulate, Element) throws -> Accumulate
  ) -> Observable<Accumulate> { reduce(seed, accumulator: accumulator, mapResult: { $0 }) }

  /// Collects all elements into one array, delivered at the end.
  public func toArray() -> Single<[Element]> {
    let array: Observable<[Element]> = stage {
      var elements: [Element] = []
      return Steps { element, _ in
        elements.append(element)
      } completed: { sink in
        sink.downstream.next(elements)
      }
    }
    return Single(raw: array)
  }

  /// Numbers the elements, from 0.
  public func enumerated() -> Observable<(index: Int, element: Element)> {
    stage {
      var index = -1
      return Steps { element, sink in
        index += 1
        sink.downstream.next((index, element))
      }
    }
  }
}
