// SPDX-License-Identifier: Apache-2.0

// The operator of the same name on `ObservableType` tells what each of these does.

/// What an `Infallible` tells its observers.
public enum InfallibleEvent<Element> {
  /// The next element.
  case next(Element)
  /// The sequence ended.
  case completed
}

extension Infallible {
  /// Takes what an infallible delivers.
  public typealias InfallibleObserver = (InfallibleEvent<Element>) -> Void

  /// A sequence that a closure makes for every observer.
  public static func create(
    subscribe: @escaping (@escaping InfallibleObserver) -> any Disposable
  ) -> Infallible<Element> {
    Infallible(
      .create { observer in
        subscribe { event in
          switch event {
          case .next(let element): observer.onNext(element)
          case .completed: observer.onCompleted()
          }
        }
      })
  }

  /// A sequence of one element.
  public static func just(_ element: Element) -> Infallible<Element> { Infallible(.just(element)) }

  /// A sequence of one element, delivered by a scheduler.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(.just(element, scheduler: scheduler))
  }

  /// A sequence without elements that never ends.
  public static func never() -> Infallible<Element> { Infallible(.never()) }

  /// A sequence without elements that ends at once.
  public static func empty() -> Infallible<Element> { Infallible(.empty()) }

  /// A sequence that is made when somebody subscribes.
  public static func deferred(
    _ observableFactory: @escaping () throws -> Infallible<Element>
  ) -> Infallible<Element> { Infallible(.deferred { try observableFactory().source }) }

  /// A sequence of the given elements.
  public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> { Infallible(.from(elements, scheduler: scheduler)) }

  /// The elements of an array.
  public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> { Infallible(.from(array, scheduler: scheduler)) }

  /// The elements of a Swift sequence.
  public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> where Elements.Element == Element {
    Infallible(.from(sequence, scheduler: scheduler))
  }

  /// One element, or none.
  public static func from(optional: Element?) -> Infallible<Element> { Infallible(.from(optional: optional)) }

  /// One element, or none, delivered by a scheduler.
  public static func from(
    optional: Element?, scheduler: any ImmediateSchedulerType
  ) -> Infallible<Element> { Infallible(.from(optional: optional, scheduler: scheduler)) }

  /// Delivers several sequences one after the other.
  public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> { concat(sources) }

  /// Delivers several sequences one after the other.
  public static func concat<Sources: Sequence>(_ sequence: Sources) -> Infallible<Element>
  where Sources.Element == Infallible<Element> { Infallible(.concat(sequence.lazy.map { $0.source })) }

  /// Mixes what several sequences deliver.
  public static func merge<Sources: Collection>(_ sources: Sources) -> Infallible<Element>
  where Sources.Element == Infallible<Element> { Infallible(.merge(sources.map { $0.source })) }

  /// Mixes what several sequences deliver.
  public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> { merge(sources) }

  /// Combines the latest elements of the sequences of a collection.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Infallible<Element> where Sources.Element: InfallibleType {
    Infallible(.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// Combines the latest elements of the sequences of a collection into arrays.
  public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
  where Sources.Element: InfallibleType, Sources.Element.Element == Element {
    Infallible<[Element]>.combineLatest(collection) { $0 }
  }

  /// Pairs the elements of the sequences of a collection by their position.
  public static func zip<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Infallible<Element> where Sources.Element: InfallibleType {
    Infallible(.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// Pairs the elements of the sequences of a collection into arrays by their position.
  public static func zip<Sources: Collection>(_ collection: Sources) -> Infallible<[Element]>
  where Sources.Element: InfallibleType, Sources.Element.Element == Element {
    Infallible<[Element]>.zip(collection) { $0 }
  }
}

extension InfallibleType {
  /// Combines the latest elements of several sequences.
  public static func combineLatest<each Source: InfallibleType>(
    _ source: repeat each Source, resultSelector: @escaping (repeat (each Source).Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(Observable.combineLatest(repeat (each source).asObservable(), resultSelector: resultSelector))
  }

  /// Pairs the elements of several sequences by their position.
  public static func zip<each Source: InfallibleType>(
    _ source: repeat each Source, resultSelector: @escaping (repeat (each Source).Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(Observable.zip(repeat (each source).asObservable(), resultSelector: resultSelector))
  }
}

extension InfallibleType where Element == Any {
  /// Combines the latest elements of several sequences into tuples.
  public static func combineLatest<each Source: InfallibleType>(
    _ source: repeat each Source
  ) -> Infallible<(repeat (each Source).Element)> {
    Infallible<(repeat (each Source).Element)>(Observable.combineLatest(repeat (each source).asObservable()))
  }

  /// Pairs the elements of several sequences into tuples by their position.
  public static func zip<each Source: InfallibleType>(
    _ source: repeat each Source
  ) -> Infallible<(repeat (each Source).Element)> {
    Infallible<(repeat (each Source).Element)>(Observable.zip(repeat (each source).asObservable()))
  }
}
