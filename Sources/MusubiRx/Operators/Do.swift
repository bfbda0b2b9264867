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
    let effects = SideEffects(
      onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
      onCompleted: onCompleted, afterCompleted: afterCompleted, onDispose: onDispose)
    return Weave { consumer in
      onSubscribe?()
      DoSink(consumer, effects).start(source, onSubscribed)
    }
  }
}

private struct SideEffects<Element> {
  let onNext: ((Element) throws -> Void)?
  let afterNext: ((Element) throws -> Void)?
  let onError: ((any Swift.Error) throws -> Void)?
  let afterError: ((any Swift.Error) throws -> Void)?
  let onCompleted: (() throws -> Void)?
  let afterCompleted: (() throws -> Void)?
  let onDispose: (() -> Void)?
}

private final class DoSink<Element>: Sink<Element, Element> {
  private let effects: SideEffects<Element>
  private var isStarting = true

  init(_ downstream: Consumer<Element>, _ effects: SideEffects<Element>) {
    self.effects = effects
    super.init(downstream)
  }

  func start(_ source: Observable<Element>, _ onSubscribed: (() -> Void)?) {
    connect(source)
    onSubscribed?()
    isStarting = false
    if isDisposed { effects.onDispose?() }
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    do {
      try effects.onNext?(element)
      downstream.next(element)
      try effects.afterNext?(element)
    } catch { finish(error) }
  }

  override func error(_ error: any Error) {
    if isDisposed { return }
    do {
      try effects.onError?(error)
      downstream.error(error)
      try effects.afterError?(error)
      dispose()
    } catch { finish(error) }
  }

  override func completed() {
    if isDisposed { return }
    do {
      try effects.onCompleted?()
      downstream.completed()
      try effects.afterCompleted?()
      dispose()
    } catch { finish(error) }
  }

  override func disposed() {
    if !isStarting { effects.onDispose?() }
  }
}
