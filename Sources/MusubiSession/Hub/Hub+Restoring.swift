// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Sessions and rooms of an earlier process, which are made anew when somebody asks for them.
extension Hub {
  /// Has what was stored expire as if its pages had left when they did, or now if they were there to the end.
  func keepStored() {
    let (now, wallNow) = (environment.clock(), environment.wallClock())
    func since(_ left: Double?) -> Duration { now - .seconds(max(0, wallNow - (left ?? wallNow))) }
    let sessions = stored.sessions.values.map { ($0.id, since($0.left)) }.sorted {
      ($0.1, $0.0) < ($1.1, $1.0)
    }
    for (id, since) in sessions { waitingSessions.enter(id, at: since, isCurrent: isWaiting) }
    let rooms = stored.rooms.values.filter { stored.isAbandoned($0.key) }
      .map { ($0.key, since($0.left)) }.sorted { ($0.1, $0.0.name) < ($1.1, $1.0.name) }
    for (key, since) in rooms { emptyRooms.enter(key, at: since, isCurrent: isEmpty) }
    limitWaitingSessions(at: now)
  }

  /// A stored session has expired.
  func forgetStored(_ id: String) {
    guard let session = stored.takeSession(id) else { return }
    keeper.end(id)
    for key in Set(session.views.map(\.room)) where stored.isAbandoned(key) {
      if key.isPrivate {
        forgetStored(key)
      } else {
        emptyRooms.enter(key, at: environment.clock(), isCurrent: isEmpty)
      }
    }
  }

  /// A stored room has expired, unless a session has come that shows it.
  func forgetStored(_ key: RoomKey) {
    guard stored.isAbandoned(key), stored.takeRoom(key) != nil else { return }
    keeper.end(key)
  }

  /// Whether a page may continue the session that it names; true if there is none, which is another matter.
  func accepts(_ frame: ClientFrame.Resume) -> Bool {
    if let session = sessions[frame.session] { return session.accepts(frame.token) }
    guard let session = stored.sessions[frame.session] else { return true }
    return Session.accepts(
      frame.token, SHA256(hexadecimal: session.token),
      session.previousToken.map(SHA256.init(hexadecimal:)))
  }

  /// Makes a room anew as it was stored; nil if it was not, or cannot be.
  func restoreRoom(_ key: RoomKey) -> Room? {
    guard let stored = stored.takeRoom(key) else { return nil }
    do {
      guard let route = routes[key.screen] else { throw HubError.noLongerStored }
      let room = try makeRoom(
        key, route, path: stored.path, query: stored.query, visitor: stored.visitor, restoring: stored)
      guard room.keeping != nil else {
        drop(room)
        throw HubError.noLongerStored
      }
      return room
    } catch {
      keeper.end(key)
      environment.observe?(
        .failed(
          screen: key.screen, message: "what was stored of it cannot be used, and it begins anew: \(error)"))
      return nil
    }
  }

  /// Makes a session anew as it was stored, with those of its screens that can be.
  ///
  /// - Parameters:
  ///   - id: The session's name; its token was checked.
  ///   - connection: Where its page waits.
  /// - Returns: The session; nil if it was not stored, or its first screen cannot be made.
  func restoreSession(_ id: String, for connection: Connection) -> Session? {
    guard let stored = stored.takeSession(id) else { return nil }
    let session = Session(stored)
    for view in stored.views {
      guard let room = rooms[view.room] ?? restoreRoom(view.room), room.keeping != nil else { break }
      let member = room.admit(session, screen: view.screen, as: view.member)
      for index in member.bridges.indices { member.bridges[index].taken = stored.taken }
      member.dialog = view.dialog.map { ServerFrame.Dialog(name: $0.name, value: $0.value) }
      session.members.append(member)
      room.follow(member.encoding(connection.followsEdits))
    }
    for view in stored.views.dropFirst(session.members.count) where view.room.isPrivate {
      if self.stored.takeRoom(view.room) != nil { keeper.end(view.room) }
    }
    guard !session.members.isEmpty else {
      keeper.end(id)
      return nil
    }
    session.saving = Saving()
    sessions[id] = session
    for member in session.members { member.room.handle(.join(member: member.number)) }
    return session
  }
}
