// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiSQLite
import Synchronization

/// Empties the journal, sweeps up steps that a newer whole has left behind, and gives free pages back to the disk, a little
/// at a time.
final class StoreUpkeep: Sendable {
  private struct State {
    /// About how many bytes the journal has.
    var journal = 0
    /// The rows of steps that were written since the last sweep, and the bytes that may be outdated by now.
    var steps = 0
    var bytes = 0

    var hasToEmpty: Bool { journal >= StoreUpkeep.journalBytes }
    var hasToSweep: Bool { steps >= StoreUpkeep.stepsPerSweep || bytes >= StoreUpkeep.bytesPerSweep }
    /// The last step that was looked at.
    var cursor = 0
    var isUnderWay = false
  }

  private let state = Mutex(State())

  /// So long the journal may get: a room that comes back into memory reads all of it, and the fewer changes of a room it has,
  /// the more its emptying takes for each.
  private static let journalBytes = 512 << 10
  /// A sweep follows so many steps, and looks at twice as many.
  private static let stepsPerSweep = 1_000
  private static let bytesPerSweep = 1 << 20
  /// So many pages are given back at a time.
  private static let pagesAtOnce = 256
  /// Fewer free pages stay, because the next records take them.
  private static let leastPages = 64

  /// Notes a commit.
  ///
  /// - Parameters:
  ///   - sizes: How long the records are that it has written.
  ///   - hasDeleted: Whether records have ended.
  /// - Returns: Whether `work` is to be run.
  func note(_ sizes: StoredSizes, hasDeleted: Bool) -> Bool {
    state.withLock { state in
      state.journal += sizes.steps.reduce(0, +)
      state.bytes += sizes.total
      guard !state.isUnderWay, hasDeleted || state.hasToEmpty || state.hasToSweep else { return false }
      state.isUnderWay = true
      return true
    }
  }

  /// The work was tried.
  func end() { state.withLock { $0.isUnderWay = false } }

  /// Does some of the work.
  ///
  /// - Returns: Whether more is left.
  /// - Throws: `SQLiteError`; it is tried again after a later commit.
  func work(_ connection: SQLiteConnection) throws -> Bool {
    if state.withLock({ $0.hasToEmpty }) {
      let rows = try SessionJournal.empty(connection)
      state.withLock { state in
        state.journal = 0
        state.steps += rows
      }
    }
    if state.withLock({ $0.hasToSweep }) { try sweep(connection) }
    func count(_ pragma: String) throws -> Int {
      try connection.row("PRAGMA \(pragma)") { try $0.value(0, as: Int.self) } ?? 0
    }
    let free = try count("freelist_count")
    let spare = max(Self.leastPages, try count("page_count") / 8)
    guard free > spare else { return false }
    try connection.run("PRAGMA incremental_vacuum(\(min(free - spare, Self.pagesAtOnce)))")
    return free - spare > Self.pagesAtOnce
  }

  private func sweep(_ connection: SQLiteConnection) throws {
    let start = state.withLock { $0.cursor }
    let end = try connection.row(
      "SELECT max(id) FROM (SELECT id FROM step WHERE id > ? ORDER BY id LIMIT ?)", start,
      2 * Self.stepsPerSweep
    ) { try $0.value(0, as: Int?.self) }
    if let end = end ?? nil {
      try connection.run(
        """
        DELETE FROM step WHERE id IN (SELECT step.id FROM step LEFT JOIN record ON record.id = step.record
          WHERE step.id > ? AND step.id <= ? AND record.version IS NOT step.version)
        """, start, end)
    }
    state.withLock { state in
      state.cursor = (end ?? nil) ?? 0
      state.steps = 0
      state.bytes = 0
    }
  }
}
