// SPDX-License-Identifier: Apache-2.0

/// What a slot's new home tells of it.
package struct SlotMove: Equatable, Sendable {
  /// How often the slot has moved.
  package let generation: UInt32
  /// The last generation whose owner has not got all that the one before had; 0 if there is none.
  package let lostSince: UInt32

  package init(generation: UInt32, lostSince: UInt32) {
    self.generation = generation
    self.lostSince = lostSince
  }
}

/// Where the slots are at home, as one loop knows it; confined to its loop.
///
/// A slot is what one loop owns as a whole: shared rooms, their sessions, and what only these show. It begins on loop
/// `slot % loops`, or where nobody knows if there are other nodes. Each move has a higher generation, so that news of an older one, which may come late, is not believed.
///
/// ```
/// open ──close──► closed ──move──► elsewhere          it is given away: nobody enters, what there is is stored
/// open ──lose───► nowhere ──move─► elsewhere          somebody else has it: what there is is dropped
/// elsewhere ──move──► open
/// ```
final class SlotTable {
  /// Which of the loops this is.
  let loop: Int
  private var slots: [Slot]
  /// How many are open.
  private var openSlots: Int
  /// When slots came here from elsewhere, on the loop's clock.
  private var arrivals: [Int: Duration] = [:]

  private struct Slot {
    /// The loop's place; -1 if nobody here knows it.
    var home: Int16
    var isOpen: Bool
    var generation: UInt32 = 0
    var lostSince: UInt32 = 0
  }

  /// - Parameters:
  ///   - loop: Which of the loops this is, from 0.
  ///   - loops: How many there are.
  ///   - isClustered: Whether other nodes have slots, too: it is not known where any is.
  init(loop: Int, of loops: Int, isClustered: Bool = false) {
    self.loop = loop
    slots = (0..<RecordLabel.slots).map {
      isClustered
        ? Slot(home: -1, isOpen: false) : Slot(home: Int16($0 % loops), isOpen: $0 % loops == loop)
    }
    openSlots = slots.count(where: \.isOpen)
  }

  /// Whether any slot is open.
  var hasOpen: Bool { openSlots > 0 }

  /// The place of the loop where a slot is at home; nil while nobody here knows.
  func home(of slot: Int) -> Int? { slots[slot].home < 0 ? nil : Int(slots[slot].home) }

  /// Whether a slot is here, and its rooms and sessions may be asked for.
  func isOpen(_ slot: Int) -> Bool { slots[slot].isOpen }

  /// How often a slot has moved, as far as is known here.
  func generation(of slot: Int) -> UInt32 { slots[slot].generation }

  /// The last generation whose owner has not got all that the one before had; 0 if there is none.
  func lostSince(_ slot: Int) -> UInt32 { slots[slot].lostSince }

  /// When a slot came here; nil if it was here from the start.
  func arrival(of slot: Int) -> Duration? { arrivals.isEmpty ? nil : arrivals[slot] }

  /// An open slot for a session that shows no shared room.
  ///
  /// - Parameter number: Decides which one, from 0.
  /// - Returns: The slot; nil if none is open.
  func open(near number: Int) -> Int? {
    hasOpen ? first(near: number) { slots[$0].isOpen } : nil
  }

  /// The home of some slot.
  ///
  /// - Parameters:
  ///   - number: Decides of which one, from 0.
  ///   - isReachable: Whether a home will do.
  /// - Returns: The home; nil if none is known that will do.
  func home(near number: Int, where isReachable: (Int) -> Bool) -> Int? {
    first(near: number) { home(of: $0).map(isReachable) ?? false }.flatMap(home)
  }

  private func first(near number: Int, where fits: (Int) -> Bool) -> Int? {
    let first = number % slots.count
    return (0..<slots.count).lazy.map { (first + $0) % self.slots.count }.first(where: fits)
  }

  /// Nobody may enter a slot any more, because it goes elsewhere.
  func close(_ slot: Int) { replace(slot) { $0.isOpen = false } }

  /// A slot is no longer here, and nobody has told where it is.
  func lose(_ slot: Int) {
    replace(slot) {
      $0.isOpen = false
      if $0.home == loop { $0.home = -1 }
    }
  }

  /// A slot has another home.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - home: The loop's place; nil if nobody has it.
  ///   - move: What is known of the move.
  ///   - time: The time, on the loop's clock.
  func move(_ slot: Int, to home: Int?, _ move: SlotMove, at time: Duration) {
    replace(slot) {
      $0 = Slot(
        home: home.map { Int16($0) } ?? -1, isOpen: home == loop, generation: move.generation,
        lostSince: move.lostSince)
    }
    arrivals[slot] = home == loop ? time : nil
  }

  /// Whether something is told of a slot that is not known: a newer move, that its owner has gone, or, by itself, that it has taken
  /// back what it has given away.
  func isNews(_ slot: Int, home: Int?, _ move: SlotMove, byItself: Bool = false) -> Bool {
    let known = slots[slot]
    guard move.generation == known.generation else { return move.generation > known.generation }
    return home == nil ? known.home >= 0 : byItself && known.home < 0
  }

  private func replace(_ slot: Int, by change: (inout Slot) -> Void) {
    openSlots -= slots[slot].isOpen ? 1 : 0
    change(&slots[slot])
    openSlots += slots[slot].isOpen ? 1 : 0
  }
}

extension RoomKey {
  /// The slot of a room's record: that of a private one's session.
  var recordSlot: Int { session.map { SessionName.slot(of: $0) ?? 0 } ?? slot }
}
