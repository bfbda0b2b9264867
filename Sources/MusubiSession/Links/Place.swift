// SPDX-License-Identifier: Apache-2.0

/// The numbers that name loops, as one process counts: its own ones first, then those of other nodes.
///
/// ```
/// 0 ..< 64                this process's loops
/// 64 * (peer + 1) + loop  a loop of another node, to which this process has given the number `peer`
/// ```
///
/// Each fits in 16 bits. Two processes have different places for the same loop: none goes over a link.
package enum Place {
  /// The most loops of a node.
  package static let maxLoops = 64
  /// The most other nodes that a process knows.
  package static let maxPeers = 500

  /// The place of another node's loop.
  ///
  /// - Parameters:
  ///   - peer: The number that this process has given to the node, from 0.
  ///   - loop: The loop, as that node counts.
  /// - Returns: The place.
  package static func remote(peer: Int, loop: Int) -> Int {
    precondition((0..<maxPeers).contains(peer) && (0..<maxLoops).contains(loop), "There is no such place.")
    return maxLoops * (peer + 1) + loop
  }

  /// Whether a place is a loop of another node.
  package static func isRemote(_ place: Int) -> Bool { place >= maxLoops }

  /// The number of a remote place's node, and the loop as that node counts.
  package static func parts(of place: Int) -> (peer: Int, loop: Int) {
    (place / maxLoops - 1, place % maxLoops)
  }
}
