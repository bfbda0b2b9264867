// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// The data of a stored room that other rooms do not need.
///
/// Turns go out at once, but one that changes a two-way text waits, with those behind it, until it is saved: a page can
/// take a label back, but not what several people have typed on top of each other.
final class RoomKeeping {
  let state: ScreenState
  /// The room's, as a record has it.
  let digest: UInt64
  /// What the room's factory gets again after a restart.
  let query: [String: String]
  let visitor: Visitor
  /// The position at which the room was stored before it was restored, if it shows the same: a page that
  /// stands there has missed nothing.
  private(set) var origin: StreamPosition?
  /// Whose it is.
  let label: RecordLabel
  /// The build that stores it; nil if one server has the store for itself.
  var build: Int?
  var saving = Saving()
  var hasEnded = false
  /// The last state that could be encoded, which the store has or gets; nil before there was one.
  private var lastState: Value?
  /// Whether the present state cannot be encoded: the store has all but that.
  private(set) var isBehind = false
  /// The bytes of its record, with its steps.
  var bytes = 0
  /// What the commit under way writes of it; nil if nothing.
  var written: Written?

  /// How a room is written.
  enum Written { case whole, step }
  /// The last inputs of sessions that are stored and not in memory, as far as their own records do not tell.
  var absent: [String: Int] = [:]
  /// The members whose sessions have taken inputs, by their numbers: a whole record looks at no others.
  private(set) var takers: [Int: Member] = [:]
  /// The last inputs of sessions that the next step takes along.
  private var numbers: [TakenInput] = []
  /// When the last page left, in seconds since 1970.
  var left: Double?
  private var digests: [UInt64]
  /// What the store has, or will have after the commit under way; nil if that is not known.
  private var baseline: RoomBaseline?
  /// The first turn with a text that no commit has taken along, and the first that one has.
  private var firstText: Int?
  private var firstTextUnderWay: Int?
  /// Who waits for the present state to be saved; nil if nobody ever did.
  private var waiting: [(gate: Int, done: () -> Void)]?

  init(
    _ state: ScreenState, of key: RoomKey, query: [String: String], visitor: Visitor,
    board: OutputBoard, label: RecordLabel, restoring stored: StoredRoom?
  ) {
    self.state = state
    self.label = label
    digest = key.digest
    self.query = query
    self.visitor = visitor
    digests = board.slots.map(Self.digest)
    lastState = stored?.state
    if let stored, stored.outputs == outputs { origin = stored.position }
  }

  /// Tells whether a restored screen shows the same.
  var outputs: UInt64 { digests.reduce(0, &+) }

  /// The same for a record; of one that is ahead no page has seen all.
  func outputs(isAhead: Bool) -> UInt64 { isAhead ? ~outputs : outputs }

  /// The last turn that may be told.
  var released: Int { (firstTextUnderWay ?? firstText).map { $0 - 1 } ?? .max }

  /// The bytes of heap that it takes; most of them are what the store is known to have.
  var heapBytes: Int {
    HeapSize.array(digests) + (baseline?.heapBytes ?? lastState?.heapBytes ?? 0)
  }

  /// An output has another value.
  func note(_ slot: OutputSlot) {
    while digests.count <= slot.index { digests.append(0) }
    digests[slot.index] = Self.digest(slot)
  }

  /// A session has taken an input: the room's next step tells.
  func note(_ input: TakenInput) { numbers.append(input) }

  /// A member's session has taken an input, its first perhaps.
  func noteTaker(_ member: Member) { takers[member.number] = member }

  /// A member goes.
  func forgetTaker(_ member: Member) { takers[member.number] = nil }

  /// All members go.
  func forgetTakers() { takers = [:] }

  /// The last inputs of the sessions that show the room, and of those that are not in memory.
  fileprivate var taken: [TakenInput] {
    let present = takers.values.lazy.map(\.session).filter(\.isStored)
      .map { TakenInput(session: $0.id, number: $0.taken) }
    let absent = absent.lazy.map { TakenInput(session: $0.key, number: $0.value) }
    return (Array(present) + absent).sorted { $0.session < $1.session }
  }

  /// Whether a commit takes along the numbers that are noted: without a state there is no record.
  var takesNumbers: Bool { lastState != nil }

  /// How many inputs the next step takes along.
  var numberCount: Int { numbers.count }

  /// The inputs for a step; nil if there is none.
  func takeNumbers() -> [TakenInput]? {
    guard !numbers.isEmpty else { return nil }
    defer { numbers = [] }
    return numbers
  }

  /// A turn changes a text.
  func withhold(_ sequence: Int) { firstText = firstText ?? sequence }

  func begin() {
    saving.begin()
    firstTextUnderWay = firstText
    firstText = nil
  }

  func end(isSaved: Bool) {
    saving.end(isSaved: isSaved)
    if !isSaved {
      firstText = firstTextUnderWay ?? firstText
      baseline = nil
    }
    firstTextUnderWay = nil
  }

  /// Calls back when all that the room is now is saved.
  func whenSaved(_ done: @escaping () -> Void) {
    guard !saving.isSafe else { return done() }
    waiting = (waiting ?? []) + [(saving.gate, done)]
  }

  /// Takes out who need not wait any more.
  func takeSaved() -> [() -> Void] {
    guard let all = waiting else { return [] }
    waiting = all.filter { !saving.isOpen($0.gate) }
    return all.filter { saving.isOpen($0.gate) }.map(\.done)
  }

  /// Nobody is called back any more.
  func forgetWaiting() { waiting = nil }

  /// Adds the room's changes to a commit; with the last state that could be encoded, if this one cannot.
  ///
  /// - Parameters:
  ///   - room: The room.
  ///   - changes: The changes of the commit.
  /// - Returns: What the author's `encode(to:)` throws for the first time since it threw nothing; else nil.
  func add(_ room: Room, to changes: inout StoreChanges) -> (any Error)? {
    room.prepareRecord()
    let wasBehind = isBehind
    var refusal: (any Error)?
    do {
      lastState = try state.value()
      isBehind = false
    } catch {
      isBehind = true
      if !wasBehind { refusal = error }
    }
    if let lastState { add(room, as: lastState, to: &changes) }
    return refusal
  }

  private func add(_ room: Room, as state: Value, to changes: inout StoreChanges) {
    if baseline?.addStep(of: room, self, to: state, &changes.roomSteps) == true {
      written = .step
    } else {
      let whole = room.stored(self, state)
      numbers = []
      room.rows?.ended = []
      _ = room.rows?.takeUnstored()
      baseline = RoomBaseline(whole, of: room)
      changes.rooms.append(whole)
      written = .whole
    }
  }

  private static func digest(_ slot: OutputSlot) -> UInt64 {
    guard let value = slot.value else { return 0 }
    var hash = FNV1a()
    hash.add(slot.name.utf8)
    if case .string(let text) = value {
      // As long as a document: no copy of it is made.
      hash.add(text.utf8)
      return hash.value
    }
    var json = ByteBuffer()
    json.appendJSON(value)
    hash.add(json.bytes)
    return ~hash.value
  }
}

extension Room {
  /// Calls back when all that the room is now is saved; at once if it is not stored.
  func whenSaved(_ done: @escaping () -> Void) {
    if let keeping { keeping.whenSaved(done) } else { done() }
  }

  /// The last turn that pages may see.
  var released: Int { keeping.map { min($0.released, log.head) } ?? log.head }

  /// Whether a page at a position has seen all that came before it.
  func continues(_ position: StreamPosition) -> Bool {
    position.epoch == epoch || position == keeping?.origin
  }

  /// The events that a page at a position has not seen; numbers go on from one life of the room to the next, and so may
  /// a page that has missed nothing, without a word of the new one.
  func missedEvents(after position: StreamPosition) -> [StoredRoom.Event] {
    guard position.epoch == epoch || lineage.contains(where: { $0.epoch == position.epoch }) else {
      return []
    }
    return keptEvents.filter { $0.sequence > position.sequence }
  }

  /// The room as it is stored.
  func stored(_ keeping: RoomKeeping, _ state: Value) -> StoredRoom {
    let taken = keeping.taken
    let isAhead = isRecordAhead
    var stored = StoredRoom(
      key: key, path: path, query: keeping.query, visitor: keeping.visitor,
      position: StreamPosition(epoch: epoch, sequence: sequence + (isAhead ? 1 : 0)),
      outputs: keeping.outputs(isAhead: isAhead), state: state, texts: recordTexts,
      events: recordEvents, nextMember: nextMember, left: keeping.left, nextRowRevision: rows?.nextRevision,
      lineage: lineage, taken: taken.isEmpty ? nil : taken)
    if rowsFollow { stored.rowsFollow = true }
    (stored.build, stored.label) = (keeping.build, keeping.label)
    return stored
  }
}

extension Session {
  /// The session as it is stored.
  func stored(left: Double?) -> StoredSession {
    var stored = StoredSession(
      id: id, token: token.hexadecimal, previousToken: formerTokens?.used.hexadecimal, visitor: visitor,
      address: address ?? members.first?.room.path, taken: taken,
      nextScreen: nextScreen,
      views: members.map { member in
        StoredSession.View(
          room: member.room.key, screen: member.screen, member: member.number,
          dialog: member.dialog.map { StoredSession.Dialog(name: $0.name, value: $0.value) })
      },
      left: left)
    stored.otherToken = formerTokens?.newest?.hexadecimal
    stored.label = label ?? stored.label
    stored.isUsed = isUsed
    stored.signOuts = signOuts > 0 ? signOuts : nil
    stored.lostSince = lostSince > 0 ? lostSince : nil
    return stored
  }
}
