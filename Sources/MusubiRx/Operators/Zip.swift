// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Pairs the elements of several sequences by their position; ends when all of them have.
  public static func zip<each Source: ObservableType>(
    _ source: repeat each Source, resultSelector: @escaping (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, repeat each source) }

  static func zipAll<each Source: ObservableType>(
    _ resultSelector: @escaping (repeat (each Source).Element) throws -> Element, _ source: repeat each Source
  ) -> Observable<Element> {
    let sources = (repeat (each source).asObservable())
    return joined { join in
      let cells = (repeat ZipCell(join, each sources))
      return { try resultSelector(repeat (each cells).first) }
    }
  }

  /// Pairs the elements of the sequences of a collection by their position; ends when none can be paired any more.
  public static func zip<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    joined { join in
      let cells = collection.map { ZipCell(join, $0.asObservable(), isEager: true) }
      return { try resultSelector(cells.map(\.first)) }
    }
  }

  /// Pairs the elements of the sequences of a collection into arrays by their position.
  public static func zip<Sources: Collection>(
    _ collection: Sources
  ) -> Observable<[Element]> where Sources.Element: ObservableType, Sources.Element.Element == Element {
    Observable<[Element]>.zip(collection) { $0 }
  }
}

extension ObservableType where Element == Any {
  /// Pairs the elements of several sequences into tuples by their position.
  public static func zip<each Source: ObservableType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    let sources = (repeat (each source).asObservable())
    return joined { join in
      let cells = (repeat ZipCell(join, each sources))
      return { (repeat (each cells).first) }
    }
  }
}

/// Queues the elements of one source.
final class ZipCell<Element>: JoinCell<Element> {
  /// Whether the end comes with the first element that nothing can be paired with any more.
  private let isEager: Bool
  private var queue = Fifo<Element>()

  init(_ join: Join, _ source: Observable<Element>, isEager: Bool = false) {
    self.isEager = isEager
    super.init(join, source)
  }

  /// The first element that waits, taken out; asked for only when every source has one.
  var first: Element {
    let element = queue.popFirst().unsafelyUnwrapped
    if queue.isEmpty { join.missing += 1 }
    return element
  }

  override func next(_ element: Element) {
    join.inTurn {
      if isDisposed { return }
      if queue.isEmpty { join.missing -= 1 }
      queue.append(element)
      if isEager || join.missing == 0 { join.sourceDelivered() }
    }
  }
}
