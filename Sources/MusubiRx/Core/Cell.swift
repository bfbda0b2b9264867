// SPDX-License-Identifier: Apache-2.0

/// A place for an element that may be missing yet.
///
/// An `Element?` would do the same, but unspecialised code looks up the metadata of `Optional<Element>` at every
/// access; a pointer needs none.
final class Cell<Element> {
  // Unchecked: an event through `combineLatest` costs 50 ns instead of 116.
  @exclusivity(unchecked) private var pointer: UnsafeMutablePointer<Element>?

  deinit {
    guard let pointer else { return }
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  @inline(__always) var isEmpty: Bool { pointer == nil }

  /// The element; asked for only when there is one.
  @inline(__always) var value: Element { pointer.unsafelyUnwrapped.pointee }

  @inline(__always) func set(_ element: Element) {
    if let pointer { pointer.pointee = element } else { create(element) }
  }

  private func create(_ element: Element) {
    let pointer = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    pointer.initialize(to: element)
    self.pointer = pointer
  }
}
