// SPDX-License-Identifier: Apache-2.0

/// Things with a time, the earliest first; equal times keep the order in which they came.
///
/// A binary heap: insertion and removal are O(log n).
package struct DeadlineQueue<Element> {
  private var heap: [(deadline: Duration, order: UInt64, element: Element)] = []
  private var order: UInt64 = 0

  /// An empty queue.
  package init() {}

  /// The earliest time; nil if the queue is empty.
  package var nextDeadline: Duration? { heap.first?.deadline }

  /// Adds an element.
  package mutating func insert(_ element: Element, at deadline: Duration) {
    order += 1
    heap.append((deadline, order, element))
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes out the earliest element if its time has come.
  package mutating func take(at now: Duration) -> Element? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && precedes(child, smallest) {
        smallest = child
      }
      guard smallest != parent else { return first.element }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }

  /// How many elements there are.
  var count: Int { heap.count }

  /// Takes out the elements that no longer matter.
  mutating func removeAll(where isOutdated: (Element) -> Bool) {
    let kept = heap.filter { !isOutdated($0.element) }.sorted {
      ($0.deadline, $0.order) < ($1.deadline, $1.order)
    }
    // A sorted list is a heap.
    heap = kept
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].deadline, heap[left].order) < (heap[right].deadline, heap[right].order)
  }
}

extension Duration {
  /// The earlier of two moments, either of which may be missing.
  package static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
