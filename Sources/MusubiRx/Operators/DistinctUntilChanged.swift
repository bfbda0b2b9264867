// SPDX-License-Identifier: Apache-2.0

extension ObservableType where Element: Equatable {
  /// Drops elements that equal the one before.
  @inlinable public func distinctUntilChanged() -> Observable<Element> { distinctUntilChanged { $0 == $1 } }
}

extension ObservableType {
  /// Drops elements whose key equals that of the one before.
  public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) throws -> Key
  ) -> Observable<Element> { distinctUntilChanged(keySelector, comparer: { $0 == $1 }) }

  /// Drops elements that count as equal to the one before.
  public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) throws -> Bool
  ) -> Observable<Element> { distinctUntilChanged({ $0 }, comparer: comparer) }

  /// Drops elements whose key counts as equal to that of the one before.
  public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) throws -> Key, comparer: @escaping (Key, Key) throws -> Bool
  ) -> Observable<Element> { Staged(asObservable()) { DistinctSink($0, keySelector, comparer) } }

  /// Drops elements whose property equals that of the one before.
  public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> Observable<Element> { distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] } }
}

private final class DistinctSink<Element, Key>: Sink<Element, Element> {
  private let key: (Element) throws -> Key
  private let areEqual: (Key, Key) throws -> Bool
  private let last = Cell<Key>()

  init(
    _ downstream: Consumer<Element>, _ key: @escaping (Element) throws -> Key,
    _ areEqual: @escaping (Key, Key) throws -> Bool
  ) {
    self.key = key
    self.areEqual = areEqual
    super.init(downstream)
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    do {
      let new = try key(element)
      if !last.isEmpty, try areEqual(last.value, new) { return }
      last.set(new)
    } catch { return finish(error) }
    downstream.next(element)
  }
}
