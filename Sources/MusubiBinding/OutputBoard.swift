// SPDX-License-Identifier: Apache-2.0
package import MusubiRx
package import MusubiWire

/// The named outputs of one live screen, and which of them have changed in the current turn.
///
/// ViewModels write into slots at any time; the room collects the changes once at the end of its turn, and
/// those of two-way texts after each event of it.
package final class OutputBoard {
  /// The outputs, in the order of their declaration.
  // Unchecked: see `board` in `OutputSlot`.
  @exclusivity(unchecked) package private(set) var slots: [OutputSlot] = []
  // The slots that were written since the last `takeChanges`, each once, in the order of the first writing: each knows
  // the next, so that noting one allocates nothing and counts no reference.
  private var firstWritten: Int32 = -1
  private var lastWritten: Int32 = -1

  /// Other things that have happened and were not taken yet; nil before there are any.
  private var happened: Happened?

  /// An object of its own, because most screens have none of it.
  private final class Happened {
    var events: [(name: String, value: Value?)] = []
    var requests: [(request: ScreenRequest, cause: (any WorkCause)?)] = []
    var problems: [String] = []
    /// What is to be encoded when somebody looks again: the newest value of an output, by its place, and the newest events.
    var laterWrites: [Int: Later] = [:]
    var laterEvents: [Later] = []
  }

  /// Something that waits to be encoded.
  private struct Later {
    let encode: (OutputBoard) -> Void
    /// About how many bytes of heap it keeps.
    let bytes: () -> Int
  }

  /// Writes the outputs of `@Observable` models when they are looked at; nil if there are no such models.
  var models: ScreenModels?

  /// Is told when a slot is written, unless it handles an event; takes itself out before it goes.
  @exclusivity(unchecked) package unowned var owner: (any OutputBoardOwner)?
  /// Whether the owner reads the slots anyway, because it handles an event.
  private var isCollected = false
  /// Whether the owner was told that something is written.
  private var isAnnounced = false
  /// Whether nobody looks, so that outputs need not be encoded before somebody does.
  private(set) var isResting = false
  /// How many events wait for that, too.
  private var maxLaterEvents: Int32 = 0

  /// A board without outputs.
  package init() {}

  deinit { close() }

  /// Adds an output.
  package func declare(_ name: String) -> OutputSlot {
    let slot = OutputSlot(name: name, index: slots.count)
    slot.board = self
    slots.append(slot)
    return slot
  }

  /// The owner begins to handle an event, and reads the slots at its end.
  package func beginEvent() {
    isCollected = true
    isAnnounced = false
  }

  /// The owner has looked at what the event has written.
  package func endEvent() { isCollected = false }

  /// Whether something was written since the last event.
  package var isWrittenOutside: Bool { @inline(never) get { isAnnounced } }

  /// Whether values of an output may answer texts that are no longer the newest.
  package func expectsQuestions(of index: Int) -> Bool { slots[index].expectsQuestions }

  /// The text that was written to an output since the last call, and the one that it answers, if that may not be the
  /// newest.
  package func takeText(of index: Int) -> (text: String, question: String?)? {
    models?.update(slot: index)
    return slots[index].takeUnseenText()
  }

  /// Writes what models have changed, so that the slots have their present values.
  package func update() { models?.update() }

  /// Hands over the slots that were written since the last call, each with its value and its change.
  package func takeChanges(_ body: (OutputSlot, Value, OutputChange) -> Void) {
    update()
    // What `body` writes belongs to the next call.
    var place = firstWritten
    firstWritten = -1
    while place >= 0, place < slots.count {
      let slot = slots[Int(place)]
      place = slot.nextWritten
      slot.nextWritten = -1
      let change = slot.takeChange()
      if let value = slot.value { body(slot, value, change) }
    }
  }

  /// Forgets what the screen has written so far: it is the state from which turns go on.
  ///
  /// - Returns: The events so far, which are no part of a state.
  @discardableResult
  package func begin() -> [(name: String, value: Value?)] {
    takeChanges { _, _, _ in }
    for slot in slots { _ = slot.takeUnseenText() }
    return takeEvents()
  }

  // MARK: - While nobody looks

  /// Nobody looks from now on: what can wait is encoded when somebody does.
  ///
  /// - Parameter maxEvents: How many events wait, the newest.
  package func rest(keepingEvents maxEvents: Int) {
    isResting = true
    maxLaterEvents = Int32(truncatingIfNeeded: maxEvents)
  }

  /// Somebody looks again: encodes the newest value of each output that was written meanwhile, and the events.
  package func wake() {
    isResting = false
    guard let happened else { return }
    let writes = happened.laterWrites
    happened.laterWrites = [:]
    for (_, write) in writes.sorted(by: { $0.key < $1.key }) { write.encode(self) }
    emitLater()
  }

  /// Has a record of the screen tell what waits for somebody who looks; plans no event for it.
  ///
  /// - Parameters:
  ///   - texts: The outputs that are texts.
  ///   - withEvents: Whether a record has events: those that wait are encoded, and are not again.
  package func prepareRecord(texts: [Int], withEvents: Bool) {
    let wasCollected = isCollected
    isCollected = true
    defer { isCollected = wasCollected }
    for index in texts { models?.update(slot: index) }
    if withEvents { emitLater() }
  }

  /// The text that was written to an output and that `takeText` has not handed over.
  package func waitingText(of index: Int) -> String? { slots[index].unseenText }

  /// Whether an output may become another one when somebody looks.
  package func waits(_ index: Int) -> Bool {
    happened?.laterWrites[index] != nil || models?.isMarked(slot: index) == true
  }

  private func emitLater() {
    guard let happened, !happened.laterEvents.isEmpty else { return }
    let events = happened.laterEvents
    happened.laterEvents = []
    for event in events { event.encode(self) }
    keepEvents(Int(maxLaterEvents))
  }

  /// Whether nobody looks, so that outputs keep what pages know and their newest value apart.
  package var keepsChanges: Bool { @inline(never) get { isResting } }

  /// Writes an output when somebody looks, the last call for it counts; the board rests.
  ///
  /// - Parameters:
  ///   - place: The output's.
  ///   - bytes: About how many bytes of heap wait with it.
  ///   - write: Writes it.
  func postponeWrite(
    of place: Int, weighing bytes: @autoclosure @escaping () -> Int,
    _ write: @escaping (OutputBoard) -> Void
  ) {
    note { $0.laterWrites[place] = Later(encode: write, bytes: bytes) }
  }

  /// Emits an event when somebody looks, or when a record is to have it; the board rests.
  func postponeEvent(
    weighing bytes: @autoclosure @escaping () -> Int, _ emit: @escaping (OutputBoard) -> Void
  ) {
    note {
      $0.laterEvents.append(Later(encode: emit, bytes: bytes))
      if $0.laterEvents.count > maxLaterEvents { $0.laterEvents.removeFirst() }
    }
  }

  /// About how many bytes of heap wait for somebody who looks.
  package var waitingBytes: Int {
    guard let happened else { return 0 }
    let waiting = happened.laterEvents + happened.laterWrites.values
    return waiting.reduce(0) { $0 + Self.laterBytes + $1.bytes() }
  }

  /// The bytes of two closures and of what they hold.
  private static let laterBytes = 192

  // MARK: - Events and requests

  /// Notes that something has happened that is no state: every page is told once.
  package func emit(_ name: String, _ value: Value?) {
    note { $0.events.append((name, value)) }
  }

  /// Whether there are events that were not handed over.
  package var hasEvents: Bool { happened?.events.isEmpty == false }

  /// Forgets events that were not handed over but for the newest.
  package func keepEvents(_ limit: Int) {
    guard let happened, happened.events.count > limit else { return }
    happened.events.removeFirst(happened.events.count - limit)
  }

  /// The events that were not handed over, in order.
  package var events: [(name: String, value: Value?)] { happened?.events ?? [] }

  /// Hands over the events since the last call, in order.
  package func takeEvents() -> [(name: String, value: Value?)] {
    guard let happened, !happened.events.isEmpty else { return [] }
    defer { happened.events = [] }
    return happened.events
  }

  /// Asks something of the session that shows the screen.
  package func request(_ request: ScreenRequest) {
    note { $0.requests.append((request, LoopContext.cause)) }
  }

  /// Takes what models ask in this event; before it ends, because the page that has caused it is asked.
  package func updateRequests() { models?.updateRequests() }

  /// Hands over the requests since the last call, each with who has caused it.
  package func takeRequests() -> [(request: ScreenRequest, cause: (any WorkCause)?)] {
    guard let happened, !happened.requests.isEmpty else { return [] }
    defer { happened.requests = [] }
    return happened.requests
  }

  /// Notes that the author's code made something that cannot cross the wire; the log tells it.
  package func report(_ problem: String) {
    note { $0.problems.append(problem) }
  }

  /// Hands over the problems since the last call.
  package func takeProblems() -> [String] {
    guard let happened, !happened.problems.isEmpty else { return [] }
    defer { happened.problems = [] }
    return happened.problems
  }

  private func note(_ add: (Happened) -> Void) {
    let happened = self.happened ?? Happened()
    self.happened = happened
    add(happened)
    announce()
  }

  /// A slot is written for the first time in this turn.
  func noteFirstWriting(of slot: OutputSlot) {
    let place = Int32(truncatingIfNeeded: slot.index)
    if firstWritten < 0 { firstWritten = place } else { slots[Int(lastWritten)].nextWritten = place }
    lastWritten = place
  }

  /// Has an event planned if nothing has been written before since the last one.
  func announce() {
    guard !isCollected, !isAnnounced else { return }
    isAnnounced = true
    owner?.wroteOutside()
  }

  /// Lets go of the slots, so that a ViewModel that outlives its screen writes into nothing.
  package func close() {
    models = nil
    for slot in slots { slot.board = nil }
    slots = []
    firstWritten = -1
    happened?.laterWrites = [:]
    happened?.laterEvents = []
  }
}

/// Plans an event when outputs are written outside of one.
package protocol OutputBoardOwner: AnyObject {
  /// The first slot was written since the last event.
  func wroteOutside()
}
