// SPDX-License-Identifier: Apache-2.0

/// What a loop has at a moment, for who runs the server.
package struct SessionReport: Sendable {
  /// Sessions whose page is connected, and those that wait for it.
  package var connected = 0
  package var waiting = 0
  /// Records of the store that nobody has asked for.
  package var stored = 0
  /// The counted bytes of sessions and rooms, and how many there may be; nil for no limit.
  package var bytes = 0
  package var maxBytes: Int?
  /// The bytes of records, and how many there may be; nil for no limit.
  package var storedBytes = 0
  package var maxStoredBytes: Int?
  /// Whether the store has refused the last commit.
  package var storeFails = false

  package init() {}
}

extension SessionLoop {
  /// What the loop has now.
  package func report() -> SessionReport {
    var report = SessionReport()
    (report.connected, report.waiting) = sessions.counts
    report.stored = rooms.stored.sessions.count
    report.bytes = memory.total
    report.maxBytes = configuration.maxMemoryBytes
    report.storedBytes = committer.budget.total
    report.maxStoredBytes = configuration.maxStoredBytes
    report.storeFails = committer.isFailing
    return report
  }
}
