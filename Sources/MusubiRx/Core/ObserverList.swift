// SPDX-License-Identifier: Apache-2.0

/// The consumers of a hot source, in the order of their arrival.
///
/// The first lives inside the list, so that the usual subject with one subscriber costs no array. Nothing in here is
/// generic: a generic array in unspecialised code would look up its metadata at every event.
///
/// - A delivery goes to those who were there when it began. A consumer that leaves meanwhile is disposed, so it
///   drops what still arrives, and stays allocated until the outermost delivery is over (`retired`): deliveries then
///   need not retain anyone.
/// - A consumer knows its place (`slot`), so leaving costs no search. Gaps are closed when half of the array is empty.
struct ObserverList {
  private static let inlineSlot: Int32 = -2
  private static let nowhere: Int32 = -1

  private var first: Unmanaged<Node>?
  private var others: ContiguousArray<Node?> = []
  private var gaps: Int32 = 0
  private var deliveries: Int32 = 0
  private var retired: ContiguousArray<Node> = []

  /// Whether nobody listens.
  var isEmpty: Bool { first == nil && others.count == Int(gaps) }

  /// Adds a consumer at the end.
  mutating func insert(_ node: Node) {
    if first == nil && others.isEmpty {
      first = .passRetained(node)
      node.slot = Self.inlineSlot
    } else {
      node.slot = Int32(truncatingIfNeeded: others.count)
      others.append(node)
    }
  }

  /// Takes a consumer out; one that is not in the list is ignored.
  mutating func remove(_ node: Node) {
    let slot = node.slot
    if slot == Self.inlineSlot {
      guard let held = first, held.toOpaque() == Unmanaged.passUnretained(node).toOpaque() else { return }
      node.slot = Self.nowhere
      first = nil
      if deliveries > 0 { retired.append(node) }
      held.release()
    } else if slot >= 0, slot < others.count, others[Int(slot)] === node {
      node.slot = Self.nowhere
      others[Int(slot)] = nil
      gaps += 1
      if Int(gaps) * 2 > others.count { closeGaps() }
    }
  }

  /// Takes all consumers out, to be told the end.
  mutating func removeAll() -> [Node] {
    var all: [Node] = []
    if let held = first {
      first = nil
      if deliveries > 0 { retired.append(held.takeUnretainedValue()) }
      all.append(held.takeRetainedValue())
    }
    for case let node? in others { all.append(node) }
    others = []
    gaps = 0
    for node in all { node.slot = Self.nowhere }
    return all
  }

  private mutating func closeGaps() {
    var kept: ContiguousArray<Node?> = []
    kept.reserveCapacity(others.count - Int(gaps))
    for case let node? in others {
      node.slot = Int32(truncatingIfNeeded: kept.count)
      kept.append(node)
    }
    others = kept
    gaps = 0
  }

  /// Begins a delivery; the caller hands it to `end` when it is over.
  @inline(__always) mutating func begin() -> Delivery {
    deliveries += 1
    return Delivery(first: first, others: others.isEmpty ? nil : others)
  }

  /// Ends a delivery.
  @inline(__always) mutating func end() {
    deliveries -= 1
    if deliveries == 0 && !retired.isEmpty { retired = [] }
  }

  /// Those whom one event goes to.
  struct Delivery {
    let first: Unmanaged<Node>?
    let others: ContiguousArray<Node?>?

    /// Visits the consumers in order.
    @inline(__always) func forEach(_ body: (Node) -> Void) {
      if let first { first._withUnsafeGuaranteedRef(body) }
      guard let others else { return }
      others.withUnsafeBufferPointer { buffer in
        for index in buffer.indices {
          if let node = buffer[index] { Unmanaged.passUnretained(node)._withUnsafeGuaranteedRef(body) }
        }
      }
    }
  }
}

/// The consumers of a source of one element type.
extension ObserverList.Delivery {
  /// Delivers an element.
  @inline(__always) func next<Element>(_ element: Element) {
    forEach { unsafeDowncast($0, to: Consumer<Element>.self).next(element) }
  }
}
