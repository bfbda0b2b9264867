// SPDX-License-Identifier: Apache-2.0

/// A place in a room's stream of turns.
///
/// Epoch and sequence travel together: a number alone cannot tell a stream that lost its past from one that moved on.
package struct StreamPosition: Equatable, Hashable, Codable, Sendable {
  /// Which stream: changes when history is lost.
  package var epoch: String
  /// How many turns it has had.
  package var sequence: Int

  /// A place in a stream.
  package init(epoch: String, sequence: Int) {
    self.epoch = epoch
    self.sequence = sequence
  }
}
