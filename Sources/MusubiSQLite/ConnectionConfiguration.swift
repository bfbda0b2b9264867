// SPDX-License-Identifier: Apache-2.0

/// How a connection treats its file.
public struct ConnectionConfiguration: Sendable, Equatable {
  /// How much a commit waits for.
  public enum Synchronous: String, Sendable {
    /// A commit is on the disk when it returns: it survives a kill of the process and a loss of power.
    case full
    /// A commit survives a kill of the process; a loss of power may take the last ones, never the file.
    case normal
  }

  /// How long a statement waits for another connection's lock before it fails as busy; 5 s.
  ///
  /// The wait blocks the connection's thread, so everything behind it waits as well. Shorten it where an
  /// early error is better than a late success.
  public var busyTimeout: Duration = .seconds(5)
  /// How much a commit waits for; `full`.
  ///
  /// `normal` makes commits several times quicker.
  public var synchronous: Synchronous = .full
  /// Whether no other connection may use the file meanwhile; false.
  public var isExclusive = false
  /// Whether the file gives back pages by `PRAGMA incremental_vacuum`; only a new file can begin to.
  public var vacuumsIncrementally = false
  /// Whether deleted rows are overwritten where that costs no further write.
  public var erasesDeleted = false
  /// Whether it only reads.
  public var isReader = false
  /// Whether foreign keys are enforced; true.
  public var enforcesForeignKeys = true
  /// The number of prepared statements that are kept; 64.
  public var cachedStatements = 64
  /// The most pages of 4 KiB that the file may have; nil, which means as many as the disk holds.
  public var maxPages: Int?

  /// The defaults, which are right for a server's data.
  public init() {}
}
