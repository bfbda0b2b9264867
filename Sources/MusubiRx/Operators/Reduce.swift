// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Folds all elements into one result, delivered at the end.
  ///
  /// - Parameters:
  ///   - seed: What the folding starts with.
  ///   - accumulator: Makes the next intermediate result; what it throws ends the sequence.
  ///   - mapResult: Makes the result of the last intermediate one.
  /// - Returns: The result.
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
  ///
  /// - Parameters:
  ///   - seed: What the folding starts with.
  ///   - accumulator: Makes the next intermediate result; what it throws ends the sequence.
  /// - Returns: The result.
  public func reduce<Accumulate>(
    _ seed: Accumulate, accumulator: @escaping (Accumulate, Element) throws -> Accumulate
  ) -> Observable<Accumulate> { reduce(seed, accumulator: accumulator, mapResult: { $0 }) }

  /// Collects all elements into one array, delivered at the end.
  ///
  /// - Returns: The array.
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
  ///
  /// - Returns: Pairs of the number and the element.
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
