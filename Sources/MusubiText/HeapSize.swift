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
