// SPDX-License-Identifier: Apache-2.0
internal import MusubiWire

extension ClientSession {
  /// Takes a text frame from the server.
  ///
  /// - Parameter frame: One whole message in UTF-8.
  /// - Returns: What the frame brought, in order.
  /// - Throws: `ClientError` if the frame cannot be read or does not follow from the ones before it. The connection
  ///   is to be closed then, and the next one starts a new session.
  public mutating func receive(_ frame: [UInt8]) throws(ClientError) -> [ClientNotice] {
    let decoded: ServerFrame
    do throws(WireError) {
      decoded = try ServerFrame(json: frame)
    } catch {
      throw ClientError(frame: error)
    }
    if isRestoring {
      guard case .hello = decoded.content else { return [] }
    }
    switch decoded.content {
    case .hello(let hello): return begin(hello)
    case .resumed(let resumed): return try goOn(resumed)
    case .snapshot(let snapshot): return try replaceState(snapshot, of: decoded.screen)
    case .turn(let turn): return try apply(turn, to: decoded.screen)
    case .acknowledged(let number, let revision):
      assign(revision, to: number)
      try acknowledge(number)
      return []
    case .error(let code, let message, let input):
      return try refuse(code, message, input)
    case .screens(let screens):
      isStackOld = false
      show(screens)
      return []
    case .pong(let number): return pong(number)
    case .reload: return [.reload]
    case .unknown: return []
    }
  }

  private mutating func begin(_ hello: ServerFrame.Hello) -> [ClientNotice] {
    let isReturning = identifier != nil
    if isReturning, !mustBeginAfresh, !isRestoring, screens[0]?.documents.isEmpty == false {
      restoreTexts()
      return []
    }
    isRestoring = false
    mustBeginAfresh = false
    identifier = hello.session
    token = hello.token
    heartbeatSeconds = hello.heartbeat
    screens[0]?.position = nil
    acknowledged = 0
    if isReturning {
      outcome = .afresh
      handOver(restored: hello.restored ?? [:])
    }
    show([])
    phase = isReturning ? .catchingUp : .live
    return [.began]
  }

  /// Tells a server that has lost its memory what the texts were; it answers with another `hello`.
  private mutating func restoreTexts() {
    isRestoring = true
    // Sessions that follow one another by handing their texts on have the first one's name.
    if author.isEmpty { author = String(identifier?.prefix(8) ?? "") }
    for (name, document) in (screens[0]?.documents ?? [:]).sorted(by: { $0.key < $1.key }) {
      var rest = document.serverText.unicodeScalars[...]
      var by = document.by
      repeat {
        // A scalar takes at most 12 bytes as JSON, so that no frame is too large.
        let piece = rest.prefix(5_000)
        rest = rest[piece.endIndex...]
        emit(
          .restore(
            ClientFrame.Restore(
              epoch: epoch, name: name, revision: document.revision, text: String(piece), by: by)))
        by = [:]
      } while !rest.isEmpty
    }
    emit(.restored(author: author, last: lastNumber))
  }

  /// Takes the stack of screens over, and forgets those that were left.
  private mutating func show(_ entries: [ServerFrame.Screen]) {
    stack = entries.map {
      ClientScreen(
        number: $0.number, name: $0.name, path: $0.path, dialog: $0.dialog?.name,
        dialogValue: $0.dialog?.value)
    }
    screens = screens.filter { number, _ in number == 0 || stack.contains { $0.number == number } }
  }

  /// Prepares what a lost session had not taken for the new one: typed text goes on, under the numbers that it has, and
  /// taps are only reported.
  private mutating func handOver(restored: [String: Int]) {
    var kept: [Unconfirmed] = []
    for name in (screens[0]?.documents ?? [:]).keys {
      let numbers = screens[0]?.documents[name]?.handOver(taken: restored[name] ?? 0) ?? []
      kept += numbers.map {
        Unconfirmed(number: $0, name: name, row: [], value: nil, isEdit: true, screen: 0)
      }
    }
    let fields = screens[0]?.state
    for (index, input) in outbox.enumerated() where !input.isEdit && input.closing == nil {
      let isTyped =
        input.screen == 0 && input.row.isEmpty && fields?["\(input.name).field"] != nil && input.value != nil
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
    return goLive()
  }

  /// Sends what waits, once all is there that was missed.
  private mutating func goLive() -> [ClientNotice] {
    guard phase == .catchingUp, missing == 0, barrier == nil else { return [] }
    phase = .live
    sendOutbox()
    return [.resumed(outcome ?? .patches)]
  }

  private mutating func replaceState(
    _ snapshot: ServerFrame.Snapshot, of screen: Int
  ) throws(ClientError) -> [ClientNotice] {
    screens[screen, default: ScreenState()].state = snapshot.state
    screens[screen]?.position = ClientPosition(epoch: snapshot.epoch, sequence: snapshot.sequence)
    if followsEdits { try replaceDocuments(snapshot, of: screen) }
    if screen == 0 {
      epoch = snapshot.epoch
      missing = 0
    }
    return [.snapshot] + goLive()
  }

  private mutating func replaceDocuments(
    _ snapshot: ServerFrame.Snapshot, of screen: Int
  ) throws(ClientError) {
    var old = screens[screen]?.documents ?? [:]
    var documents: [String: ClientDocument] = [:]
    for (name, revision) in snapshot.revisions {
      let text = snapshot.state["\(name).field"]?.stringValue ?? ""
      var document = old.removeValue(forKey: name) ?? ClientDocument(text: text, revision: revision)
      do throws(WireError) {
        try document.replace(by: text, revision: revision, acknowledged: acknowledged)
      } catch {
        throw ClientError(.textOutOfStep(name: name))
      }
      document.by = snapshot.by[name] ?? [:]
      documents[name] = document
    }
    screens[screen]?.documents = documents
    outbox.removeAll { $0.isEdit && $0.screen == screen && old[$0.name] != nil }
  }

  private mutating func apply(
    _ turn: ServerFrame.Turn, to screen: Int
  ) throws(ClientError) -> [ClientNotice] {
    // What was sent before the server knew that the screen was left.
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
    for change in turn.edits {
      do throws(WireError) {
        try screens[screen]?.documents[change.name]?.apply(change)
      } catch {
        throw ClientError(.textOutOfStep(name: change.name))
      }
      guard let text = screens[screen]?.documents[change.name]?.serverText,
        case .object(var members)? = screens[screen]?.state
      else { continue }
      members["\(change.name).field"] = .string(text)
      screens[screen]?.state = .object(members)
    }
    screens[screen]?.position?.sequence = turn.sequence
    let events: [ClientNotice] = turn.events.map { .event(name: $0.name, value: $0.value) }
    if screen == 0, phase == .catchingUp, let left = missing { missing = left - 1 }
    return [.turn(sequence: turn.sequence)] + events + goLive()
  }

  private mutating func assign(_ revision: Int?, to number: Int) {
    guard let revision, let input = outbox.first(where: { $0.number == number }) else { return }
    screens[input.screen]?.documents[input.name]?.assign(revision: revision, to: number)
  }

  private mutating func acknowledge(_ number: Int) throws(ClientError) {
    acknowledged = max(acknowledged, number)
    let taken = outbox.filter { $0.number <= number }
    outbox.removeAll { $0.number <= number }
    for input in taken where input.isEdit {
      // Before a snapshot nobody knows what became of an edit; the snapshot has it, or an error tells.
      guard phase == .live || (input.screen == 0 && missing != nil) else { continue }
      let documents = screens[input.screen]?.documents
      let pending = documents?[input.name]?.pending.first { $0.number == input.number }
      if let pending, pending.revision == nil { try refuseEdits(from: input.number) }
    }
  }

  /// The server refuses an edit, and with it all of its text that were made after it.
  private mutating func refuseEdits(from number: Int) throws(ClientError) {
    for screen in screens.keys {
      for name in (screens[screen]?.documents ?? [:]).keys {
        do throws(WireError) {
          let refused = try screens[screen]?.documents[name]?.refuse(from: number) ?? []
          outbox.removeAll { refused.contains($0.number) }
        } catch {
          throw ClientError(.textOutOfStep(name: name))
        }
      }
    }
  }

  private mutating func refuse(
    _ code: String, _ message: String, _ number: Int?
  ) throws(ClientError) -> [ClientNotice] {
    if let number { try refuseEdits(from: number) }
    return [.error(code: code, message: message, input: number)]
  }

  private mutating func pong(_ number: Int) -> [ClientNotice] {
    guard number == barrier else { return [.pong(number)] }
    barrier = nil
    if isStackOld { show([]) }
    return goLive()
  }
}
