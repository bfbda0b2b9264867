// SPDX-License-Identifier: Apache-2.0

/// What a server has that is one of several, for its operator.
package struct NodeReport: Equatable, Sendable {
  /// Names the process.
  package var id: Int64
  /// The slots that it serves.
  package var slots = 0
  /// How many servers there are, with this one.
  package var nodes = 1
  package var readiness = Readiness.starting

  package init(id: Int64) { self.id = id }
}
