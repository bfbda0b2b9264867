// SPDX-License-Identifier: Apache-2.0

/// A mistake that a cluster's program could make: a test of the simulator.
package enum ClusterMistake: String, CaseIterable, Sendable {
  /// A commit does not ask whose its slot is, nor in which generation.
  case ignoresGeneration
  /// A commit does not ask how many there were before.
  case ignoresCommits
  /// A commit reads whose slot it is, and does not lock that row: who takes the slot does not wait for it.
  case readsFence
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
  /// The database answers before a change is on its disk.
  case answersBeforeDisk
  /// The database's standby may lack what was acknowledged, and nobody was told.
  case losesCommits
}
