// SPDX-License-Identifier: Apache-2.0

/// The reactive side of an object: its properties as binders, its events as observables.
///
/// Libraries extend it for their own types:
///
///     extension Reactive where Base: Label {
///       var text: Binder<String?> { Binder(base) { $0.text = $1 } }
///     }
@dynamicMemberLookup public struct Reactive<Base> {
  /// The object.
  public let base: Base

  /// Creates the reactive side.
  public init(_ base: Base) { self.base = base }

  /// A writable property as a binder.
  public subscript<Property>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
  ) -> Binder<Property> where Base: AnyObject {
    Binder(base) { base, value in base[keyPath: keyPath] = value }
  }

  /// A writable property as a binder.
  public subscript<Property>(
    _ keyPath: ReferenceWritableKeyPath<Base, Property>
  ) -> Binder<Property> where Base: AnyObject {
    Binder(base) { base, value in base[keyPath: keyPath] = value }
  }
}

/// Something that has a reactive side.
public protocol ReactiveCompatible {
  /// The type that the reactive side speaks of.
  associatedtype ReactiveBase

  /// The reactive side of the type.
  static var rx: Reactive<ReactiveBase>.Type { get set }

  /// The reactive side of the object.
  var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
  /// The reactive side of the type.
  public static var rx: Reactive<Self>.Type {
    get { Reactive<Self>.self }
    // The setter lets `rx.property = value` mutate through the namespace; there is nothing to store.
    set {}
  }

  /// The reactive side of the object.
  public var rx: Reactive<Self> {
    get { Reactive(self) }
    // See above.
    set {}
  }
}
