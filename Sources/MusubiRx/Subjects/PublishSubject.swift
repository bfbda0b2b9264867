// SPDX-License-Identifier: Apache-2.0

/// A subject that keeps nothing: observers get what comes after their subscription.
public final class PublishSubject<Element>: Subject<Element>, SubjectType {
  /// Creates a subject.
  public override init() {}

  /// The observer side.
  public func asObserver() -> PublishSubject<Element> { self }
}
