// SPDX-License-Identifier: Apache-2.0

/// How far the stored state of a session or a room is behind.
///
/// A change is *dirty* until a commit takes it along, then *under way*, then saved. What may only be told when a change
/// is saved waits at a gate, whose number is that of the round that takes the change along.
struct Saving {
  private(set) var isDirty = false
  private(set) var isUnderWay = false
  private var round = 1
  private var savedRound = 0

  /// Whether everything is saved.
  var isSafe: Bool { !isDirty && !isUnderWay }

  /// The gate for frames of now.
  var gate: Int { isDirty ? round : isUnderWay ? round - 1 : 0 }

  /// Whether what waits at a gate may be told.
  func isOpen(_ gate: Int) -> Bool { gate <= savedRound }

  /// Something has changed.
  ///
  /// - Returns: Whether nothing had before, since the last commit began.
  mutating func touch() -> Bool {
    defer { isDirty = true }
    return !isDirty
  }

  /// A commit takes the changes along.
  mutating func begin() {
    isDirty = false
    isUnderWay = true
    round += 1
  }

  /// The commit has ended.
  mutating func end(isSaved: Bool) {
    isUnderWay = false
    if isSaved { savedRound = round - 1 } else { isDirty = true }
  }
}
