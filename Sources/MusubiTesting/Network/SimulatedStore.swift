// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
package import MusubiSession
import MusubiWire

/// A store in virtual time that outlives the simulated server; it can be slow, and it can refuse.
///
/// `@unchecked Sendable`: the simulation has one thread.
package final class SimulatedStore: SessionStore, @unchecked Sendable {
  /// How long a commit takes.
  package var delay: Duration = .milliseconds(1)
  /// Why commits fail; nil if they succeed.
  package var failure: String?
  /// Why nothing can be read; nil if it can.
  package var unreadable: String?
  /// The bytes that the index of a start gives each record.
  package var indexedBytes = 100
  /// How many records were read.
  package private(set) var reads = 0
  /// The numbers of commits that fail, whatever else; the first one is 1.
  package var refusals: Set<Int> = []
  /// What becomes of a commit that is under way when the server is killed; nil to let chance decide.
  package var keepsInterrupted: Bool?
  /// A mistake for tests of the tests: a commit is answered when it begins.
  package var answersEarly = false
  /// A mistake for tests of the tests: a refused commit is answered as if it were stored.
  package var hidesRefusals = false
  /// A mistake for tests of the tests: other changes are stored than the server asked for.
  package var falsify: ((StoreChanges) -> StoreChanges)?
  /// How many commits there were.
  package private(set) var commits = 0
  /// Why steps were not for the room as it was stored; none in a right program.
  package private(set) var misfits: [String] = []
  /// What the server runs at the moment.
  package let record = SimulatedRecord()
  /// The events that have ended the server before and still count, and the rooms that were put aside.
  package private(set) var strikes: [Strike] = []
  package private(set) var asideRooms: [AsideRoom] = []
  /// What the server's log says of the events that have ended it.
  package private(set) var verdicts: [Verdict] = []
  /// Whether an event has ended the server: its later steps do not happen.
  private var hasTrapped = false
  private var run: UInt64 = 0
  /// The rooms by the bytes of their keys' texts, as databases compare them.
  private var rooms: [[UInt8]: StoredRoom] = [:]
  private var sessions: [String: StoredSession] = [:]
  /// The commits under way.
  private var waiting: [Int: Commit] = [:]

  /// Changes on their way to be stored.
  private struct Commit {
    var changes: StoreChanges
    /// Whose they are.
    let node: Int
    /// Of which generations of its slots.
    let owned: [Int: UInt32]
  }
  /// The inputs on trial in each slot, and of which server.
  private var trials: [Int: (node: Int, inputs: [InputID])] = [:]
  /// The inputs that are refused, because two servers in succession have ended by them.
  package private(set) var struck: Set<InputID> = []
  /// The servers that an event has ended: what they do later does not happen.
  private var ended: Set<Int> = []
  /// The generations of the slots that somebody has taken from somebody else.
  private var fences: [Int: UInt32] = [:]
  /// How many records were refused because their slot was somebody else's.
  package private(set) var fenced = 0
  /// A mistake for tests of the tests: nobody asks whose a slot is.
  package var ignoresFences = false
  weak var network: SimulatedNetwork?

  /// A store that holds nothing.
  package init() {}

  /// The stored state.
  package var state: StoredState {
    StoredState(
      rooms: Dictionary(
        uniqueKeysWithValues: rooms.values.map {
          ($0.key, StoredEntry(label: $0.label, bytes: indexedBytes, left: $0.left))
        }),
      sessions: sessions.mapValues {
        var entry = StoredEntry(
          label: $0.label, bytes: indexedBytes, left: $0.left, rooms: $0.sharedRoom.map { [$0] } ?? [])
        entry.isUsed = $0.isUsed
        return entry
      })
  }

  /// The sessions that are stored.
  package var storedSessions: [StoredSession] { Array(sessions.values) }

  /// The rooms that are stored.
  package var storedRooms: [StoredRoom] { Array(rooms.values) }

  package func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    reads += 1
    if let unreadable { throw .unreadable(unreadable) }
    guard let room = rooms[Array(key.text.utf8)] else { throw .broken("it is not stored") }
    return room
  }

  package func session(_ id: String) throws(RecordError) -> StoredSession {
    reads += 1
    if let unreadable { throw .unreadable(unreadable) }
    guard let session = sessions[id] else { throw .broken("it is not stored") }
    return session
  }

  package func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  ) {
    commit(changes, of: 0, by: { _ in .max }, completion: completion)
  }

  /// The slots of which somebody has stored something, or has taken them.
  package var slots: [Int] {
    Set(rooms.values.map(\.label.slot) + sessions.values.map(\.label.slot) + fences.keys).sorted()
  }

  /// The generation from which on commits of a slot are stored.
  func fence(of slot: Int) -> UInt32 { fences[slot] ?? 0 }

  /// The owner of a slot gives it away.
  ///
  /// - Returns: Whether it still is its own.
  func give(_ slot: Int, _ generation: UInt32) -> Bool {
    guard fence(of: slot) == generation - 1 else { return false }
    fences[slot] = generation
    return true
  }

  /// Somebody takes a slot: nothing of an older generation is stored from now on.
  ///
  /// - Returns: What is stored in it.
  func take(_ slot: Int, generation: UInt32) -> StoredState {
    fences[slot] = generation
    // A server that lives, or was killed, tells that none of them has ended it.
    if let trial = trials.removeValue(forKey: slot), ended.contains(trial.node) {
      struck.formUnion(trial.inputs)
    }
    var state = state
    var taken = state.take([slot])[slot] ?? StoredState()
    taken.refuse(struck.filter { SessionName.slot(of: $0.session) == slot }, broken: [])
    return taken
  }

  /// Stores changes of the slots that still are the caller's.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - node: The caller's server.
  ///   - generation: Of which generation the caller is the owner of a slot.
  ///   - completion: Called once.
  func commit(
    _ changes: StoreChanges, of node: Int, by generation: (_ slot: Int) -> UInt32,
    completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  ) {
    if hasTrapped || ended.contains(node) { return }
    let owned = Dictionary(uniqueKeysWithValues: changes.slots.map { ($0, generation($0)) })
    commits += 1
    let number = commits
    let failure = refusals.contains(number) ? "Commit \(number) is refused." : failure
    let sizes = sizes(of: changes)
    let changes = falsify.map { $0(changes) } ?? changes
    if failure == nil { waiting[number] = Commit(changes: changes, node: node, owned: owned) }
    let answersNow = answersEarly && failure == nil
    if answersNow { network?.schedule(network?.now ?? .zero) { completion(.success(sizes)) } }
    network?.schedule((network?.now ?? .zero) + delay) { [self] in
      var sizes = sizes
      if let commit = waiting.removeValue(forKey: number) {
        sizes.lost = apply(commit)
      } else if failure == nil {
        // The server was killed meanwhile.
        return
      }
      guard !answersNow else { return }
      let hasFailed = failure != nil && !hidesRefusals
      completion(hasFailed ? .failure(StoreFailure(failure ?? "")) : .success(sizes))
    }
  }

  /// About what the records would take in a file.
  private func sizes(of changes: StoreChanges) -> StoredSizes {
    var sizes = StoredSizes()
    sizes.rooms = changes.rooms.map { room in
      room.texts.reduce(200 + "\(room.state)".utf8.count) { $0 + $1.text.utf8.count }
    }
    sizes.steps = changes.roomSteps.map { _ in 100 }
    sizes.sessions = changes.sessions.map { _ in 300 }
    return sizes
  }

  /// The event that the server handles ends it; `SimulatedNetwork.restartServer` is to follow.
  package func trap() {
    record.trap()
    hasTrapped = true
  }

  /// The next server starts.
  ///
  /// - Parameter time: The time, in seconds since 1970.
  /// - Returns: The stored state, without rooms that must not come back.
  /// - Throws: `RecordError` if what is to be judged cannot be read.
  func start(at time: Double) throws(RecordError) -> StoredState {
    var state = state
    run += 1
    let judgement = try state.judge(
      record.traps, run: run, at: time, strikes: strikes, aside: asideRooms, reading: self)
    strikes = judgement.strikes
    asideRooms += judgement.aside
    verdicts += judgement.verdicts
    apply(judgement.ended)
    record.clear()
    hasTrapped = false
    fences = [:]
    return state
  }

  /// A server is killed: its commit under way is stored or not.
  ///
  /// - Parameters:
  ///   - random: Decides that.
  ///   - node: The server.
  ///   - byEvent: Whether an event has ended it, and nobody will tell which one; else its next process tells that none has.
  func crash(_ random: RandomSource, of node: Int = 0, byEvent: Bool = false) {
    if byEvent { ended.insert(node) }
    let interrupted = waiting.filter { $0.value.node == node }.sorted { $0.key < $1.key }
    waiting = waiting.filter { $0.value.node != node }
    for (_, commit) in interrupted {
      guard keepsInterrupted ?? (random.next() % 2 == 0) else { break }
      _ = apply(commit)
    }
  }

  /// A server is started again.
  func begin(_ node: Int) { ended.remove(node) }

  /// Stores what of a commit is of slots that still are its sender's.
  ///
  /// - Returns: The other slots.
  private func apply(_ commit: Commit) -> Set<Int> {
    var changes = commit.changes
    let lost = ignoresFences ? [] : Set(commit.owned.filter { $0.value < fence(of: $0.key) }.keys)
    for slot in lost { fenced += changes.removeAll(of: slot) }
    for slot in commit.owned.keys where !lost.contains(slot) {
      let inputs = changes.trials[slot] ?? []
      trials[slot] = inputs.isEmpty ? nil : (commit.node, inputs)
    }
    apply(changes)
    return lost
  }

  private func apply(_ changes: StoreChanges) {
    for key in changes.endedRooms { rooms[Array(key.text.utf8)] = nil }
    for id in changes.endedSessions { sessions[id] = nil }
    for room in changes.rooms { rooms[Array(room.key.text.utf8)] = room }
    for step in changes.roomSteps {
      do {
        guard let room = rooms[Array(step.room.utf8)] else {
          throw WireError(.testFailed("the room is not stored"), at: 0)
        }
        rooms[Array(step.room.utf8)] = try room.applying(step)
      } catch {
        misfits.append("\(error)")
      }
    }
    for session in changes.sessions { sessions[session.id] = session }
  }
}

/// One loop's way to a store that others use as well.
final class SimulatedStoreClient: SessionStore {
  private let store: SimulatedStore
  private let node: Int
  /// Of which generation the loop is the owner of a slot, as far as it knows.
  private let generation: Carried<(_ slot: Int) -> UInt32>

  init(_ store: SimulatedStore, of node: Int, generation: @escaping (_ slot: Int) -> UInt32) {
    self.store = store
    self.node = node
    self.generation = Carried(generation)
  }

  func room(_ key: RoomKey) throws(RecordError) -> StoredRoom { try store.room(key) }

  func session(_ id: String) throws(RecordError) -> StoredSession { try store.session(id) }

  func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
  ) {
    store.commit(changes, of: node, by: generation.element, completion: completion)
  }
}
