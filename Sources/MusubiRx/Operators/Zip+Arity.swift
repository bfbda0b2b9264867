// SPDX-License-Identifier: Apache-2.0

// One overload for each number of sources. A parameter pack alone would do, but the compiler does not solve a closure
// such as { $0 + $1 + $2 + $3 + $4 } behind a pack in reasonable time, and a pack costs about a microsecond an event.

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
  public static func zip<
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
        ZipCell(join, first), ZipCell(join, second), ZipCell(join, third), ZipCell(join, fourth),
        ZipCell(join, fifth)
      )
      return {
        try resultSelector(cells.0.first, cells.1.first, cells.2.first, cells.3.first, cells.4.first)
      }
    }
  }

  /// Pairs the elements of six sequences by their position.
  public static func zip<
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
        ZipCell(join, first), ZipCell(join, second), ZipCell(join, third), ZipCell(join, fourth),
        ZipCell(join, fifth), ZipCell(join, sixth)
      )
      return {
        try resultSelector(
          cells.0.first, cells.1.first, cells.2.first, cells.3.first, cells.4.first, cells.5.first)
      }
    }
  }

  /// Pairs the elements of seven sequences by their position.
  public static func zip<
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
        ZipCell(join, first), ZipCell(join, second), ZipCell(join, third), ZipCell(join, fourth),
        ZipCell(join, fifth), ZipCell(join, sixth), ZipCell(join, seventh)
      )
      return {
        try resultSelector(
          cells.0.first, cells.1.first, cells.2.first, cells.3.first, cells.4.first, cells.5.first,
          cells.6.first)
      }
    }
  }

  /// Pairs the elements of eight sequences by their position.
  public static func zip<
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
        ZipCell(join, first), ZipCell(join, second), ZipCell(join, third), ZipCell(join, fourth),
        ZipCell(join, fifth), ZipCell(join, sixth), ZipCell(join, seventh), ZipCell(join, eighth)
      )
      return {
        try resultSelector(
          cells.0.first, cells.1.first, cells.2.first, cells.3.first, cells.4.first, cells.5.first,
          cells.6.first, cells.7.first)
      }
    }
  }
}
