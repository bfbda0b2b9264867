// SPDX-License-Identifier: Apache-2.0

// What each of these does is told at the operator of the same name on `ObservableType`.

extension InfallibleType {
  /// Subscribes closures that get an object along, as long as it lives.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures to elements, end and disposal.
  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes a closure to all events.
  public func subscribe(_ on: @escaping (Event<Element>) -> Void) -> any Disposable {
    asObservable().subscribe(on)
  }

  /// Passes every event on to observers.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element {
    asObservable().subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Passes every event on to observers of the optional type.
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? {
    asObservable().subscribe { event in for observer in observers { observer.on(event.map { $0 }) } }
  }

  /// Hands the sequence to a function that subscribes.
  public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// Subscribes a closure to the elements.
  public func bind(onNext: @escaping (Element) -> Void) -> any Disposable {
    asObservable().subscribe(onNext: onNext)
  }

  /// Passes every element on to relays.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Passes every element on to relays of the optional type.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable
  where Relay.Element == Element? {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Transforms each element.
  public func map<Result>(_ transform: @escaping (Element) -> Result) -> Infallible<Result> {
    Infallible<Result>(asObservable().map(transform))
  }

  /// Transforms each element and drops those that become nil.
  public func compactMap<Result>(_ transform: @escaping (Element) -> Result?) -> Infallible<Result> {
    Infallible<Result>(asObservable().compactMap(transform))
  }

  /// Lets through the elements that satisfy a predicate.
  public func filter(_ predicate: @escaping (Element) -> Bool) -> Infallible<Element> {
    Infallible(asObservable().filter(predicate))
  }

  /// Drops elements whose key equals that of the one before.
  public func distinctUntilChanged<Key: Equatable>(_ keySelector: @escaping (Element) throws -> Key)
    -> Infallible<Element>
  {
    Infallible(asObservable().distinctUntilChanged(keySelector))
  }

  /// Drops elements that count as equal to the one before.
  public func distinctUntilChanged(_ comparer: @escaping (Element, Element) throws -> Bool) -> Infallible<
    Element
  > {
    Infallible(asObservable().distinctUntilChanged(comparer))
  }

  /// Drops elements whose key counts as equal to that of the one before.
  public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) throws -> Key, comparer: @escaping (Key, Key) throws -> Bool
  ) -> Infallible<Element> {
    Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Makes a sequence for each element, and mixes what all of them deliver.
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible<Source.Element>(asObservable().flatMap(selector))
  }

  /// Makes a sequence for each element, and follows the newest only.
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible<Source.Element>(asObservable().flatMapLatest(selector))
  }

  /// Makes a sequence for an element, and ignores further elements until it has ended.
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible<Source.Element>(asObservable().flatMapFirst(selector))
  }

  /// Makes a sequence for each element, and delivers them one after the other.
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible<Source.Element>(asObservable().concatMap(selector))
  }

  /// Goes on with a second sequence after the end of this one.
  public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
  where Source.Element == Element {
    Infallible(Observable.concat([asObservable(), second.asObservable()]))
  }

  /// Folds the elements, and delivers each intermediate result.
  public func scan<Result>(
    _ seed: Result, accumulator: @escaping (Result, Element) -> Result
  ) -> Infallible<Result> {
    Infallible<Result>(asObservable().scan(seed, accumulator: accumulator))
  }

  /// Folds the elements in place, and delivers each intermediate result.
  public func scan<Result>(
    into seed: Result, accumulator: @escaping (inout Result, Element) -> Void
  ) -> Infallible<Result> {
    Infallible<Result>(asObservable().scan(into: seed, accumulator: accumulator))
  }

  /// Puts an element in front of the sequence.
  public func startWith(_ initial: Element) -> Infallible<Element> {
    Infallible(asObservable().startWith(initial))
  }

  /// Delivers the first elements, then ends.
  public func take(_ count: Int) -> Infallible<Element> {
    Infallible(asObservable().take(count))
  }

  /// Delivers elements until another sequence delivers.
  public func take<Source: InfallibleType>(until other: Source) -> Infallible<Element> {
    Infallible(asObservable().take(until: other.asObservable()))
  }

  /// Delivers elements until one does not satisfy a predicate.
  public func take(
    while predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(asObservable().take(while: predicate, behavior: behavior))
  }

  /// Delivers elements until one satisfies a predicate.
  public func take(
    until predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Infallible<Element> {
    Infallible(asObservable().take(until: predicate, behavior: behavior))
  }

  /// Delivers the last elements when the sequence has ended.
  public func takeLast(_ count: Int) -> Infallible<Element> {
    Infallible(asObservable().takeLast(count))
  }

  /// Drops the first elements.
  public func skip(_ count: Int) -> Infallible<Element> {
    Infallible(asObservable().skip(count))
  }

  /// Drops elements until one does not satisfy a predicate.
  public func skip(while predicate: @escaping (Element) throws -> Bool) -> Infallible<Element> {
    Infallible(asObservable().skip(while: predicate))
  }

  /// Drops elements until another sequence delivers.
  public func skip<Source: ObservableType>(until other: Source) -> Infallible<Element> {
    Infallible(asObservable().skip(until: other))
  }

  /// Shares one subscription among all observers.
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(asObservable().share(replay: replay, scope: scope))
  }

  /// Observes on a scheduler.
  public func observe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(asObservable().observe(on: scheduler))
  }

  /// Subscribes on a scheduler.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
    Infallible(asObservable().subscribe(on: scheduler))
  }

  /// Combines each element with the latest one of a second sequence.
  public func withLatestFrom<Source: InfallibleType, Result>(
    _ second: Source, resultSelector: @escaping (Element, Source.Element) throws -> Result
  ) -> Infallible<Result> {
    Infallible<Result>(
      asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
  }

  /// Replaces each element by the latest one of a second sequence.
  public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
    Infallible<Source.Element>(asObservable().withLatestFrom(second.asObservable()))
  }

  /// Hands an object along with each element, as long as it lives.
  public func withUnretained<Object: AnyObject>(_ object: Object) -> Infallible<(Object, Element)> {
    Infallible<(Object, Element)>(asObservable().withUnretained(object))
  }

  /// Combines an object with each element, as long as it lives.
  public func withUnretained<Object: AnyObject, Result>(
    _ object: Object, resultSelector: @escaping (Object, Element) -> Result
  ) -> Infallible<Result> {
    Infallible<Result>(asObservable().withUnretained(object, resultSelector: resultSelector))
  }

  /// Calls closures beside the sequence.
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Infallible<Element> {
    Infallible(
      asObservable().do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// Prints every event.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Infallible<Element> {
    Infallible(
      asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// This sequence, as it does not fail already.
  public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }

  /// Subscribes a closure that gets an object along, as long as it lives.
  public func bind<Object: AnyObject>(
    with object: Object, onNext: @escaping (Object, Element) -> Void
  ) -> any Disposable { asObservable().bind(with: object, onNext: onNext) }
}

extension BehaviorRelay {
  /// The relay's elements; it cannot fail.
  public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}

extension PublishRelay {
  /// The relay's elements; it cannot fail.
  public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}

extension ReplayRelay {
  /// The relay's elements; it cannot fail.
  public func asInfallible() -> Infallible<Element> { Infallible(asObservable()) }
}

extension SharedSequence {
  /// The same elements; a shared sequence cannot fail.
  public func asInfallible() -> Infallible<Element> { Infallible(source) }
}

extension InfallibleType where Element: Equatable {
  /// Drops elements that equal the one before.
  public func distinctUntilChanged() -> Infallible<Element> {
    Infallible(asObservable().distinctUntilChanged())
  }
}
