// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// Why a page cannot be served here: its slot is at home elsewhere, or on its way there.
struct SlotElsewhere: Error {}

extension ConnectionEnd {
  /// The page's room has moved; whoever accepts the page next knows where, or tells it so once more.
  static let moved = ConnectionEnd(.serverRestarting, "100 ms, then come back: the room has moved")
}

/// A slot on its way elsewhere.
///
/// ```
/// pages are told to come back in a moment; what they sent until then is taken
/// effects finish              so that each input is whole
/// rooms stand still           no timer runs, nobody writes: what there is now is what goes
/// everything is stored        as after each turn
/// everything is let go        the index goes where the slot goes, the records stay in the store
/// ```
struct SlotRelease {
  let slot: Int
  /// Its sessions that were in memory; further ones do not come.
  let sessions: [Session]
  /// Its shared rooms that were in memory.
  let rooms: [Room]
  /// Takes the index of what is stored in the slot.
  let done: (StoredState) -> Void
  /// Whether its rooms stand still.
  var isStill = false
}

/// Slots that come and go.
extension SessionLoop {
  /// Gives slots away.
  ///
  /// Rooms and sessions that are not stored end with them.
  ///
  /// - Parameters:
  ///   - wanted: The slots; nothing happens to one that is not here.
  ///   - done: Called for each when nothing of the slot is here any more: the store has all of it, and its index is handed over.
  ///     Never, if somebody takes the slot before.
  package func release(_ wanted: Set<Int>, then done: @escaping (_ slot: Int, StoredState) -> Void) {
    let open = wanted.filter(slots.isOpen)
    for slot in open { slots.close(slot) }
    let (inMemory, shared) = (sessions.all(in: open), rooms.all(in: open))
    for slot in open.sorted() {
      let release = SlotRelease(
        slot: slot, sessions: inMemory[slot] ?? [], rooms: shared[slot] ?? [], done: { done(slot, $0) })
      for session in release.sessions where session.visit != nil { sessions.sendAway(session) }
      releases.append(release)
    }
  }

  /// Takes a slot over.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - state: The index of what is stored in it.
  ///   - move: How often it has moved.
  /// - Returns: Whether it did; what is told of an older move is not believed.
  package func adopt(_ slot: Int, _ state: StoredState, _ move: SlotMove) -> Bool {
    // In the same generation a slot is here again whose commits the store had not taken, or that was given away and the store has
    // forgotten it.
    let (known, home) = (slots.generation(of: slot), slots.home(of: slot))
    let isGone = home == nil || home == slots.loop && !slots.isOpen(slot) && !isReleasing(slot)
    guard known < move.generation || known == move.generation && isGone else { return false }
    // Nothing of a life here that it had before is of use.
    if slots.home(of: slot) == slots.loop { lose([slot]) }
    slots.move(slot, to: slots.loop, move, at: environment.clock())
    sessions.adopt(state)
    models?.moved(slot)
    return true
  }

  /// Whether a slot is being given away.
  private func isReleasing(_ slot: Int) -> Bool { releases.contains { $0.slot == slot } }

  /// A slot is at home on another loop, or nobody has it.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - home: The loop's place; nil if nobody has it.
  ///   - move: What is known of the move.
  ///   - byItself: Whether the loop there tells it.
  func note(_ slot: Int, home: Int?, _ move: SlotMove, byItself: Bool = false) {
    guard home != slots.loop, slots.isNews(slot, home: home, move, byItself: byItself) else { return }
    // Somebody has taken it, unless it was given away.
    if slots.isOpen(slot) || isReleasing(slot) { lose([slot]) }
    slots.move(slot, to: home, move, at: environment.clock())
    if home != nil { models?.moved(slot) }
  }

  /// Drops slots that somebody else has taken: what is not stored is lost, and was told to nobody as taken.
  package func lose(_ wanted: Set<Int>) {
    releases.removeAll { wanted.contains($0.slot) }
    let (inMemory, rooms) = (sessions.all(in: wanted), rooms.all(in: wanted))
    for slot in wanted.sorted() {
      slots.lose(slot)
      models?.letGo(slot)
      let (lost, shared) = (inMemory[slot] ?? [], rooms[slot] ?? [])
      models?.forget(lost, of: slot)
      for room in shared + lost.flatMap({ $0.members.map(\.room) }) { room.abandon() }
      for session in lost { sessions.lose(session) }
      for room in shared { self.rooms.lose(room) }
      committer.lose(slot)
    }
    sessions.forgetStored(in: wanted)
  }

  /// Goes on with the slots that are given away, before a commit.
  func goOnReleasing() {
    guard !releases.isEmpty else { return }
    var rest: [SlotRelease] = []
    var gone: [SlotRelease] = []
    for var release in releases {
      if goOn(&release) { gone.append(release) } else { rest.append(release) }
    }
    releases = rest
    guard !gone.isEmpty else { return }
    let states = sessions.takeStored(in: Set(gone.map(\.slot)))
    for release in gone { release.done(states[release.slot] ?? StoredState()) }
  }

  /// Goes on with a slot as far as it goes.
  ///
  /// - Returns: Whether all of it is stored.
  private func goOn(_ release: inout SlotRelease) -> Bool {
    let inMemory = release.sessions.filter { sessions[$0.id] === $0 }
    let shared = release.rooms.filter { rooms[$0.key] === $0 }
    if !release.isStill {
      let all = shared + inMemory.flatMap { $0.members.map(\.room) }
      guard !all.contains(where: committer.isBusy), models?.isBusy(release.slot) != true else { return false }
      for session in inMemory { sessions.endUnstored(session) }
      for room in shared where room.keeping == nil && room.members.isEmpty { rooms.remove(room) }
      models?.letGo(release.slot)
      for room in all { room.standStill() }
      release.isStill = true
      return goOn(&release)
    }
    // All sessions at once: that they leave their rooms is stored with one commit.
    guard inMemory.allSatisfy(sessions.isSaved) else { return false }
    for session in inMemory { sessions.remember(session) }
    let roomsLeft = shared.filter { !rooms.unload($0) }
    return roomsLeft.isEmpty && !committer.isEnding(release.slot)
  }
}

extension RoomDirectory {
  /// The shared rooms of slots that are in memory, by their slots and in the order of their names.
  func all(in slots: Set<Int>) -> [Int: [Room]] {
    let shared = all.lazy.filter { !$0.key.isPrivate && slots.contains($0.key.slot) }
    return Dictionary(grouping: shared, by: \.key.slot).mapValues { $0.sorted { $0.key.text < $1.key.text } }
  }

  /// Drops a room that somebody else has now, and whose sessions go.
  func lose(_ room: Room) {
    if let keeping = room.keeping, keeping.bytes > 0 {
      committer.budget.change(from: keeping.bytes, to: nil, of: keeping.label)
    }
    drop(room)
  }
}

extension SessionDirectory {
  /// The sessions of slots that are in memory, by their slots and oldest first.
  func all(in slots: Set<Int>) -> [Int: [Session]] {
    var found: [Int: [Session]] = [:]
    for session in all {
      if let slot = slot(of: session.id), slots.contains(slot) { found[slot, default: []].append(session) }
    }
    return found.mapValues { $0.sorted { $0.number < $1.number } }
  }

  /// The slot of a session; nil if its name does not tell, and nobody here knows it.
  func slot(of id: String) -> Int? {
    SessionName.slot(of: id) ?? self[id]?.label?.slot ?? rooms.stored.sessions[id]?.label.slot
  }

  /// Closes the page of a session whose slot goes elsewhere; the session waits for it.
  func sendAway(_ session: Session) {
    detach(session, .moved)
    session.saidFarewell = false
    keep(session, limits: false)
    for member in session.members { rooms.tell(member, isConnected: false) }
  }

  /// Ends what a session has that is not stored, as the end of the process would.
  func endUnstored(_ session: Session) {
    guard session.isStored else { return end(session) }
    guard let first = session.members.firstIndex(where: { $0.room.keeping == nil }) else { return }
    close(from: first, in: session)
    charge(session)
    committer.touch(session)
  }

  /// Takes what is stored in a slot that comes here.
  func adopt(_ state: StoredState) {
    refuse(state)
    for (id, entry) in state.sessions {
      rooms.stored.add(id, entry)
      committer.budget.change(from: nil, to: entry.bytes, of: entry.label)
    }
    rooms.adopt(state)
    rooms.recent = nil
    keepStored(state.sessions, isMove: true)
    for id in state.signedOut.sorted() { forgetStored(id) }
  }

  /// Drops a session that somebody else has now.
  func lose(_ session: Session) {
    detach(session, .moved)
    stopWaiting(session)
    forget(session)
    if session.recordBytes > 0, let label = session.label {
      committer.budget.change(from: session.recordBytes, to: nil, of: label)
    }
    let rooms = session.members.map(\.room)
    session.members = []
    for room in rooms where room.key.isPrivate { self.rooms.lose(room) }
  }

  /// Takes what is stored in slots out of the index.
  func takeStored(in slots: Set<Int>) -> [Int: StoredState] {
    let taken = rooms.stored.take(slots)
    for state in taken.values {
      let entries = Array(state.rooms.values) + Array(state.sessions.values)
      for entry in entries { committer.budget.change(from: entry.bytes, to: nil, of: entry.label) }
    }
    return taken
  }

  /// Forgets what is stored in slots, without its end.
  func forgetStored(in slots: Set<Int>) {
    _ = takeStored(in: slots)
    rooms.recent = nil
  }
}

extension Room {
  /// Neither its timers nor others change the room any more; its members may still leave, and it can be stored.
  func standStill() {
    finishTurn()
    scheduler.endTasks()
    scheduler.room = nil
    instance.board.owner = nil
  }
}
