// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Combines the latest elements of several sequences, whenever one of them delivers.
  ///
  /// - Parameters:
  ///   - source: The sequences, two or more.
  ///   - resultSelector: Makes the result; what it throws ends the sequence.
  /// - Returns: A result for each element, once every sequence has delivered.
  public static func combineLatest<each Source: ObservableType>(
    _ source: repeat each Source, resultSelector: @escaping (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    let sources = (repeat (each source).asObservable())
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (repeat LatestCell(join, each sources))
      return { try resultSelector(repeat (each cells).current) }
    }
  }

  /// Combines the latest elements of the sequences of a collection, whenever one of them delivers.
  ///
  /// - Parameters:
  ///   - collection: The sequences.
  ///   - resultSelector: Makes the result; what it throws ends the sequence.
  /// - Returns: A result for each element, once every sequence has delivered.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    JoinProducer(deliversIfEmpty: true) { join in
      let cells = collection.map { LatestCell(join, $0.asObservable()) }
      return { try resultSelector(cells.map(\.current)) }
    }
  }

  /// Combines the latest elements of the sequences of a collection, whenever one of them delivers. The results are arrays.
  ///
  /// - Parameter collection: The sequences.
  /// - Returns: An array for each element, once every sequence has delivered.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources
  ) -> Observable<[Element]> where Sources.Element: ObservableType, Sources.Element.Element == Element {
    Observable<[Element]>.combineLatest(collection) { $0 }
  }
}

extension ObservableType where Element == Any {
  /// Combines the latest elements of several sequences, whenever one of them delivers. The results are tuples.
  ///
  /// - Parameter source: The sequences, two or more.
  /// - Returns: A tuple for each element, once every sequence has delivered.
  public static func combineLatest<each Source: ObservableType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    let sources = (repeat (each source).asObservable())
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (repeat LatestCell(join, each sources))
      return { (repeat (each cells).current) }
    }
  }
}

/// Keeps the latest element of one source.
private final class LatestCell<Element>: Consumer<Element> {
  private let join: Join
  @exclusivity(unchecked) private var value: Element?

  init(_ join: Join, _ source: Observable<Element>) {
    self.join = join
    super.init()
    join.add(source, self)
  }

  /// The latest element; asked for only when every source has delivered.
  var current: Element { value.unsafelyUnwrapped }

  override func next(_ element: Element) {
    if isDisposed { return }
    if value == nil { join.missing -= 1 }
    value = element
    join.sourceDelivered()
  }

  override func error(_ error: any Error) {
    if !isDisposed { join.fail(error) }
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    join.sourceEnded()
  }
}
