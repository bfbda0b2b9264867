// SPDX-License-Identifier: Apache-2.0

// The async bridges are sanctioned crossings: the subscription is made, and its events arrive, where the source lives;
// only elements travel on.

extension ObservableConvertibleType {
  /// The elements as an asynchronous sequence; cancelling the task disposes the subscription.
  public var values: AsyncThrowingStream<Element, any Swift.Error> {
    AsyncThrowingStream { continuation in
      let subscription = asObservable().subscribe(
        onNext: { continuation.yield(Carried($0).element) },
        onError: { continuation.finish(throwing: $0) },
        onCompleted: { continuation.finish() }, onDisposed: { continuation.finish() })
      let handle = Carried(subscription)
      continuation.onTermination = { _ in handle.element.dispose() }
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
  fileprivate var infallibleValues: AsyncStream<Element> {
    AsyncStream { continuation in
      let subscription = subscribe(
        onNext: { continuation.yield(Carried($0).element) },
        onCompleted: { continuation.finish() }, onDisposed: { continuation.finish() })
      let handle = Carried(subscription)
      continuation.onTermination = { _ in handle.element.dispose() }
    }
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// The element, once it is there; cancelling the task disposes the subscription.
  public var value: Element {
    get async throws {
      try await firstValue(of: primitiveSequence.source).unwrapped(or: RxError.noElements)
    }
  }

  /// A single whose element an asynchronous closure makes.
  public static func create(
    detached: Bool = false, priority: TaskPriority? = nil,
    work: @Sendable @escaping () async throws -> Element
  ) -> Single<Element> {
    create(subscribe: { observer in
      let observer = Carried(observer)
      let finish: @Sendable () async -> Void = {
        do {
          let element = try await work()
          observer.element(.success(element))
        } catch { observer.element(.failure(error)) }
      }
      let task =
        detached
        ? Task.detached(priority: priority) { await finish() } : Task(priority: priority) { await finish() }
      return Disposables.create { task.cancel() }
    })
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// The element, or nil, once it is known; cancelling the task disposes the subscription.
  public var value: Element? {
    get async throws { try await firstValue(of: primitiveSequence.source) }
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Swift.Never {
  /// Returns when the work is done; cancelling the task disposes the subscription.
  public var value: Void {
    get async throws { _ = try await firstValue(of: primitiveSequence.source) }
  }
}

extension AsyncSequence where Self: SendableMetatype, AsyncIterator: SendableMetatype {
  /// The elements as an observable; disposing the subscription cancels the task that reads them.
  public func asObservable() -> Observable<Element> {
    let source = Carried(self)
    return .create { observer in
      let observer = Carried(observer)
      let task = Task {
        do {
          for try await element in source.element { observer.element.onNext(element) }
          observer.element.onCompleted()
        } catch { observer.element.onError(error) }
      }
      return Disposables.create { task.cancel() }
    }
  }
}

/// Carries a value over to another thread.
///
/// `@unchecked Sendable`: a bridge hands each value over whole, and uses it on one side at a time.
struct Carried<Value>: @unchecked Sendable {
  let element: Value

  init(_ element: Value) { self.element = element }
}

extension Optional {
  fileprivate func unwrapped(or error: RxError) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}

/// The first element of a sequence, nil if it ends without one.
private func firstValue<Element>(of source: Observable<Element>) async throws -> Element? {
  let request = FirstValue<Element>()
  let carried = await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in request.start(source, continuation) }
  } onCancel: {
    request.finish(.failure(CancellationError()))
  }
  return try carried.element.get()
}

/// Waits for a first element.
///
/// `@unchecked Sendable`: the lock guards what the source and a cancellation both touch.
private final class FirstValue<Element>: @unchecked Sendable {
  typealias Outcome = Result<Element?, any Swift.Error>

  private let lock = Lock()
  private var continuation: CheckedContinuation<Carried<Outcome>, Never>?
  private var outcome: Outcome?
  private let subscription = SingleAssignmentDisposable()

  func start(_ source: Observable<Element>, _ continuation: CheckedContinuation<Carried<Outcome>, Never>) {
    let early = lock.with {
      if outcome == nil { self.continuation = continuation }
      return outcome
    }
    if let early { return continuation.resume(returning: Carried(early)) }
    subscription.setDisposable(
      source.subscribe(
        onNext: { self.finish(.success($0)) }, onError: { self.finish(.failure($0)) },
        onCompleted: { self.finish(.success(nil)) }))
  }

  func finish(_ outcome: Outcome) {
    let waiting = lock.with {
      if self.outcome == nil { self.outcome = outcome }
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(returning: Carried(outcome))
    subscription.dispose()
  }
}
