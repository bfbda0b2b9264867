// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Goes on with another sequence after an error.
  public func `catch`(
    _ handler: @escaping (any Swift.Error) throws -> Observable<Element>
  ) -> Observable<Element> { Staged(asObservable()) { CatchSink($0, handler) } }

  /// Delivers an element and ends instead of failing.
  public func catchAndReturn(_ element: Element) -> Observable<Element> { `catch` { _ in .just(element) } }
}

private final class CatchSink<Element>: Sink<Element, Element> {
  private let handler: (any Swift.Error) throws -> Observable<Element>

  init(_ downstream: Consumer<Element>, _ handler: @escaping (any Swift.Error) throws -> Observable<Element>)
  {
    self.handler = handler
    super.init(downstream)
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if isDisposed { return }
    let other: Observable<Element>
    do { other = try handler(error) } catch { return finish(error) }
    // The downstream consumer moves over to the other sequence; this sink is done.
    let rest = PassThrough(downstream)
    downstream.attach(to: rest)
    dispose()
    other.subscribe(consumer: rest)
  }
}
