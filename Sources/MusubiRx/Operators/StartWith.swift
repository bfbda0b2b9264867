// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Puts elements in front of the sequence.
  public func startWith(_ elements: Element...) -> Observable<Element> {
    let source = asObservable()
    return AnonymousProducer { consumer in
      for element in elements { consumer.next(element) }
      source.subscribe(consumer: consumer)
    }
  }
}
