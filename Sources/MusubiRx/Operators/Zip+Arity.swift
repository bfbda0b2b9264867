// SPDX-License-Identifier: Apache-2.0

// One overload for each number of sources, because the compiler does not solve a closure such as
// { $0 + $1 + $2 + $3 + $4 } behind a parameter pack in reasonable time.

extension ObservableType {
  /// Pairs the elements of two sequences by their position.
  public static func zip<A, B>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>,
    resultSelector: @escaping (A, B) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, a, b) }

  /// Pairs the elements of three sequences by their position.
  public static func zip<A, B, C>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    resultSelector: @escaping (A, B, C) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, a, b, c) }

  /// Pairs the elements of four sequences by their position.
  public static func zip<A, B, C, D>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, resultSelector: @escaping (A, B, C, D) throws -> Element
  ) -> Observable<Element> { zipAll(resultSelector, a, b, c, d) }

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
