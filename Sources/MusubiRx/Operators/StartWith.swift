// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Puts elements in front of the sequence.
  ///
  /// - Parameter elements: What every observer gets first.
  /// - Returns: The elements, then the sequence.
  public func startWith(_ elements: Element...) -> Observable<Element> {
    StartWith(asObservable(), elements)
  }
}

private final class StartWith<Element>: Producer<Element> {
  private let source: Observable<Element>
  private let elements: [Element]

  init(_ source: Observable<Element>, _ elements: [Element]) {
    self.source = source
    self.elements = elements
  }

  override func run(_ consumer: Consumer<Element>) {
    for element in elements { consumer.next(element) }
    source.subscribe(consumer: consumer)
  }
}
