// SPDX-License-Identifier: Apache-2.0

/// Things that expire a fixed time after they were left, in the order in which they were left.
///
/// Leaving again simply enters a second time; whoever takes an entry out checks that it still holds. Outdated entries
/// never outnumber the others for long, so that coming and going costs no memory.
struct ExpiryQueue<Key> {
  private var entries: [(key: Key, since: Duration)] = []
  private var start = 0
  private var maxEntries = 1_024
  let lifetime: Duration

  init(lifetime: Duration) { self.lifetime = lifetime }

  /// The keys, the oldest first.
  var keys: some Sequence<Key> { entries[start...].lazy.map(\.key) }

  /// The keys and their times, the oldest first.
  var all: ArraySlice<(key: Key, since: Duration)> { entries[start...] }

  private var count: Int { entries.count - start }

  /// When the oldest entry expires.
  var nextDeadline: Duration? { start < entries.count ? entries[start].since + lifetime : nil }

  /// Adds a thing that was left.
  ///
  /// - Parameters:
  ///   - key: Its name.
  ///   - now: When it was left.
  ///   - isCurrent: Whether an earlier entry still holds.
  mutating func enter(_ key: Key, at now: Duration, isCurrent: (Key, Duration) -> Bool) {
    if count >= maxEntries {
      entries = entries[start...].filter { isCurrent($0.key, $0.since) }
      start = 0
      maxEntries = max(1_024, 2 * entries.count)
    }
    entries.append((key, now))
  }

  /// Takes out the oldest entry if it is due.
  mutating func next(at now: Duration) -> (key: Key, since: Duration)? {
    guard start < entries.count, entries[start].since + lifetime <= now else { return nil }
    let entry = entries[start]
    start += 1
    if start * 2 > entries.count {
      entries.removeFirst(start)
      start = 0
    }
    return entry
  }
}
