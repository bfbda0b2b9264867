// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Calls closures beside the sequence, before and after each event passes.
  ///
  /// - Parameters:
  ///   - onNext: Before an element passes; what it throws ends the sequence.
  ///   - afterNext: After an element has passed; what it throws ends the sequence.
  ///   - onError: Before an error passes; what it throws replaces the error.
  ///   - afterError: After an error has passed.
  ///   - onCompleted: Before the end passes; what it throws replaces the end.
  ///   - afterCompleted: After the end has passed.
  ///   - onSubscribe: Before the source is subscribed to.
  ///   - onSubscribed: After the source was subscribed to.
  ///   - onDispose: After the subscription ended, for whatever reason.
  /// - Returns: The same sequence.
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onError: ((any Swift.Error) throws -> Void)? = nil, afterError: ((any Swift.Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Observable<Element> {
    Do(
      asObservable(),
      SideEffects(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
        onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
        onSubscribed: onSubscribed, onDispose: onDispose))
  }
}

private struct SideEffects<Element> {
  let onNext: ((Element) throws -> Void)?
  let afterNext: ((Element) throws -> Void)?
  let onError: ((any Swift.Error) throws -> Void)?
  let afterError: ((any Swift.Error) throws -> Void)?
  let onCompleted: (() throws -> Void)?
  let afterCompleted: (() throws -> Void)?
  let onSubscribe: (() -> Void)?
  let onSubscribed: (() -> Void)?
  let onDispose: (() -> Void)?
}

private final class Do<Element>: Producer<Element> {
  private let source: Observable<Element>
  let effects: SideEffects<Element>

  init(_ source: Observable<Element>, _ effects: SideEffects<Element>) {
    self.source = source
    self.effects = effects
  }

  override func run(_ consumer: Consumer<Element>) {
    effects.onSubscribe?()
    DoSink(consumer, self).connect(source)
    effects.onSubscribed?()
  }
}

private final class DoSink<Element>: Sink<Element, Element> {
  private let parent: Do<Element>

  init(_ downstream: Consumer<Element>, _ parent: Do<Element>) {
    self.parent = parent
    super.init(downstream)
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    do {
      try parent.effects.onNext?(element)
      downstream.next(element)
      try parent.effects.afterNext?(element)
    } catch { finish(error) }
  }

  override func error(_ error: any Error) {
    if isDisposed { return }
    do {
      try parent.effects.onError?(error)
      downstream.error(error)
      try parent.effects.afterError?(error)
      dispose()
    } catch { finish(error) }
  }

  override func completed() {
    if isDisposed { return }
    do {
      try parent.effects.onCompleted?()
      downstream.completed()
      try parent.effects.afterCompleted?()
      dispose()
    } catch { finish(error) }
  }

  override func dispose() {
    guard !isDisposed else { return }
    super.dispose()
    parent.effects.onDispose?()
  }
}
