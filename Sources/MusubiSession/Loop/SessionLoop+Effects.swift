// SPDX-License-Identifier: Apache-2.0

/// Rooms whose effects overlap without an end: their inputs wait in between, as they do for hand-overs, so
/// that they are stored.
extension SessionLoop {
  /// An effect of a room has begun: has further inputs wait, if it is time.
  func holdInputs(of room: Room) {
    let now = environment.clock()
    // While the store takes nothing, waiting would help nobody; and hand-overs come first.
    guard room.keeping != nil, !committer.isFailing, room.handOversEnd.map({ $0 <= now }) ?? true,
      let end = room.effects?.overlap.hold(at: now)
    else { return }
    room.handOversEnd = end
    room.holdsInputs = true
    holdsInputs = true
  }

  /// A commit has taken a room along: its inputs go on in the next iteration.
  func releaseInputs(of room: Room) {
    room.holdsInputs = false
    room.handOversEnd = nil
    for member in room.members where member.session.probation == nil {
      // One that is slowed down alone keeps nothing back.
      if let visit = member.session.visit, visit.isThrottled, visit.keepsHeld { release(visit) }
    }
  }
}
