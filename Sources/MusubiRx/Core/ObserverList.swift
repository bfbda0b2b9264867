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
struct ObserverList: ~Copyable {
  private static let inlineSlot: Int32 = -2
  private static let nowhere: Int32 = -1

  // The list retains what these refer to; a delivery reads them without a retain of its own.
  private var first: Unmanaged<Node>?
  private var others: ContiguousArray<Unmanaged<Node>?> = []
  private var gaps: Int32 = 0
  private var deliveries: Int32 = 0
  private var retired: ContiguousArray<Node> = []

  init() {}

  deinit {
    first?.release()
    for node in others { node?.release() }
  }

  /// Whether nobody listens.
  var isEmpty: Bool { first == nil && others.count == Int(gaps) }

  /// Adds a consumer at the end.
  mutating func insert(_ node: Node) {
    if first == nil && others.isEmpty {
      first = .passRetained(node)
      node.slot = Self.inlineSlot
    } else {
      node.slot = Int32(truncatingIfNeeded: others.count)
      others.append(.passRetained(node))
    }
  }

  /// Takes a consumer out; one that is not in the list is ignored.
  mutating func remove(_ node: Node) {
    let slot = node.slot
    if slot == Self.inlineSlot {
      guard let held = first, held.toOpaque() == Unmanaged.passUnretained(node).toOpaque() else { return }
      first = nil
      letGo(held, node)
    } else if slot >= 0, slot < others.count, let held = others[Int(slot)],
      held.toOpaque() == Unmanaged.passUnretained(node).toOpaque()
    {
      others[Int(slot)] = nil
      gaps += 1
      if Int(gaps) * 2 > others.count { closeGaps() }
      letGo(held, node)
    }
  }

  private mutating func letGo(_ held: Unmanaged<Node>, _ node: Node) {
    node.slot = Self.nowhere
    if deliveries > 0 { retired.append(node) }
    held.release()
  }

  /// Takes all consumers out, to be told the end.
  mutating func removeAll() -> [Node] {
    var all: [Node] = []
    if let first { all.append(first.takeRetainedValue()) }
    for case let held? in others { all.append(held.takeRetainedValue()) }
    if deliveries > 0 { retired.append(contentsOf: all) }
    first = nil
    others = []
    gaps = 0
    for node in all { node.slot = Self.nowhere }
    return all
  }

  private mutating func closeGaps() {
    var kept: ContiguousArray<Unmanaged<Node>?> = []
    kept.reserveCapacity(others.count - Int(gaps))
    for case let held? in others {
      held._withUnsafeGuaranteedRef { $0.slot = Int32(truncatingIfNeeded: kept.count) }
      kept.append(held)
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
    let others: ContiguousArray<Unmanaged<Node>?>?

    /// Delivers an element to the consumers in order.
    @inline(__always) func next<Element>(_ element: Element) {
      if let first {
        first._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Consumer<Element>.self).next(element) }
      }
      guard let others else { return }
      others.withUnsafeBufferPointer { buffer in
        for case let held? in buffer {
          held._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Consumer<Element>.self).next(element) }
        }
      }
    }
  }
}
