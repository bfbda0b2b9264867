// SPDX-License-Identifier: Apache-2.0

/// The statements that a connection has prepared and does not use at the moment.
///
/// A statement in use is not in here; so a query inside a query with the same text gets one of its own.
struct StatementCache {
  private let capacity: Int
  private var idle: [String: (statement: Statement, lastUse: UInt64)] = [:]
  private var clock: UInt64 = 0

  /// An empty cache that keeps at most `capacity` statements, the most recently used ones.
  init(capacity: Int) { self.capacity = capacity }

  /// The number of statements kept.
  var count: Int { idle.count }

  /// Takes the statement with this text out, if there is one.
  mutating func take(_ sql: String) -> Statement? { idle.removeValue(forKey: sql)?.statement }

  /// Keeps a reset statement for its next use.
  mutating func give(_ statement: Statement) {
    guard capacity > 0 else { return }
    clock += 1
    idle[statement.sql] = (statement, clock)
    guard idle.count > capacity, let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
      return
    }
    idle[oldest.key] = nil
  }

  /// Lets all statements go.
  mutating func removeAll() { idle = [:] }
}
