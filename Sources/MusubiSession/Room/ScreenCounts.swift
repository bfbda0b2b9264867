// SPDX-License-Identifier: Apache-2.0

/// The counts of one screen's rooms on a loop.
package struct ScreenTotals: Equatable, Sendable {
  package let screen: String
  /// Rooms in memory.
  package var rooms = 0
  /// Pages that are connected and show it.
  package var pages = 0
  package var turns = 0
  package var inputs = 0
  /// How long a room took for one event.
  package var turnTime = DurationHistogram()
  /// From an input's arrival to the end of the iteration that handed its turn to the pages at the head.
  package var handOver = DurationHistogram()

  package init(screen: String) { self.screen = screen }
}

/// Counts what the rooms of one screen do.
///
/// Rooms hold it by their schema, so that counting an event is an addition. One event of 64 is measured, by turns the 63rd and
/// the 65th: so no pattern in the events hides one kind of them.
final class ScreenCounts {
  // Unchecked, all: each event reads or writes them 7 times.
  @exclusivity(unchecked) var values: ScreenTotals
  @exclusivity(unchecked) private var untilTiming = 1
  @exclusivity(unchecked) private var untilFollowing = 1
  private var (lastTiming, lastFollowing) = (65, 65)

  init(_ screen: String) { values = ScreenTotals(screen: screen) }

  /// An event is about to be handled; whether it is to be measured.
  var isTimed: Bool {
    untilTiming -= 1
    guard untilTiming == 0 else { return false }
    lastTiming = 128 - lastTiming
    untilTiming = lastTiming
    return true
  }

  /// An input is about to be handled; whether its turn is to be followed.
  func addInput() -> Bool {
    values.inputs += 1
    untilFollowing -= 1
    guard untilFollowing == 0 else { return false }
    lastFollowing = 128 - lastFollowing
    untilFollowing = lastFollowing
    return true
  }

  func endTiming(since begin: Duration, at now: Duration) { values.turnTime.add(now - begin) }
}

extension Room {
  /// An event is about to be handled.
  ///
  /// - Returns: What time it is, if the event is to be measured.
  func beginCounting() -> Duration? {
    let counts = sharedSchema.counts
    if origin.input > 0, counts.addInput() { host?.follow(sequence + 1, of: self) }
    return counts.isTimed ? scheduler.time : nil
  }
}

/// A turn that an input may bring about, on its way to the pages.
struct FollowedTurn {
  let room: Room
  /// Its number, if there will be one.
  let number: Int
  /// When the input arrived.
  let arrival: Duration

  /// Whether it was handed out in the iteration that ends, or never will be.
  func isOver(at now: Duration) -> Bool {
    guard room.sequence >= number, !room.members.isEmpty else { return true }
    // A turn that changes texts waits for its commit.
    guard room.released >= number else { return false }
    room.sharedSchema.counts.values.handOver.add(now - arrival)
    return true
  }
}
