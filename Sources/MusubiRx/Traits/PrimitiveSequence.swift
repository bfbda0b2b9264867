// SPDX-License-Identifier: Apache-2.0

/// A sequence that keeps a promise about how many elements it has: `Single`, `Maybe` or `Completable`.
public struct PrimitiveSequence<Trait, Element> {
  let source: Observable<Element>

  init(raw: Observable<Element>) { source = raw }
}

/// Something that is a primitive sequence.
public protocol PrimitiveSequenceType<Trait, Element> {
  /// What the sequence promises.
  associatedtype Trait
  /// The type of its elements.
  associatedtype Element

  /// The sequence.
  var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
  /// The sequence itself.
  public var primitiveSequence: PrimitiveSequence<Trait, Element> { self }
}

extension PrimitiveSequence: ObservableConvertibleType {
  /// The sequence as an `Observable`.
  public func asObservable() -> Observable<Element> { source }
}

/// The promise of an element, which `Single` and `Maybe` give.
public protocol ElementTrait {}
