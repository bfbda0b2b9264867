// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// The only element as a single; fails if there are more or none.
  public func asSingle() -> Single<Element> { Single(raw: onlyElement { throw RxError.noElements }) }

  /// The only element as a maybe; fails if there are more.
  public func asMaybe() -> Maybe<Element> { Maybe(raw: onlyElement {}) }

  /// The first element as a single, nil if there is none.
  public func first() -> Single<Element?> {
    let first: Observable<Element?> = stage {
      Steps { element, sink in
        sink.downstream.next(element)
        sink.finish()
      } completed: { sink in
        sink.downstream.next(nil)
      }
    }
    return Single(raw: first)
  }

  private func onlyElement(ifEmpty: @escaping () throws -> Void) -> Observable<Element> {
    stage {
      var only: Element?
      return Steps { element, _ in
        if only != nil { throw RxError.moreThanOneElement }
        only = element
      } completed: { sink in
        if let only { sink.downstream.next(only) } else { try ifEmpty() }
      }
    }
  }
}

extension ObservableType where Element == Swift.Never {
  /// The end of the sequence as a completable.
  public func asCompletable() -> Completable { Completable(raw: asObservable()) }
}

extension ObservableConvertibleType {
  /// This sequence as one that does not fail; at an error, one element is delivered and it ends.
  public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    Infallible(asObservable().catchAndReturn(element))
  }

  /// This sequence as one that does not fail; at an error, another one goes on.
  public func asInfallible(onErrorFallbackTo infallible: Infallible<Element>) -> Infallible<Element> {
    Infallible(asObservable().catch { _ in infallible.source })
  }

  /// This sequence as one that does not fail; at an error, another one goes on.
  public func asInfallible(
    onErrorRecover: @escaping (any Swift.Error) -> Infallible<Element>
  ) -> Infallible<Element> { Infallible(asObservable().catch { onErrorRecover($0).source }) }
}
