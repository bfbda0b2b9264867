// SPDX-License-Identifier: Apache-2.0
internal import MusubiText
internal import MusubiWire

extension ClientSession {
  /// Takes a text frame from the server.
  ///
  /// - Parameter frame: One whole message in UTF-8.
  /// - Returns: What the frame brought, in order.
  /// - Throws: `ClientError` if the frame cannot be read or does not follow from the ones before it. The connection
  ///   is to be closed then, and the next one starts a new session.
  public mutating func receive(_ frame: [UInt8]) throws(ClientError) -> [ClientNotice] {
    let decoded: ReceivedFrame
    do throws(WireError) {
      decoded = try ReceivedFrame(json: frame)
    } catch {
      throw ClientError(frame: error)
    }
    if greeting != nil {
      guard case .handedOver = decoded.content else { return [] }
    }
    switch decoded.content {
    case .hello(let hello): return begin(hello)
    case .resumed(let resumed): return try goOn(resumed)
    case .handedOver(let names, let number): return endHandOver(givingUp: names, acknowledged: number)
    case .snapshot(let snapshot): return try replaceState(snapshot, of: decoded.screen)
    case .turn(let turn): return try apply(turn, to: decoded.screen)
    case .acknowledged(let number, let revision):
      assign(revision, to: number)
      try acknowledge(number)
      return []
    case .error(let code, let message, let input):
      return try refuse(code, message, input)
    case .personal(let values):
      if case .object(let members) = values {
        screens[decoded.screen, default: ScreenState()].personal = members
      }
      return []
    case .personalPatch(let patch):
      // A screen that was left has no values.
      guard let personal = screens[decoded.screen]?.personal else { return [] }
      var values = Value.object(personal)
      do throws(WireError) {
        try values.apply(patch)
      } catch {
        throw ClientError(.personalOutOfStep)
      }
      screens[decoded.screen]?.personal = values.objectValue ?? Value.Object()
      return []
    case .uploads(let controls):
      screens[decoded.screen, default: ScreenState()].uploads = controls
      return []
    case .screens(let screens, let count):
      isStackOld = false
      show(screens, after: count)
      return []
    case .pong(let number): return try pong(number)
    case .reload: return [.reload]
    case .unknown: return []
    }
  }

  private mutating func begin(_ hello: ServerFrame.Hello) -> [ClientNotice] {
    let isReturning = identifier != nil
    let isForeign = isReturning && isOfAnother(hello.visitor)
    if isForeign { forgetVisitor() }
    visitor = hello.visitor ?? visitor
    if isReturning, !mustBeginAfresh, handOver(frameLimit: hello.limits?.frame) {
      greeting = hello
      return []
    }
    let begun = start(hello, isReturning: isReturning)
    return isForeign ? [.visitorChanged] + begun : begun
  }

  /// Begins a session; what the one before had not taken goes on in it.
  ///
  /// - Parameters:
  ///   - hello: What the server says of it.
  ///   - isReturning: Whether there was one before.
  ///   - taken: Inputs of that one up to this number are part of the state.
  /// - Returns: The notices.
  mutating func start(
    _ hello: ServerFrame.Hello, isReturning: Bool, taken: Int = 0
  ) -> [ClientNotice] {
    greeting = nil
    mustBeginAfresh = false
    identifier = hello.session
    token = hello.token
    heartbeatSeconds = hello.heartbeat
    limits = hello.limits ?? limits
    screens[0]?.remember()
    screens[0]?.personal = Value.Object()
    acknowledged = taken
    outbox.removeAll { $0.number <= taken }
    if isReturning {
      outcome = .afresh
      carryOver()
      measureAgain()
    }
    show([])
    phase = isReturning ? .catchingUp : .live
    return [.began]
  }

  /// Whether a session is of somebody to whom nothing of this one may be handed over: Wire.md, Whose session it is.
  private func isOfAnother(_ name: String?) -> Bool {
    guard let visitor, let name, visitor != name else { return false }
    return visitor != "anonymous"
  }

  /// Forgets all that the visitor saw and typed.
  private mutating func forgetVisitor() {
    outbox = []
    tooLong = [:]
    lost = []
    screens = [0: ScreenState()]
    givenUp = []
    lastNumber = 0
  }

  /// Takes the stack of screens over, and forgets those that were left.
  private mutating func show(_ entries: [ServerFrame.Screen], after count: Int = 0) {
    stack =
      stack.prefix(count)
      + entries.map {
        ClientScreen(
          number: $0.number, name: $0.name, path: $0.path, dialog: $0.dialog?.name,
          dialogValue: $0.dialog?.value)
      }
    screens = screens.filter { number, _ in number == 0 || stack.contains { $0.number == number } }
    tooLong = tooLong.filter { screens[$0.key.screen] != nil }
  }

  /// Prepares the inputs that a lost session had not taken for the new one: typed text goes on, under its old
  /// numbers, and taps are only reported.
  private mutating func carryOver() {
    var kept: [Unconfirmed] = []
    for name in (screens[0]?.documents ?? [:]).keys {
      let numbers = screens[0]?.documents[name]?.carryOver(taken: acknowledged) ?? []
      kept += numbers.map { edit($0, of: name, on: 0) }
    }
    let fields = screens[0]?.state
    for (index, input) in outbox.enumerated() where !input.isEdit && input.closing == nil {
      let isTyped =
        input.screen == 0 && input.row.isEmpty && fields?[input.name] != nil && input.value != nil
      let isLatest = !outbox[(index + 1)...].contains {
        $0.name == input.name && $0.row.isEmpty && $0.screen == 0
      }
      if isTyped && isLatest {
        kept.append(input)
      } else if !isTyped {
        lost.append(input)
      }
    }
    outbox = kept.sorted { $0.number < $1.number }
  }

  private mutating func goOn(_ resumed: ServerFrame.Resumed) throws(ClientError) -> [ClientNotice] {
    guard !isOfAnother(resumed.visitor) else { throw ClientError(.visitorChanged) }
    visitor = resumed.visitor ?? visitor
    token = resumed.token
    identifier = resumed.session
    missing = resumed.turns
    for own in resumed.own { assign(own.revision, to: own.number) }
    try acknowledge(resumed.acknowledged)
    outcome = resumed.turns == nil ? .snapshot : .patches
    phase = .catchingUp
    // Which screens are left, and their snapshots, come before the answer to this.
    isStackOld = !stack.isEmpty || screens.count > 1
    barrier = isStackOld ? ping() : nil
    return try goLive()
  }

  /// Sends what waits, once all is there that was missed.
  private mutating func goLive() throws(ClientError) -> [ClientNotice] {
    guard phase != .live else {
      shareStranded()
      return []
    }
    guard phase == .catchingUp, missing == 0, barrier == nil else { return [] }
    try withdrawUntold()
    try sendOutbox()
    return [.resumed(outcome ?? .patches)]
  }

  private mutating func replaceState(
    _ snapshot: ReceivedFrame.Snapshot, of screen: Int
  ) throws(ClientError) -> [ClientNotice] {
    let isSameEpoch = screens[screen]?.position?.epoch == snapshot.epoch
    screens[screen, default: ScreenState()].state = snapshot.state
    screens[screen]?.position = ClientPosition(epoch: snapshot.epoch, sequence: snapshot.sequence)
    if followsEdits { try replaceDocuments(snapshot, of: screen, isSameEpoch: isSameEpoch) }
    screens[screen]?.lineage = snapshot.lineage
    if screen == 0 { missing = 0 }
    return try [.snapshot] + goLive()
  }

  private mutating func replaceDocuments(
    _ snapshot: ReceivedFrame.Snapshot, of screen: Int, isSameEpoch: Bool
  ) throws(ClientError) {
    var old = screens[screen]?.documents ?? [:]
    var documents: [String: ClientDocument] = [:]
    for (name, revision) in snapshot.revisions {
      let text = fieldText(name, in: snapshot.state) ?? ""
      var document = old.removeValue(forKey: name) ?? ClientDocument(text: text, revision: revision)
      giveUp(document, named: name, for: text)
      do throws(TextEditError) {
        try document.replace(by: text, revision: revision, acknowledged: acknowledged)
      } catch {
        throw ClientError(.textOutOfStep(name: name))
      }
      documents[name] = document
    }
    for (key, document) in old where Self.isOfRow(key) && !document.pending.isEmpty {
      // A document lives as long as its row: without it, the row is another one. Those of long lists end before.
      let isLong = Self.isOfLongList(key)
      guard isLong || !isSameEpoch || !document.isBegun else { continue }
      if let text = fieldText(key, in: snapshot.state) {
        documents[key] = try replace(document, of: key, by: text)
      } else if isLong {
        documents[key] = try loosened(document, of: key)
      } else {
        continue
      }
      old[key] = nil
    }
    screens[screen]?.documents = documents
    for (key, document) in old where Self.isOfRow(key) { orphan(document, of: key, on: screen) }
    outbox.removeAll { $0.isEdit && $0.screen == screen && old[$0.key] != nil }
  }

  private mutating func apply(
    _ turn: ReceivedFrame.Turn, to screen: Int
  ) throws(ClientError) -> [ClientNotice] {
    // A frame that was sent before the server knew that the screen was left.
    guard screen == 0 || screens[screen] != nil else { return [] }
    guard let current = screens[screen]?.position, turn.sequence == current.sequence + 1 else {
      let expected = (screens[screen]?.position?.sequence ?? 0) + 1
      throw ClientError(.sequenceGap(expected: expected, found: turn.sequence))
    }
    do throws(WireError) {
      try screens[screen]?.state.apply(turn.patch)
    } catch {
      throw ClientError(frame: error)
    }
    try followRows(turn, on: screen)
    for change in turn.edits where isTold(change.name, on: screen) {
      do throws(TextEditError) {
        try begin(change, on: screen)
        try screens[screen]?.documents[change.name]?.apply(change)
      } catch {
        throw ClientError(.textOutOfStep(name: change.name))
      }
      guard let text = screens[screen]?.documents[change.name]?.serverText,
        !Self.isOfRow(change.name), case .object(var members)? = screens[screen]?.state
      else { continue }
      members["\(change.name).field"] = .string(text)
      screens[screen]?.state = .object(members)
    }
    showRowFields(on: screen)
    screens[screen]?.position?.sequence = turn.sequence
    let events: [ClientNotice] = turn.events.map { .event(name: $0.name, value: $0.value) }
    if screen == 0, phase == .catchingUp, let left = missing { missing = left - 1 }
    return try [.turn(sequence: turn.sequence)] + events + goLive()
  }

  private mutating func assign(_ revision: Int?, to number: Int) {
    guard let revision, let input = outbox.first(where: { $0.number == number }) else { return }
    screens[input.screen]?.documents[input.key]?.assign(revision: revision, to: number)
  }

  private mutating func acknowledge(_ number: Int) throws(ClientError) {
    acknowledged = max(acknowledged, number)
    let taken = outbox.filter { $0.number <= number }
    outbox.removeAll { $0.number <= number }
    // What was missed tells what became of an edit: its row may have gone with it.
    guard phase == .live else { return }
    for input in taken where input.isEdit {
      let documents = screens[input.screen]?.documents
      let pending = documents?[input.key]?.pending.first { $0.number == input.number }
      if let pending, pending.revision == nil { try withdrawEdits(from: input.number) }
    }
  }

  /// Edits of which nothing has told that was missed were refused.
  private mutating func withdrawUntold() throws(ClientError) {
    let untold = screens.values.flatMap(\.documents.values).compactMap { document in
      document.pending.first { $0.number > 0 && $0.number <= acknowledged && $0.revision == nil }?.number
    }
    for number in untold.sorted() { try withdrawEdits(from: number) }
  }

  /// An edit is not on its way, nor are those of its text that were made after it.
  mutating func withdrawEdits(from number: Int, isRefused: Bool = true) throws(ClientError) {
    for screen in screens.keys {
      for name in (screens[screen]?.documents ?? [:]).keys {
        do throws(TextEditError) {
          let withdrawn =
            try screens[screen]?.documents[name]?.withdraw(from: number, isRefused: isRefused) ?? []
          outbox.removeAll { withdrawn.contains($0.number) }
        } catch {
          throw ClientError(.textOutOfStep(name: name))
        }
      }
    }
  }

  private mutating func refuse(
    _ code: String, _ message: String, _ number: Int?
  ) throws(ClientError) -> [ClientNotice] {
    // A refused edit stays in its field; else there is no such text any longer.
    let isRefusal = code == ErrorCode.tooLarge.rawValue || code == ErrorCode.internalFailure.rawValue
    if let number, !isRefusal { dropRowText(ofInput: number) }
    if let number { try withdrawEdits(from: number) }
    return [.error(code: code, message: message, input: number)]
  }

  private mutating func pong(_ number: Int) throws(ClientError) -> [ClientNotice] {
    guard number == barrier else { return [.pong(number)] }
    barrier = nil
    if isStackOld { show([]) }
    return try goLive()
  }
}
