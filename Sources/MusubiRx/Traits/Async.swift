// SPDX-License-Identifier: Apache-2.0

// The async bridges are asynchronous boundaries: the subscription is made, and its events arrive, where the source lives;
// only elements travel on.

extension ObservableConvertibleType {
  /// The elements as an asynchronous sequence; cancelling the task disposes the subscription.
  ///
  /// A task that is cancelled while it waits for an element gets a `CancellationError`. Any thread may leave: the
  /// subscription goes on the loop, or on the main thread, where it was made. If it was made elsewhere, a subject or
  /// another source that several share lets go of it at its next event.
  public var values: AsyncThrowingStream<Element, any Swift.Error> {
    AsyncThrowingStream { continuation in
      let dispose = connect(
        Leaf<Element>(
          { continuation.yield(Carried($0).element) }, { continuation.finish(throwing: $0) },
          { continuation.finish() }),
        to: asObservable())
      continuation.onTermination = { _ in
        // After another end this one counts for nothing.
        continuation.finish(throwing: CancellationError())
        dispose()
      }
    }
  }
}

extension SharedSequence {
  /// The elements as an asynchronous sequence; cancelling the task disposes the subscription.
  public var values: AsyncStream<Element> { source.infallibleValues }
}

extension InfallibleType {
  /// The elements as an asynchronous sequence; cancelling the task disposes the subscription.
  public var values: AsyncStream<Element> { asObservable().infallibleValues }
}

extension Observable {
  /// The first element, nil if the sequence ends without one.
  fileprivate var firstValue: Element? {
    get async throws {
      for try await element in values { return element }
      return nil
    }
  }

  fileprivate var infallibleValues: AsyncStream<Element> {
    AsyncStream { continuation in
      let dispose = connect(
        Leaf<Element>({ continuation.yield(Carried($0).element) }, nil, { continuation.finish() }), to: self)
      continuation.onTermination = { _ in dispose() }
    }
  }
}

/// Subscribes a leaf.
///
/// - Returns: Disposes of it, on whichever thread that is called.
private func connect<Element>(_ leaf: Leaf<Element>, to source: Observable<Element>) -> @Sendable () -> Void {
  let handle = Carried((home: Home.current, leaf: leaf))
  handle.element.home.subscribe(leaf, to: source)
  return { handle.element.home.dispose(handle.element.leaf) }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// The element, once it is there; cancelling the task disposes the subscription.
  public var value: Element {
    get async throws {
      guard let element = try await primitiveSequence.source.firstValue else { throw RxError.noElements }
      return element
    }
  }

  /// A single whose element an asynchronous closure makes.
  ///
  /// The element comes on the thread where the closure ends; `observe(on: MainScheduler.instance)` brings it back.
  public static func create(
    detached: Bool = false, priority: TaskPriority? = nil,
    work: @Sendable @escaping () async throws -> Element
  ) -> Single<Element> {
    let source: Observable<Element> = created(isAsynchronous: true) { observer in
      let observer = Carried(observer)
      let finish: @Sendable () async -> Void = {
        do {
          let element = try await work()
          observer.element.onNext(element)
          observer.element.onCompleted()
        } catch { observer.element.onError(error) }
      }
      let task =
        detached
        ? Task.detached(priority: priority) { await finish() } : Task(priority: priority) { await finish() }
      return Disposables.create { task.cancel() }
    }
    return Single(raw: source)
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// The element, or nil, once it is known; cancelling the task disposes the subscription.
  public var value: Element? {
    get async throws { try await primitiveSequence.source.firstValue }
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Swift.Never {
  /// Returns when the work is done; cancelling the task disposes the subscription.
  public var value: Void {
    get async throws { _ = try await primitiveSequence.source.firstValue }
  }
}

extension AsyncSequence where Self: SendableMetatype, AsyncIterator: SendableMetatype {
  /// The elements as an observable; disposing the subscription cancels the task that reads them.
  ///
  /// A `CancellationError` ends the observable like the end of the sequence.
  ///
  /// - Parameter priority: That of the task; nil for that of the subscriber.
  /// - Returns: The observable; each subscription reads the sequence from its start.
  public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
    let source = Carried(self)
    return created(isAsynchronous: true) { observer in
      let observer = Carried(observer)
      let task = Task(priority: priority) {
        do {
          for try await element in source.element { observer.element.onNext(element) }
          observer.element.onCompleted()
        } catch is CancellationError {
          observer.element.onCompleted()
        } catch { observer.element.onError(error) }
      }
      return Disposables.create { task.cancel() }
    }
  }
}
