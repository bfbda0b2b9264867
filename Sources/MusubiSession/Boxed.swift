// SPDX-License-Identifier: Apache-2.0

/// Leads to an object while there is one.
struct Weak<Object: AnyObject> {
  private(set) weak var object: Object?

  init(_ object: Object) { self.object = object }
}

/// A value that hardly any object has: it takes one word, and memory of its own while there is one.
///
/// There are tens of thousands of idle sessions, so what they do not have must not cost them room.
@propertyWrapper package struct Boxed<Value> {
  private final class Box {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  /// A place for a value.
  package init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

  /// Whether there is none.
  package var isEmpty: Bool { box == nil }

  /// The value; to be replaced, not changed in place.
  package var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }
}
