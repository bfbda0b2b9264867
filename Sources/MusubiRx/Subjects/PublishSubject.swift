// SPDX-License-Identifier: Apache-2.0

/// A subject that keeps nothing: observers get what comes after their subscription.
///
///     let taps = PublishSubject<Int>()
///     taps.subscribe(onNext: { print($0) }).disposed(by: bag)
///     taps.onNext(1)
public final class PublishSubject<Element>: Subject<Element>, SubjectType {
  /// Creates a subject.
  public override init() {}

  /// The observer side.
  public func asObserver() -> PublishSubject<Element> { self }
}
