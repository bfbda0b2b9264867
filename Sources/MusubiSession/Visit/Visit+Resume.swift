// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// How a page begins a session, or continues one.
extension Visit {
  /// Starts a new session: hello, then the snapshot.
  func begin() {
    guard let request else { return }
    guard let route = loop.rooms.routes[request.screen] else { return close(.screenElsewhere) }
    guard !loop.isSignedOut(request) else { return close(.whoNow) }
    do {
      let token = loop.environment.randomName(bytes: 16)
      let session = try loop.sessions.begin(request, route, token: token)
      let member = session.members[0]
      session.visit = self
      serve(session)
      if handOver != nil { noteReturn(of: member) }
      loop.rooms.join(member)
      let hello = hello(member, token: token)
      queue { $0.hello(hello) }
      if session.isStored {
        session.saving = Saving()
        loop.committer.touch(session)
        // While the store refuses, a page may begin; it just cannot come back after a crash.
        if !loop.committer.isFailing { awaited = Awaited() }
      }
    } catch let error as RecordError {
      comeBackLater(error)
    } catch is SlotElsewhere {
      close(.moved)
    } catch is ScreenNotFound {
      queue { $0.error(.notFound, "There is nothing at this address.") }
      close(ConnectionEnd(.notFound, "there is nothing at this address"))
    } catch let refusal as RoomRefusal {
      note(refusal, of: request.peers)
      // It counts as an answer at a handshake does: who wants too many is not heard any more.
      _ = loop.environment.ledger.answers(request.peers, at: loop.environment.clock())
      queue { $0.error(refusal.code, refusal.message) }
      close(.noRoom(refusal))
    } catch {
      tellFailure("\(error)", request)
      queue { $0.error(.internalFailure, "The screen could not be opened.") }
      close(ConnectionEnd(.screenFailed, "the screen could not be opened"))
    }
  }

  /// Has a refusal logged and counted.
  func note(_ refusal: RoomRefusal, of peers: [Peer]) {
    loop.environment.observe?(
      .refused(
        Notice.Refused(
          reason: refusal.reason, message: refusal.message, session: session?.id ?? "",
          peer: peers.first)))
  }

  private func hello(_ member: Member, token: String) -> ServerFrame.Hello {
    let (session, room) = (member.session, member.room)
    var hello = ServerFrame.Hello(
      session: session.id, token: token, schema: room.sharedSchema.fingerprint,
      heartbeat: Int(loop.configuration.heartbeat.components.seconds))
    hello.visitor = loop.environment.name(of: session.visitor)
    hello.limits = ServerFrame.Limits(
      frame: loop.configuration.maxFrameBytes, text: loop.configuration.maxTextBytes,
      carets: RoomCarets.perSecond)
    hello.forbidden = room.greet(member)
    hello.names = names(of: room, for: session.visitor)
    return hello
  }

  /// The names that a page may use, and who its visitor is; nil unless it tells them to its author.
  private func names(of room: Room, for visitor: Visitor) -> ServerFrame.Names? {
    guard loop.configuration.announcesNames else { return nil }
    let who: Value = [
      "id": visitor.id.map(Value.string) ?? .null,
      "displayName": visitor.displayName.map(Value.string) ?? .null,
      "roles": .array(visitor.roles.sorted().map { .string($0.rawValue) }),
    ]
    return ServerFrame.Names(
      screen: room.key.screen, inputs: room.schema.inputs.map(\.name), outputs: room.schema.shownOutputs,
      events: room.schema.events, visitor: loop.configuration.announcesVisitors ? who : nil)
  }

  /// Continues a session on a new connection, or begins another one.
  ///
  /// - Parameters:
  ///   - frame: What the page says of its session.
  ///   - asked: The screens of which the application has been asked, and how many it allows; nil before.
  func resume(_ frame: ClientFrame.Resume, asked: (screens: [ShownScreen], count: Int)? = nil) {
    if let slot = loop.sessions.slot(of: frame.session), !loop.slots.isOpen(slot) { return close(.moved) }
    let isBroken = loop.sessions.brokenSessions.contains(frame.session)
    do {
      try loop.sessions.prepare(frame.session)
    } catch {
      return comeBackLater(error)
    }
    handOver = HandOver(isBroken: isBroken, taken: 0)
    guard loop.sessions.accepts(frame) else {
      begin(instead: .tokenRefused, "The resume token is not valid; a new session begins.")
      return
    }
    handOver = HandOver(isBroken: isBroken, taken: loop.sessions.taken(by: frame.session))
    guard let request, let owned = loop.sessions.belongings(of: frame.session) else {
      return beginAnew()
    }
    guard !loop.isSignedOut(request) else { return close(.whoNow) }
    guard owned.visitor.id == request.visitor?.id else {
      begin(instead: .visitorChanged, "This session is somebody else's; a new one begins.")
      return
    }
    guard owned.screens.contains(where: { $0.isNamed(by: request) }) else {
      return beginAnew()
    }
    if let asked, asked.screens == owned.screens {
      return resume(frame, showing: asked.count, of: request)
    }
    var isLate = false
    var isAnswered = false
    loop.sessions.countAllowed(owned.screens, for: request) { [self] count in
      isAnswered = true
      guard isLate else { return resume(frame, showing: count, of: request) }
      goOn(frame, asked: owned.screens, count)
    }
    isLate = true
    if !isAnswered { waitForAnswer() }
  }

  private func resume(_ frame: ClientFrame.Resume, showing count: Int?, of request: ConnectionRequest) {
    guard let count else {
      return close(ConnectionEnd(.serverRestarting, "10000 ms, then come back: nobody knows who you are"))
    }
    guard count > 0 else {
      loop.sessions.revoke(frame.session)
      return beginAnew()
    }
    resume(frame, showing: count, as: request.visitor ?? .anonymous)
  }

  /// Waits for the application to say which screens the page may see; what the page sends waits, too.
  private func waitForAnswer() {
    isThrottled = true
    keepsHeld = true
    connection?.setReading(false)
  }

  /// The application has said which screens the page may see; much may have happened meanwhile.
  private func goOn(_ frame: ClientFrame.Resume, asked screens: [ShownScreen], _ count: Int?) {
    guard phase == .awaitingResume, let connection else { return }
    isThrottled = false
    keepsHeld = false
    connection.setReading(true)
    if let count {
      resume(frame, asked: (screens, count))
    } else {
      request.map { resume(frame, showing: nil, of: $0) }
    }
    if !isThrottled { loop.handleHeld(of: self) }
    loop.settle()
  }

  private func tellFailure(_ message: String, _ request: ConnectionRequest?) {
    loop.environment.observe?(
      .failed(
        Notice.Failed(
          screen: request?.screen ?? "", message: message, room: request?.room ?? "",
          session: session?.id ?? "",
          peer: request?.peers.first)))
  }

  /// How accurately it is known when a connection has come to another server.
  ///
  /// It is less than a page waits before it comes back.
  private static let handshakeError = Duration.milliseconds(50)

  /// What the older one of two connections of a page is told.
  ///
  /// Servers do not know the order of two that have come to them at nearly the same time: whichever is taken for the older one comes back,
  /// if its page is still there, and is the newer one then.
  private func end(ofOlder other: Visit) -> ConnectionEnd {
    let distance = max(other.since, since) - min(other.since, since)
    guard loop.environment.isClustered, distance < Self.handshakeError else {
      return ConnectionEnd(.replaced, "a newer connection has the session")
    }
    return ConnectionEnd(.serverRestarting, "100 ms, then come back: two connections came at once")
  }

  /// The page tries again: the store does not answer, the screen fails, or only a newer build can use what it has stored.
  private func comeBackLater(_ error: RecordError) {
    tellFailure("\(error)", request)
    if case .newer = error { return close(.stateElsewhere) }
    var cause = "the screen could not be restored"
    if case .unreadable = error { cause = "the store does not answer" }
    close(ConnectionEnd(.serverRestarting, "1000 ms, then come back: \(cause)"))
  }

  private func beginAnew() {
    begin(instead: .sessionUnknown, "This session has ended; a new one begins.")
  }

  /// Continues a session with the first screens of its stack.
  private func resume(_ frame: ClientFrame.Resume, showing count: Int, as visitor: Visitor) {
    let found: Session?
    do {
      found = try loop.sessions.session(frame.session, showing: count, as: visitor, for: self)
    } catch {
      return comeBackLater(error)
    }
    guard let session = found else { return beginAnew() }
    if let older = session.visit, older !== self {
      // A page that was reloaded on a slow network may ask on its former connection after it did on its new one.
      let end = end(ofOlder: older)
      guard older.since <= since else { return close(end) }
      for member in session.members { member.leaveAudience() }
      older.session = nil
      older.close(end)
    }
    session.visit = self
    hasResumed = true
    connection?.returned()
    handOver = nil
    countHanded()
    loop.sessions.stopWaiting(session)
    serve(session)
    // The page gets the changes of the meantime now.
    for member in session.members {
      member.news = nil
      // A new connection knows nothing of carets; of the former one the room may not have heard that it was lost.
      member.room.carets?.end(member.number, in: member.room)
      loop.rooms.resume(member.room)
    }
    let used = loop.environment.hash(frame.token)
    if loop.committer.isFailing, session.saving?.isSafe == true {
      // Nothing of it waits to be stored, and nothing new may. A token that the page was sent meanwhile has not reached it.
      if used != session.token { session.rotate(to: used, from: session.token) }
      welcome(session, after: frame, token: frame.token)
    } else {
      let token = loop.environment.randomName(bytes: 16)
      session.rotate(to: loop.environment.hash(token), from: used)
      if session.saving == nil {
        welcome(session, after: frame, token: token)
      } else {
        awaited = Awaited(resume: frame, token: token)
        loop.committer.touch(session)
      }
    }
    tell(session, isConnected: true)
  }

  /// A session's state is stored: a page that waits for it goes on.
  func wasSaved(_ session: Session) {
    wake()
    guard let awaited else { return }
    // The answer to a returning page covers all taken inputs, and all of them have to be stored.
    guard awaited.resume == nil || session.saving?.isSafe == true else { return }
    self.awaited = nil
    if let resume = awaited.resume { welcome(session, after: resume, token: awaited.token) }
  }

  /// Tells a page that has come back where it stands.
  private func welcome(_ session: Session, after frame: ClientFrame.Resume, token: String) {
    var resumed = ServerFrame.Resumed(session: session.id, token: token, acknowledged: session.taken)
    resumed.visitor = loop.environment.name(of: session.visitor)
    position(
      session, at: StreamPosition(epoch: frame.epoch, sequence: frame.sequence), answer: &resumed)
    resumed.forbidden = session.members.first.flatMap { $0.room.greet($0) }
    // A page that was reloaded may have been edited; one that shows a further screen has other names.
    if session.members.count == 1 { resumed.names = names(of: session.members[0].room, for: session.visitor) }
    greet { $0.resumed(resumed) }
    for member in session.members { member.room.tell(member) }
    repeatRefusals(of: session)
    for member in session.members.dropFirst() { member.needsSnapshot = true }
    // Also that only the first one is left of them.
    if session.nextScreen > 1 || session.members[0].dialog != nil {
      loop.sessions.announceScreens(of: session)
    }
  }

  /// Tells once more which edits were refused, unless the page has shown that it knows: a snapshot would hide it.
  private func repeatRefusals(of session: Session) {
    for member in session.members {
      for (index, bridge) in member.bridges.enumerated() {
        guard let input = bridge.refusedInput else { continue }
        let error = member.room.refusal(of: member.room.texts[index], bridge)
        queue { $0.error(error.code, error.message, input: input, screen: member.screen) }
      }
      for row in member.room.rows?.active ?? [] {
        guard let bridge = row.bridges[member.number], let input = bridge.refusedInput else { continue }
        let error = member.room.refusal(of: row.text, bridge)
        queue { $0.error(error.code, error.message, input: input, screen: member.screen) }
      }
    }
  }

  /// Tells the session's screens that its page is connected, or no longer is.
  func tell(_ session: Session, isConnected: Bool) {
    for member in session.members { loop.rooms.tell(member, isConnected: isConnected) }
  }

  /// Puts the session's view at the page's position, and tells the page whether it gets the missing turns or
  /// a snapshot.
  private func position(
    _ session: Session, at position: StreamPosition, answer: inout ServerFrame.Resumed
  ) {
    guard let member = session.members.first else { return }
    let room = member.room
    room.finishTurn()
    answer.schema = room.sharedSchema.fingerprint
    let knowsAll = !member.hasBeenAway || position.epoch != room.epoch || position.sequence == room.log.head
    member.hasBeenAway = false
    guard knowsAll, room.continues(position), position.sequence <= room.released,
      room.log.reaches(back: position.sequence, as: member.encoding(followsEdits)),
      room.texts.allSatisfy({ $0.reaches(back: position.sequence) }),
      room.rows?.reaches(back: position.sequence) != false
    else {
      member.needsSnapshot = true
      member.missedEvents = room.missedEvents(after: position)
      return
    }
    member.needsSnapshot = false
    member.position = position.sequence
    answer.turns = room.released - position.sequence
    let rows = room.rows?.active.map(\.text) ?? []
    answer.own = (room.texts + rows).flatMap { text in
      text.ownSteps(of: member.number, after: position.sequence)
        .map { ServerFrame.OwnEdit(number: $0.input, revision: $0.revision) }
    }
  }

  private func begin(instead code: ErrorCode, _ message: String) {
    loop.environment.observe?(
      .refused(Notice.Refused(reason: code.rawValue, message: message, peer: request?.peers.first)))
    let refusal = ResumeRefusal(
      code: code, message: message, isBroken: handOver?.isBroken ?? false, taken: handOver?.taken ?? 0)
    if let request, connection?.beginsElsewhere(request.withoutHeaders, refusal) == true {
      phase = .closing
      connection = nil
    } else {
      begin(instead: refusal)
    }
  }

  /// Starts a new session, since the page's own could not be resumed.
  func begin(instead refusal: ResumeRefusal) {
    phase = .open
    handOver = HandOver(isBroken: refusal.isBroken, taken: refusal.taken)
    queue { $0.error(refusal.code, refusal.message) }
    begin()
  }
}
