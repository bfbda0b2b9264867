// SPDX-License-Identifier: Apache-2.0

/// The promise of exactly one element or one error.
public enum SingleTrait {}

/// A request: exactly one element, or one error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// What a `Single` ends with.
public typealias SingleEvent<Element> = Result<Element, any Swift.Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Takes what a single ends with.
  public typealias SingleObserver = (SingleEvent<Element>) -> Void

  /// A single that a closure makes anew for every observer.
  ///
  /// - Parameter subscribe: Gets the observer; what it returns is disposed with the subscription.
  /// - Returns: The single.
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
  ///
  /// - Parameter observer: Called once.
  /// - Returns: What ends the subscription.
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
  ///
  /// - Parameters:
  ///   - onSuccess: Called with the element.
  ///   - onFailure: Called with the error.
  ///   - onDisposed: Called once, after the end or when the subscription is disposed.
  /// - Returns: What ends the subscription.
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onFailure: ((any Swift.Error) -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    let subscription = subscribe { event in
      switch event {
      case .success(let element): onSuccess?(element)
      case .failure(let error):
        if let onFailure { onFailure(error) } else { UnhandledErrors.report(error) }
      }
      onDisposed?()
    }
    return subscription
  }

  /// A single of one element.
  ///
  /// - Parameter element: The element.
  /// - Returns: The single.
  public static func just(_ element: Element) -> Single<Element> { Single(raw: .just(element)) }

  /// A single that fails.
  ///
  /// - Parameter error: What it fails with.
  /// - Returns: The single.
  public static func error(_ error: any Swift.Error) -> Single<Element> { Single(raw: .error(error)) }

  /// A single that never ends.
  ///
  /// - Returns: The single.
  public static func never() -> Single<Element> { Single(raw: .never()) }

  /// Transforms the element.
  ///
  /// - Parameter transform: Makes the new element; what it throws is the single's error.
  /// - Returns: The transformed single.
  public func map<Result>(_ transform: @escaping (Element) throws -> Result) -> Single<Result> {
    Single(raw: primitiveSequence.source.map(transform))
  }

  /// Makes another single from the element.
  ///
  /// - Parameter selector: Makes the other single; what it throws is the result's error.
  /// - Returns: The other single.
  public func flatMap<Result>(
    _ selector: @escaping (Element) throws -> Single<Result>
  ) -> Single<Result> { Single(raw: primitiveSequence.source.flatMap(selector)) }
}
