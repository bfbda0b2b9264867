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
  ) -> Observable<Element> { Distinct(asObservable(), comparer) }

  /// Drops elements whose key counts as equal to that of the one before.
  public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) throws -> Key, comparer: @escaping (Key, Key) throws -> Bool
  ) -> Observable<Element> { Staged(asObservable()) { DistinctKeySink($0, keySelector, comparer) } }

  /// Drops elements whose property equals that of the one before.
  public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> Observable<Element> { distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] } }
}

private final class Distinct<Element>: Producer<Element> {
  private let source: Observable<Element>
  private let areEqual: (Element, Element) throws -> Bool

  init(_ source: Observable<Element>, _ areEqual: @escaping (Element, Element) throws -> Bool) {
    self.source = source
    self.areEqual = areEqual
  }

  override func run(_ consumer: Consumer<Element>) { DistinctSink(consumer, areEqual).connect(source) }
}

private final class DistinctSink<Element>: Sink<Element, Element> {
  private let areEqual: (Element, Element) throws -> Bool
  @exclusivity(unchecked) private var last = Cell<Element>()

  init(_ downstream: Consumer<Element>, _ areEqual: @escaping (Element, Element) throws -> Bool) {
    self.areEqual = areEqual
    super.init(downstream)
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    do {
      if !last.isEmpty, try areEqual(last.value, element) { return }
    } catch { return finish(error) }
    last.set(element)
    downstream.next(element)
  }
}

private final class DistinctKeySink<Element, Key>: Sink<Element, Element> {
  private let key: (Element) throws -> Key
  private let areEqual: (Key, Key) throws -> Bool
  @exclusivity(unchecked) private var last = Cell<Key>()

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
