// SPDX-License-Identifier: Apache-2.0

/// The promise of no element, only an end or an error.
public enum CompletableTrait {}

/// A piece of work: it ends, or fails.
public typealias Completable = PrimitiveSequence<CompletableTrait, Swift.Never>

/// The end of a `Completable`.
@frozen public enum CompletableEvent {
  /// It failed.
  case error(any Swift.Error)
  /// It ended well.
  case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Swift.Never {
  /// Takes the end of a completable.
  public typealias CompletableObserver = (CompletableEvent) -> Void

  /// A completable that a closure makes for every observer.
  public static func create(
    subscribe: @escaping (@escaping CompletableObserver) -> any Disposable
  ) -> Completable {
    Completable(
      raw: .create { observer in
        subscribe { event in
          switch event {
          case .error(let error): observer.onError(error)
          case .completed: observer.onCompleted()
          }
        }
      })
  }

  /// Subscribes a closure to what the completable ends with.
  public func subscribe(_ observer: @escaping (CompletableEvent) -> Void) -> any Disposable {
    primitiveSequence.source.subscribe { event in
      switch event {
      case .next: break
      case .error(let error): observer(.error(error))
      case .completed: observer(.completed)
      }
    }
  }

  /// Subscribes closures to the end and to an error.
  public func subscribe(
    onCompleted: (() -> Void)? = nil, onError: ((any Swift.Error) -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribe(
      onNext: { _ in }, onError: onError ?? { UnhandledErrors.report($0) }, onCompleted: onCompleted,
      onDisposed: onDisposed)
  }

  /// Goes on with another sequence after this has ended.
  public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
    primitiveSequence.source.end(as: Result.self).concat(second)
  }

  /// Subscribes closures that get an object along, as long as it lives.
  public func subscribe<Object: AnyObject>(
    with object: Object, onCompleted: ((Object) -> Void)? = nil,
    onError: ((Object, any Swift.Error) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onCompleted: bindWeakly(object, onCompleted), onError: bindWeakly(object, onError),
      onDisposed: bindWeakly(object, onDisposed))
  }

  /// Goes on with a single after this has ended.
  public func andThen<Result>(_ second: Single<Result>) -> Single<Result> {
    Single(raw: andThen(second.asObservable()))
  }

  /// Goes on with a maybe after this has ended.
  public func andThen<Result>(_ second: Maybe<Result>) -> Maybe<Result> {
    Maybe(raw: andThen(second.asObservable()))
  }

  /// Goes on with another completable after this has ended.
  public func andThen(_ second: Completable) -> Completable {
    Completable(raw: andThen(second.asObservable()))
  }

  /// A completable that ends at once.
  public static func empty() -> Completable { Completable(raw: .empty()) }

  /// Calls closures beside the sequence.
  public func `do`(
    onError: ((any Swift.Error) throws -> Void)? = nil, afterError: ((any Swift.Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Completable {
    Completable(
      raw: primitiveSequence.source.do(
        onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// Ends well after any error.
  public func catchAndReturn() -> Completable {
    Completable(raw: primitiveSequence.source.catch { _ in .empty() })
  }

  /// Runs another completable after this one.
  public func concat(_ second: Completable) -> Completable {
    Completable(raw: primitiveSequence.source.concat(second.source))
  }

  /// Runs completables one after the other.
  public static func concat<Sources: Sequence>(_ sequence: Sources) -> Completable
  where Sources.Element == Completable { Completable(raw: .concat(sequence.lazy.map { $0.asObservable() })) }

  /// Runs completables one after the other.
  public static func concat(_ sources: Completable...) -> Completable { concat(sources) }

  /// Runs completables at the same time; ends when all have ended.
  public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
  where Sources.Element == Completable { Completable(raw: .merge(sources.map { $0.asObservable() })) }

  /// Runs completables at the same time; ends when all have ended.
  public static func zip(_ sources: Completable...) -> Completable { zip(sources) }

  /// Runs completables at the same time; ends when all have ended.
  public static func merge<Sources: Collection>(_ sources: Sources) -> Completable
  where Sources.Element == Completable { zip(sources) }

  /// Runs completables at the same time; ends when all have ended.
  public static func merge(_ sources: Completable...) -> Completable { zip(sources) }
}
