// SPDX-License-Identifier: Apache-2.0

// What each of these does is told at the operator of the same name on `ObservableType`.

extension PrimitiveSequence {
  /// A sequence that is made when somebody subscribes.
  public static func deferred(
    _ observableFactory: @escaping () throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .deferred { try observableFactory().source })
  }

  /// Observes on a scheduler.
  public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.observe(on: scheduler))
  }

  /// Subscribes on a scheduler.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.subscribe(on: scheduler))
  }

  /// Goes on with another sequence after an error.
  public func `catch`(
    _ handler: @escaping (any Swift.Error) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> { PrimitiveSequence(raw: source.catch { try handler($0).source }) }

  /// Subscribes anew after an error, up to a number of attempts.
  public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(maxAttemptCount))
  }

  /// Subscribes anew after every error.
  public func retry() -> PrimitiveSequence<Trait, Element> { PrimitiveSequence(raw: source.retry()) }

  /// Subscribes anew after an error of one type, when a sequence made from the errors says so.
  public func retry<TriggerObservable: ObservableType, Failure: Swift.Error>(
    when notificationHandler: @escaping (Observable<Failure>) -> TriggerObservable
  ) -> PrimitiveSequence<Trait, Element> { PrimitiveSequence(raw: source.retry(when: notificationHandler)) }

  /// Subscribes anew after an error, when a sequence made from the errors says so.
  public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping (Observable<any Swift.Error>) -> TriggerObservable
  ) -> PrimitiveSequence<Trait, Element> { PrimitiveSequence(raw: source.retry(when: notificationHandler)) }

  /// Prints every event.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(
      raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// A sequence that needs a resource, which is disposed with the subscription.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping () throws -> Resource,
    primitiveSequenceFactory: @escaping (Resource) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(
      raw: .using(resourceFactory) { try primitiveSequenceFactory($0).source })
  }

  /// Follows the sequence that delivers anything first.
  public func amb(_ other: PrimitiveSequence<Trait, Element>) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.amb(other.source))
  }
}
