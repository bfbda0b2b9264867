// SPDX-License-Identifier: Apache-2.0

// One overload for each number of sources, because the compiler does not solve a closure such as
// { $0 + $1 + $2 + $3 + $4 } behind a parameter pack in reasonable time.

extension ObservableType {
  /// Combines the latest elements of five sequences, whenever one of them delivers.
  public static func combineLatest<A, B, C, D, E>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>,
    resultSelector: @escaping (A, B, C, D, E) throws -> Element
  ) -> Observable<Element> { combineLatestAll(resultSelector, a, b, c, d, e) }

  /// Combines the latest elements of six sequences, whenever one of them delivers.
  public static func combineLatest<A, B, C, D, E, F>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>, _ f: some ObservableType<F>,
    resultSelector: @escaping (A, B, C, D, E, F) throws -> Element
  ) -> Observable<Element> { combineLatestAll(resultSelector, a, b, c, d, e, f) }

  /// Combines the latest elements of seven sequences, whenever one of them delivers.
  public static func combineLatest<A, B, C, D, E, F, G>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>, _ f: some ObservableType<F>,
    _ g: some ObservableType<G>, resultSelector: @escaping (A, B, C, D, E, F, G) throws -> Element
  ) -> Observable<Element> { combineLatestAll(resultSelector, a, b, c, d, e, f, g) }

  /// Combines the latest elements of eight sequences, whenever one of them delivers.
  public static func combineLatest<A, B, C, D, E, F, G, H>(
    _ a: some ObservableType<A>, _ b: some ObservableType<B>, _ c: some ObservableType<C>,
    _ d: some ObservableType<D>, _ e: some ObservableType<E>, _ f: some ObservableType<F>,
    _ g: some ObservableType<G>, _ h: some ObservableType<H>,
    resultSelector: @escaping (A, B, C, D, E, F, G, H) throws -> Element
  ) -> Observable<Element> { combineLatestAll(resultSelector, a, b, c, d, e, f, g, h) }
}
