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
    switch decoded.content {
    case .hello(let hello): return begin(hello)
    case .resumed(let resumed): return goOn(resumed)
    case .snapshot(let snapshot): return try replaceState(snapshot, of: decoded.screen)
    case .turn(let turn): return try apply(turn, to: decoded.screen)
    case .acknowledged(let number, let revision):
      assign(revision, to: number)
      acknowledge(number)
      return []
    case .taken(let number, let revision):
      assign(revision, to: number)
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
    mustBeginAfresh = false
    identifier = hello.session
    token = hello.token
    heartbeatSeconds = hello.heartbeat
    screens[0]?.position = nil
    acknowledged = 0
    if isReturning {
      outcome = .afresh
      handOver()
    }
    show([])
    phase = isReturning ? .catchingUp : .live
    return [.began]
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

  /// Prepares what a lost session had not taken for the new one: typed text goes on, taps are only reported.
  private mutating func handOver() {
    lastNumber = 0
    var kept: [Unconfirmed] = []
    for name in (screens[0]?.documents ?? [:]).keys.sorted() {
      var number = lastNumber
      screens[0]?.documents[name]?.renumber {
        number += 1
        return number
      }
      for pending in screens[0]?.documents[name]?.pending ?? [] {
        kept.append(
          Unconfirmed(number: pending.number, name: name, row: [], value: nil, isEdit: true, screen: 0))
      }
      lastNumber = number
    }
    let fields = screens[0]?.state
    for (index, input) in outbox.enumerated() where !input.isEdit && input.closing == nil {
      let isTyped =
        input.screen == 0 && input.row.isEmpty && fields?["\(input.name).field"] != nil && input.value != nil
      let isLatest = !outbox[(index + 1)...].contains {
        $0.name == input.name && $0.row.isEmpty && $0.screen == 0
      }
      if isTyped && isLatest {
        kept.append(
          Unconfirmed(
            number: nextNumber(), name: input.name, row: [], value: input.value, isEdit: false, screen: 0))
      } else if !isTyped {
        lost.append(input)
      }
    }
    outbox = kept
  }

  private mutating func goOn(_ resumed: ServerFrame.Resumed) -> [ClientNotice] {
    token = resumed.token
    identifier = resumed.session
    expectsTurns = resumed.turns != nil
    isStackOld = true
    for own in resumed.own { assign(own.revision, to: own.number) }
    acknowledge(resumed.acknowledged)
    outcome = .patches
    phase = .catchingUp
    // Whether turns follow, a snapshot or nothing is known for certain once the answer to this comes.
    barrier = ping()
    return []
  }

  private mutating func replaceState(
    _ snapshot: ServerFrame.Snapshot, of screen: Int
  ) throws(ClientError) -> [ClientNotice] {
    screens[screen, default: ScreenState()].state = snapshot.state
    screens[screen]?.position = ClientPosition(epoch: snapshot.epoch, sequence: snapshot.sequence)
    if followsEdits { try replaceDocuments(snapshot, of: screen) }
    var notices: [ClientNotice] = [.snapshot]
    guard screen == 0 else { return notices }
    guard phase == .catchingUp else { return notices }
    if outcome == .afresh {
      phase = .live
      sendOutbox()
      notices.append(.resumed(.afresh))
    } else {
      outcome = .snapshot
    }
    return notices
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
    return [.turn(sequence: turn.sequence)] + turn.events.map { .event(name: $0.name, value: $0.value) }
  }

  private mutating func assign(_ revision: Int?, to number: Int) {
    guard let revision, let input = outbox.first(where: { $0.number == number }) else { return }
    screens[input.screen]?.documents[input.name]?.assign(revision: revision, to: number)
  }

  private mutating func acknowledge(_ number: Int) {
    acknowledged = max(acknowledged, number)
    let taken = outbox.filter { $0.number <= number }
    outbox.removeAll { $0.number <= number }
    for input in taken where input.isEdit {
      // Before a snapshot nobody knows what became of an edit; the snapshot has it, or not.
      guard phase == .live || (input.screen == 0 && expectsTurns) else { continue }
      let documents = screens[input.screen]?.documents
      let pending = documents?[input.name]?.pending.first { $0.number == input.number }
      if let pending, pending.revision == nil { refuseEdits(of: input) }
    }
  }

  private mutating func refuseEdits(of input: Unconfirmed) {
    screens[input.screen]?.documents[input.name]?.refuse()
    outbox.removeAll { $0.isEdit && $0.name == input.name && $0.screen == input.screen }
  }

  private mutating func refuse(
    _ code: String, _ message: String, _ number: Int?
  ) throws(ClientError) -> [ClientNotice] {
    if let number, let input = outbox.first(where: { $0.number == number && $0.isEdit }) {
      refuseEdits(of: input)
    }
    return [.error(code: code, message: message, input: number)]
  }

  private mutating func pong(_ number: Int) -> [ClientNotice] {
    guard number == barrier else { return [.pong(number)] }
    barrier = nil
    phase = .live
    if isStackOld { show([]) }
    sendOutbox()
    return [.resumed(outcome ?? .patches)]
  }
}
