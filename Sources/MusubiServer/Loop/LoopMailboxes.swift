// SPDX-License-Identifier: Apache-2.0
package import MusubiSession
import Synchronization

/// Carries what loops hand over to each other at the end of their turns; used from all of their threads.
///
/// A loop's inbox keeps the order, and wakes its thread once for all that arrives before it looks.
package final class LoopMailboxes: Sendable {
  private let state = Mutex(State())
  private let moved: [String: Int]

  private struct State {
    var loops: [EventLoop] = []
    var gateways: [LoopBound<Gateway>?] = []
  }

  /// Mailboxes of no loop yet.
  ///
  /// - Parameter moved: Stored sessions whose home is not the loop that their name says.
  package init(moved: [String: Int] = [:]) { self.moved = moved }

  /// Says which loops there are, before they start.
  package func attach(_ loops: [EventLoop]) {
    state.withLock { state in
      state.loops = loops
      state.gateways = Array(repeating: nil, count: loops.count)
    }
  }

  /// Makes the gateway of a loop, or its hub alone if there is no other loop; called on the loop's thread.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - transport: Who holds the loop's sockets.
  ///   - makeHub: Makes the loop's hub for a transport.
  /// - Returns: What the loop serves, and the hub in it.
  package func service(
    of loop: EventLoop, transport: any Transport, makeHub: @escaping (any Transport) -> Hub
  ) -> (service: any ConnectionService, hub: Hub) {
    let count = state.withLock { $0.loops.count }
    guard count > 1 else {
      let hub = makeHub(transport)
      return (hub, hub)
    }
    let gateway = Gateway(
      loop: loop.index, of: count, moved: moved, transport: transport,
      post: { [self] batch, other in post(batch, to: other) }, makeHub: makeHub)
    let bound = LoopBound(gateway, on: loop)
    state.withLock { $0.gateways[loop.index] = bound }
    return (gateway, gateway.hub)
  }

  /// Hands a batch over; it is dropped if the loop has ended.
  private func post(_ batch: LoopBatch, to other: Int) {
    let loop = state.withLock { $0.loops[other] }
    // The gateway is there by the time the thread looks into its inbox.
    loop.enqueue { [self] in state.withLock { $0.gateways[other] }?.value.take(batch) }
  }
}
