// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What a consumer hangs on: it can be told to let go of the consumer.
protocol Upstream: AnyObject {
  func detach(_ consumer: Node)
}

/// One object of a running chain: it hangs on what is above it, and is what hangs below holds on to.
///
/// A stage is one allocation: the same object takes the events of the stage above and is the handle that ends it.
/// Chains are confined to one loop; nothing here locks. The properties opt out of the run-time exclusivity
/// check: they hold plain flags and references, and no access spans a call.
///
///     subject ──next──▶ MapSink ──next──▶ FilterSink ──next──▶ leaf         events
///     subject ◀─detach─ MapSink ◀─detach─ FilterSink ◀─detach─ leaf         disposal
class Node: DisposeBase, Disposable, Upstream {
  /// What delivers to this node; nil before it is attached and after it is disposed.
  @exclusivity(unchecked) final var upstream: (any Upstream)?
  /// Where `ObserverList` keeps this node.
  @exclusivity(unchecked) final var slot: Int32 = -1
  /// Whether the node is at its end and lets nothing more through.
  ///
  /// The one property that a queue reads while the loop disposes, so it is atomic; reading it costs no more.
  final var isDisposed: Bool {
    @inline(__always) get { disposal.load(ordering: .acquiring) }
    set { disposal.store(newValue, ordering: .releasing) }
  }
  private final let disposal = Atomic<Bool>(false)

  /// Tells everything below that it gets its events from a queue.
  func markCrossing() {}

  /// Notes what this node hangs on, or lets go of it at once if the node was disposed meanwhile.
  final func attach(to upstream: any Upstream) {
    if isDisposed { upstream.detach(self) } else { self.upstream = upstream }
  }

  // These make the existential here, where no generic type is involved: in generic code that costs a metadata look-up.
  final func attach(to node: Node) { attach(to: node as any Upstream) }
  final func attach(to root: ObservableRoot) { attach(to: root as any Upstream) }

  /// Ends this node and what is above it; further calls do nothing.
  func dispose() {
    if beginEnd() { releaseUpstream() }
  }

  /// Marks the node as ended; true for the first caller, who alone may let go of what is above.
  final func beginEnd() -> Bool { !disposal.exchange(true, ordering: .acquiringAndReleasing) }

  /// Lets go of what is above.
  final func releaseUpstream() {
    guard let upstream else { return }
    self.upstream = nil
    upstream.detach(self)
  }

  func detach(_ consumer: Node) { dispose() }
}
