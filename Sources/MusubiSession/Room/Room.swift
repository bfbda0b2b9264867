// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx
import MusubiText
import MusubiWire

/// One live screen and the sessions that show it; a screen in session scope is a room of one.
///
/// A machine without sockets: `handle` takes one event and lets the ViewModel run to its end, and `finishTurn` makes of
/// what events have changed at most one turn of its log. Confined to its loop.
package final class Room {
  /// Names the room.
  package let key: RoomKey
  /// Whether it is restored from the store, and so has all that pages could hand over.
  let isRestored: Bool
  /// Whether its pages wait for values of shared models before they are shown anything.
  var awaitsModels = false
  /// Whether inputs wait until `handOversEnd`, because a page has come back, or for effects that overlap.
  var holdsInputs = false
  /// Which stream of turns this is; changes when its past is lost.
  package let epoch: String
  /// The screen.
  package let instance: ScreenInstance
  /// The names that a page may bind to.
  package var schema: ScreenSchema { sharedSchema.schema }
  /// The schema, which rooms of the same screen have in common.
  let sharedSchema: SharedSchema
  let scheduler: RoomScheduler
  // Unchecked: the checks would be 4 % of an event.
  @exclusivity(unchecked) private(set) var log: TurnLog
  // Unchecked: the checks would be 6 % of an event.
  @exclusivity(unchecked) var texts: [SharedText]
  /// The texts of its rows; nil before somebody has edited one.
  var rows: RowTexts?
  private(set) var members: [Member] = []
  /// How many of them have a connected page.
  // Unchecked: see `log`.
  @exclusivity(unchecked) private(set) var pages = 0
  /// Whether nobody shows it: its turns wait for somebody who does.
  private(set) var isSuspended = false
  private(set) var nextMember: Int = 1
  /// The changes by events since the last turn; nil if there are none.
  private(set) var turn: TurnBuilder?
  /// The parts that the rooms of a loop share.
  let resources: RoomResources
  var configuration: SessionConfiguration { resources.configuration }
  /// The address of the page that shows the room.
  let path: String
  /// The loop on which it lives; nil if that has ended, or in a test.
  weak var host: (any RoomHost)?
  /// The member and the number of the input that is being handled; zeros for other events, and between them.
  private(set) var origin = (member: 0, input: 0)
  /// Who has caused what runs now.
  private var causation = Causation.ofOrigin
  /// The data of a stored room; nil if the room ends with the process.
  private(set) var keeping: RoomKeeping?
  /// The newest events of a private room, for a page that returns and has not seen them.
  private(set) var keptEvents: [StoredRoom.Event] = []
  /// The effects of its inputs; nil if there never was one.
  var effects: RoomEffects?
  /// Finds out who is here; nil if nobody has asked.
  // Unchecked: see `log`.
  @exclusivity(unchecked) var presence: PresenceTracker?
  /// Where its pages are in its texts; nil if none shows it.
  var carets: RoomCarets?
  /// How many pages get their turns; nil before there were many of them.
  // Unchecked: see `log`.
  @exclusivity(unchecked) var crowd: RoomCrowd?
  /// The stretches of turns that were handed out last to other loops.
  var recentTurns: [SharedFrames] = []
  /// The time that the loop has spent on its inputs in one iteration.
  var share = RoomShare()
  /// The values that it was handed, and the names that inputs have changed; nil if there are none.
  private(set) var inheritance: RoomInheritance?
  /// `handOversEnd` in one word, in nanoseconds, because many rooms have it.
  private var handOversEndWord = Int64.min
  /// Whether its owner's peers have one room less because of it.
  var isCounted = false
  /// Whether it is among the rooms that the next report looks at.
  var isNoted = false
  /// When the last member left; nil while somebody is here.
  @Boxed var emptySince: Duration?
  /// The bytes that it takes, as they were measured last.
  var charge: Charge
  /// The bytes of turns since then.
  var unmeasured = 0
  /// The bytes that others than its owner have typed into its texts; nil if nobody has.
  var typed: TypedBytes?
  /// Writes down what happens; nil if nobody has asked for it.
  private let recording: RoomRecording?

  /// Makes the room's screen; its initial values are the state at sequence 0.
  ///
  /// - Parameters:
  ///   - key: Names the room.
  ///   - epoch: Names the stream.
  ///   - path: The address of the page that shows the room.
  ///   - scheduler: The room's timers.
  ///   - resources: The parts that the rooms of a loop share.
  ///   - owner: Who pays for it; nil for somebody who is not counted.
  ///   - host: The host that it may ask.
  ///   - stored: The room before the process ended, if it is restored.
  ///   - recording: Writes down what happens; nil if nobody has asked for it.
  ///   - make: Makes the screen; called on the room's scheduler.
  /// - Throws: What `make` throws.
  init(
    key: RoomKey, epoch: String, path: String, scheduler: RoomScheduler, resources: RoomResources,
    owner: Owner? = nil, host: (any RoomHost)? = nil, restoring stored: StoredRoom? = nil,
    recording: RoomRecording? = nil, make: () throws -> ScreenInstance
  ) throws {
    self.recording = recording
    scheduler.recording = recording
    self.path = path
    self.resources = resources
    self.host = host
    self.key = key
    self.epoch = epoch
    self.scheduler = scheduler
    charge = Charge(owner ?? resources.memory.owner([]))
    log = TurnLog(head: stored?.position.sequence ?? 0)
    isRestored = stored != nil
    instance = try LoopContext.with(scheduler) {
      let instance = try make()
      instance.load()
      return instance
    }
    sharedSchema = try resources.schema(of: key.screen, instance)
    texts = []
    let board = instance.board
    let events = board.begin()
    texts = schema.twoWayOutputs.map { index in
      let slot = board.slots[index]
      let earlier = stored?.texts.first { $0.name == slot.name }
      return SharedText(
        name: slot.name, text: earlier?.text ?? slot.value?.stringValue ?? "",
        historyLimit: resources.configuration.maxTextHistory, revision: earlier?.revision ?? 0,
        sequence: log.head)
    }
    nextMember = stored?.nextMember ?? 1
    if let stored {
      keptEvents = stored.events
      restoreRows(stored)
      inherit { $0.lineage = Lineage(at: stored.position, of: stored.lineage ?? []) }
    } else if key.isPrivate {
      keep(events)
    }
    board.owner = self
    scheduler.room = self
    presence = scheduler.presence
    recording?.noteStart(board, redacting: sharedSchema.redacted)
    sharedSchema.counts.values.rooms += 1
    measure()
  }

  deinit {
    sharedSchema.counts.values.rooms -= 1
    if !sharedSchema.files.isEmpty {
      resources.arrivals.forget(key.arrivals, owner: ObjectIdentifier(self))
    }
    instance.board.owner = nil
    scheduler.room = nil
    scheduler.endTasks()
  }

  /// Has the room stored from now on.
  func keep(
    _ state: ScreenState, query: [String: String], visitor: Visitor, label: RecordLabel,
    restoring stored: StoredRoom?
  ) {
    keeping = RoomKeeping(
      state, of: key, query: query, visitor: visitor, board: instance.board, label: label,
      restoring: stored)
  }

  /// Until when hand-overs, or the ends of effects, may come before inputs; nil if they never do.
  var handOversEnd: Duration? {
    get { handOversEndWord == .min ? nil : .nanoseconds(handOversEndWord) }
    set {
      let time = newValue?.components
      handOversEndWord = time.map { $0.seconds * 1_000_000_000 + $0.attoseconds / 1_000_000_000 } ?? .min
    }
  }

  /// Changes what it was handed.
  func inherit(_ change: (RoomInheritance) -> Void) {
    let inheritance = inheritance ?? RoomInheritance()
    self.inheritance = inheritance
    change(inheritance)
  }

  /// The sequence number of the newest turn.
  package var sequence: Int { log.head }

  /// Counts turns that a replay cannot make.
  func skipTurns(to sequence: Int) {
    if sequence > log.head { log = TurnLog(head: sequence) }
  }

  /// Adds a session's view of the room; `handle(.join)` follows.
  func admit(_ session: Session, screen: Int, as number: Int? = nil) -> Member {
    let number = number ?? nextMember
    let member = Member(number: number, room: self, session: session, screen: screen, texts: texts.count)
    member.knowsNothing = key.isPrivate && self.nextMember == number
    nextMember = max(nextMember, number + 1)
    changeMembers { $0.insert(member, at: $0.firstIndex { $0.number > number } ?? $0.count) }
    noteArrival(of: member)
    if session.taken > 0 { keeping?.noteTaker(member) }
    emptySince = nil
    keeping?.left = nil
    noteMembers()
    recording?.note(member)
    return member
  }

  /// Changes the list as a whole: if nothing ever changes it in place, looking at it needs no checks.
  private func changeMembers(_ change: (inout [Member]) -> Void) {
    var changed = members
    members = []
    change(&changed)
    members = changed
  }

  /// Somebody else has the room now: its sessions go, and nobody is told that it is saved.
  func abandon() {
    presence?.abandon()
    standStill()
    scatterCrowd()
    changeMembers { $0 = [] }
    sharedSchema.counts.values.pages -= pages
    pages = 0
    keeping?.forgetWaiting()
    keeping?.forgetTakers()
  }

  /// The one door: everything that happens to the screen happens here.
  ///
  /// Its changes are part of a turn that `finishTurn` ends; several events may share one.
  ///
  /// - Parameter event: What happens.
  /// - Returns: The answer to the sender of an input.
  @discardableResult
  package func handle(_ event: consuming RoomEvent) -> RoomOutcome {
    let isOutermost = resources.running != nil && begin(event.kind)
    defer { if isOutermost { resources.running?.end() } }
    if case .rowEdit(let number, _, let name, let row, _, _) = event {
      prepareEdit(of: name, in: row, from: number)
    }
    if case .refuse(.rowEdit(_, _, let name, let row, _, _)) = event {
      prepareEdit(of: name, in: row, from: nil)
    }
    let turn = openTurn()
    let board = instance.board
    if let recording {
      // The turn collects this, too, and the event has not brought it about.
      if board.isWrittenOutside, recording.hasTurn, !event.isOutside { recording.note(.outside, of: self) }
      recording.note(event, of: self)
    }
    board.beginEvent()
    origin = event.origin
    let timing = beginCounting()
    let outer = LoopContext.enter(scheduler)
    let outcome = perform(consume event, turn)
    board.updateRequests()
    LoopContext.leave(for: outer)
    takeTexts(turn)
    if isSuspended { restOutputs() }
    board.endEvent()
    let requests = board.takeRequests()
    if !requests.isEmpty { ask(requests) }
    origin = (0, 0)
    if case .carried = causation { causation = .ofOrigin }
    if isSuspended { noteRest() }
    if keeping != nil { host?.changed(self) }
    if turn.stepBytes >= TurnBuilder.maxStepBytes { finishTurn() }
    if let timing { sharedSchema.counts.endTiming(since: timing, at: scheduler.time) }
    return outcome
  }

  /// Makes what events have changed since the last turn one turn of the log, if anything is different.
  ///
  /// Whoever looks at the log, or writes the state, calls it before.
  package func finishTurn() {
    guard let turn else { return }
    if isSuspended, rests(turn) { return }
    self.turn = nil
    let isOutermost = begin(.output)
    defer { if isOutermost { resources.running?.end() } }
    let wasHeldBack = isHeldBack
    if wasHeldBack { crowd?.isHeldBack = false }
    finish(turn)
    if wasHeldBack { endHoldingBack() }
    if sharedSchema.tellsEach { tellEach() }
    resources.put(back: turn)
  }

  /// A turn is told, or was none, of which a commit may have taken a part along.
  private func endHoldingBack() {
    // Texts that it tells wait for a commit, and there need be none on its way.
    if keeping != nil { host?.changed(self) }
    // Snapshots have waited for it, too.
    wakePages()
  }

  /// Leaves the changes of a room that nobody shows until somebody does.
  ///
  /// Outputs keep the value that pages know, and the newest one. Steps of texts stay in the open turn.
  ///
  /// - Returns: Whether it did.
  private func rests(_ turn: TurnBuilder) -> Bool {
    let board = instance.board
    guard turn.stepBytes < TurnBuilder.maxStepBytes else { return false }
    board.keepEvents(Self.maxKeptEvents)
    for problem in board.takeProblems() { report(problem) }
    if turn.isEmpty {
      self.turn = nil
      resources.put(back: turn)
    }
    return true
  }

  /// Has outputs wait for somebody who looks, as soon as no text of a row differs from what its list shows: an answer may
  /// come late, and answers to earlier texts are told from others by what they answer.
  private func restOutputs() {
    guard !instance.board.keepsChanges, rows?.areShown ?? true else { return }
    instance.board.rest(keepingEvents: Self.maxKeptEvents)
  }

  /// So many events are kept for a page that has not seen them.
  static let maxKeptEvents = 16

  /// Notes that something begins to run, unless it is part of something else.
  ///
  /// - Returns: Whether its end is to be noted.
  func begin(_ kind: EventKind) -> Bool {
    resources.running?.begin(kind, room: keeping?.digest ?? 0, record: recordNumber) ?? false
  }

  /// The number of the file in which what happens is written down; 0 if there is none.
  var recordNumber: UInt32 { recording?.fileNumber ?? 0 }

  private func finish(_ turn: TurnBuilder) {
    let board = instance.board
    recording?.noteCollecting()
    if board.isWrittenOutside {
      recording?.note(.outside, of: self)
      takeTexts(turn)
    }
    // Many steps of texts are told without a page, too; all else waits for one.
    if !board.keepsChanges {
      board.takeChanges { slot, value, change in
        let operations = turn.take(change, of: slot, to: value, sharedSchema)
        if rows != nil, !operations.isEmpty { follow(operations, of: slot, to: value, turn) }
        keeping?.note(slot)
      }
    }
    for event in board.takeEvents() { turn.add(event.name, event.value) }
    for problem in board.takeProblems() { report(problem) }
    guard !turn.isEmpty else {
      recording?.note(turn: nil)
      return
    }
    if turn.hasTexts { carets?.carry(in: self) }
    if members.count < 2, turn.hasTexts { forgetKnown() }
    let limit = members.count < 2 ? resources.soloLimit : resources.limit
    noteGrowth(log.append(turn, texts, limit, sharedSchema))
    sharedSchema.counts.values.turns += 1
    spaceTurns()
    if key.isPrivate, !turn.events.isEmpty { keep(turn.events.map { ($0.name, $0.value) }) }
    if turn.hasTexts { keeping?.withhold(sequence) }
    recording?.note(turn: turn.description(sequence: sequence, texts, sharedSchema))
    if resources.observesTraffic {
      let frame = turn.description(sequence: sequence, texts, sharedSchema)
      host?.report(.turn(screen: key.screen, room: key.name, frame: frame))
    }
    turn.forgetRows()
    wakePages()
  }

  /// The author's code made something that cannot cross the wire, or takes too long.
  func report(_ problem: String) {
    let session = member(origin.member)?.session
    host?.report(
      .failed(
        Notice.Failed(
          screen: key.screen, message: problem, room: key.name, session: session?.id ?? "",
          peer: (session?.charge.owner ?? charge.owner).peers.first)))
  }

  private func forgetKnown() {
    guard let member = members.first else { return }
    for index in texts.indices {
      guard let sequence = texts[index].forget(known: member.bridges[index].known) else { continue }
      log.forget(through: sequence)
    }
  }

  func openTurn() -> TurnBuilder {
    if let turn { return turn }
    let turn = resources.takeTurn()
    self.turn = turn
    host?.opened(self)
    return turn
  }

  /// Keeps turns in an encoding from now on.
  func follow(_ encoding: TurnEncoding) { log.follow(encoding) }

  /// The member of a number; nil if it has left.
  func member(_ number: Int) -> Member? {
    var (low, high) = (0, members.count)
    while low < high {
      let middle = (low + high) / 2
      if members[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < members.count && members[low].number == number ? members[low] : nil
  }

  private func perform(_ event: consuming RoomEvent, _ turn: TurnBuilder) -> RoomOutcome {
    switch event {
    case .join(let number):
      instance.appear()
      noteConnection(of: number, true)
      notePresence(of: number)
    case .connection(let number, let isConnected):
      noteConnection(of: number, isConnected)
      notePresence(of: number)
    case .cover(let number, let isCovered):
      member(number)?.isCovered = isCovered
      notePresence(of: number)
    case .leave(let number):
      leave(number)
    case .input(let number, _, let name, let row, let value):
      guard isAllowed(name, for: number) else { return .refused(.notAllowed(name)) }
      let isText = presence != nil && isText(name, value, row: row)
      let outcome = input(name, value, row: row, turn)
      // A page looks at other rows by itself, when rows come above them.
      let isLook = row.isEmpty && !instance.windows.isEmpty && instance.window(named: name) != nil
      if case .taken = outcome, !isLook { presence?.noteInput(page: number, text: isText ? name : nil) }
      return outcome
    case .edit(let number, let input, let name, let revision, let edit):
      let refusal = refusal(of: name, number)
      return noteTyping(
        self.edit(name, edit, base: revision, from: number, input: input, refusing: refusal, turn),
        in: name, by: number)
    case .rowEdit(let number, let input, let name, let row, let base, let edit):
      let refusal = refusal(of: name, number)
      return noteTyping(
        self.edit(name, in: row, edit, base: base, from: number, input: input, refusing: refusal, turn),
        in: name, by: number)
    case .beginEditing(_, let name, let row):
      beginEditing(name, of: row)
    case .refuse(.edit(let number, let input, let name, let revision, let edit)):
      return self.edit(name, edit, base: revision, from: number, input: input, refusing: .deadly, turn)
    case .refuse(.rowEdit(let number, let input, let name, let row, let base, let edit)):
      return self.edit(name, in: row, edit, base: base, from: number, input: input, refusing: .deadly, turn)
    case .refuse:
      return .refused(.deadly)
    case .handOver(_, let values, let position, let lineage):
      return .handedOver(take(values, at: position, of: lineage, turn))
    case .suspend:
      isSuspended = true
      scheduler.suspend()
    case .resume:
      isSuspended = false
      // The turn may be open since long before this iteration.
      host?.opened(self)
      scheduler.resume()
      instance.board.wake()
    case .timer(let id):
      scheduler.fire(id)
    case .command(let command):
      instance.model?.perform(command)
      noteGrowth(command.value.heapBytes)
    case .outside:
      break
    }
    return .taken
  }

  private func leave(_ number: Int) {
    noteConnection(of: number, false)
    notePresence(of: number)
    if let member = member(number) {
      noteSender(member, of: [])
      noteDeparture(of: member)
      keeping?.forgetTaker(member)
    }
    changeMembers { $0.removeAll { $0.number == number } }
    for row in rows?.active ?? [] { row.bridges[number] = nil }
    noteMembers()
    instance.disappear()
  }

  /// Tells those who are here where somebody types, if the edit was taken.
  private func noteTyping(_ outcome: RoomOutcome, in text: String, by number: Int) -> RoomOutcome {
    if case .edited = outcome { presence?.noteInput(page: number, text: text) }
    return outcome
  }

  /// Tells the screen that a page is connected, or no longer is, if that is new.
  private func noteConnection(of number: Int, _ isConnected: Bool) {
    guard let member = member(number), member.isConnected != isConnected else { return }
    member.isConnected = isConnected
    pages += isConnected ? 1 : -1
    sharedSchema.counts.values.pages += isConnected ? 1 : -1
    instance.connectionDidChange(ofPage: number, isConnected: isConnected)
  }

  private func noteMembers() {
    for index in texts.indices { texts[index].isSolo = members.count < 2 }
    for row in rows?.active ?? [] { row.text.isSolo = members.count < 2 }
  }

  /// Keeps events for a page that has not seen them.
  private func keep(_ events: [(name: String, value: Value?)]) {
    keptEvents += events.map { StoredRoom.Event(sequence: sequence, name: $0.name, value: $0.value) }
    keptEvents.removeFirst(max(0, keptEvents.count - Self.maxKeptEvents))
  }

  /// Tells events again, in a turn of their own, to a page that has missed them; no turn is open.
  func tellAgain(_ events: [StoredRoom.Event]) {
    recording?.note(again: events)
    keptEvents.removeAll { event in events.contains { $0.sequence == event.sequence } }
    let turn = resources.takeTurn()
    for event in events { turn.add(event.name, event.value) }
    noteGrowth(log.append(turn, texts, resources.limit, sharedSchema))
    keep(turn.events.map { ($0.name, $0.value) })
    resources.put(back: turn)
    if keeping != nil { host?.changed(self) }
  }
}

// MARK: - Causes

extension Room {
  /// Where it stands who has caused what runs.
  private enum Causation {
    /// The input that is being handled, if one is; nobody has asked yet.
    case ofOrigin
    /// Here: it was asked for, or work has brought it along.
    case carried(PageCause?)
  }

  /// The input that has caused what runs now; nil if none has, and in session scope where nobody asks for more than the one
  /// page.
  var cause: PageCause? {
    if case .carried(let cause) = causation { return cause }
    guard !key.isPrivate || resources.namesCommands, let member = member(origin.member) else { return nil }
    let cause = PageCause(
      epoch: epoch, page: member.number, sender: member.session.visitor,
      input: InputID(session: member.session.id, number: origin.input))
    causation = .carried(cause)
    return cause
  }

  /// What runs until the end of the event is work of a cause; one of another room is none here.
  func carry(_ cause: (any WorkCause)?) {
    let cause = cause as? PageCause
    causation = .carried(cause?.epoch == epoch ? cause : nil)
  }

  /// Who acts: whose room it is, or whose input has caused what runs now; nil before anybody is here.
  var currentVisitor: Visitor? {
    if key.isPrivate { return members.first?.session.visitor }
    guard case .carried(let cause) = causation else {
      return member(origin.member)?.session.visitor ?? .anonymous
    }
    guard let cause else { return .anonymous }
    return member(cause.page)?.session.visitor ?? cause.sender
  }

  /// Asks the pages that have caused it, in order.
  private func ask(_ requests: [(request: ScreenRequest, cause: (any WorkCause)?)]) {
    var rest = requests[...]
    while let first = rest.first {
      let same = rest.prefix { $0.cause === first.cause }
      rest = rest.dropFirst(same.count)
      let cause = first.cause as? PageCause
      host?.perform(same.map(\.request), of: self, for: cause?.epoch == epoch ? cause : nil)
    }
  }
}

extension Room: OutputBoardOwner {
  package func wroteOutside() { host?.wroteOutside(self) }
}
