// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Stores what the sessions and rooms of a loop have become: one commit at the end of an iteration, one after the other.
///
/// ```
/// iteration          inputs … changed rooms and sessions are noted, acknowledgements wait at their gates
/// its end            one commit takes all of them along, but for what an effect has not finished
/// the disk answers   the gates open: acknowledgements go out, and turns that change texts
/// ```
///
/// While a commit is under way further changes collect; the next one takes them along. A commit that fails is tried again every
/// second, and everything that depends on it waits. Without a store only sessions with open effects wait.
final class Committer {
  private let store: (any SessionStore)?
  private let environment: LoopEnvironment
  private var rooms: [Room] = []
  private var sessions: [Session] = []
  private var ended = StoreChanges()
  /// Rooms with an effect that has not finished.
  private var busy: [Room] = []
  private var underWay: Batch?
  private var retry: Duration?

  /// The records that one commit takes along.
  private struct Batch {
    var rooms: [Room] = []
    var sessions: [Session] = []
    var ended = StoreChanges()
    /// The slots of which it tells what is on trial.
    var newTrials: Set<Int> = []
    /// Who waits for it.
    var waiting: [(Bool) -> Void] = []

    var isEmpty: Bool {
      rooms.isEmpty && sessions.isEmpty && ended.isEmpty && newTrials.isEmpty && waiting.isEmpty
    }
    /// The slots that were lost since it began; they may be here again.
    var lost: Set<Int> = []
  }

  /// Told of slots of which the store takes nothing any more, because somebody else has them.
  var onLost: ((_ slots: Set<Int>) -> Void)?
  /// Told of a room that a commit takes along, and whose inputs have waited for that.
  var onTaken: ((Room) -> Void)?
  /// Told after each commit that is safe.
  var onSaved: (() -> Void)?
  /// Who waits for all that has ended by now to be stored.
  private var waiting: [(Bool) -> Void] = []
  /// Whether the loop has ended.
  private var hasEnded = false

  /// How long commits took until they were safe.
  private(set) var durations = DurationHistogram()
  /// How often the store took nothing of a slot, because it is not this server's any more.
  private(set) var refusedSlots = 0
  /// When the one that is under way began.
  private var begun: Duration = .zero

  /// The arrays of the last batch, for the next one.
  private var spare = Batch()

  /// The inputs on trial by their slots, which each commit notes.
  var trials: [Int: [InputID]] = [:] {
    didSet { newTrials.formUnion(Array(oldValue.keys) + Array(trials.keys)) }
  }
  /// The slots of which the store does not know yet what is on trial, or that nothing is.
  private var newTrials: Set<Int> = []

  /// Whether the last commit has failed.
  private var hasFailed = false

  /// Whether nothing can be stored at the moment.
  var isFailing: Bool { hasFailed || store?.isAway ?? false }

  /// The bytes of what is stored.
  let budget: StoreBudget

  init(_ store: (any SessionStore)?, _ environment: LoopEnvironment, _ configuration: SessionConfiguration) {
    budget = StoreBudget(
      limit: store == nil ? nil : configuration.maxStoredBytes, peerShare: configuration.peerShare)
    self.store = store
    self.environment = environment
  }

  /// Whether anything outlives the process.
  var keepsState: Bool { store != nil }

  /// When the next attempt is due after a failure.
  var nextDeadline: Duration? { retry }

  // MARK: - What changes

  func touch(_ room: Room) {
    if room.keeping?.saving.touch() == true { rooms.append(room) }
  }

  func touch(_ session: Session) {
    session.hasNewRecord = true
    touchNumber(of: session)
  }

  /// Nothing has changed of a session but that it has taken an input.
  func touchNumber(of session: Session) {
    // The index of the next start tells whether there was one.
    if session.taken == 0 { session.hasNewRecord = true }
    if session.saving?.touch() == true { sessions.append(session) }
  }

  /// A room has ended that may be stored.
  func end(_ room: Room) {
    guard let keeping = room.keeping else { return }
    keeping.hasEnded = true
    guard store != nil else { return }
    if keeping.bytes > 0 { budget.change(from: keeping.bytes, to: nil, of: keeping.label) }
    ended.end(room.key, in: keeping.label.slot)
  }

  /// A room of the index has ended.
  func end(_ room: RoomKey, _ entry: StoredEntry) {
    guard store != nil else { return }
    budget.change(from: entry.bytes, to: nil, of: entry.label)
    ended.end(room, in: entry.label.slot)
  }

  /// A session has ended that may be stored.
  func end(_ session: Session) {
    guard store != nil else { return }
    if session.recordBytes > 0, let label = session.label {
      budget.change(from: session.recordBytes, to: nil, of: label)
      session.recordBytes = 0
    }
    ended.end(session.id, in: session.label?.slot)
  }

  /// A session of the index has ended.
  func end(_ session: String, _ entry: StoredEntry) {
    guard store != nil else { return }
    budget.change(from: entry.bytes, to: nil, of: entry.label)
    ended.end(session, in: entry.label.slot)
  }

  /// An effect of a room has begun.
  func beginEffect(of room: Room, for session: Session) {
    if !busy.contains(where: { $0 === room }) { busy.append(room) }
    if session.saving == nil { session.saving = Saving() }
    touch(session)
  }

  /// The last effect of a room has finished.
  func endEffects(of room: Room) { busy.removeAll { $0 === room } }

  /// Whether a room has an effect that has not finished.
  func isBusy(_ room: Room) -> Bool { busy.contains { $0 === room } }

  // MARK: - Slots

  /// Whether the end of something in a slot is not stored yet, or what is on trial there.
  ///
  /// A slot that went before would be lost by the answer if it had come back meanwhile.
  func isEnding(_ slot: Int) -> Bool {
    ended.concerns(slot) || newTrials.contains(slot)
      || underWay.map { $0.ended.concerns(slot) || $0.newTrials.contains(slot) } ?? false
  }

  /// Stores nothing of a slot any more; its rooms and sessions are no longer here.
  func lose(_ slot: Int) {
    ended.remove(slot)
    underWay?.ended.remove(slot)
    underWay?.lost.insert(slot)
    trials[slot] = nil
    newTrials.remove(slot)
    rooms.removeAll { $0.recordSlot == slot }
    busy.removeAll { $0.recordSlot == slot }
    sessions.removeAll { ($0.label?.slot ?? SessionName.slot(of: $0.id)) == slot }
  }

  // MARK: - Commits

  /// Calls back when all that has ended by now is stored.
  ///
  /// - Parameter done: Called once; with false if the loop ends before.
  func whenStored(_ done: @escaping (Bool) -> Void) {
    guard !hasEnded else { return done(false) }
    guard store != nil, underWay != nil || !ended.isEmpty else { return done(true) }
    waiting.append(done)
  }

  /// Calls back when the next commit that begins is safe.
  ///
  /// - Parameter done: Called once; with false if the loop ends before.
  func whenCommitted(_ done: @escaping (Bool) -> Void) {
    if hasEnded { done(false) } else { waiting.append(done) }
  }

  /// The loop has ended: unstored changes are lost.
  func giveUp() {
    hasEnded = true
    let left = (underWay?.waiting ?? []) + waiting
    underWay?.waiting = []
    waiting = []
    for done in left { done(false) }
  }

  /// Begins a commit, if there is something to store and none is under way.
  func commit() {
    guard underWay == nil else { return }
    guard !(rooms.isEmpty && sessions.isEmpty && ended.isEmpty && newTrials.isEmpty && waiting.isEmpty)
    else {
      // What was to be tried again may be somebody else's by now.
      return retry = nil
    }
    if let retry {
      guard retry <= environment.clock() else { return }
      self.retry = nil
    }
    var changes = ended
    var taken = takeBatch()
    // A record that an effect holds waits for its end, not for the next iteration.
    guard !taken.isEmpty else { return }
    taken.newTrials.formUnion(trials.keys)
    for slot in taken.newTrials { changes.trials[slot] = trials[slot] ?? [] }
    // Sessions first: their numbers travel in the steps of their rooms.
    for session in taken.sessions {
      session.saving?.begin()
      session.hasUnsavedInputs = false
      // One that has ended has no screen left.
      if session.isStored { add(session, to: &changes) }
    }
    for room in taken.rooms {
      add(room, to: &changes)
      if room.effects?.overlap.wasTaken() == true { onTaken?(room) }
    }
    underWay = taken
    // It travels with the commit, and is used on this loop only.
    let me = Carried(Weak(self))
    let answer = { @Sendable [enqueue = environment.enqueue] (result: Result<StoredSizes, StoreFailure>) in
      enqueue { me.element.object?.finish(result) }
    }
    begun = environment.clock()
    if let store, !changes.isEmpty {
      store.commit(changes, completion: answer)
    } else {
      answer(.success(StoredSizes()))
    }
  }

  /// Takes out what may be stored now.
  private func takeBatch() -> Batch {
    var taken = spare
    spare = Batch()
    swap(&taken.ended, &ended)
    swap(&taken.waiting, &waiting)
    swap(&taken.newTrials, &newTrials)
    if busy.isEmpty {
      swap(&taken.rooms, &rooms)
      swap(&taken.sessions, &sessions)
      return taken
    }
    let held = heldByEffects()
    taken.rooms = rooms.filter { !held.rooms.contains(ObjectIdentifier($0)) }
    taken.sessions = sessions.filter { !held.sessions.contains($0.id) }
    rooms.removeAll { !held.rooms.contains(ObjectIdentifier($0)) }
    sessions.removeAll { !held.sessions.contains($0.id) }
    return taken
  }

  private func add(_ room: Room, to changes: inout StoreChanges) {
    guard let keeping = room.keeping else { return }
    let isOutermost = room.begin(.output)
    defer { if isOutermost { room.resources.running?.end() } }
    keeping.begin()
    guard !keeping.hasEnded, let error = keeping.add(room, to: &changes) else { return }
    environment.observe?(
      .failed(
        Notice.Failed(
          screen: room.key.screen,
          message: "its state cannot be stored, and after a restart it is as it was before: \(error)",
          room: room.key.name, peer: room.charge.owner.peers.first)))
  }

  private func add(_ session: Session, to changes: inout StoreChanges) {
    if !session.hasNewRecord, let keeping = session.members.first(where: { $0.isToBeStored })?.room.keeping {
      keeping.note(TakenInput(session: session.id, number: session.taken))
      return
    }
    session.hasNewRecord = false
    let left = session.visit == nil ? environment.wallClock() : nil
    session.isWritten = true
    changes.sessions.append(session.stored(left: left))
  }

  private func finish(_ result: Result<StoredSizes, StoreFailure>) {
    guard var done = underWay else { return }
    underWay = nil
    var failure: StoreFailure?
    switch result {
    case .success(let sizes):
      if store != nil { durations.add(environment.clock() - begun) }
      note(sizes, of: done)
      let lost = sizes.lost.subtracting(done.lost)
      refusedSlots += sizes.lost.count
      if !lost.isEmpty { onLost?(lost) }
    case .failure(let error):
      failure = error
      note(nil, of: done)
    }
    if let failure {
      if !hasFailed { environment.observe?(.storeFailed(message: failure.message)) }
      retry = environment.clock() + .seconds(1)
      ended.prepend(done.ended)
      newTrials.formUnion(done.newTrials.subtracting(done.lost))
      waiting = done.waiting + waiting
      rooms += done.rooms.filter { $0.keeping?.saving.isDirty == false }
      sessions += done.sessions.filter { $0.saving?.isDirty == false }
    } else if hasFailed {
      environment.observe?(.storeRecovered)
    }
    hasFailed = failure != nil
    for room in done.rooms { room.keeping?.end(isSaved: failure == nil) }
    for session in done.sessions {
      session.saving?.end(isSaved: failure == nil)
      guard failure == nil else {
        session.hasUnsavedInputs = true
        session.hasNewRecord = true
        continue
      }
      session.visit?.wasSaved(session)
      if !session.isStored, session.saving?.isSafe == true { session.saving = nil }
    }
    guard failure == nil else { return }
    for done in done.waiting { done(true) }
    done.waiting = []
    for room in done.rooms { for done in room.keeping?.takeSaved() ?? [] { done() } }
    onSaved?()
    for room in done.rooms { room.wakePages() }
    done.ended = StoreChanges()
    done.newTrials = []
    done.lost = []
    swap(&spare, &done)
    spare.rooms.removeAll(keepingCapacity: spare.rooms.capacity <= 1_024)
    spare.sessions.removeAll(keepingCapacity: spare.sessions.capacity <= 1_024)
  }

  /// Counts the bytes that were written; none if the commit has failed.
  private func note(_ sizes: StoredSizes?, of batch: Batch) {
    var (wholes, steps, sessions) = (0, 0, 0)
    for room in batch.rooms {
      guard let keeping = room.keeping, let written = keeping.written else { continue }
      keeping.written = nil
      guard let sizes else { continue }
      let old = keeping.bytes
      switch written {
      case .whole:
        keeping.bytes = sizes.rooms[wholes]
        wholes += 1
      case .step:
        keeping.bytes += sizes.steps[steps]
        steps += 1
      }
      if !keeping.hasEnded { budget.change(from: old > 0 ? old : nil, to: keeping.bytes, of: keeping.label) }
    }
    for session in batch.sessions where session.isWritten {
      session.isWritten = false
      guard let sizes else { continue }
      let bytes = sizes.sessions[sessions]
      sessions += 1
      guard session.isStored, let label = session.label else { continue }
      budget.change(from: session.recordBytes > 0 ? session.recordBytes : nil, to: bytes, of: label)
      session.recordBytes = bytes
    }
  }

  /// The rooms and sessions that cannot be stored yet, because what an effect does cannot be taken back with them.
  private func heldByEffects() -> (rooms: Set<ObjectIdentifier>, sessions: Set<String>) {
    var rooms: Set<ObjectIdentifier> = []
    var sessions: Set<String> = []
    var waiting = busy
    while let room = waiting.popLast() {
      guard rooms.insert(ObjectIdentifier(room)).inserted else { continue }
      for member in room.members where room.keeping != nil || room.effects?.open[member.number] != nil {
        let session = member.session
        guard session.hasUnsavedInputs, sessions.insert(session.id).inserted else { continue }
        waiting += session.members.map(\.room)
      }
    }
    return (rooms, sessions)
  }
}

extension Member {
  /// Whether the commit that begins takes the room along, with the numbers of its sessions: what an effect
  /// holds, holds its sessions, too.
  fileprivate var isToBeStored: Bool {
    room.keeping.map { $0.saving.isDirty && $0.takesNumbers } ?? false
  }
}

extension Room {
  /// The slot of the room's record.
  fileprivate var recordSlot: Int { keeping?.label.slot ?? key.recordSlot }
}
