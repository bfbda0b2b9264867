// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

extension Hub: ConnectionService {
  package func admission(of request: inout ConnectionRequest) -> Admission {
    guard let route = routes[request.screen] else {
      let known = routes.keys.sorted().joined(separator: ", ")
      return .refused(
        status: 404, code: "unknown-screen",
        message: "There is no screen \"\(request.screen.prefix(80))\"; this server has \(known).")
    }
    if case .room = route.scope, let room = request.query["room"], !(1...64).contains(room.utf8.count) {
      return .refused(
        status: 400, code: "bad-request",
        message: "A room's name has 1 to 64 bytes; this one has \(room.utf8.count).")
    }
    // A shared room may exist already, or be at home on another loop: that shows when it is entered.
    if case .session = route.scope, request.query["resume"] != "1", rooms.count >= configuration.maxRooms {
      return .refused(status: 503, code: "full", message: "The server has no space for one more room.")
    }
    do {
      request.visitor = try environment.authorize(request)
      return .accepted
    } catch {
      return .refused(
        status: 401, code: "not-authorized", message: "You are not allowed to open this screen: \(error).")
    }
  }

  package func connect(_ id: ConnectionID, _ request: ConnectionRequest) {
    let resumes = request.query["resume"] == "1"
    let connection = Connection(
      id: id, request: request, state: resumes ? .awaitingResume : .open, hub: self)
    connections[id] = connection
    if resumes {
      expectResume(on: id)
    } else {
      begin(on: connection)
    }
    settle()
  }

  /// A connection has opened that could not resume its session elsewhere, and begins one instead.
  func connect(_ id: ConnectionID, _ request: ConnectionRequest, instead refusal: ResumeRefusal) {
    let connection = Connection(id: id, request: request, state: .open, hub: self)
    connections[id] = connection
    connection.restoring = Connection.Restoring()
    connection.queue { $0.error(refusal.code, refusal.message) }
    begin(on: connection)
    settle()
  }

  package func receive(_ message: UnsafeRawBufferPointer, isText: Bool, from id: ConnectionID) {
    guard let connection = connection(id), connection.state != .closing else { return }
    if mustWait(connection) {
      hold(message, isText: isText, of: connection)
    } else {
      handle(message, isText: isText, from: connection)
    }
  }

  /// Handles a message whose turn has come.
  func handle(_ message: UnsafeRawBufferPointer, isText: Bool, from connection: Connection) {
    shares.begin()
    defer { charge(connection) }
    guard isText else {
      connection.close(ConnectionEnd(.unsupportedData, "binary frames are reserved"))
      return
    }
    if connection.state == .open, let edit = QuickEdit(message, recentName: &recentName) {
      take(edit, from: connection)
    } else {
      do throws(WireError) {
        take(try ClientFrame(json: message), from: connection)
      } catch {
        refuse(error, on: connection)
      }
    }
    // Answers are the connection's own, and the only thing that is kept for it beyond a position.
    if connection.outboxBytes > configuration.maxOutboxBytes {
      connection.close(ConnectionEnd(.slowConsumer, "answers are not read"))
    }
    settle()
  }

  package func disconnect(_ id: ConnectionID) {
    if let connection = connections[id] { handleHeld(of: connection) }
    guard let connection = connections.remove(id) else { return }
    connection.state = .closing
    recent[id] = nil
    // Ends the circle of session and connection.
    defer { connection.session = nil }
    // A connection that was superseded serves nobody: its session has another one.
    guard let session = connection.session, session.connection === connection else { return }
    keep(session)
    tell(session, isConnected: false)
    settle()
  }

  package func takeBytes(for id: ConnectionID, limit: Int, into bytes: inout [UInt8]) -> Bool {
    finishTurns()
    return connection(id)?.take(limit: limit, into: &bytes) ?? false
  }

  /// Hands out what waits for a connection, as `takeBytes` does, with shared frames as what they are.
  func take(for id: ConnectionID, limit: Int, into sink: inout some FrameSink) -> Bool {
    finishTurns()
    return connection(id)?.take(limit: limit, into: &sink) ?? false
  }

  private func connection(_ id: ConnectionID) -> Connection? {
    if let known = recent[id] { return unsafeDowncast(known, to: Connection.self) }
    let connection = connections[id]
    recent[id] = connection
    return connection
  }

  // MARK: - Sessions

  /// Starts a new session on a connection: hello, then the snapshot.
  private func begin(on connection: Connection) {
    guard let request = connection.request, let route = routes[request.screen] else { return }
    do {
      let token = randomName(bytes: 16)
      let visitor = try request.visitor ?? environment.authorize(request)
      let session = Session(id: sessionName(), token: token, visitor: visitor)
      let room = try room(for: route, request, session: session)
      let member = room.admit(session, screen: 0)
      session.members.append(member)
      session.connection = connection
      sessions[session.id] = session
      connection.serve(session)
      room.handle(.join(member: member.number))
      connection.queue { $0.hello(hello(session, token: token, room: room)) }
      connection.restoring?.token = token
      if session.isStored {
        session.saving = Saving()
        keeper.touch(session)
        // While the store refuses, a page may begin; it just cannot come back after a crash.
        if !keeper.isFailing { connection.awaited = Connection.Awaited() }
      }
    } catch is ScreenNotFound {
      connection.queue { $0.error(.notFound, "There is nothing at this address.") }
      connection.close(ConnectionEnd(.notFound, "there is nothing at this address"))
    } catch {
      environment.observe?(.failed(screen: request.screen, message: "\(error)"))
      connection.queue { $0.error(.internalFailure, "The screen could not be opened.") }
      connection.close(ConnectionEnd(.screenFailed, "the screen could not be opened"))
    }
  }

  private func hello(_ session: Session, token: String, room: Room) -> ServerFrame.Hello {
    var hello = ServerFrame.Hello(
      session: session.id, token: token, schema: room.sharedSchema.fingerprint,
      heartbeat: Int(configuration.heartbeat.components.seconds))
    hello.limits = ServerFrame.Limits(frame: configuration.maxFrameBytes, text: configuration.maxTextBytes)
    hello.names = names(of: room)
    return hello
  }

  /// What a page may name; nil unless it shall check that.
  private func names(of room: Room) -> ServerFrame.Names? {
    guard configuration.announcesNames else { return nil }
    return ServerFrame.Names(
      screen: room.key.screen, inputs: room.schema.inputs.map(\.name), outputs: room.schema.outputs)
  }

  /// Continues a session on a new connection, or begins another one.
  private func resume(_ frame: ClientFrame.Resume, on connection: Connection) {
    guard accepts(frame) else {
      begin(on: connection, instead: .tokenRefused, "The resume token is not valid; a new session begins.")
      return
    }
    guard let session = sessions[frame.session] ?? restoreSession(frame.session, for: connection) else {
      begin(on: connection, instead: .sessionUnknown, "This session has ended; a new one begins.")
      return
    }
    if let older = session.connection, older !== connection {
      older.session = nil
      older.close(ConnectionEnd(.replaced, "another connection took the session over"))
    }
    session.connection = connection
    stopWaiting(session)
    connection.serve(session)
    if keeper.isFailing, session.saving?.isSafe == true {
      // Nothing of it waits to be stored, and nothing new shall.
      welcome(session, on: connection, after: frame, token: frame.token)
    } else {
      let token = randomName(bytes: 16)
      session.rotate(to: token, from: frame.token)
      if session.saving == nil {
        welcome(session, on: connection, after: frame, token: token)
      } else {
        connection.awaited = Connection.Awaited(resume: frame, token: token)
        keeper.touch(session)
      }
    }
    tell(session, isConnected: true)
  }

  /// What was to be known of a session after a crash is stored: a page that waits for it goes on.
  func wasSaved(_ session: Session) {
    guard let connection = session.connection else { return }
    connection.wake()
    guard let awaited = connection.awaited else { return }
    // What a page that returns is told has to be all that was taken, and all of that has to be stored.
    guard awaited.resume == nil || session.saving?.isSafe == true else { return }
    connection.awaited = nil
    if let resume = awaited.resume { welcome(session, on: connection, after: resume, token: awaited.token) }
  }

  /// Tells a page that has come back where it stands.
  private func welcome(
    _ session: Session, on connection: Connection, after frame: ClientFrame.Resume, token: String
  ) {
    var resumed = ServerFrame.Resumed(session: session.id, token: token, acknowledged: session.taken)
    position(
      session, at: StreamPosition(epoch: frame.epoch, sequence: frame.sequence),
      followsEdits: connection.followsEdits, answer: &resumed)
    // A page that was reloaded may have been edited; one that shows a further screen has other names.
    if session.members.count == 1 { resumed.names = names(of: session.members[0].room) }
    connection.greet { $0.resumed(resumed) }
    repeatRefusals(of: session, on: connection)
    for member in session.members.dropFirst() { member.needsSnapshot = true }
    if session.members.count > 1 || session.members[0].dialog != nil { announceScreens(of: session) }
  }

  /// Tells once more which edits were refused, unless the page has shown that it knows: a snapshot would hide it.
  private func repeatRefusals(of session: Session, on connection: Connection) {
    for member in session.members {
      for (index, bridge) in member.bridges.enumerated() {
        guard let input = bridge.refusedInput else { continue }
        let error = member.room.tooLarge(member.room.texts[index].name)
        connection.queue { $0.error(error.code, error.message, input: input, screen: member.screen) }
      }
    }
  }

  /// Tells the session's screens that its page is connected, or no longer is.
  private func tell(_ session: Session, isConnected: Bool) {
    for member in session.members {
      member.room.handle(.connection(member: member.number, isConnected: isConnected))
    }
  }

  /// Puts the session's view where the page stands, and tells the page what it gets: the missing turns, or a snapshot.
  private func position(
    _ session: Session, at position: StreamPosition, followsEdits: Bool, answer: inout ServerFrame.Resumed
  ) {
    guard let member = session.members.first else { return }
    let room = member.room
    room.finishTurn()
    answer.schema = room.sharedSchema.fingerprint
    guard room.continues(position), position.sequence <= room.released,
      room.log.reaches(back: position.sequence, as: member.encoding(followsEdits)),
      room.texts.allSatisfy({ $0.reaches(back: position.sequence) })
    else {
      member.needsSnapshot = true
      member.missedEvents = room.missedEvents(after: position)
      return
    }
    member.needsSnapshot = false
    member.position = position.sequence
    answer.turns = room.released - position.sequence
    answer.own = room.texts.flatMap { text in
      text.ownSteps(of: member.number, after: position.sequence)
        .map { ServerFrame.OwnEdit(number: $0.input, revision: $0.revision) }
    }
  }

  private func begin(on connection: Connection, instead code: ErrorCode, _ message: String) {
    environment.observe?(.refused(session: "", code: code.rawValue, message: message))
    let refusal = ResumeRefusal(code: code, message: message)
    if let placement, let request = connection.request, placement.moves(connection.id, request, refusal) {
      connections[connection.id] = nil
      recent[connection.id] = nil
      connection.state = .closing
      return
    }
    connection.restoring = Connection.Restoring()
    connection.queue { $0.error(code, message) }
    begin(on: connection)
  }

  /// Takes what a page tells of its texts, and at the end begins its session once more, with them.
  private func restore(_ frame: ClientFrame, on connection: Connection) {
    guard let restoring = connection.restoring, let token = restoring.token,
      let session = connection.session, session.taken == 0
    else {
      violation("Texts can be restored once, where a session could not be resumed.", on: connection)
      return
    }
    let member = session.members[0]
    guard case .restore(let part) = frame else {
      connection.restoring = nil
      if case .restored(let author, let last) = frame, (1...64).contains(author.utf8.count) {
        session.take(author: author, last: last)
      }
      member.room.handle(.restore(member: member.number, texts: restoring.texts))
      var hello = hello(session, token: token, room: member.room)
      hello.restored = member.room.restored(restoring.texts, author: session.author)
      connection.queue { $0.hello(hello) }
      member.needsSnapshot = true
      return
    }
    if let index = restoring.texts.firstIndex(where: { $0.name == part.name }) {
      // A piece too many says no more than that the text is too large, and is not kept.
      if restoring.texts[index].text.utf8.count <= configuration.maxTextBytes {
        restoring.texts[index].text += part.text
      }
    } else if restoring.texts.count < member.room.texts.count {
      restoring.texts.append(part)
    }
  }

  // MARK: - Frames

  private func take(_ frame: consuming ClientFrame, from connection: Connection) {
    if connection.state == .awaitingResume {
      guard case .resume(let resume) = frame else {
        violation("The first frame after resume=1 must be resume.", on: connection)
        return
      }
      self.resume(resume, on: connection)
      return
    }
    if let session = connection.session { confirmToken(of: session) }
    switch frame {
    case .ping(let number):
      connection.queueLast { $0.pong(number) }
    case .resume:
      violation("A resume frame is only allowed as the first frame, with resume=1.", on: connection)
    case .restore, .restored:
      restore(frame, on: connection)
    case .input(let input):
      take(input, from: connection)
    }
  }

  /// Takes what nearly every message is.
  private func take(_ edit: consuming QuickEdit, from connection: Connection) {
    guard let session = connection.session else { return }
    confirmToken(of: session)
    let number = edit.number
    guard let member = begin(number, screen: 0, of: session, on: connection) else { return }
    let room = member.room
    let before = room.sequence
    if environment.observesTraffic { note(edit.input, of: member) }
    let outcome = room.handle(
      .edit(member: member.number, number: number, name: edit.name, revision: edit.revision, edit: edit.edit))
    answer(outcome, to: number, of: member, session, on: connection, after: before)
  }

  private func confirmToken(of session: Session) {
    if session.confirmToken() { keeper.touch(session) }
  }

  /// Notes that an input is taken; nil if it was before, or there is no screen for it.
  private func begin(
    _ number: Int, screen: Int, of session: Session, on connection: Connection
  ) -> Member? {
    guard number > session.taken else {
      connection.queueAck(session.taken, for: session.members[0], after: session.members[0].position)
      return nil
    }
    guard let member = session.member(showing: screen) else {
      missing(number, screen: screen, of: session, on: connection)
      return nil
    }
    session.hasUnsavedInputs = true
    keeper.touchNumber(of: session)
    return member
  }

  private func take(_ input: consuming ClientFrame.Input, from connection: Connection) {
    guard let session = connection.session else { return }
    let number = input.number
    guard let member = begin(number, screen: input.screen, of: session, on: connection) else { return }
    let before = member.room.sequence
    note(input, of: member)
    var outcome = RoomOutcome.taken
    switch input.payload {
    case .back(let screen): goBack(session, from: screen)
    case .dismiss(let dialog): dismiss(dialog, of: member)
    case .none, .value, .edit:
      if let event = RoomEvent(input, from: member.number) { outcome = member.room.handle(event) }
    }
    answer(outcome, to: number, of: member, session, on: connection, after: before)
  }

  /// Answers an input for a screen that is not there: one that was left is no error, one that never was is.
  private func missing(_ number: Int, screen: Int, of session: Session, on connection: Connection) {
    guard screen < session.nextScreen else {
      violation("The connection shows no screen \(screen).", on: connection)
      return
    }
    session.taken = number
    keeper.touchNumber(of: session)
    connection.queueAck(number, for: session.members[0], after: 0)
  }

  private func answer(
    _ outcome: RoomOutcome, to number: Int, of member: Member, _ session: Session,
    on connection: Connection, after position: Int
  ) {
    switch outcome {
    case .taken:
      session.taken = number
      connection.queueAck(number, for: member, after: position)
    case .edited(let revision):
      session.taken = number
      connection.queueAck(number, revision: revision, for: member, after: position)
    case .refused(let error):
      session.taken = number
      environment.observe?(.refused(session: session.id, code: error.code.rawValue, message: error.message))
      connection.queue(for: member, after: position) {
        $0.error(error.code, error.message, input: number, screen: member.screen)
      }
      connection.queueAck(number, for: member, after: position)
    case .behind:
      connection.close(ConnectionEnd(.slowConsumer, "too far behind; resume"))
    case .violation(let message):
      violation(message, on: connection, input: number)
    }
  }

  private func refuse(_ error: WireError, on connection: Connection) {
    if error.kind == .invalidUTF8 {
      connection.close(ConnectionEnd(.invalidText, "the text is not UTF-8"))
      return
    }
    violation("The frame cannot be read: \(error).", on: connection, code: error.errorCode)
  }

  private func violation(
    _ message: String, on connection: Connection, code: ErrorCode = .malformed, input: Int? = nil
  ) {
    environment.observe?(
      .refused(session: connection.session?.id ?? "", code: code.rawValue, message: message))
    // It waits for no commit: the connection ends with it.
    connection.queueLast { $0.error(code, message, input: input) }
    connection.close(ConnectionEnd(.protocolMismatch, "the frame does not follow musubi.v1"))
  }

  private func note(_ input: ClientFrame.Input, of member: Member) {
    guard environment.observesTraffic, let observe = environment.observe else { return }
    let key = member.room.key
    observe(
      .input(
        screen: key.screen, room: key.name, session: member.session.id, name: input.name,
        detail: { Self.detail(of: input.payload) }))
  }

  private static func detail(of payload: ClientFrame.Input.Payload) -> String {
    switch payload {
    case .none: return ""
    case .value(let value): return value.description
    case .back(let screen): return "back from screen \(screen)"
    case .dismiss(let dialog): return "dismiss \(dialog)"
    case .edit(let edit, let revision):
      var json: [UInt8] = []
      json.appendJSON(edit)
      return "\(String(decoding: json, as: UTF8.self)) at revision \(revision)"
    }
  }
}
