// SPDX-License-Identifier: Apache-2.0

/// The bytes of heap that values take, as the allocator of Linux (glibc) hands them out.
///
/// They are worked out from what is stored, without asking the allocator; what an array has reserved counts.
package enum HeapSize {
  /// A block of so many bytes: eight more for the allocator, in steps of 16.
  package static func block(_ bytes: Int) -> Int { max(32, (bytes + 8 + 15) & ~15) }

  /// An array with room for so many elements; nothing if it has none.
  package static func array<Element>(_ array: [Element]) -> Int {
    array.capacity == 0 ? 0 : block(32 + array.capacity * MemoryLayout<Element>.stride)
  }

  /// A text; up to 15 bytes of UTF-8 take no memory of their own.
  package static func text(_ text: String) -> Int {
    text.utf8.count <= 15 ? 0 : block(33 + text.utf8.count)
  }
}

extension TextEdit {
  /// The bytes of heap that the edit takes.
  package var heapBytes: Int {
    if let single { return HeapSize.text(single.inserted) }
    return components.reduce(HeapSize.array(components)) { $0 + HeapSize.text($1.inserted) }
  }
}

extension HeapSize {
  /// About how many bytes of heap an author's value takes, without encoding it.
  ///
  /// Of a long list some elements are looked at. Objects are somebody else's.
  package static func estimate(_ value: Any) -> Int {
    if let text = value as? String { return self.text(text) }
    if let list = value as? any EstimatedList { return list.heapEstimate }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle != .class else { return 0 }
    return mirror.children.prefix(64).reduce(0) { $0 + estimate($1.value) }
  }

  /// About how many bytes of heap so many elements take beside the list itself, by a look at some of them.
  package static func estimate(_ some: some Collection, of count: Int) -> Int {
    guard !some.isEmpty else { return 0 }
    return some.reduce(0) { $0 + estimate($1) } * count / some.count
  }
}

/// A list that knows its elements' type.
private protocol EstimatedList {
  var heapEstimate: Int { get }
}

extension Array: EstimatedList {
  fileprivate var heapEstimate: Int {
    let some = stride(from: 0, to: count, by: Swift.max(1, count / 16)).map { self[$0] }
    return HeapSize.array(self) + HeapSize.estimate(some, of: count)
  }
}
