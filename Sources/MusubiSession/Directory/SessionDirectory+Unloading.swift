// SPDX-License-Identifier: Apache-2.0

/// Memory is given back, and the record stays: the room or session is restored, as after a restart, when somebody asks.
extension RoomDirectory {
  /// Lets go of a shared room that no session in memory shows.
  ///
  /// - Parameter room: The room.
  /// - Returns: Whether it did; not if a session shows it, if it is not stored, or not all of it is.
  func unload(_ room: Room) -> Bool {
    guard !room.key.isPrivate, self[room.key] === room, room.members.isEmpty, isSaved(room) else {
      return false
    }
    remember(room)
    return true
  }

  /// Whether the store has all of a room, and nothing is under way that it does not know.
  func isSaved(_ room: Room) -> Bool {
    guard let keeping = room.keeping, !keeping.hasEnded else { return false }
    return keeping.saving.isSafe && !keeping.isBehind && !committer.isBusy(room)
  }

  /// Makes a room an entry of the index.
  func remember(_ room: Room) {
    guard let keeping = room.keeping else { return }
    var entry = StoredEntry(label: keeping.label, bytes: keeping.bytes, left: keeping.left)
    entry.since = room.emptySince
    stored.add(room.key, entry)
    drop(room)
  }
}

extension SessionDirectory {
  /// Lets go of a session that waits for its page, and of the rooms that only it shows.
  ///
  /// A shared room stays, and takes it for one that has left.
  ///
  /// - Parameter session: The session.
  /// - Returns: Whether it did; not if its page is connected, if it is not stored, or not all of it is.
  func unload(_ session: Session) -> Bool {
    guard isSaved(session) else { return false }
    remember(session)
    return true
  }

  /// Whether a session waits for its page, and the store has all of it and of what it shows.
  func isSaved(_ session: Session) -> Bool {
    session.waitingSince != nil && session.visit == nil && self[session.id] === session && session.isStored
      && session.saving?.isSafe == true && !session.hasUnsavedInputs && session.label != nil
      && session.members.allSatisfy { rooms.isSaved($0.room) }
  }

  /// Makes a session an entry of the index, and the rooms that only it shows.
  func remember(_ session: Session) {
    guard let since = session.waitingSince, let label = session.label else { return }
    let members = session.members
    var entry = StoredEntry(
      label: label, bytes: session.recordBytes, left: environment.wallTime(of: since),
      rooms: members.map(\.room.key))
    entry.since = since
    entry.isUsed = session.isUsed
    stopWaiting(session)
    forget(session)
    rooms.stored.add(session.id, entry)
    session.members = []
    for member in members {
      let room = member.room
      if room.key.isPrivate {
        rooms.remember(room)
      } else {
        if session.taken > 0 { room.keeping?.absent[session.id] = session.taken }
        rooms.leave(member)
      }
    }
  }
}
