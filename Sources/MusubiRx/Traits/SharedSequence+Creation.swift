// SPDX-License-Identifier: Apache-2.0

extension SharedSequence {
  /// A sequence without elements that ends at once.
  public static func empty() -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(raw: Observable.empty().subscribe(on: SharingStrategy.scheduler))
  }

  /// A sequence without elements that never ends.
  public static func never() -> SharedSequence<SharingStrategy, Element> { SharedSequence(raw: .never()) }

  /// A sequence of one element.
  public static func just(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(raw: Observable.just(element).subscribe(on: SharingStrategy.scheduler))
  }

  /// A sequence that is made when somebody subscribes.
  public static func deferred(
    _ observableFactory: @escaping () -> SharedSequence<SharingStrategy, Element>
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(.deferred { observableFactory().asObservable() })
  }

  /// A sequence of the given elements.
  public static func of(_ elements: Element...) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(raw: .from(elements, scheduler: SharingStrategy.scheduler))
  }

  /// The elements of an array.
  public static func from(_ array: [Element]) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(raw: .from(array, scheduler: SharingStrategy.scheduler))
  }

  /// The elements of a Swift sequence.
  public static func from<Elements: Sequence>(
    _ sequence: Elements
  ) -> SharedSequence<SharingStrategy, Element> where Elements.Element == Element {
    SharedSequence(raw: .from(sequence, scheduler: SharingStrategy.scheduler))
  }

  /// One element, or none.
  public static func from(optional: Element?) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(raw: .from(optional: optional, scheduler: SharingStrategy.scheduler))
  }

  /// Delivers several sequences one after the other.
  public static func concat<Sources: Sequence>(
    _ sequence: Sources
  ) -> SharedSequence<SharingStrategy, Element>
  where Sources.Element == SharedSequence<SharingStrategy, Element> {
    SharedSequence(Observable.concat(sequence.map { $0.asObservable() }))
  }

  /// Mixes what several sequences deliver.
  public static func merge<Sources: Collection>(
    _ sources: Sources
  ) -> SharedSequence<SharingStrategy, Element>
  where Sources.Element == SharedSequence<SharingStrategy, Element> {
    SharedSequence(Observable.merge(sources.map { $0.asObservable() }))
  }

  /// Mixes what several sequences deliver.
  public static func merge(
    _ sources: SharedSequence<SharingStrategy, Element>...
  ) -> SharedSequence<SharingStrategy, Element> { merge(sources) }

  /// Combines the latest elements of the sequences of a collection.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> SharedSequence<SharingStrategy, Element>
  where Sources.Element: SharedSequenceConvertibleType, Sources.Element.SharingStrategy == SharingStrategy {
    SharedSequence(
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
  ) -> SharedSequence<SharingStrategy, Element>
  where Sources.Element: SharedSequenceConvertibleType, Sources.Element.SharingStrategy == SharingStrategy {
    SharedSequence(Observable.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
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
  public static func combineLatest<each Value>(
    _ source: repeat SharedSequence<SharingStrategy, each Value>,
    resultSelector: @escaping (repeat each Value) throws -> Element
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(
      Observable.combineLatest(repeat (each source).asObservable(), resultSelector: resultSelector))
  }

  /// Pairs the elements of several sequences by their position.
  public static func zip<each Value>(
    _ source: repeat SharedSequence<SharingStrategy, each Value>,
    resultSelector: @escaping (repeat each Value) throws -> Element
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Element>(
      Observable.zip(repeat (each source).asObservable(), resultSelector: resultSelector))
  }
}

extension SharedSequenceConvertibleType where Element == Any {
  /// Combines the latest elements of several sequences into tuples.
  public static func combineLatest<each Value>(
    _ source: repeat SharedSequence<SharingStrategy, each Value>
  ) -> SharedSequence<SharingStrategy, (repeat each Value)> {
    SharedSequence<SharingStrategy, (repeat each Value)>(
      Observable.combineLatest(repeat (each source).asObservable()))
  }

  /// Pairs the elements of several sequences by their position, into tuples.
  public static func zip<each Value>(
    _ source: repeat SharedSequence<SharingStrategy, each Value>
  ) -> SharedSequence<SharingStrategy, (repeat each Value)> {
    SharedSequence<SharingStrategy, (repeat each Value)>(
      Observable.zip(repeat (each source).asObservable()))
  }
}
