// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Lets through the elements that satisfy a predicate.
  public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    passing { element, downstream in
      if try predicate(element) { downstream.next(element) }
    }
  }

  /// Lets no element through, only the end.
  public func ignoreElements() -> Observable<Swift.Never> { end() }

  /// The end of this sequence as that of a sequence of another type.
  func end<Other>(as type: Other.Type = Other.self) -> Observable<Other> { stage { Steps { _, _ in } } }
}
