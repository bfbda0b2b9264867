// SPDX-License-Identifier: Apache-2.0

/// Things with a time, the earliest first; equal times keep the order in which they came.
///
/// A binary heap of the times: insertion and removal are O(log n). The elements stay where they are meanwhile, so that code
/// of another module, which does not know their size, moves none.
package struct DeadlineQueue<Element> {
  private struct Entry: Comparable {
    let deadline: Duration
    let order: UInt64

    static func < (left: Entry, right: Entry) -> Bool {
      left.deadline != right.deadline ? left.deadline < right.deadline : left.order < right.order
    }
  }

  private var heap: [Entry] = []
  private var elements: [UInt64: Element] = [:]
  private var order: UInt64 = 0

  /// An empty queue.
  package init() {}

  /// The earliest time; nil if the queue is empty.
  package var nextDeadline: Duration? { heap.first?.deadline }

  /// Adds an element.
  package mutating func insert(_ element: Element, at deadline: Duration) {
    order += 1
    elements[order] = element
    heap.append(Entry(deadline: deadline, order: order))
    var child = heap.count - 1
    while child > 0, heap[child] < heap[(child - 1) / 2] {
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
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[smallest] {
        smallest = child
      }
      guard smallest != parent else { return elements.removeValue(forKey: first.order) }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }

  /// How many elements there are.
  var count: Int { heap.count }

  /// Takes out the elements that no longer matter.
  mutating func removeAll(where isOutdated: (Element) -> Bool) {
    elements = elements.filter { !isOutdated($0.value) }
    // A sorted list is a heap.
    heap = heap.filter { elements[$0.order] != nil }.sorted()
  }
}

extension Duration {
  /// The earlier of two moments, either of which may be missing.
  package static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
