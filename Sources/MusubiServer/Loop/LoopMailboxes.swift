// SPDX-License-Identifier: Apache-2.0
package import MusubiSession
import Synchronization

/// Carries what loops hand over to each other at the end of their iterations; used from all of their threads.
///
/// A loop's inbox keeps the order, and wakes its thread once for all that arrives before it looks.
package final class LoopMailboxes: Sendable {
  private let state = Mutex(Loops())
  private let unnamed: [String: Int]

  private struct Loops {
    var loops: [EventLoop] = []
    var gateways: [LoopBound<Gateway>?] = []
  }

  /// Mailboxes of no loop yet.
  ///
  /// - Parameter unnamed: The slots of stored sessions whose names do not tell them.
  package init(unnamed: [String: Int] = [:]) { self.unnamed = unnamed }

  /// Says which loops there are, before they start.
  package func attach(_ loops: [EventLoop]) {
    state.withLock { state in
      state.loops = loops
      state.gateways = Array(repeating: nil, count: loops.count)
    }
  }

  /// The service of a loop: its sessions, behind a gateway if there are other loops; called on the loop's
  /// thread.
  package func service(of loop: EventLoop, _ sessions: SessionLoop) -> any ConnectionService {
    let count = state.withLock { $0.loops.count }
    guard count > 1 else { return sessions }
    let gateway = Gateway(loop: loop.index, of: count, unnamed: unnamed, sessions: sessions) {
      [self] batch, other in
      post(batch, to: other)
    }
    let bound = LoopBound(gateway, on: loop)
    state.withLock { $0.gateways[loop.index] = bound }
    return gateway
  }

  /// Hands a batch over; it is dropped if the loop has ended.
  private func post(_ batch: LoopBatch, to other: Int) {
    let loop = state.withLock { $0.loops[other] }
    // The gateway is there by the time the thread looks into its inbox.
    loop.enqueue { [self] in state.withLock { $0.gateways[other] }?.value.take(batch) }
  }
}
