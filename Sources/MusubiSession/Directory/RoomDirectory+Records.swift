// SPDX-License-Identifier: Apache-2.0

/// A session and its rooms as the store has them, for a page that comes back.
struct RecentRecords {
  let session: StoredSession
  var rooms: [RoomKey: StoredRoom] = [:]
}

/// Reading of records that nobody has asked for before.
extension RoomDirectory {
  /// Reads a stored room.
  ///
  /// - Returns: The room; nil if it is damaged, and has ended therefore.
  /// - Throws: `RecordError` if the store does not answer.
  func read(_ key: RoomKey) throws(RecordError) -> StoredRoom? {
    if let room = recent?.rooms[key] { return room }
    guard stored.rooms[key] != nil, let store = environment.store else { return nil }
    do {
      return try store.room(key)
    } catch {
      guard case .broken = error else { throw error }
      if let entry = stored.takeRoom(key) { committer.end(key, entry) }
      reportBroken(key, error)
      return nil
    }
  }

  /// Reads a stored session with its rooms, unless it was read in this iteration.
  ///
  /// - Returns: The session with the number of its last input; nil if it is not stored, or is damaged.
  /// - Throws: `RecordError` if the store does not answer.
  func readSession(_ id: String) throws(RecordError) -> StoredSession? {
    if let recent, recent.session.id == id { return recent.session }
    recent = nil
    guard let entry = stored.sessions[id], let store = environment.store else { return nil }
    var session: StoredSession
    do {
      session = try store.session(id)
    } catch {
      guard case .broken = error else { throw error }
      environment.observe?(
        .failed(
          Notice.Failed(
            screen: entry.rooms.first?.screen ?? "",
            message: "a stored session cannot be used, and its page begins again: \(error)", session: id,
            peer: entry.label.peer.flatMap { Peer($0) })))
      return nil
    }
    session.label = entry.label
    var rooms: [RoomKey: StoredRoom] = [:]
    for key in Set(session.views.map(\.room)) {
      if let room = self[key] {
        session.taken = max(session.taken, room.keeping?.absent[id] ?? 0)
      } else if let room = try read(key) {
        session.taken = max(session.taken, room.taken?.first { $0.session == id }?.number ?? 0)
        rooms[key] = room
      }
    }
    recent = RecentRecords(session: session, rooms: rooms)
    return session
  }
}
