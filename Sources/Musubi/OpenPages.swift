// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import Synchronization

/// The hubs of all loops, so that an author's open pages can be told to reload themselves.
final class OpenPages: Sendable {
  private let hubs = Mutex<[(loop: EventLoop, hub: LoopBound<Hub>)]>([])

  /// Includes the pages of a hub; called on its loop's thread.
  func add(_ hub: Hub, on loop: EventLoop) {
    let bound = LoopBound(hub, on: loop)
    hubs.withLock { $0.append((loop, bound)) }
  }

  /// Has every open page load itself anew.
  func reload() {
    for (loop, hub) in hubs.withLock({ $0 }) { loop.enqueue { hub.value.reloadPages() } }
  }
}
