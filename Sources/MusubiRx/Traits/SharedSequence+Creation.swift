// SPDX-License-Identifier: Apache-2.0

extension SharedSequence {
  /// A sequence without elements that ends at once.
  public static func empty() -> Self {
    Self(raw: Observable.empty().subscribe(on: SharingStrategy.scheduler))
  }

  /// A sequence without elements that never ends.
  public static func never() -> Self { Self(raw: .never()) }

  /// A sequence of one element.
  public static func just(_ element: Element) -> Self {
    Self(raw: Observable.just(element).subscribe(on: SharingStrategy.scheduler))
  }

  /// A sequence that is made when somebody subscribes.
  public static func deferred(
    _ observableFactory: @escaping () -> Self
  ) -> Self { Self(.deferred { observableFactory().asObservable() }) }

  /// A sequence of the given elements.
  public static func of(_ elements: Element...) -> Self {
    Self(raw: .from(elements, scheduler: SharingStrategy.scheduler))
  }

  /// The elements of an array.
  public static func from(_ array: [Element]) -> Self {
    Self(raw: .from(array, scheduler: SharingStrategy.scheduler))
  }

  /// The elements of a Swift sequence.
  public static func from<Elements: Sequence>(
    _ sequence: Elements
  ) -> Self where Elements.Element == Element {
    Self(raw: .from(sequence, scheduler: SharingStrategy.scheduler))
  }

  /// One element, or none.
  public static func from(optional: Element?) -> Self {
    Self(raw: .from(optional: optional, scheduler: SharingStrategy.scheduler))
  }

  /// Delivers several sequences one after the other.
  public static func concat<Sources: Sequence>(
    _ sequence: Sources
  ) -> Self
  where Sources.Element == Self { Self(Observable.concat(sequence.map { $0.asObservable() })) }

  /// Mixes what several sequences deliver.
  public static func merge<Sources: Collection>(
    _ sources: Sources
  ) -> Self
  where Sources.Element == Self { Self(Observable.merge(sources.map { $0.asObservable() })) }

  /// Mixes what several sequences deliver.
  public static func merge(
    _ sources: Self...
  ) -> Self { merge(sources) }

  /// Combines the latest elements of the sequences of a collection.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Self
  where Sources.Element: SharedSequenceConvertibleType, Sources.Element.SharingStrategy == SharingStrategy {
    Self(
      Observable.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// Combines the latest elements of the sequences of a collection into arrays.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources
  ) -> SharedSequence<SharingStrategy, [Element]>
  where
    Sources.Element: SharedSequenceConvertibleType, Sources.Element.SharingStrategy == SharingStrategy,
    Sources.Element.Element == Element
  { SharedSequence<SharingStrategy, [Element]>.combineLatest(collection) { $0 } }

  /// Pairs the elements of the sequences of a collection by their position.
  public static func zip<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Self
  where Sources.Element: SharedSequenceConvertibleType, Sources.Element.SharingStrategy == SharingStrategy {
    Self(Observable.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// Pairs the elements of the sequences of a collection by their position, into arrays.
  public static func zip<Sources: Collection>(
    _ collection: Sources
  ) -> SharedSequence<SharingStrategy, [Element]>
  where
    Sources.Element: SharedSequenceConvertibleType, Sources.Element.SharingStrategy == SharingStrategy,
    Sources.Element.Element == Element
  { SharedSequence<SharingStrategy, [Element]>.zip(collection) { $0 } }
}

extension SharedSequenceConvertibleType {
  /// Combines the latest elements of several sequences, whenever one of them delivers.
  public static func combineLatest<
    First: SharedSequenceConvertibleType, each Source: SharedSequenceConvertibleType
  >(
    _ first: First, _ source: repeat each Source,
    resultSelector: @escaping (First.Element, repeat (each Source).Element) throws -> Element
  ) -> SharedSequence<SharingStrategy, Element>
  where First.SharingStrategy == SharingStrategy {
    SharedSequence<SharingStrategy, Element>(
      Observable.combineLatest(
        first.asObservable(), repeat (each source).asObservable(), resultSelector: resultSelector))
  }

  /// Pairs the elements of several sequences by their position.
  public static func zip<First: SharedSequenceConvertibleType, each Source: SharedSequenceConvertibleType>(
    _ first: First, _ source: repeat each Source,
    resultSelector: @escaping (First.Element, repeat (each Source).Element) throws -> Element
  ) -> SharedSequence<SharingStrategy, Element>
  where First.SharingStrategy == SharingStrategy {
    SharedSequence<SharingStrategy, Element>(
      Observable.zip(
        first.asObservable(), repeat (each source).asObservable(), resultSelector: resultSelector))
  }
}

extension SharedSequenceConvertibleType where Element == Any {
  /// Combines the latest elements of several sequences into tuples.
  public static func combineLatest<
    First: SharedSequenceConvertibleType, each Source: SharedSequenceConvertibleType
  >(
    _ first: First, _ source: repeat each Source
  ) -> SharedSequence<SharingStrategy, (First.Element, repeat (each Source).Element)>
  where First.SharingStrategy == SharingStrategy {
    SharedSequence<SharingStrategy, (First.Element, repeat (each Source).Element)>(
      Observable.combineLatest(first.asObservable(), repeat (each source).asObservable()))
  }

  /// Pairs the elements of several sequences by their position, into tuples.
  public static func zip<First: SharedSequenceConvertibleType, each Source: SharedSequenceConvertibleType>(
    _ first: First, _ source: repeat each Source
  ) -> SharedSequence<SharingStrategy, (First.Element, repeat (each Source).Element)>
  where First.SharingStrategy == SharingStrategy {
    SharedSequence<SharingStrategy, (First.Element, repeat (each Source).Element)>(
      Observable.zip(first.asObservable(), repeat (each source).asObservable()))
  }
}
