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
    // Further screens of a connection come with navigation.
    guard decoded.screen == 0 else { return [] }
    switch decoded.content {
    case .hello(let hello): return begin(hello)
    case .resumed(let resumed): return goOn(resumed)
    case .snapshot(let snapshot): return try replaceState(snapshot)
    case .turn(let turn): return try apply(turn)
    case .acknowledged(let number, let revision):
      assign(revision, to: number)
      acknowledge(number)
      return []
    case .taken(let number, let revision):
      assign(revision, to: number)
      return []
    case .error(let code, let message, let input):
      return try refuse(code, message, input)
    case .screens: return []
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
    position = nil
    acknowledged = 0
    if isReturning {
      outcome = .afresh
      handOver()
    }
    phase = isReturning ? .catchingUp : .live
    return [.began]
  }

  /// Prepares what a lost session had not taken for the new one: typed text goes on, taps are only reported.
  private mutating func handOver() {
    lastNumber = 0
    var kept: [Unconfirmed] = []
    for name in documents.keys.sorted() {
      var number = lastNumber
      documents[name]?.renumber {
        number += 1
        return number
      }
      for pending in documents[name]?.pending ?? [] {
        kept.append(Unconfirmed(number: pending.number, name: name, row: [], value: nil, isEdit: true))
      }
      lastNumber = number
    }
    for (index, input) in outbox.enumerated() where !input.isEdit {
      let isTyped = input.row.isEmpty && state["\(input.name).field"] != nil && input.value != nil
      let isLatest = !outbox[(index + 1)...].contains { $0.name == input.name && $0.row.isEmpty }
      if isTyped && isLatest {
        kept.append(
          Unconfirmed(number: nextNumber(), name: input.name, row: [], value: input.value, isEdit: false))
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
    for own in resumed.own { assign(own.revision, to: own.number) }
    acknowledge(resumed.acknowledged)
    outcome = .patches
    phase = .catchingUp
    // Whether turns follow, a snapshot or nothing is known for certain once the answer to this comes.
    barrier = ping()
    return []
  }

  private mutating func replaceState(_ snapshot: ServerFrame.Snapshot) throws(ClientError) -> [ClientNotice] {
    state = snapshot.state
    position = ClientPosition(epoch: snapshot.epoch, sequence: snapshot.sequence)
    if followsEdits { try replaceDocuments(snapshot) }
    var notices: [ClientNotice] = [.snapshot]
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

  private mutating func replaceDocuments(_ snapshot: ServerFrame.Snapshot) throws(ClientError) {
    var old = documents
    documents = [:]
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
    outbox.removeAll { $0.isEdit && old[$0.name] != nil }
  }

  private mutating func apply(_ turn: ServerFrame.Turn) throws(ClientError) -> [ClientNotice] {
    guard let current = position, turn.sequence == current.sequence + 1 else {
      throw ClientError(.sequenceGap(expected: (position?.sequence ?? 0) + 1, found: turn.sequence))
    }
    do throws(WireError) {
      try state.apply(turn.patch)
    } catch {
      throw ClientError(frame: error)
    }
    for change in turn.edits {
      do throws(WireError) {
        try documents[change.name]?.apply(change)
      } catch {
        throw ClientError(.textOutOfStep(name: change.name))
      }
      if let text = documents[change.name]?.serverText { setMember("\(change.name).field", to: text) }
    }
    position?.sequence = turn.sequence
    return [.turn(sequence: turn.sequence)] + turn.events.map { .event(name: $0.name, value: $0.value) }
  }

  private mutating func setMember(_ name: String, to text: String) {
    guard case .object(var members) = state else { return }
    members[name] = .string(text)
    state = .object(members)
  }

  private mutating func assign(_ revision: Int?, to number: Int) {
    guard let revision, let input = outbox.first(where: { $0.number == number }) else { return }
    documents[input.name]?.assign(revision: revision, to: number)
  }

  private mutating func acknowledge(_ number: Int) {
    acknowledged = max(acknowledged, number)
    let taken = outbox.filter { $0.number <= number }
    outbox.removeAll { $0.number <= number }
    // Before a snapshot nobody knows what became of an edit; the snapshot has it, or not.
    guard expectsTurns || phase == .live else { return }
    for input in taken where input.isEdit {
      let pending = documents[input.name]?.pending.first { $0.number == input.number }
      if let pending, pending.revision == nil { refuseEdits(of: input.name) }
    }
  }

  private mutating func refuseEdits(of name: String) {
    documents[name]?.refuse()
    outbox.removeAll { $0.isEdit && $0.name == name }
  }

  private mutating func refuse(
    _ code: String, _ message: String, _ number: Int?
  ) throws(ClientError) -> [ClientNotice] {
    if let number, let input = outbox.first(where: { $0.number == number && $0.isEdit }) {
      refuseEdits(of: input.name)
    }
    return [.error(code: code, message: message, input: number)]
  }

  private mutating func pong(_ number: Int) -> [ClientNotice] {
    guard number == barrier else { return [.pong(number)] }
    barrier = nil
    phase = .live
    sendOutbox()
    return [.resumed(outcome ?? .patches)]
  }
}
