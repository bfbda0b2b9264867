// SPDX-License-Identifier: Apache-2.0

/// An observable that is also an observer.
public protocol SubjectType: ObservableType {
  /// The type of the observer side.
  associatedtype Observer: ObserverType

  /// The observer side.
  func asObserver() -> Observer
}
