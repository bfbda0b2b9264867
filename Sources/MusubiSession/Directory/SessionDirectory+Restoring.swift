// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// Pages that come back: the owner of their session, the screens that they may still see, and the restoring
/// of stored ones.
extension SessionDirectory {
  /// Reads the session that a page names, if it is stored: the following questions are about what was read.
  ///
  /// - Throws: `RecordError` if the store does not answer.
  func prepare(_ id: String) throws(RecordError) {
    guard self[id] == nil, rooms.stored.sessions[id] != nil else { return }
    if try rooms.readSession(id) == nil { forgetStored(id) }
  }

  /// A session as it was stored; nil if it was not, or was not read.
  func storedSession(_ id: String) -> StoredSession? {
    guard rooms.stored.sessions[id] != nil, let session = rooms.recent?.session, session.id == id else {
      return nil
    }
    return session
  }

  /// Whether a page may continue the session that it names; true if there is none, which is another matter.
  func accepts(_ frame: ClientFrame.Resume) -> Bool {
    let token = environment.hash(frame.token)
    if let session = self[frame.session] { return session.accepts(token) }
    guard let session = storedSession(frame.session) else { return true }
    return Session.accepts(token, TokenHash(hexadecimal: session.token), FormerTokens(session))
  }

  /// The owner of a session, and its screens.
  struct Belongings {
    let visitor: Visitor
    let screens: [ShownScreen]
  }

  /// Whose a session is, open, waiting or stored; nil if there is none.
  func belongings(of id: String) -> Belongings? {
    if let session = self[id] {
      let screens = session.members.map { member in
        let path = member.screen == 0 ? session.address : nil
        return ShownScreen(member.room.key, path: path ?? member.room.path)
      }
      return Belongings(visitor: session.visitor, screens: screens)
    }
    guard let session = storedSession(id) else { return nil }
    let screens = session.views.map { view in
      ShownScreen(
        view.room, path: view.room.isPrivate ? rooms.recent?.rooms[view.room]?.path : session.address)
    }
    return Belongings(visitor: session.visitor, screens: screens)
  }

  /// Finds out how many screens of a stack, from the first one on, somebody may see.
  ///
  /// The screen that the address names was asked about at the handshake.
  ///
  /// - Parameters:
  ///   - screens: The screens.
  ///   - request: Who wants to see them.
  ///   - index: Where to begin.
  ///   - then: Called once with their number, before this returns or later; with nil if that cannot be said at the moment.
  func countAllowed(
    _ screens: [ShownScreen], for request: ConnectionRequest, from index: Int = 0,
    then: @escaping (Int?) -> Void
  ) {
    guard index < screens.count else { return then(index) }
    let screen = screens[index]
    // One that is not there is found out about when it is restored: a newer server may have it.
    guard !screen.isNamed(by: request), rooms.routes[screen.screen] != nil else {
      return countAllowed(screens, for: request, from: index + 1, then: then)
    }
    var asked = request
    asked.screen = screen.screen
    asked.room = screen.room
    asked.path = screen.path ?? rooms.routes[screen.screen]?.path ?? ""
    asked.query = ["path": asked.path]
    asked.query["room"] = screen.room
    environment.identify(asked) { [self] answer in
      if case .failure(let refusal) = answer, refusal.isPassing { return then(nil) }
      guard case .success(let visitor) = answer, visitor.id == request.visitor?.id,
        rooms.admits(visitor, to: asked)
      else {
        return then(index)
      }
      countAllowed(screens, for: request, from: index + 1, then: then)
    }
  }

  /// The session of a name as its page may see it now, restored if it was stored.
  ///
  /// - Parameters:
  ///   - id: The session's name; its token and its visitor were checked.
  ///   - count: How many screens of its stack are left.
  ///   - visitor: Who it is now.
  ///   - visit: Who asks for it.
  /// - Returns: The session; nil if it was not stored, or its first screen cannot be made.
  /// - Throws: `RecordError` if the store does not answer, or has the state of a newer build that cannot be used.
  func session(
    _ id: String, showing count: Int, as visitor: Visitor, for visit: Visit
  ) throws(RecordError) -> Session? {
    guard let session = self[id] else {
      try prepare(id)
      return try restoreSession(id, showing: count, as: visitor, for: visit)
    }
    session.visitor = visitor
    if count < session.members.count { close(from: count, in: session) }
    return session
  }

  /// Restores a stored session, with those of its screens that can be restored.
  private func restoreSession(
    _ id: String, showing count: Int, as visitor: Visitor, for visit: Visit
  ) throws(RecordError) -> Session? {
    guard let stored = storedSession(id) else { return nil }
    let session = Session(stored, visitor: visitor, owner: memory.owner(visit.request?.peers ?? []))
    for (view, room, wasHere) in try restoredRooms(of: stored.views.prefix(count), for: session) {
      let member = room.admit(session, screen: view.screen, as: view.member)
      member.hasBeenAway = wasHere
      member.dialog = view.dialog.map { ServerFrame.Event(name: $0.name, value: $0.value) }
      session.members.last?.isCovered = true
      session.members = session.members + [member]
      room.follow(member.encoding(visit.followsEdits))
    }
    session.recordBytes = rooms.stored.takeSession(id)?.bytes ?? 0
    for view in stored.views {
      rooms[view.room]?.keeping?.absent[id] = nil
      if view.room.isPrivate { rooms.forgetStored(view.room) }
    }
    rooms.recent = nil
    guard !session.members.isEmpty else {
      committer.end(session)
      return nil
    }
    session.saving = Saving()
    if let slot = session.label?.slot, rooms.slots.lostSince(slot) > session.lostSince {
      session.probation = Probation()
    }
    enter(session)
    session.visit = visit
    for member in session.members { rooms.join(member) }
    return session
  }

  /// The rooms of a session that was read, each with whether it was here before: up to the first that cannot be restored, or is
  /// no longer stored.
  ///
  /// - Throws: `RecordError`; what was restored for it is stored as before.
  private func restoredRooms(
    of views: some Sequence<StoredSession.View>, for session: Session
  ) throws(RecordError) -> [(view: StoredSession.View, room: Room, wasHere: Bool)] {
    var found: [(view: StoredSession.View, room: Room, wasHere: Bool)] = []
    for view in views {
      let known = rooms[view.room]
      do throws(RecordError) {
        let room = if let known { known } else { try rooms.restore(view.room, for: session.asker) }
        guard let room, room.keeping != nil else { return found }
        found.append((view, room, wasHere: known != nil))
      } catch {
        // Its page begins again, and is answered as any that opens the address.
        if case .refused = error { return found }
        for (_, room, wasHere) in found where !wasHere { rooms.remember(room) }
        throw error
      }
    }
    return found
  }
}

/// One screen of a stack, as an address names it.
struct ShownScreen: Equatable {
  let screen: String
  /// The room's name; nil if the room is the session's own.
  let room: String?
  /// The path of the page; nil if that was not stored, as by an older program.
  let path: String?

  init(_ key: RoomKey, path: String?) {
    screen = key.screen
    room = key.isPrivate ? nil : key.name
    self.path = path
  }

  /// Whether an address names the screen: its name, its room and its path.
  func isNamed(by request: ConnectionRequest) -> Bool {
    guard screen == request.screen, path == nil || path == request.path else { return false }
    // A screen that was navigated to has no room, whatever its scope; its page's address has none either.
    return room == nil ? request.query["room"] == nil || request.room == nil : room == request.room
  }
}
