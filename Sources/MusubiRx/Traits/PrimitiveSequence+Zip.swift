// SPDX-License-Identifier: Apache-2.0

// Two or more sequences, by a parameter pack.

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Pairs the elements of several sequences of this kind.
  public static func zip<each Value>(
    _ source: repeat PrimitiveSequence<SingleTrait, each Value>,
    resultSelector: @escaping (repeat each Value) throws -> Element
  ) -> Single<Element> {
    Single(raw: Observable.zip(repeat (each source).asObservable(), resultSelector: resultSelector))
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Any {
  /// Pairs the elements of several sequences of this kind into a tuple.
  public static func zip<each Value>(
    _ source: repeat PrimitiveSequence<SingleTrait, each Value>
  ) -> Single<(repeat each Value)> { Single(raw: Observable.zip(repeat (each source).asObservable())) }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Pairs the elements of several sequences of this kind.
  public static func zip<each Value>(
    _ source: repeat PrimitiveSequence<MaybeTrait, each Value>,
    resultSelector: @escaping (repeat each Value) throws -> Element
  ) -> Maybe<Element> {
    Maybe(raw: Observable.zip(repeat (each source).asObservable(), resultSelector: resultSelector))
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element == Any {
  /// Pairs the elements of several sequences of this kind into a tuple.
  public static func zip<each Value>(
    _ source: repeat PrimitiveSequence<MaybeTrait, each Value>
  ) -> Maybe<(repeat each Value)> { Maybe(raw: Observable.zip(repeat (each source).asObservable())) }
}
