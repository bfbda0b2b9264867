// SPDX-License-Identifier: Apache-2.0

/// The promise of at most one element, an end, or an error.
public enum MaybeTrait: ElementTrait {}

/// A question: one element, no element, or one error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// The end of a `Maybe`.
@frozen public enum MaybeEvent<Element> {
  /// It had an element.
  case success(Element)
  /// It failed.
  case error(any Swift.Error)
  /// It ended without an element.
  case completed
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Takes the end of a maybe.
  public typealias MaybeObserver = (MaybeEvent<Element>) -> Void

  /// A maybe that a closure makes for every observer.
  public static func create(
    subscribe: @escaping (@escaping MaybeObserver) -> any Disposable
  ) -> Maybe<Element> {
    Maybe(
      raw: .create { observer in
        subscribe { event in
          switch event {
          case .success(let element):
            observer.onNext(element)
            observer.onCompleted()
          case .error(let error): observer.onError(error)
          case .completed: observer.onCompleted()
          }
        }
      })
  }

  /// Subscribes a closure to what the maybe ends with.
  public func subscribe(_ observer: @escaping (MaybeEvent<Element>) -> Void) -> any Disposable {
    var hasStopped = false
    return primitiveSequence.source.subscribe { event in
      if hasStopped { return }
      hasStopped = true
      switch event {
      case .next(let element): observer(.success(element))
      case .error(let error): observer(.error(error))
      case .completed: observer(.completed)
      }
    }
  }

  /// Subscribes closures to success, failure and an end without an element.
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onError: ((any Swift.Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    var hasElement = false
    return primitiveSequence.source.subscribe(
      onNext: { element in
        hasElement = true
        onSuccess?(element)
      }, onError: onError ?? { UnhandledErrors.report($0) },
      onCompleted: { if !hasElement { onCompleted?() } }, onDisposed: onDisposed)
  }

  /// Subscribes closures that get an object along, as long as it lives.
  public func subscribe<Object: AnyObject>(
    with object: Object, onSuccess: ((Object, Element) -> Void)? = nil,
    onError: ((Object, any Swift.Error) -> Void)? = nil, onCompleted: ((Object) -> Void)? = nil,
    onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: bindWeakly(object, onSuccess), onError: bindWeakly(object, onError),
      onCompleted: bindWeakly(object, onCompleted), onDisposed: bindWeakly(object, onDisposed))
  }

  /// A maybe without an element.
  public static func empty() -> Maybe<Element> { Maybe(raw: .empty()) }

  /// Calls closures beside the sequence.
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onError: ((any Swift.Error) throws -> Void)? = nil, afterError: ((any Swift.Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Maybe<Element> {
    Maybe(
      raw: primitiveSequence.source.do(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
        onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Makes another maybe from the element.
  public func flatMap<Result>(_ selector: @escaping (Element) throws -> Maybe<Result>) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.flatMap(selector))
  }

  /// Goes on with another maybe if there was no element.
  public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// Goes on with a single if there was no element.
  public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// Delivers an element if there was none.
  public func ifEmpty(default: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(default: `default`))
  }

  /// This maybe as a single, which fails if there is no element.
  public func asSingle() -> Single<Element> { primitiveSequence.source.asSingle() }
}
