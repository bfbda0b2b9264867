// SPDX-License-Identifier: Apache-2.0

/// The bytes that a loop's records take in the store, by the peers that have made them.
final class StoreBudget {
  /// The most bytes; `Int.max` without a limit.
  let limit: Int
  private(set) var total = 0
  /// The bytes of each peer, by `Peer.text`; those of nobody's records are under no name.
  private(set) var peers: [String: Int] = [:]
  /// The total above which there is something to do; it rises when nothing more can go.
  private var threshold: Int

  init(limit: Int?) {
    self.limit = limit ?? .max
    threshold = self.limit
  }

  /// Whether records have to go.
  var isExceeded: Bool { total > threshold }

  /// Whether all that remains is shown, and newcomers would take more than there is.
  var isFull: Bool { total > limit && threshold > limit }

  /// A record takes another number of bytes.
  ///
  /// - Parameters:
  ///   - old: What it took; nil if it was not stored.
  ///   - new: What it takes; nil if it has ended.
  ///   - label: Whose it is.
  func change(from old: Int?, to new: Int?, of label: RecordLabel) {
    let change = (new.map(Self.weight) ?? 0) - (old.map(Self.weight) ?? 0)
    total += change
    let left = peers[label.peer ?? "", default: 0] + change
    peers[label.peer ?? ""] = left == 0 ? nil : left
  }

  /// The bytes of a record in the file: its name and label, and a quarter of pages that is free on average.
  static func weight(_ bytes: Int) -> Int { bytes + bytes / 4 + 256 }

  /// Somebody has looked, and nothing more can go.
  func settle() { threshold = total <= limit ? limit : total + limit / 64 }

  /// Somebody wants to enter although it is full: records may have been left meanwhile.
  func lookAgain() { threshold = limit }
}
