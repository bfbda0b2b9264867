// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// Pages whose sessions could not be resumed hand over what they show.
///
/// A shared room without stored state takes hand-overs before inputs in its first two seconds, so that the page that
/// knows most wins, not the fastest: if it is made for a page that comes back, or within two seconds of the server's
/// start. Inputs wait from the first page on that has come back; as long as all are new, nobody waits.
extension Visit {
  /// The page has come back to a room without its session.
  func noteReturn(of member: Member) {
    let room = member.room
    guard !room.key.isPrivate, !room.isRestored else { return }
    let now = loop.environment.clock()
    // It is the room's first page: the room was made for it.
    if member.number == 1 { room.handOversEnd = now + loop.configuration.handOverWindow }
    guard let end = room.handOversEnd, now < end else { return }
    room.holdsInputs = true
    loop.holdsInputs = true
  }

  /// Has an input wait, with all that comes behind it, while its room takes hand-overs.
  ///
  /// - Parameters:
  ///   - message: The input.
  ///   - screen: The screen that it is for.
  /// - Returns: Whether it waits.
  func holdsBack(_ message: UnsafeRawBufferPointer, for screen: Int) -> Bool {
    guard let room = session?.member(showing: screen)?.room, room.holdsInputs, let end = room.handOversEnd
    else { return false }
    guard loop.environment.clock() < end else {
      room.holdsInputs = false
      return false
    }
    holdBack(message)
    loop.shares.throttled.insert(Weak(self), at: end)
    return true
  }

  /// Has an input wait, with all that comes behind it; it goes with the connection.
  func holdBack(_ message: UnsafeRawBufferPointer) {
    held.putBack(message, from: loop.heldSince ?? loop.environment.arrival())
    countHeld()
    keepsHeld = true
    isThrottled = true
    connection?.setReading(false)
  }

  /// Takes a value that the page hands over, or a piece of it.
  func take(_ value: Value, of name: String) {
    guard let (handOver, member) = openHandOver(), member.room.isTwoWay(name) else { return }
    handOver.add(
      name, value, maxBytes: loop.configuration.maxTextBytes, maxValues: member.room.schema.inputs.count)
    countHanded()
  }

  /// Takes all that the page has handed over, tells it the values that it has to give up, and sends it the
  /// state.
  func endHandOver(at position: StreamPosition, of lineage: [StreamPosition]) {
    guard let (handOver, member) = openHandOver() else { return }
    let room = member.room
    self.handOver = nil
    countHanded()
    var givenUp = handOver.values.map(\.name)
    if !handOver.isBroken {
      let event = RoomEvent.handOver(
        member: member.number, values: handOver.values, position: position, lineage: lineage)
      if case .handedOver(let names) = room.handle(event) { givenUp = names }
    }
    // Of the room that lives on the page has what the session took: it is not to be sent again.
    let taken = room.lives(on: position) ? handOver.taken : 0
    if taken > 0 { member.session.taken = taken }
    if !handOver.values.isEmpty {
      member.session.hasHandedValues = true
      loop.committer.touch(member.session)
    }
    queue { $0.handedOver(givenUp: givenUp, acknowledged: taken) }
    member.needsSnapshot = true
    // The page has not looked at what came before that.
    member.news = nil
    room.tell(member)
  }

  private func openHandOver() -> (HandOver, Member)? {
    guard let handOver, let session, session.taken == 0 else {
      violation("A hand-over comes once, where a session could not be resumed.")
      return nil
    }
    return (handOver, session.members[0])
  }
}
