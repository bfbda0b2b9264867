// SPDX-License-Identifier: Apache-2.0

// One overload for each number of sources. A parameter pack alone would do, but the compiler does not solve a closure
// such as { $0 + $1 + $2 + $3 + $4 } behind a pack in reasonable time, and a pack costs about a microsecond an event.

extension ObservableType {
  /// Combines the latest of the elements of five sequences, whenever one of them delivers.
  public static func combineLatest<
    First: ObservableType, Second: ObservableType, Third: ObservableType, Fourth: ObservableType,
    Fifth: ObservableType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth, _ fifth: Fifth,
    resultSelector:
      @escaping (First.Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element) throws ->
      Element
  ) -> Observable<Element> {
    let (first, second, third, fourth, fifth) = (
      first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable(),
      fifth.asObservable()
    )
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (
        LatestCell(join, first), LatestCell(join, second), LatestCell(join, third), LatestCell(join, fourth),
        LatestCell(join, fifth)
      )
      return {
        try resultSelector(
          cells.0.current, cells.1.current, cells.2.current, cells.3.current, cells.4.current)
      }
    }
  }

  /// Combines the latest of the elements of six sequences, whenever one of them delivers.
  public static func combineLatest<
    First: ObservableType, Second: ObservableType, Third: ObservableType, Fourth: ObservableType,
    Fifth: ObservableType, Sixth: ObservableType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth, _ fifth: Fifth, _ sixth: Sixth,
    resultSelector:
      @escaping (First.Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element, Sixth.Element)
      throws -> Element
  ) -> Observable<Element> {
    let (first, second, third, fourth, fifth, sixth) = (
      first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable(),
      fifth.asObservable(), sixth.asObservable()
    )
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (
        LatestCell(join, first), LatestCell(join, second), LatestCell(join, third), LatestCell(join, fourth),
        LatestCell(join, fifth), LatestCell(join, sixth)
      )
      return {
        try resultSelector(
          cells.0.current, cells.1.current, cells.2.current, cells.3.current, cells.4.current, cells.5.current
        )
      }
    }
  }

  /// Combines the latest of the elements of seven sequences, whenever one of them delivers.
  public static func combineLatest<
    First: ObservableType, Second: ObservableType, Third: ObservableType, Fourth: ObservableType,
    Fifth: ObservableType, Sixth: ObservableType, Seventh: ObservableType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth, _ fifth: Fifth, _ sixth: Sixth,
    _ seventh: Seventh,
    resultSelector:
      @escaping (
        First.Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element, Sixth.Element,
        Seventh.Element
      ) throws -> Element
  ) -> Observable<Element> {
    let (first, second, third, fourth, fifth, sixth, seventh) = (
      first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable(),
      fifth.asObservable(), sixth.asObservable(), seventh.asObservable()
    )
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (
        LatestCell(join, first), LatestCell(join, second), LatestCell(join, third), LatestCell(join, fourth),
        LatestCell(join, fifth), LatestCell(join, sixth), LatestCell(join, seventh)
      )
      return {
        try resultSelector(
          cells.0.current, cells.1.current, cells.2.current, cells.3.current, cells.4.current,
          cells.5.current, cells.6.current)
      }
    }
  }

  /// Combines the latest of the elements of eight sequences, whenever one of them delivers.
  public static func combineLatest<
    First: ObservableType, Second: ObservableType, Third: ObservableType, Fourth: ObservableType,
    Fifth: ObservableType, Sixth: ObservableType, Seventh: ObservableType, Eighth: ObservableType
  >(
    _ first: First, _ second: Second, _ third: Third, _ fourth: Fourth, _ fifth: Fifth, _ sixth: Sixth,
    _ seventh: Seventh, _ eighth: Eighth,
    resultSelector:
      @escaping (
        First.Element, Second.Element, Third.Element, Fourth.Element, Fifth.Element, Sixth.Element,
        Seventh.Element, Eighth.Element
      ) throws -> Element
  ) -> Observable<Element> {
    let (first, second, third, fourth, fifth, sixth, seventh, eighth) = (
      first.asObservable(), second.asObservable(), third.asObservable(), fourth.asObservable(),
      fifth.asObservable(), sixth.asObservable(), seventh.asObservable(), eighth.asObservable()
    )
    return JoinProducer(deliversIfEmpty: false) { join in
      let cells = (
        LatestCell(join, first), LatestCell(join, second), LatestCell(join, third), LatestCell(join, fourth),
        LatestCell(join, fifth), LatestCell(join, sixth), LatestCell(join, seventh), LatestCell(join, eighth)
      )
      return {
        try resultSelector(
          cells.0.current, cells.1.current, cells.2.current, cells.3.current, cells.4.current,
          cells.5.current, cells.6.current, cells.7.current)
      }
    }
  }
}
