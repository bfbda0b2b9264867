// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiSQLite
import Synchronization

/// Empties the journal, sweeps up steps that a newer whole has left behind, and gives free pages back to the disk, a little
/// at a time.
final class StoreUpkeep: Sendable {
  private struct State {
    /// About how many bytes the journal has.
    var journal: Int
    /// Whether nobody has looked yet at all steps that earlier processes have left.
    var hasFirstRound: Bool
    /// The rows of steps that were written since the last sweep, and the bytes that may be outdated by now.
    var steps = 0
    var bytes = 0

    var hasToEmpty: Bool { journal >= StoreUpkeep.journalBytes }
    func hasToSweep(adding rows: Int) -> Bool {
      hasFirstRound || steps + rows >= StoreUpkeep.stepsPerSweep || bytes >= StoreUpkeep.bytesPerSweep
    }
    /// The last step that was looked at; 0 before the first one.
    var cursor = 0
    var isUnderWay = false
  }

  /// What some of the work has done, should it be committed.
  struct Outcome: Sendable {
    /// The rows that the table of steps has got of the journal, which is empty now; nil if it was not
    /// emptied.
    fileprivate var movedRows: Int?
    /// The last step that was looked at, 0 if it was the last of all; nil if none was.
    fileprivate var cursor: Int?
    /// Whether more is left.
    fileprivate(set) var hasMore = false
  }

  private let state: Mutex<State>

  /// The upkeep of a file as earlier processes have left it.
  ///
  /// - Parameter connection: The file.
  /// - Throws: `SQLiteError`.
  init(_ connection: SQLiteConnection) throws {
    let journal = try connection.row("SELECT coalesce(sum(length(CAST(data AS BLOB))), 0) FROM journal") {
      try $0.value(0, as: Int.self)
    }
    let hasSteps = try connection.row("SELECT 1 FROM step LIMIT 1") { _ in true } ?? false
    state = Mutex(State(journal: journal ?? 0, hasFirstRound: hasSteps))
  }

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
      guard !state.isUnderWay, hasDeleted || state.hasToEmpty || state.hasToSweep(adding: 0) else {
        return false
      }
      state.isUnderWay = true
      return true
    }
  }

  /// The work was tried.
  ///
  /// - Parameter outcome: What has been committed; nil if nothing has, and a later commit begins again.
  /// - Returns: Whether `work` is to be run again.
  func end(_ outcome: Outcome?) -> Bool {
    state.withLock { state in
      if let rows = outcome?.movedRows {
        state.journal = 0
        state.steps += rows
      }
      if let cursor = outcome?.cursor {
        state.cursor = cursor
        (state.steps, state.bytes) = (0, 0)
        if cursor == 0 { state.hasFirstRound = false }
      }
      state.isUnderWay = outcome?.hasMore ?? false
      return state.isUnderWay
    }
  }

  /// Does some of the work; it counts when it is committed.
  ///
  /// - Parameter connection: In a transaction.
  /// - Returns: What it has done.
  /// - Throws: `SQLiteError`; it is tried again after a later commit.
  func work(_ connection: SQLiteConnection) throws -> Outcome {
    var outcome = Outcome()
    if state.withLock({ $0.hasToEmpty }) { outcome.movedRows = try SessionJournal.empty(connection) }
    let rows = outcome.movedRows ?? 0
    if state.withLock({ $0.hasToSweep(adding: rows) }) {
      let end = try sweep(connection)
      outcome.cursor = end
      outcome.hasMore = end > 0 && state.withLock { $0.hasFirstRound }
    }
    func count(_ pragma: String) throws -> Int {
      try connection.row("PRAGMA \(pragma)") { try $0.value(0, as: Int.self) } ?? 0
    }
    let free = try count("freelist_count")
    let spare = max(Self.leastPages, try count("page_count") / 8)
    guard free > spare else { return outcome }
    try connection.run("PRAGMA incremental_vacuum(\(min(free - spare, Self.pagesAtOnce)))")
    if free - spare > Self.pagesAtOnce { outcome.hasMore = true }
    return outcome
  }

  /// Deletes outdated steps behind those that were looked at before.
  ///
  /// - Returns: The last step that it has looked at; 0 if it was the last of all.
  private func sweep(_ connection: SQLiteConnection) throws -> Int {
    let start = state.withLock { $0.cursor }
    let end = try connection.row(
      "SELECT max(id) FROM (SELECT id FROM step WHERE id > ? ORDER BY id LIMIT ?)", start,
      2 * Self.stepsPerSweep
    ) { try $0.value(0, as: Int?.self) }
    guard let end = end ?? nil else { return 0 }
    try connection.run(
      """
      DELETE FROM step WHERE id IN (SELECT step.id FROM step LEFT JOIN record ON record.id = step.record
        WHERE step.id > ? AND step.id <= ? AND record.version IS NOT step.version)
      """, start, end)
    return end
  }
}
