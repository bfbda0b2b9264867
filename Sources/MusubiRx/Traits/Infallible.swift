// SPDX-License-Identifier: Apache-2.0

/// Something that can be subscribed to and never fails.
public protocol InfallibleType<Element>: UnfailingType, BindableType {}

/// An observable that never fails.
///
///     let answer = source.asInfallible(onErrorJustReturn: 0)
public struct Infallible<Element>: InfallibleType {
  let source: Observable<Element>

  init(_ source: Observable<Element>) { self.source = source }

  /// The sequence as an `Observable`.
  public func asObservable() -> Observable<Element> { source }
}
