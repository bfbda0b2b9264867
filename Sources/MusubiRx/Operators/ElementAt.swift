// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Delivers the element at a position, then ends.
  ///
  /// - Parameter index: The position, from 0; a sequence that is too short fails with `argumentOutOfRange`.
  /// - Returns: The element.
  public func element(at index: Int) -> Observable<Element> {
    precondition(index >= 0, "The position of an element is at least 0.")
    return stage {
      var remaining = index
      return Steps { element, sink in
        if remaining > 0 {
          remaining -= 1
        } else {
          sink.downstream.next(element)
          sink.finish()
        }
      } completed: { _ in
        throw RxError.argumentOutOfRange
      }
    }
  }

  /// Delivers the only element, and fails if there are more or none.
  public func single() -> Observable<Element> { single { _ in true } }

  /// Delivers the only element that satisfies a predicate, and fails if there are more or none.
  public func single(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    stage {
      var hasOne = false
      return Steps { element, sink in
        guard try predicate(element) else { return }
        guard !hasOne else { throw RxError.moreThanOneElement }
        hasOne = true
        sink.downstream.next(element)
      } completed: { _ in
        if !hasOne { throw RxError.noElements }
      }
    }
  }

  /// Delivers an element at the end if there was none.
  public func ifEmpty(default: Element) -> Observable<Element> {
    stage {
      var isEmpty = true
      return Steps { element, sink in
        isEmpty = false
        sink.downstream.next(element)
      } completed: { sink in
        if isEmpty { sink.downstream.next(`default`) }
      }
    }
  }

  /// Goes on with another sequence if there was no element.
  public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    let source = asObservable()
    return .deferred {
      var isEmpty = true
      return source.do(onNext: { _ in isEmpty = false }).concat(
        Observable.deferred { isEmpty ? other : .empty() })
    }
  }
}
