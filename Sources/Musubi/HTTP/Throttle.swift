// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// How patient a throttle is.
package struct ThrottleLimits: Equatable, Sendable {
  /// The attempts without a wait.
  package var free: Int
  /// The first wait; each further one is twice as long.
  package var firstWait: Duration = .seconds(1)
  /// The longest wait.
  package var longestWait: Duration = .seconds(300)
  /// The quiet time after which all attempts are forgotten.
  package var memory: Duration = .seconds(3_600)

  /// So patient.
  package init(
    free: Int, firstWait: Duration = .seconds(1), longestWait: Duration = .seconds(300),
    memory: Duration = .seconds(3_600)
  ) {
    self.free = free
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.memory = memory
  }
}

/// Slows down whoever tries again and again: some attempts are free, then each takes twice as long as the one before.
///
/// An attempt counts when it begins, so that a thousand at once are no better than one after another; a success gives it
/// back. An attempt that is refused counts for nothing.
package final class Throttle<Key: Hashable & Sendable>: Sendable {
  private struct Entry {
    var attempts = 0
    var last: Duration
    var next: Duration
  }

  /// The most that are remembered at once; then those with the fewest attempts are forgotten.
  private let maxEntries: Int
  private let limits: @Sendable (Key) -> ThrottleLimits
  private let entries = Mutex<[Key: Entry]>([:])

  /// A throttle.
  ///
  /// - Parameters:
  ///   - maxEntries: The most keys that are remembered at once.
  ///   - limits: How patient it is with a key.
  package init(maxEntries: Int = 50_000, limits: @escaping @Sendable (Key) -> ThrottleLimits) {
    self.maxEntries = maxEntries
    self.limits = limits
  }

  /// Counts an attempt, or says how long to wait before the next one.
  ///
  /// - Parameters:
  ///   - keys: All of them must agree; the attempt counts for each of them.
  ///   - now: The time, of a clock that never goes back.
  /// - Returns: The wait in whole seconds, at least 1; nil if the attempt may go on.
  package func admit(_ keys: [Key], at now: Duration) -> Int? {
    entries.withLock { entries in
      let waits = keys.compactMap { key in entries[key].map { current($0, key, at: now).next - now } }
      if let wait = waits.max(), wait > .zero { return Int(wait.components.seconds) + 1 }
      for key in keys {
        if entries[key] == nil, entries.count >= maxEntries { sweep(&entries, at: now) }
        var entry = current(entries[key] ?? Entry(last: now, next: now), key, at: now)
        entry.attempts += 1
        entry.last = now
        entry.next = now + wait(key, after: entry.attempts)
        entries[key] = entry
      }
      return nil
    }
  }

  /// Gives an attempt back that was a success.
  package func giveBack(_ key: Key) {
    entries.withLock { entries in
      guard var entry = entries[key] else { return }
      entry.attempts -= 1
      entry.next = entry.last + wait(key, after: entry.attempts)
      entries[key] = entry.attempts > 0 ? entry : nil
    }
  }

  /// Forgets all attempts.
  package func forget(_ key: Key) { entries.withLock { $0[key] = nil } }

  /// How many are remembered.
  package var count: Int { entries.withLock { $0.count } }

  private func wait(_ key: Key, after attempts: Int) -> Duration {
    let limits = limits(key)
    guard attempts >= limits.free else { return .zero }
    // A shift of 30 makes 34 years of a second.
    return min(limits.longestWait, limits.firstWait * (1 << min(30, attempts - limits.free)))
  }

  private func current(_ entry: Entry, _ key: Key, at now: Duration) -> Entry {
    now - entry.last < limits(key).memory ? entry : Entry(last: now, next: now)
  }

  /// Forgets those that are quiet, and then, if that is not enough, the half with the fewest attempts.
  private func sweep(_ entries: inout [Key: Entry], at now: Duration) {
    entries = entries.filter { now - $0.value.last < limits($0.key).memory }
    guard entries.count >= maxEntries else { return }
    let kept = entries.sorted { ($0.value.attempts, $0.value.last) > ($1.value.attempts, $1.value.last) }
    entries = Dictionary(uniqueKeysWithValues: kept.prefix(maxEntries / 2).map { ($0.key, $0.value) })
  }
}
