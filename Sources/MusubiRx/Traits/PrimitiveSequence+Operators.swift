// SPDX-License-Identifier: Apache-2.0

// The operator of the same name on `ObservableType` tells what each of these does.

extension PrimitiveSequence {
  /// A sequence that is made when somebody subscribes.
  public static func deferred(
    _ observableFactory: @escaping () throws -> Self
  ) -> Self { Self(raw: .deferred { try observableFactory().source }) }

  /// Observes on a scheduler.
  public func observe(on scheduler: any ImmediateSchedulerType) -> Self {
    Self(raw: source.observe(on: scheduler))
  }

  /// Subscribes on a scheduler.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Self {
    Self(raw: source.subscribe(on: scheduler))
  }

  /// Goes on with another sequence after an error.
  public func `catch`(
    _ handler: @escaping (any Swift.Error) throws -> Self
  ) -> Self { Self(raw: source.catch { try handler($0).source }) }

  /// Subscribes again after an error, up to a number of attempts.
  public func retry(_ maxAttemptCount: Int) -> Self { Self(raw: source.retry(maxAttemptCount)) }

  /// Subscribes again after every error.
  public func retry() -> Self { Self(raw: source.retry()) }

  /// Subscribes again after an error of one type, when a sequence made from the errors says so.
  public func retry<TriggerObservable: ObservableType, Failure: Swift.Error>(
    when notificationHandler: @escaping (Observable<Failure>) -> TriggerObservable
  ) -> Self { Self(raw: source.retry(when: notificationHandler)) }

  /// Subscribes again after an error, when a sequence made from the errors says so.
  public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping (Observable<any Swift.Error>) -> TriggerObservable
  ) -> Self { Self(raw: source.retry(when: notificationHandler)) }

  /// Prints every event.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Self {
    Self(raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// A sequence that needs a resource, which is disposed with the subscription.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping () throws -> Resource,
    primitiveSequenceFactory: @escaping (Resource) throws -> Self
  ) -> Self { Self(raw: .using(resourceFactory) { try primitiveSequenceFactory($0).source }) }

  /// Follows the sequence that delivers anything first.
  public func amb(_ other: Self) -> Self { Self(raw: source.amb(other.source)) }
}

extension PrimitiveSequenceType {
  /// A sequence that fails.
  public static func error(_ error: any Swift.Error) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .error(error))
  }

  /// A sequence that never ends.
  public static func never() -> PrimitiveSequence<Trait, Element> { PrimitiveSequence(raw: .never()) }

  /// The same sequence, as a maybe.
  public func asMaybe() -> Maybe<Element> { Maybe(raw: primitiveSequence.source) }
}

extension PrimitiveSequenceType where Trait: ElementTrait {
  /// A sequence of one element.
  public static func just(_ element: Element) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .just(element))
  }

  /// A sequence of one element, delivered by a scheduler.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> PrimitiveSequence<Trait, Element> { PrimitiveSequence(raw: .just(element, scheduler: scheduler)) }

  /// Transforms the element.
  public func map<Result>(
    _ transform: @escaping (Element) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> { PrimitiveSequence(raw: primitiveSequence.source.map(transform)) }

  /// Lets the element through if it satisfies a predicate.
  public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.filter(predicate))
  }

  /// Transforms the element; nil makes an empty sequence.
  public func compactMap<Result>(_ transform: @escaping (Element) throws -> Result?) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.compactMap(transform))
  }

  /// Delivers an element instead of failing.
  public func catchAndReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: primitiveSequence.source.catchAndReturn(element))
  }

  /// The same sequence without its element.
  public func asCompletable() -> Completable { primitiveSequence.source.ignoreElements().asCompletable() }
}

// Two or more sequences, by a parameter pack.

extension PrimitiveSequenceType where Trait: ElementTrait {
  /// Pairs the elements of several sequences of this kind.
  public static func zip<each Value>(
    _ source: repeat PrimitiveSequence<Trait, each Value>,
    resultSelector: @escaping (repeat each Value) throws -> Element
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .zip(repeat (each source).source, resultSelector: resultSelector))
  }
}

extension PrimitiveSequenceType where Trait: ElementTrait, Element == Any {
  /// Pairs the elements of several sequences of this kind into a tuple.
  public static func zip<each Value>(
    _ source: repeat PrimitiveSequence<Trait, each Value>
  ) -> PrimitiveSequence<Trait, (repeat each Value)> {
    PrimitiveSequence<Trait, (repeat each Value)>(raw: Observable.zip(repeat (each source).source))
  }
}
