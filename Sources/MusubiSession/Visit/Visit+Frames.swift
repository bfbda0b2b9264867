// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// The frames of a page: each is read, and handed to the screen that it is for.
extension Visit: ConnectionHandler {
  func receive(_ message: UnsafeRawBufferPointer, isText: Bool) {
    guard phase != .closing else { return }
    if loop.mustWait(self) {
      loop.hold(message, isText: isText, of: self)
    } else {
      handle(message, isText: isText)
    }
  }

  /// Handles a message whose turn has come.
  func handle(_ message: UnsafeRawBufferPointer, isText: Bool) {
    let loop = loop
    loop.shares.begin()
    defer { loop.charge(self, for: message) }
    guard isText else {
      close(ConnectionEnd(.unsupportedData, "binary frames are reserved"))
      return
    }
    if phase == .open, let edit = QuickEdit(message, recentName: &loop.recentName) {
      if loop.holdsInputs, holdsBack(message, for: 0) { return }
      if session?.isUntried == true, holdsBack(message, toTry: edit.number) { return }
      take(edit)
    } else {
      do throws(WireError) {
        let frame = try ClientFrame(json: message)
        if loop.holdsInputs, case .input(let input) = frame, holdsBack(message, for: input.screen) { return }
        if session?.isUntried == true, case .input(let input) = frame,
          holdsBack(message, toTry: input.number)
        {
          return
        }
        take(frame)
      } catch {
        refuse(error)
      }
    }
    // Answers are the visit's own, and the only thing that is kept for it beyond a position.
    if outboxBytes > loop.configuration.maxOutboxBytes {
      close(ConnectionEnd(.slowConsumer, "answers are not read"))
    }
    loop.settle()
    loop.running?.end()
  }

  func closed(saidFarewell: Bool) {
    loop.handleHeld(of: self)
    phase = .closing
    forgetBacklog()
    connection = nil
    defer { session = nil }
    // A visit that was superseded serves nobody: its session has another one.
    guard let session, session.visit === self else { return }
    session.saidFarewell = saidFarewell
    loop.sessions.keep(session)
    tell(session, isConnected: false)
    loop.settle()
  }
}

// MARK: - Frames

extension Visit {
  private func take(_ frame: consuming ClientFrame) {
    if phase == .awaitingResume {
      guard case .resume(let resume) = frame else {
        violation("The first frame after resume=1 must be resume.")
        return
      }
      self.resume(resume)
      return
    }
    if let session { confirmToken(of: session) }
    switch frame {
    case .ping(let number):
      queueLast { $0.pong(number) }
    case .resume:
      violation("A resume frame is only allowed as the first frame, with resume=1.")
    case .handOver(let name, let value):
      take(value, of: name)
    case .endHandOver(let position, let lineage):
      endHandOver(at: position, of: lineage)
    case .input(let input):
      take(input)
    case .caret(let caret):
      take(caret)
    }
  }

  /// Takes where the visitor is in a text; a screen that was left has none.
  private func take(_ caret: consuming ClientFrame.Caret) {
    guard let session, followsEdits else { return violation("Carets need edits=1.") }
    guard caret.screen < session.nextScreen else {
      return violation("The connection shows no screen \(caret.screen).")
    }
    guard let member = session.member(showing: caret.screen) else { return }
    if let problem = member.room.take(caret, of: member) { violation(problem) }
  }

  /// Takes what nearly every message is.
  private func take(_ edit: consuming QuickEdit) {
    guard let session else { return }
    confirmToken(of: session)
    let number = edit.number
    guard let member = begin(number, .edit, screen: 0, of: session) else { return }
    let room = member.room
    let before = room.sequence
    if loop.environment.observesTraffic { note(edit.input, of: member) }
    let event = RoomEvent.edit(
      member: member.number, number: number, name: edit.name, revision: edit.revision, edit: edit.edit)
    let outcome = room.handle(isRefused(number, of: session) ? .refuse(event) : event)
    answer(outcome, to: number, of: member, session, after: before)
  }

  private func confirmToken(of session: Session) {
    if session.confirmToken() { loop.committer.touch(session) }
  }

  /// Notes that an input is taken; nil if it was before, or there is no screen for it.
  private func begin(_ number: Int, _ kind: EventKind, screen: Int, of session: Session) -> Member? {
    guard number > session.taken else {
      queueAck(session.taken, for: session.members[0], after: session.members[0].position)
      return nil
    }
    guard let member = session.member(showing: screen) else {
      missing(number, screen: screen, of: session)
      return nil
    }
    session.hasUnsavedInputs = true
    loop.committer.touchNumber(of: session)
    // Ends with the message: its effects on other rooms are its doing, too.
    _ = loop.running?.begin(
      kind, room: member.room.keeping?.digest ?? 0, session: session.id, number: number,
      record: member.room.recordNumber)
    return member
  }

  private func take(_ input: consuming ClientFrame.Input) {
    guard let session else { return }
    let number = input.number
    let kind: EventKind =
      switch input.payload {
      case .edit, .firstEdit: .edit
      case .none, .value, .back, .dismiss: .input
      }
    guard let member = begin(number, kind, screen: input.screen, of: session) else { return }
    let before = member.room.sequence
    note(input, of: member)
    var outcome = RoomOutcome.taken
    switch input.payload {
    case _ where isRefused(number, of: session):
      outcome =
        RoomEvent(input, from: member.number).map { member.room.handle(.refuse($0)) } ?? .refused(.deadly)
    case .back(let screen): loop.sessions.goBack(session, from: screen)
    case .dismiss(let dialog): loop.sessions.dismiss(dialog, of: member)
    case .none where session.members.last !== member:
      // Another screen covers it: who tapped twice wanted one screen, and nobody taps on what cannot be seen.
      break
    case .none, .value, .edit, .firstEdit:
      if let event = RoomEvent(input, from: member.number) { outcome = member.room.handle(event) }
    }
    answer(outcome, to: number, of: member, session, after: before)
  }

  /// Whether an input is not run, because it has ended the process too often.
  func isRefused(_ number: Int, of session: Session) -> Bool {
    !loop.sessions.refusedInputs.isEmpty
      && loop.sessions.refusedInputs.contains(InputID(session: session.id, number: number))
  }

  /// Answers an input for a screen that is not there: one that was left is no error, one that never was is.
  private func missing(_ number: Int, screen: Int, of session: Session) {
    guard screen < session.nextScreen else {
      violation("The connection shows no screen \(screen).")
      return
    }
    session.taken = number
    session.hasUnsavedInputs = true
    loop.committer.touchNumber(of: session)
    queueAck(number, for: session.members[0], after: 0)
  }

  private func answer(
    _ outcome: RoomOutcome, to number: Int, of member: Member, _ session: Session,
    after position: Int
  ) {
    switch outcome {
    case .taken:
      session.taken = number
      queueAck(number, for: member, after: position)
    case .edited(let revision):
      session.taken = number
      queueAck(number, revision: revision, for: member, after: position)
    case .refused(let error):
      session.taken = number
      loop.environment.observe?(
        .refused(
          Notice.Refused(
            reason: error.code.rawValue, message: error.message, session: session.id,
            peer: session.charge.owner.peers.first)))
      queue(for: member, after: position) {
        $0.error(error.code, error.message, input: number, screen: member.screen)
      }
      queueAck(number, for: member, after: position)
    case .behind:
      close(ConnectionEnd(.slowConsumer, "too far behind; resume"))
    case .violation(let message):
      violation(message, input: number)
    case .handedOver:
      break
    }
  }

  private func refuse(_ error: WireError) {
    if error.kind == .invalidUTF8 {
      close(ConnectionEnd(.invalidText, "the text is not UTF-8"))
      return
    }
    violation("The frame cannot be read: \(error).", code: error.errorCode)
  }

  func violation(_ message: String, code: ErrorCode = .malformed, input: Int? = nil) {
    loop.environment.observe?(
      .refused(
        Notice.Refused(
          reason: code.rawValue, message: message, session: session?.id ?? "",
          peer: session?.charge.owner.peers.first ?? request?.peers.first)))
    // It waits for no commit: the connection ends with it.
    queueLast { $0.error(code, message, input: input) }
    close(ConnectionEnd(.protocolMismatch, "the frame does not follow musubi.v1"))
  }

  private func note(_ input: ClientFrame.Input, of member: Member) {
    guard loop.environment.observesTraffic, let observe = loop.environment.observe else { return }
    let key = member.room.key
    observe(
      .input(
        screen: key.screen, room: key.name, session: member.session.id, name: input.name,
        row: input.row, detail: { Self.detail(of: input.payload) }))
  }

  private static func json(_ edit: TextEdit) -> String {
    String(writing: { $0.appendJSON(edit) })
  }

  private static func detail(of payload: ClientFrame.Input.Payload) -> String {
    switch payload {
    case .none: return ""
    case .value(let value): return value.description
    case .back(let screen): return "back from screen \(screen)"
    case .dismiss(let dialog): return "dismiss \(dialog)"
    case .edit(let edit, let revision): return "\(Self.json(edit)) at revision \(revision)"
    case .firstEdit(let edit, let sequence, _): return "\(Self.json(edit)) after turn \(sequence)"
    }
  }
}
