// SPDX-License-Identifier: Apache-2.0

/// What an owner knows of a slot's row of the table `fence`.
package struct PostgresFence: Equatable, Sendable {
  /// The number of the slot's owners so far, with this one.
  package var generation: Int
  /// The number of its commits so far.
  package var commits: Int

  /// A row of the table, as it was read or changed.
  package init(generation: Int, commits: Int) {
    (self.generation, self.commits) = (generation, commits)
  }
}
