// SPDX-License-Identifier: Apache-2.0
package import MusubiRx

/// Relays by their keys, each for as long as somebody else holds it; its owner has a lock.
package struct WeakRelays<Key: Hashable, Element: Sendable> {
  private struct Entry {
    weak var relay: SharedRelay<Element>?
  }

  private var entries: [Key: Entry] = [:]
  /// When there are so many, those that nobody holds go.
  private var nextSweep = 64

  /// No relays.
  package init() {}

  /// The relay of a key; nil if nobody holds one.
  package subscript(key: Key) -> SharedRelay<Element>? { entries[key]?.relay }

  /// Keeps the relay of a key for as long as somebody else holds it.
  package mutating func keep(_ relay: SharedRelay<Element>, for key: Key) {
    if entries.count >= nextSweep {
      entries = entries.filter { $0.value.relay != nil }
      nextSweep = max(64, 2 * entries.count)
    }
    entries[key] = Entry(relay: relay)
  }
}
