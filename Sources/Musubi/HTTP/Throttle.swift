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

  /// How long to wait after so many attempts.
  func wait(after attempts: Int) -> Duration {
    guard attempts >= free else { return .zero }
    // A shift of 30 makes 34 years of a second.
    return min(longestWait, firstWait * (1 << min(30, attempts - free)))
  }
}

/// The attempts of somebody so far.
package struct AttemptCount: Equatable, Sendable {
  package private(set) var attempts = 0
  /// When the last one was.
  package private(set) var last: Duration
  /// When the one before the last was.
  package private(set) var before: Duration
  /// When the next one may be.
  package private(set) var next: Duration

  /// None.
  package init(at now: Duration) { (last, before, next) = (now, now, now) }

  /// As they were counted before.
  package init(attempts: Int, last: Duration, before: Duration, next: Duration) {
    (self.attempts, self.last, self.before, self.next) = (attempts, last, before, next)
  }

  /// Those that are not forgotten yet.
  package func current(_ limits: ThrottleLimits, at now: Duration) -> AttemptCount {
    now - last < limits.memory ? self : AttemptCount(at: now)
  }

  /// Counts one more.
  package mutating func add(_ limits: ThrottleLimits, at now: Duration) {
    attempts += 1
    (before, last) = (last, now)
    next = now + limits.wait(after: attempts)
  }

  /// Gives one back that was a success: the wait before it was over, none follows it, and the others are not remembered longer for it.
  package mutating func giveBack() {
    attempts -= 1
    (next, last) = (last, before)
  }

  /// How many whole seconds, at least 1, an attempt that counts for several has to wait; nil if it may go on.
  package static func wait(_ counts: [AttemptCount], at now: Duration) -> Int? {
    guard let wait = counts.map({ $0.next - now }).max(), wait > .zero else { return nil }
    return Int(wait.components.seconds) + 1
  }
}

/// Slows down whoever tries again and again: some attempts are free, then each takes twice as long as the one before.
///
/// An attempt counts when it begins, so that a thousand at once are no better than one after another; a success gives it
/// back. An attempt that is refused counts for nothing.
package final class Throttle<Key: Hashable & Sendable>: Sendable {
  /// The most that are remembered at once; then those with the fewest attempts are forgotten.
  private let maxEntries: Int
  private let limits: @Sendable (Key) -> ThrottleLimits
  private let entries = Mutex<[Key: AttemptCount]>([:])

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
      let counts = keys.compactMap { key in entries[key]?.current(limits(key), at: now) }
      if let wait = AttemptCount.wait(counts, at: now) { return wait }
      for key in keys {
        if entries[key] == nil, entries.count >= maxEntries { sweep(&entries, at: now) }
        var entry = (entries[key] ?? AttemptCount(at: now)).current(limits(key), at: now)
        entry.add(limits(key), at: now)
        entries[key] = entry
      }
      return nil
    }
  }

  /// Gives an attempt back that was a success.
  package func giveBack(_ key: Key) {
    entries.withLock { entries in
      guard var entry = entries[key] else { return }
      entry.giveBack()
      entries[key] = entry.attempts > 0 ? entry : nil
    }
  }

  /// Forgets all attempts.
  package func forget(_ key: Key) { entries.withLock { $0[key] = nil } }

  /// How many are remembered.
  package var count: Int { entries.withLock { $0.count } }

  /// Forgets those that are quiet, and then, if that is not enough, the half with the fewest attempts.
  private func sweep(_ entries: inout [Key: AttemptCount], at now: Duration) {
    entries = entries.filter { now - $0.value.last < limits($0.key).memory }
    guard entries.count >= maxEntries else { return }
    let kept = entries.sorted { ($0.value.attempts, $0.value.last) > ($1.value.attempts, $1.value.last) }
    entries = Dictionary(uniqueKeysWithValues: kept.prefix(maxEntries / 2).map { ($0.key, $0.value) })
  }
}
