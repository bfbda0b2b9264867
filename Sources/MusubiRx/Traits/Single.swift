// SPDX-License-Identifier: Apache-2.0

/// The promise of exactly one element or one error.
public enum SingleTrait: ElementTrait {}

/// A request: exactly one element, or one error.
///
///     let price: Single<Int> = .create { try await shop.price(of: "tea") }
///     price.observe(on: MainScheduler.instance)
///       .subscribe(onSuccess: { print($0) }, onFailure: { print("no price: \($0)") }).disposed(by: bag)
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// The end of a `Single`.
public typealias SingleEvent<Element> = Result<Element, any Swift.Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Takes the end of a single.
  public typealias SingleObserver = (SingleEvent<Element>) -> Void

  /// A single that a closure makes for every observer.
  public static func create(
    subscribe: @escaping (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    Single(
      raw: .create { observer in
        subscribe { event in
          switch event {
          case .success(let element):
            observer.onNext(element)
            observer.onCompleted()
          case .failure(let error): observer.onError(error)
          }
        }
      })
  }

  /// Subscribes a closure to what the single ends with.
  public func subscribe(_ observer: @escaping (SingleEvent<Element>) -> Void) -> any Disposable {
    var hasStopped = false
    return primitiveSequence.asObservable().subscribe { event in
      if hasStopped { return }
      hasStopped = true
      switch event {
      case .next(let element): observer(.success(element))
      case .error(let error): observer(.failure(error))
      case .completed: preconditionFailure("A Single ended without an element.")
      }
    }
  }

  /// Subscribes closures to success and failure.
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onFailure: ((any Swift.Error) -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribe(
      onNext: onSuccess ?? { _ in }, onError: onFailure ?? { UnhandledErrors.report($0) },
      onDisposed: onDisposed)
  }

  /// Makes another single from the element.
  public func flatMap<Result>(
    _ selector: @escaping (Element) throws -> Single<Result>
  ) -> Single<Result> { Single(raw: primitiveSequence.source.flatMap(selector)) }

  /// Subscribes closures that get an object along, as long as it lives.
  public func subscribe<Object: AnyObject>(
    with object: Object, onSuccess: ((Object, Element) -> Void)? = nil,
    onFailure: ((Object, any Swift.Error) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: bindWeakly(object, onSuccess), onFailure: bindWeakly(object, onFailure),
      onDisposed: bindWeakly(object, onDisposed))
  }

  /// Calls closures beside the sequence.
  public func `do`(
    onSuccess: ((Element) throws -> Void)? = nil, afterSuccess: ((Element) throws -> Void)? = nil,
    onError: ((any Swift.Error) throws -> Void)? = nil, afterError: ((any Swift.Error) throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Single<Element> {
    Single(
      raw: primitiveSequence.source.do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// Makes a maybe from the element.
  public func flatMapMaybe<Result>(
    _ selector: @escaping (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> { Maybe(raw: primitiveSequence.source.flatMap(selector)) }

  /// Makes a completable from the element.
  public func flatMapCompletable(
    _ selector: @escaping (Element) throws -> Completable
  ) -> Completable { Completable(raw: primitiveSequence.source.flatMap(selector)) }

  /// Pairs the elements of a collection of singles.
  public static func zip<Sources: Collection, Result>(
    _ collection: Sources, resultSelector: @escaping ([Element]) throws -> Result
  ) -> Single<Result> where Sources.Element == Single<Element> {
    if collection.isEmpty {
      return Single<[Element]>.just([]).map(resultSelector)
    }
    return Single<Result>(
      raw: Observable.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// Collects the elements of a collection of singles.
  public static func zip<Sources: Collection>(_ collection: Sources) -> Single<[Element]>
  where Sources.Element == Single<Element> { zip(collection) { $0 } }
}
