// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Calls closures beside the sequence, before and after each event passes.
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onError: ((any Swift.Error) throws -> Void)? = nil, afterError: ((any Swift.Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Observable<Element> {
    let source = asObservable()
    let before = handler(onNext, onError, onCompleted)
    let after = handler(afterNext, afterError, afterCompleted)
    return AnonymousProducer { consumer in
      onSubscribe?()
      DoSink(consumer, before, after, onDispose).start(source, onSubscribed)
    }
  }
}

/// Calls the closure for an event, if there is one.
private func handler<Element>(
  _ onNext: ((Element) throws -> Void)?, _ onError: ((any Swift.Error) throws -> Void)?,
  _ onCompleted: (() throws -> Void)?
) -> (Event<Element>) throws -> Void {
  { event in
    switch event {
    case .next(let element): try onNext?(element)
    case .error(let error): try onError?(error)
    case .completed: try onCompleted?()
    }
  }
}

private final class DoSink<Element>: Sink<Element, Element> {
  private let before: (Event<Element>) throws -> Void
  private let after: (Event<Element>) throws -> Void
  private let onDispose: (() -> Void)?
  private var isStarting = true

  init(
    _ downstream: Consumer<Element>, _ before: @escaping (Event<Element>) throws -> Void,
    _ after: @escaping (Event<Element>) throws -> Void, _ onDispose: (() -> Void)?
  ) {
    self.before = before
    self.after = after
    self.onDispose = onDispose
    super.init(downstream)
  }

  func start(_ source: Observable<Element>, _ onSubscribed: (() -> Void)?) {
    connect(source)
    onSubscribed?()
    isStarting = false
    if isDisposed { onDispose?() }
  }

  override func next(_ element: Element) { pass(.next(element)) }
  override func error(_ error: any Error) { pass(.error(error)) }
  override func completed() { pass(.completed) }

  private func pass(_ event: Event<Element>) {
    if isDisposed { return }
    do {
      try before(event)
      downstream.on(event)
      try after(event)
      if event.isStopEvent { dispose() }
    } catch { finish(error) }
  }

  override func disposed() {
    if !isStarting { onDispose?() }
  }
}
