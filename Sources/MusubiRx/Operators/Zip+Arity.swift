// SPDX-License-Identifier: Apache-2.0

// One overload for each number of sources, because the compiler does not solve a closure such as
// { $0 + $1 + $2 + $3 + $4 } behind a parameter pack in reasonable time. The usual numbers do without the pack, which
// costs about a microsecond an event in unspecialised code.

extension ObservableType {
  /// Pairs the elements of two sequences by their position.
  public static func zip<First: ObservableType, Second: ObservableType>(
    _ first: First, _ second: Second,
    resultSelector: @escaping (First.Element, Second.Element) throws -> Element
  ) -> Observable<Element> {
    let (first, second) = (first.asObservable(), second.asObservable())
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (ZipCell(join, first), ZipCell(join, second))
      return {
        try resultSelector(cells.0.first, cells.1.first)
      }
    }
  }

  /// Pairs the elements of three sequences by their position.
  public static func zip<First: ObservableType, Second: ObservableType, Third: ObservableType>(
    _ first: First, _ second: Second, _ third: Third,
    resultSelector: @escaping (First.Element, Second.Element, Third.Element) throws -> Element
  ) -> Observable<Element> {
    let (first, second, third) = (first.asObservable(), second.asObservable(), third.asObservable())
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (ZipCell(join, first), ZipCell(join, second), ZipCell(join, third))
      return {
        try resultSelector(cells.0.first, cells.1.first, cells.2.first)
      }
    }
  }

  /// Pairs the elements of four sequences by their position.
  public static func zip<
    First: ObservableType, Second: ObservableType, Third: ObservableType, Fourth: ObservableType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth,
    resultSelector: @escaping (First.Element, Second.Element, Third.Element, Fourth.Element) throws -> Element
  ) -> Observable<Element> {
    let (first, second, third, fourth) = (
      first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable()
    )
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (ZipCell(join, first), ZipCell(join, second), ZipCell(join, third), ZipCell(join, fourth))
      return {
        try resultSelector(cells.0.first, cells.1.first, cells.2.first, cells.3.first)
      }
    }
  }

  /// Pairs the elements of five sequences by their position.
  public static func zip<A, B, C, D, E>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>,
    resultSelector: @escaping (A, B, C, D, E) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, a, b, c, d, e) }

  /// Pairs the elements of six sequences by their position.
  public static func zip<A, B, C, D, E, F>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>, _ f: some ObservableType<F>,
    resultSelector: @escaping (A, B, C, D, E, F) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, a, b, c, d, e, f) }

  /// Pairs the elements of seven sequences by their position.
  public static func zip<A, B, C, D, E, F, G>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>, _ f: some ObservableType<F>,
    _ g: some ObservableType<G>, resultSelector: @escaping (A, B, C, D, E, F, G) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, a, b, c, d, e, f, g) }

  /// Pairs the elements of eight sequences by their position.
  public static func zip<A, B, C, D, E, F, G, H>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>, _ f: some ObservableType<F>,
    _ g: some ObservableType<G>, _ h: some ObservableType<H>,
    resultSelector: @escaping (A, B, C, D, E, F, G, H) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, a, b, c, d, e, f, g, h) }
}
