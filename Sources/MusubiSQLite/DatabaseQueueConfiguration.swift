// SPDX-License-Identifier: Apache-2.0

/// How a database queue works.
public struct DatabaseQueueConfiguration: Sendable, Equatable {
  /// How its connection treats the file.
  public var connection = ConnectionConfiguration()
  /// The most works that wait; 10,000.
  ///
  /// A work more is refused as `queueFull`, so that a stuck disk costs bounded memory.
  public var maxWaitingWorks = 10_000
  /// The most works that share one transaction; 512.
  ///
  /// More make the first of them wait longer for no gain.
  public var maxWorksPerCommit = 512

  /// The defaults, which are right for a server's data.
  public init() {}
}
