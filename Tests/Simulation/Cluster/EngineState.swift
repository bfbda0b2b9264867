// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiStorage

/// What the simulated database holds; each function is a statement.
struct EngineState {
  /// A slot.
  struct Row {
    /// The owner, who may be there no longer.
    var node: Int64?
    var fence = PostgresFence(generation: 0, commits: 0)
    var lostSince = 0
    /// The version of the directory in which its owner has changed.
    var moved = 0
  }

  /// A server that says that it lives.
  struct Node {
    /// The number of the server, which a restart keeps.
    let server: Int
    let since: Duration
    var seen: String
    /// When it has said so.
    var heard: Duration
    var isDraining = false
  }

  /// Names the row of the directory's version among those that are locked.
  static let versionRow = -1

  private(set) var rows: [Row]
  private(set) var nodes: [Int64: Node] = [:]
  private var version = 0
  private var rooms: [String: StoredRoom] = [:]
  private var sessions: [String: StoredSession] = [:]
  /// How many records were refused, because their slot is somebody else's.
  private(set) var refused = 0
  /// What must not have happened but has.
  private(set) var problem: String?

  /// A database of which nobody owns anything.
  init(slots: Int) { rows = Array(repeating: Row(), count: slots) }

  // MARK: - Nodes

  /// Enters a process; the one before it on the same server is dead.
  mutating func join(_ id: Int64, server: Int, at now: Duration) {
    nodes = nodes.filter { $0.value.server != server }
    nodes[id] = Node(server: server, since: now, seen: "\(now)", heard: now)
  }

  mutating func beat(_ id: Int64, at now: Duration) {
    nodes[id]?.seen = "\(now)"
    nodes[id]?.heard = now
  }

  mutating func drain(_ id: Int64) { nodes[id]?.isDraining = true }

  mutating func leave(_ id: Int64) { nodes[id] = nil }

  /// Takes out processes that have said nothing since.
  ///
  /// - Returns: Those that were there.
  mutating func bury(_ silent: [Int64: String]) -> [Int64] {
    let dead = silent.filter { nodes[$0.key]?.seen == $0.value }.keys.sorted()
    for id in dead { nodes[id] = nil }
    return dead
  }

  // MARK: - Slots

  /// What has changed since a version of the directory; all of it for -1.
  func read(since known: Int, at now: Duration) -> (reading: DirectoryReading, version: Int) {
    let nodes = nodes.sorted { $0.key < $1.key }.map { id, node in
      DirectoryNode(
        id: id, address: "\(node.server)", build: "b", loops: 1, isDraining: node.isDraining,
        seen: node.seen, silence: now - node.heard, age: now - node.since)
    }
    let moved = rows.indices.filter { rows[$0].moved > known }.map { slot in
      DirectorySlot(
        slot: slot, node: rows[slot].node, generation: rows[slot].fence.generation,
        lostSince: rows[slot].lostSince)
    }
    return (DirectoryReading(nodes: nodes, moved: moved, isWhole: known < 0), version)
  }

  /// The slots that are nobody's, at most so many.
  func free(_ count: Int) -> [Int] {
    Array(rows.indices.lazy.filter { isFree($0) }.prefix(count))
  }

  private func isFree(_ slot: Int) -> Bool { rows[slot].node.map { nodes[$0] == nil } ?? true }

  /// Takes of these slots those that are nobody's.
  mutating func take(_ slots: [Int], by id: Int64) {
    version += 1
    for slot in slots where isFree(slot) { move(slot, to: id, isLost: rows[slot].node != nil) }
  }

  /// Hands slots over that are still of these generations.
  mutating func handOver(_ slots: [Int: Int], from id: Int64, to other: Int64, isLost: Bool) {
    version += 1
    for (slot, generation) in slots.sorted(by: { $0.key < $1.key })
    where rows[slot].node == id && rows[slot].fence.generation == generation {
      move(slot, to: other, isLost: isLost)
    }
  }

  private mutating func move(_ slot: Int, to id: Int64, isLost: Bool) {
    rows[slot].node = id
    rows[slot].fence.generation += 1
    rows[slot].moved = version
    if isLost { rows[slot].lostSince = rows[slot].fence.generation }
  }

  /// Of these slots those that are a process's, with what is stored in them, or was at another time.
  func load(_ slots: [Int], of id: Int64, from other: (Int) -> EngineState?) -> [Int: LoadedSlot] {
    let mine = slots.filter { rows[$0].node == id }
    return Dictionary(
      uniqueKeysWithValues: mine.map { slot in
        let state = (other(slot) ?? self).index(of: slot)
        return (
          slot,
          LoadedSlot(fence: rows[slot].fence, lostSince: rows[slot].lostSince, signOuts: 0, state: state)
        )
      })
  }

  private func index(of slot: Int) -> StoredState {
    let rooms = rooms.values.filter { $0.label.slot == slot }.map {
      ($0.key, StoredEntry(label: $0.label, bytes: 100, left: $0.left))
    }
    let sessions = sessions.values.filter { $0.label.slot == slot }.map { session in
      var entry = StoredEntry(
        label: session.label, bytes: 100, left: session.left, rooms: session.sharedRoom.map { [$0] } ?? [])
      entry.isUsed = session.isUsed
      return (session.id, entry)
    }
    return StoredState(
      rooms: Dictionary(uniqueKeysWithValues: rooms), sessions: Dictionary(uniqueKeysWithValues: sessions))
  }

  // MARK: - Commits

  /// Stores what is of some slots, each if this is the next commit of its owner.
  ///
  /// - Returns: The slots that are stored.
  mutating func commit(
    _ changes: [StoreChanges], _ fences: [Int: PostgresFence], of id: Int64, snapshot: EngineState?,
    _ mistake: ClusterMistake?
  ) -> Set<Int> {
    var stored: Set<Int> = []
    for (slot, fence) in fences {
      let known = (mistake == .readsFence ? snapshot ?? self : self).rows[slot]
      let isMine = known.fence.generation == fence.generation && known.node == id
      guard isMine || mistake == .ignoresGeneration else { continue }
      guard known.fence.commits == fence.commits || mistake == .ignoresCommits else { continue }
      if rows[slot].node != id {
        note("generation \(rows[slot].fence.generation) of slot \(slot) has had a commit of two owners")
      }
      rows[slot].fence.commits += 1
      stored.insert(slot)
    }
    for var changes in changes {
      for slot in changes.slots where !stored.contains(slot) { refused += changes.removeAll(of: slot) }
      apply(changes)
    }
    return stored
  }

  /// Takes the number of a commit that is given up.
  mutating func burn(_ fences: [Int: PostgresFence], of id: Int64) {
    for (slot, fence) in fences where rows[slot].fence == fence && rows[slot].node == id {
      rows[slot].fence.commits += 2
    }
  }

  private mutating func apply(_ changes: StoreChanges) {
    for key in changes.endedRooms { rooms[key.text] = nil }
    for id in changes.endedSessions { sessions[id] = nil }
    for room in changes.rooms { rooms[room.key.text] = room }
    for step in changes.roomSteps {
      do {
        rooms[step.room] = try rooms[step.room]?.applying(step)
        if rooms[step.room] == nil { note("a step is for a room that is not stored") }
      } catch {
        note("a step is not for the room as it is stored: \(error)")
      }
    }
    for session in changes.sessions { sessions[session.id] = session }
  }

  private mutating func note(_ sentence: String) { problem = problem ?? sentence }

  // MARK: - Records

  func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    guard let room = rooms[key.text] else { throw .broken("it is not stored") }
    return room
  }

  func session(_ id: String) throws(RecordError) -> StoredSession {
    guard let session = sessions[id] else { throw .broken("it is not stored") }
    return session
  }

  /// The last input of a session that is stored; nil if the session is not.
  func taken(of id: String) -> Int? {
    guard let session = sessions[id] else { return nil }
    let known = rooms.values.lazy.flatMap { $0.taken ?? [] }.filter { $0.session == id }.map(\.number)
    return max(session.taken, known.max() ?? 0)
  }
}
