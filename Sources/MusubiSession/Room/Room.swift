// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx
import MusubiWire

/// One live screen and the sessions that show it; a screen in session scope is a room of one.
///
/// A machine without sockets: `handle` takes one event and lets the ViewModel run to its end, and `finishTurn` makes of
/// what events have changed at most one turn of its log. Confined to its loop.
package final class Room {
  /// Names the room.
  package let key: RoomKey
  /// Which stream of turns this is; changes when its past is lost.
  package let epoch: String
  /// The screen.
  package let instance: ScreenInstance
  /// What the page may bind to.
  package var schema: ScreenSchema { sharedSchema.schema }
  /// The schema, which rooms of the same screen have in common.
  let sharedSchema: SharedSchema
  let scheduler: RoomScheduler
  @exclusivity(unchecked) private(set) var log: TurnLog
  @exclusivity(unchecked) private(set) var texts: [SharedText]
  @exclusivity(unchecked) private(set) var members: MemberList = []
  private(set) var nextMember: Int = 1
  /// What events have changed since the last turn; nil if there was none.
  @exclusivity(unchecked) private var turn: TurnBuilder?
  /// What the rooms of a loop share.
  let scratch: TurnScratch
  private var configuration: SessionConfiguration { scratch.configuration }
  /// The address of the page that shows the room.
  let path: String
  /// Is told what the ViewModel asks of the session, what it made that cannot cross the wire, and writes from outside.
  var hub: Hub? { scratch.hub }
  /// What it needs because it is stored; nil if it ends with the process.
  @exclusivity(unchecked) private(set) var keeping: RoomKeeping?
  /// The newest events of a private room, for a page that returns and has not seen them.
  @exclusivity(unchecked) private(set) var keptEvents: [StoredRoom.Event] = []
  /// The effects of its inputs; nil if there never was one.
  @exclusivity(unchecked) var effects: RoomEffects?
  /// The stretches of turns that were handed out last to other loops.
  var recentTurns: [SharedFrames] = []
  /// The time that the loop has spent on its inputs in one of the loop's turns.
  @exclusivity(unchecked) var share = RoomShare()
  /// When the last member left; nil while somebody is here.
  @Rare var emptySince: Duration?

  /// Makes the room's screen; its initial values are the state at sequence 0.
  ///
  /// - Parameters:
  ///   - key: Names the room.
  ///   - epoch: Names the stream.
  ///   - path: The address of the page that shows the room.
  ///   - scheduler: The room's timers.
  ///   - scratch: The limits, and where turns are collected; what the rooms of a loop share.
  ///   - stored: What the room was before the process ended, if it is made anew.
  ///   - make: Makes the screen; called on the room's scheduler.
  /// - Throws: What `make` throws.
  init(
    key: RoomKey, epoch: String, path: String, scheduler: RoomScheduler, scratch: TurnScratch,
    restoring stored: StoredRoom? = nil, make: () throws -> ScreenInstance
  ) throws {
    self.path = path
    self.scratch = scratch
    self.key = key
    self.epoch = epoch
    self.scheduler = scheduler
    log = TurnLog(head: stored?.position.sequence ?? 0)
    instance = try LoopContext.with(scheduler) {
      let instance = try make()
      instance.load()
      return instance
    }
    sharedSchema = scratch.schema(of: key.screen, instance)
    texts = []
    let board = instance.board
    board.begin()
    texts = schema.twoWayOutputs.map { index in
      let slot = board.slots[index]
      let earlier = stored?.texts.first { $0.name == slot.name }
      return SharedText(
        name: slot.name, text: earlier?.text ?? slot.value?.stringValue ?? "",
        historyLimit: scratch.configuration.maxTextHistory, revision: earlier?.revision ?? 0,
        sequence: log.head)
    }
    nextMember = stored?.nextMember ?? 1
    keptEvents = stored?.events ?? []
    board.owner = self
    scheduler.room = self
  }

  deinit {
    instance.board.owner = nil
    scheduler.room = nil
  }

  /// Has the room stored from now on.
  func keep(
    _ restorable: any Restorable, query: [String: String], visitor: Visitor, restoring stored: StoredRoom?
  ) {
    keeping = RoomKeeping(
      restorable, query: query, visitor: visitor, board: instance.board, restoring: stored)
  }

  /// The sequence number of the newest turn.
  package var sequence: Int { log.head }

  /// Adds a session's view of the room; `handle(.join)` follows.
  func admit(_ session: Session, screen: Int, as number: Int? = nil) -> Member {
    let number = number ?? nextMember
    let member = Member(number: number, room: self, session: session, screen: screen, texts: texts.count)
    nextMember = max(nextMember, number + 1)
    members.insert(member, at: members.firstIndex { $0.number > number } ?? members.count)
    emptySince = nil
    keeping?.left = nil
    noteMembers()
    return member
  }

  /// The one door: everything that happens to the screen happens here.
  ///
  /// What it changes is part of a turn that `finishTurn` ends; several events may share one.
  ///
  /// - Parameter event: What happens.
  /// - Returns: What the sender of an input is to be told.
  @discardableResult
  package func handle(_ event: consuming RoomEvent) -> RoomOutcome {
    let turn = openTurn()
    let board = instance.board
    board.beginEvent()
    scratch.origin = event.origin
    let outer = LoopContext.enter(scheduler)
    let outcome = perform(consume event, turn)
    LoopContext.leave(for: outer)
    takeTexts(turn)
    board.endEvent()
    let requests = board.takeRequests()
    if !requests.isEmpty { hub?.answer(requests, of: self, to: member(scratch.origin.member)) }
    scratch.origin = (0, 0)
    if keeping != nil { hub?.keeper.touch(self) }
    if turn.stepBytes >= TurnBuilder.mostStepBytes { finishTurn() }
    return outcome
  }

  /// Makes what events have changed since the last turn one turn of the log, if anything is different.
  ///
  /// Whoever looks at the log, or writes the state, calls it before.
  package func finishTurn() {
    var open: TurnBuilder?
    swap(&open, &turn)
    guard let turn = open.take() else { return }
    finish(turn)
    scratch.put(back: turn)
  }

  private func finish(_ turn: TurnBuilder) {
    let board = instance.board
    if board.isWrittenOutside { takeTexts(turn) }
    board.takeChanges { slot, value, change in
      turn.take(change, of: slot, to: value, sharedSchema)
      keeping?.note(slot)
    }
    for event in board.takeEvents() { turn.add(event.name, event.value) }
    for problem in board.takeProblems() { hub?.tell(problem, of: self) }
    guard !turn.isEmpty else { return }
    if members.count < 2, turn.hasTexts { forgetKnown() }
    log.append(turn, texts, members.count < 2 ? scratch.soloLimit : scratch.limit, sharedSchema)
    if key.isPrivate, !turn.events.isEmpty { keepEvents(of: turn) }
    if turn.hasTexts { keeping?.withhold(sequence) }
    if let observe = scratch.observe {
      let frame = turn.description(sequence: sequence, texts, sharedSchema)
      observe(.turn(screen: key.screen, room: key.name, frame: frame))
    }
    members.forEach { $0.withSession { $0.wake() } }
  }

  private func forgetKnown() {
    guard let member = members.first else { return }
    for index in texts.indices {
      guard let sequence = texts[index].forget(known: member.bridges[index].known) else { continue }
      log.forget(through: sequence)
    }
  }

  private func openTurn() -> TurnBuilder {
    if let turn { return turn }
    let turn = scratch.takeTurn()
    self.turn = turn
    scratch.openRooms.append(self)
    return turn
  }

  /// Keeps turns in an encoding from now on.
  func follow(_ encoding: TurnEncoding) { log.follow(encoding) }

  /// The member of a number; nil if it has left.
  func member(_ number: Int) -> Member? { members.member(number) }

  private func perform(_ event: consuming RoomEvent, _ turn: TurnBuilder) -> RoomOutcome {
    switch event {
    case .join(let number):
      instance.appear()
      instance.connectionDidChange(ofPage: number, isConnected: true)
    case .connection(let number, let isConnected):
      instance.connectionDidChange(ofPage: number, isConnected: isConnected)
    case .leave(let number):
      if let member = member(number) {
        for index in texts.indices where member.bridges[index].taken > 0 {
          texts[index].note(absent: member.session.author, input: member.bridges[index].taken)
        }
      }
      members.removeAll { $0.number == number }
      noteMembers()
      instance.connectionDidChange(ofPage: number, isConnected: false)
      instance.disappear()
    case .input(_, _, let name, let row, let value):
      return input(name, value, row: row, turn)
    case .edit(let number, let input, let name, let revision, let edit):
      return self.edit(name, edit, base: revision, from: number, input: input, turn)
    case .restore(_, let known):
      restore(known, turn)
    case .timer(let id):
      scheduler.fire(id)
    case .outside:
      break
    }
    return .taken
  }

  private func noteMembers() {
    for index in texts.indices { texts[index].isSolo = members.count < 2 }
  }

  private func input(_ name: String, _ value: Value?, row: [String], _ turn: TurnBuilder) -> RoomOutcome {
    if let index = textIndex(name), case .string(let text) = value {
      guard text.utf8.count <= configuration.maxTextBytes else { return .refused(tooLarge(name)) }
      for step in texts[index].set(text, sequence: log.head + 1, isViewModels: false) {
        turn.add(step, to: index)
      }
      return feed(index) ?? .taken
    }
    do {
      try instance.deliver(name, value, row: row)
      return .taken
    } catch {
      return .refused(error)
    }
  }

  private func edit(
    _ name: String, _ edit: TextEdit, base: Int, from number: Int, input: Int, _ turn: TurnBuilder
  ) -> RoomOutcome {
    guard let index = textIndex(name) else {
      return .refused(
        instance.input(named: name) == nil
          ? .unknownInput(name, known: instance.inputs.map(\.name))
          : BindingError(.wrongType, "The input \"\(name)\" takes whole values, not edits."))
    }
    guard let member = member(number) else { return .taken }
    let (authorName, lastBefore) = member.withSession { ($0.author, $0.lastBefore) }
    let author = SharedText.Author(member: number, input: input, name: authorName)
    // What makes the text no longer is taken even if the ViewModel has made it too long.
    let growth = edit.mostGrowth
    guard growth <= 0 || texts[index].text.utf8.count + growth <= configuration.maxTextBytes else {
      guard base >= member.bridges[index].refusal else { return .refused(tooLarge(name)) }
      texts[index].refuse(bridge: &member.bridges[index], input: author.input, sequence: log.head + 1)
      turn.add(TextEdit([]), to: index)
      return .refused(tooLarge(name))
    }
    let revision: Int
    do {
      let steps = try texts[index].apply(
        edit, base: base, bridge: &member.bridges[index], author: author, sequence: log.head + 1,
        isRepeated: input <= lastBefore)
      let teller = isShared ? author : nil
      if let moved = steps.moved {
        turn.add(moved, to: index, by: teller)
      } else {
        turn.add(edit, to: index, by: teller)
      }
      for step in steps.others { turn.add(step, to: index) }
      revision = texts[index].revision - steps.others.count
    } catch {
      switch error {
      case .afterRefusal: return .refused(tooLarge(name))
      case .historyTrimmed: return .behind
      case .forgottenRevision:
        return .violation(
          "The edit refers to revision \(base) of \"\(name)\", older than what the page has shown to know.")
      case .futureRevision:
        return .violation("The edit refers to revision \(base), which \"\(name)\" does not have yet.")
      case .outsideText(let error):
        return .violation("The edit does not fit the text of \"\(name)\": \(error).")
      }
    }
    return feed(index) ?? .edited(revision: revision)
  }

  /// Gives the ViewModel the text of a field.
  private func feed(_ index: Int) -> RoomOutcome? {
    texts[index].feed(expectsAnswer: instance.board.expectsQuestions(of: sharedSchema.textOutputs[index]))
    do {
      try instance.deliver(text: texts[index].text, toInput: sharedSchema.textInputs[index])
      return nil
    } catch {
      return .refused(error)
    }
  }

  private func textIndex(_ name: String) -> Int? { texts.firstIndex { $0.name == name } }

  /// Compares the texts with what the ViewModel has made of them in an event.
  private func takeTexts(_ turn: TurnBuilder) {
    for index in texts.indices {
      if let (text, question) = instance.board.takeText(of: sharedSchema.textOutputs[index]) {
        let steps =
          if let question {
            texts[index].answer(text, to: question, sequence: log.head + 1)
          } else {
            texts[index].set(text, sequence: log.head + 1)
          }
        for step in steps { turn.add(step, to: index) }
      }
      texts[index].isFed = false
    }
  }

  /// Whether a page is told whose edits it gets: only others who have them could give them back to a new server.
  private var isShared: Bool { members.count > 1 && !key.isPrivate }

  /// For each text, and for each of its authors, the number of the last input that is part of it.
  var authors: [String: [String: Int]] {
    guard !key.isPrivate else { return [:] }
    var all: [String: [String: Int]] = [:]
    for (index, text) in texts.enumerated() {
      let present = members.map { ($0.session.author, $0.bridges[index].taken) }.filter { $0.1 > 0 }
      let by = Dictionary(text.absent.map { ($0.author, $0.input) } + present, uniquingKeysWith: max)
      if !by.isEmpty { all[text.name] = by }
    }
    return all
  }

  /// For each text that comes from what a page knew, the number of the page's last input that is part of it.
  func restored(_ known: [ClientFrame.Restore], author: String) -> [String: Int] {
    let authors = authors
    var restored: [String: Int] = [:]
    for part in known {
      guard let index = textIndex(part.name),
        part.epoch == epoch || texts[index].descends(from: part.epoch)
      else { continue }
      restored[part.name] = authors[part.name]?[author] ?? 0
    }
    return restored
  }

  /// Takes over what a page knew of the texts in an earlier life of the room.
  private func restore(_ known: [ClientFrame.Restore], _ turn: TurnBuilder) {
    for part in known {
      // A page whose session has expired knows no more of this life than the room does.
      guard part.epoch != epoch, let index = textIndex(part.name),
        part.text.utf8.count <= configuration.maxTextBytes
      else { continue }
      let steps = texts[index].restore(part, sequence: log.head + 1)
      guard !steps.isEmpty else { continue }
      for step in steps { turn.add(step, to: index) }
      // A two-way name takes strings, so that it cannot be refused.
      _ = feed(index)
    }
  }

  private func keepEvents(of turn: TurnBuilder) {
    keptEvents += turn.events.map {
      StoredRoom.Event(sequence: sequence, name: $0.name, value: $0.value)
    }
    keptEvents.removeFirst(max(0, keptEvents.count - 16))
  }

  /// Tells events again, in a turn of their own, to a page that has missed them; no turn is open.
  func tellAgain(_ events: [StoredRoom.Event]) {
    keptEvents.removeAll { event in events.contains { $0.sequence == event.sequence } }
    let turn = scratch.takeTurn()
    for event in events { turn.add(event.name, event.value) }
    log.append(turn, texts, scratch.limit, sharedSchema)
    keepEvents(of: turn)
    scratch.put(back: turn)
    if keeping != nil { hub?.keeper.touch(self) }
  }

  /// Why an edit or a value was refused.
  func tooLarge(_ name: String) -> BindingError {
    BindingError(
      .tooLarge, "The text of \"\(name)\" would exceed \(configuration.maxTextBytes) bytes; send less.")
  }
}

extension Room: OutputBoardOwner {
  package func wroteOutside() { hub?.wroteOutside(self) }
}

/// What the sender of an input is to be told.
package enum RoomOutcome: Equatable {
  /// It has taken effect.
  case taken
  /// It was an edit, and has become a revision.
  case edited(revision: Int)
  /// It has changed nothing, and counts as taken.
  case refused(BindingError)
  /// It refers to a past that is no longer kept: the page must resume; nothing was taken.
  case behind
  /// It breaks the protocol; nothing was taken.
  case violation(String)
}

/// Names a room within a server.
package struct RoomKey: Hashable, Codable, Sendable {
  /// The screen's name.
  package let screen: String
  /// The room's name; in session scope the session's id.
  package let name: String
  /// Whether the room belongs to one session.
  package let isPrivate: Bool

  /// Names a room.
  package init(screen: String, name: String, isPrivate: Bool) {
    self.screen = screen
    self.name = name
    self.isPrivate = isPrivate
  }
}
