// SPDX-License-Identifier: Apache-2.0

/// Who shows a room: while no page is connected, it is suspended.
extension RoomDirectory {
  /// A page begins to show a room.
  func join(_ member: Member) {
    resume(member.room)
    member.room.handle(.join(member: member.number))
    // A timer may present a screen while the session has no page.
    if member.session.visit == nil { tell(member, isConnected: false) }
  }

  /// A page is connected, or no longer is.
  func tell(_ member: Member, isConnected: Bool) {
    let room = member.room
    if isConnected { resume(room) }
    room.handle(.connection(member: member.number, isConnected: isConnected))
    if !isConnected { suspendIfUnshown(room) }
  }

  /// Another screen of its session lies on top of a room's, or no longer does.
  func tell(_ member: Member?, isCovered: Bool) {
    guard let member, member.isCovered != isCovered else { return }
    if member.room.presence == nil, member.room.carets == nil {
      member.isCovered = isCovered
    } else {
      member.room.handle(.cover(member: member.number, isCovered: isCovered))
    }
  }

  /// Somebody is about to show a room.
  func resume(_ room: Room) {
    guard room.isSuspended else { return }
    room.handle(.resume)
    room.scheduler.ringMissed()
  }

  /// Suspends a room if nobody shows it.
  func suspendIfUnshown(_ room: Room) {
    guard room.pages == 0, !room.isSuspended else { return }
    // Pages that have just gone may not have seen it, and come back.
    room.finishTurn()
    room.handle(.suspend)
  }
}
