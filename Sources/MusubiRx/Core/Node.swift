// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One object of a running chain, between its upstream and its downstream.
///
/// A stage is one allocation: the same object takes the events of the stage above and is the handle that ends
/// it. Chains are confined to one loop; a node takes no lock. Only a disposal may come from another thread,
/// if there is an asynchronous boundary in the chain: so the upstream of a node and its disposal are one
/// atomic word.
///
///     subject ──next──▶ MapSink ──next──▶ FilterSink ──next──▶ leaf         events
///     subject ◀─detach─ MapSink ◀─detach─ FilterSink ◀─detach─ leaf         disposal
@usableFromInline class Node: DisposeBase, Disposable {
  private static var ended: UInt { 1 }
  private static var isUnowned: UInt { 2 }

  /// Where `ObserverList` keeps this node.
  final var slot: Int32 = -1
  // A leaf's flags, here because they take no memory beside `slot`: half of all nodes are leaves.
  /// Whether a leaf gets its events from a queue.
  final var isAsynchronous = false
  /// Whether a leaf reports errors as those of a binding.
  final var isBinding = false
  // The last of them: two bytes where a word begins would be read as four, and a processor waits for bytes
  // that were just written in parts. That would double the cost of an event for a relay with many
  // subscribers.
  /// How many calls of a leaf's closures are under way; while there are any, the closures stay.
  final var calls: UInt16 = 0
  /// The source that delivers to this node; 0 before it is attached, `ended` after its end or disposal.
  ///
  /// It is retained, except for a subject: that keeps its observers, and lets them know when it goes (`isUnowned`).
  private final let state = Atomic<UInt>(0)

  deinit { Self.drop(state.load(ordering: .relaxed)) }

  /// Whether the node is at its end and lets nothing more through.
  final var isDisposed: Bool { @inline(__always) get { state.load(ordering: .acquiring) == Self.ended } }

  /// Tells everything below that it gets its events from a queue.
  func markAsynchronous() {}

  /// Takes the end by an error.
  func error(_ error: any Error) {}

  /// Takes the end.
  func completed() {}

  /// Notes what this node hangs on, or lets go of it at once if the node was disposed meanwhile.
  final func attach(to upstream: DisposeBase) { attach(.passRetained(upstream), 0) }

  /// Notes which subject this node hangs on, without keeping it alive.
  final func attach(toSubject subject: DisposeBase) { attach(.passUnretained(subject), Self.isUnowned) }

  private final func attach(_ upstream: Unmanaged<DisposeBase>, _ mark: UInt) {
    let new = UInt(bitPattern: upstream.toOpaque()) | mark
    var old = state.load(ordering: .relaxed)
    while old != Self.ended {
      let (isDone, found) = state.compareExchange(
        expected: old, desired: new, ordering: .acquiringAndReleasing)
      if isDone { return Self.drop(old) }
      old = found
    }
    leave(new)
  }

  /// Forgets the subject that this node hangs on, because that goes.
  final func forgetSubject() {
    let old = state.load(ordering: .relaxed)
    guard old & Self.isUnowned != 0 else { return }
    _ = state.compareExchange(expected: old, desired: 0, ordering: .acquiringAndReleasing)
  }

  /// Ends this node and its upstream; further calls do nothing.
  @usableFromInline final func dispose() {
    let old = state.exchange(Self.ended, ordering: .acquiringAndReleasing)
    guard old != Self.ended else { return }
    leave(old)
    disposed()
  }

  /// Lets go of the node's other objects; called once, after the upstream was disposed.
  ///
  /// It takes no lock that a delivery holds: the upstream may be delivering from another thread.
  func disposed() {}

  /// Marks the node as ended, and forgets the upstream; true for the first caller.
  final func markEnded() -> Bool {
    let old = state.exchange(Self.ended, ordering: .acquiringAndReleasing)
    Self.drop(old)
    return old != Self.ended
  }

  /// Lets go of the upstream, and goes on without it.
  final func releaseUpstream() {
    var old = state.load(ordering: .relaxed)
    while old != Self.ended {
      let (isDone, found) = state.compareExchange(expected: old, desired: 0, ordering: .acquiringAndReleasing)
      if isDone { return leave(old) }
      old = found
    }
  }

  override func detach(_ consumer: Node) { dispose() }

  /// Releases the reference in a word of state.
  @inline(__always) private static func drop(_ state: UInt) {
    if state & isUnowned == 0 { upstream(state)?.release() }
  }

  /// Has the upstream in a word of state let go of this node, and lets go of it.
  ///
  /// A subject that lets a node go runs nothing that could end the subject: it needs no reference meanwhile.
  @inline(__always) private final func leave(_ state: UInt) {
    guard let upstream = Self.upstream(state) else { return }
    upstream._withUnsafeGuaranteedRef { $0.detach(self) }
    if state & Self.isUnowned == 0 { upstream.release() }
  }

  /// The upstream in a word of state.
  @inline(__always) private static func upstream(_ state: UInt) -> Unmanaged<DisposeBase>? {
    guard state > ended, let pointer = UnsafeRawPointer(bitPattern: state & ~isUnowned) else { return nil }
    return .fromOpaque(pointer)
  }
}
