// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Combines the latest elements of several sequences, whenever one of them delivers.
  public static func combineLatest<each Source: ObservableType>(
    _ source: repeat each Source, resultSelector: @escaping (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> { combineLatestAll(resultSelector, repeat each source) }

  static func combineLatestAll<each Source: ObservableType>(
    _ resultSelector: @escaping (repeat (each Source).Element) throws -> Element, _ source: repeat each Source
  ) -> Observable<Element> {
    let sources = (repeat (each source).asObservable())
    return joined { join in
      let cells = (repeat LatestCell(join, each sources))
      return { try resultSelector(repeat (each cells).current) }
    }
  }

  /// Combines the latest elements of the sequences of a collection, whenever one of them delivers.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    joined(deliversIfEmpty: true) { join in
      let cells = collection.map { LatestCell(join, $0.asObservable()) }
      return { try resultSelector(cells.map(\.current)) }
    }
  }

  /// Combines the latest elements of the sequences of a collection into arrays, whenever one of them delivers.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources
  ) -> Observable<[Element]> where Sources.Element: ObservableType, Sources.Element.Element == Element {
    Observable<[Element]>.combineLatest(collection) { $0 }
  }
}

extension ObservableType where Element == Any {
  /// Combines the latest elements of several sequences into tuples, whenever one of them delivers.
  public static func combineLatest<each Source: ObservableType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    let sources = (repeat (each source).asObservable())
    return joined { join in
      let cells = (repeat LatestCell(join, each sources))
      return { (repeat (each cells).current) }
    }
  }
}

// Two to four sequences, the usual numbers, have functions of their own: a parameter pack in unspecialised code costs
// more than a microsecond at every event. Longer lists go through the pack.

extension ObservableType {
  /// Combines the latest elements of two sequences, whenever one of them delivers.
  public static func combineLatest<First: ObservableType, Second: ObservableType>(
    _ first: First, _ second: Second,
    resultSelector: @escaping (First.Element, Second.Element) throws -> Element
  ) -> Observable<Element> {
    let (first, second) = (first.asObservable(), second.asObservable())
    return joined { join in
      let cells = (LatestCell(join, first), LatestCell(join, second))
      return { try resultSelector(cells.0.current, cells.1.current) }
    }
  }

  /// Combines the latest elements of three sequences, whenever one of them delivers.
  public static func combineLatest<First: ObservableType, Second: ObservableType, Third: ObservableType>(
    _ first: First, _ second: Second, _ third: Third,
    resultSelector: @escaping (First.Element, Second.Element, Third.Element) throws -> Element
  ) -> Observable<Element> {
    let (first, second, third) = (first.asObservable(), second.asObservable(), third.asObservable())
    return joined { join in
      let cells = (LatestCell(join, first), LatestCell(join, second), LatestCell(join, third))
      return { try resultSelector(cells.0.current, cells.1.current, cells.2.current) }
    }
  }

  /// Combines the latest elements of four sequences, whenever one of them delivers.
  public static func combineLatest<
    First: ObservableType, Second: ObservableType, Third: ObservableType, Fourth: ObservableType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth,
    resultSelector: @escaping (First.Element, Second.Element, Third.Element, Fourth.Element) throws -> Element
  ) -> Observable<Element> {
    let (first, second, third, fourth) = (
      first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable()
    )
    return joined { join in
      let cells = (
        LatestCell(join, first), LatestCell(join, second), LatestCell(join, third), LatestCell(join, fourth)
      )
      return { try resultSelector(cells.0.current, cells.1.current, cells.2.current, cells.3.current) }
    }
  }
}

/// Keeps the latest element of one source.
final class LatestCell<Element>: JoinCell<Element> {
  private let value = Cell<Element>()

  /// The latest element; asked for only when every source has delivered.
  var current: Element { value.value }

  override func next(_ element: Element) {
    join.inTurn {
      if isDisposed { return }
      if value.isEmpty { join.missing -= 1 }
      value.set(element)
      join.sourceDelivered()
    }
  }
}
