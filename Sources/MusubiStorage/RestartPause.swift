// SPDX-License-Identifier: Apache-2.0

/// How long a server waits before it listens, by how its processes have ended: whatever ends them at once would else end
/// them again and again.
package struct RestartPause: Equatable, Sendable {
  /// How many processes in a row have ended soon, and unasked.
  package let ends: Int

  /// No process has ended unasked.
  package static let none = RestartPause(ends: 0)

  /// Ends that come within so long, in seconds, belong together.
  static let soon = 60.0
  /// A process that has served for so long, in seconds, is a good one.
  static let long = 600.0

  package init(ends: Int) { self.ends = max(0, min(ends, 16)) }

  /// The pause after one more process has ended unasked.
  ///
  /// - Parameter served: For how long it has served, in seconds; nil if it has never listened.
  /// - Returns: The pause before the next one listens.
  package func afterEnd(served: Double?) -> RestartPause {
    let served = served ?? 0
    if served >= Self.long { return RestartPause(ends: 1) }
    return RestartPause(ends: served < Self.soon ? ends + 1 : max(1, ends))
  }

  /// How long to wait: nothing after the first end, then 1, 2, 4 … seconds.
  ///
  /// - Parameter limit: The longest wait.
  /// - Returns: The wait.
  package func wait(atMost limit: Duration) -> Duration {
    ends < 2 ? .zero : min(limit, .seconds(1 << (ends - 2)))
  }
}
