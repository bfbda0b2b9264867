// SPDX-License-Identifier: Apache-2.0
package import MusubiSession
import Synchronization

/// Carries what loops hand over to each other at the end of their iterations; used from all of their threads.
///
/// A loop's inbox keeps the order, and wakes its thread once for all that arrives before it looks.
package final class LoopMailboxes: Sendable {
  private let state = Mutex(Loops())
  /// Whether there may be loops of other nodes.
  package let isClustered: Bool

  private struct Loops {
    var loops: [EventLoop] = []
    var gateways: [LoopBound<Gateway>?] = []
    var unnamed: [String: Int] = [:]
    /// The loops of other nodes.
    var remote: (any RemoteLoops)?
  }

  /// Mailboxes of no loop yet.
  ///
  /// - Parameter isClustered: Whether there may be loops of other nodes.
  package init(isClustered: Bool = false) { self.isClustered = isClustered }

  /// Says which loops there are, before they start.
  ///
  /// - Parameters:
  ///   - loops: The loops of this process.
  ///   - unnamed: The slots of stored sessions whose names do not tell them.
  package func attach(_ loops: [EventLoop], unnamed: [String: Int] = [:]) {
    state.withLock { state in
      state.loops = loops
      state.gateways = Array(repeating: nil, count: loops.count)
      state.unnamed = unnamed
    }
  }

  /// Says who carries batches to loops of other nodes.
  package func join(_ remote: any RemoteLoops) { state.withLock { $0.remote = remote } }

  /// The service of a loop: its sessions, behind a gateway if there are other loops; called on the loop's
  /// thread.
  package func service(of loop: EventLoop, _ sessions: SessionLoop) -> any ConnectionService {
    let (count, unnamed) = state.withLock { ($0.loops.count, $0.unnamed) }
    guard count > 1 || isClustered else { return sessions }
    let gateway = Gateway(
      loop: loop.index, of: count, unnamed: unnamed, sessions: sessions
    ) { [self] batch, other in post(batch, from: loop.index, to: other) }
    gateway.onSignOut = { [weak self] in self?.state.withLock { $0.remote }?.signedOut() }
    gateway.onOwner = { [weak self] slot, generation, place in
      self?.state.withLock { $0.remote }?.hear(slot, generation: generation, of: place)
    }
    sessions.onSlotsLost = { [weak self] slots in self?.state.withLock { $0.remote }?.lost(slots) }
    let bound = LoopBound(gateway, on: loop)
    state.withLock { $0.gateways[loop.index] = bound }
    return gateway
  }

  /// A loop's gateway, for its own thread; nil if it is not there yet.
  package func gateway(of loop: Int) -> Gateway? { state.withLock { $0.gateways[loop] }?.value }

  /// Runs something on a loop's thread with its gateway.
  ///
  /// - Returns: Whether it will run; a loop that has ended drops it.
  @discardableResult
  package func run(on loop: Int, _ body: @escaping @Sendable (Gateway) -> Void) -> Bool {
    let executor = state.withLock { $0.loops[loop] }
    // The gateway is there by the time the thread looks into its inbox.
    return executor.enqueue { [self] in if let gateway = gateway(of: loop) { body(gateway) } }
  }

  /// Hands a batch over; it is dropped if the loop has ended.
  private func post(_ batch: LoopBatch, from loop: Int, to other: Int) {
    if Place.isRemote(other) {
      state.withLock { $0.remote }?.post(batch, from: loop, to: other)
    } else {
      run(on: other) { $0.take(batch) }
    }
  }
}

/// Carries batches to loops of other nodes.
package protocol RemoteLoops: AnyObject, Sendable {
  /// Sends a batch on its way; it is dropped if there is no link.
  ///
  /// - Parameters:
  ///   - batch: The batch.
  ///   - loop: The loop that it is from, on whose thread this is called.
  ///   - place: The other loop.
  func post(_ batch: LoopBatch, from loop: Int, to place: Int)

  /// A node says that the directory has a new sign-out.
  func signedOut()

  /// Another node's loop, at a place, says that it has a slot, or gives it away.
  func hear(_ slot: Int, generation: Int, of place: Int)

  /// The store says that slots of this node are not its own any more, in the generations in which it has them; the loops have
  /// dropped them.
  func lost(_ slots: Set<Int>)
}
