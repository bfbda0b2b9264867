// SPDX-License-Identifier: Apache-2.0

/// A mistake that a cluster's program could make: a test of the simulator.
package enum ClusterMistake: String, CaseIterable, Sendable {
  /// A commit does not ask of which generation its owner is.
  case ignoresGeneration
  /// A commit does not ask how many there were before.
  case ignoresCommits
  /// Slots are taken and read by one statement, which sees what there was when it came.
  case takesAndLoadsAtOnce
  /// A commit that nobody has answered is taken for stored.
  case takesUnknownForStored
  /// A commit that nobody has answered is taken for failed.
  case takesUnknownForFailed
  /// Whoever finds the database back first takes the others for dead.
  case buriesAfterOutage
  /// Silence is measured by the clock on the wall.
  case usesWallClock
  /// The database's standby may lack what was acknowledged, and nobody was told.
  case losesCommits
}
