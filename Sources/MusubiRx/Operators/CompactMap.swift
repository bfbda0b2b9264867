// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Transforms each element and drops those that become nil.
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Observable<Result> {
    // The optional is unwrapped where its type is known: in the stage, which is generic, each element would look up its
    // metadata.
    passing { element, downstream in
      if let result = try transform(element) { downstream.next(result) }
    }
  }

  /// A stage that hands over any number of results, at once, for each element.
  @usableFromInline func passing<Result>(
    _ pass: @escaping (Element, Consumer<Result>) throws -> Void
  ) -> Observable<Result> {
    Staged(asObservable()) { PassingSink($0, pass) }
  }
}

private final class PassingSink<Source, Result>: Sink<Source, Result> {
  private let pass: (Source, Consumer<Result>) throws -> Void

  init(_ downstream: Consumer<Result>, _ pass: @escaping (Source, Consumer<Result>) throws -> Void) {
    self.pass = pass
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    do { try pass(element, downstream) } catch { finish(error) }
  }
}
