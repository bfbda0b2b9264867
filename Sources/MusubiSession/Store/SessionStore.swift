// SPDX-License-Identifier: Apache-2.0

/// Where sessions and rooms outlive the server's process; the core knows no file and no thread.
package protocol SessionStore: AnyObject, Sendable, RecordReader {
  /// Stores changes, all or none of them.
  ///
  /// Called in order, one at a time for each loop; never blocks.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - completion: Called once on any thread: with the bytes of what was written when the changes survive a kill of the
  ///     process, else with a failure, and nothing was stored.
  func commit(
    _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void)

  /// Whether commits wait, because the store cannot be reached; asked on any thread.
  var isAway: Bool { get }
}

extension SessionStore {
  /// A store of this machine is here.
  package var isAway: Bool { false }
}

/// The bytes that records take in a store, in the order of the changes.
package struct StoredSizes: Equatable, Sendable {
  package var rooms: [Int] = []
  package var steps: [Int] = []
  package var sessions: [Int] = []
  /// The slots that somebody else has taken: nothing of them was stored, all else was.
  package var lost: Set<Int> = []

  package init() {}

  /// All of them.
  package var total: Int { rooms.reduce(0, +) + steps.reduce(0, +) + sessions.reduce(0, +) }
}

/// Why changes were not stored: one sentence for the operator.
package struct StoreFailure: Error, Equatable {
  package let message: String

  package init(_ message: String) { self.message = message }
}

/// What one loop has to store at the end of a turn.
package struct StoreChanges: Equatable, Sendable {
  /// Rooms as they are now.
  package var rooms: [StoredRoom] = []
  /// The changes of rooms that were stored before.
  package var roomSteps: [StoredRoomStep] = []
  /// Sessions as they are now.
  package var sessions: [StoredSession] = []
  /// Rooms that have ended.
  package var endedRooms: [RoomKey] = []
  /// Sessions that have ended.
  package var endedSessions: [String] = []
  /// The inputs that are about to run, of which each may have ended an owner of its slot before; none for a slot in which they have.
  ///
  /// Slots that are not named have none.
  package var trials: [Int: [InputID]] = [:]
  /// The slots of those that have ended and whose names, which older programs gave, do not tell them.
  private var unnamed: [String: Int] = [:]

  package init() {}

  /// Whether there is nothing to store.
  package var isEmpty: Bool {
    rooms.isEmpty && roomSteps.isEmpty && sessions.isEmpty && endedRooms.isEmpty && endedSessions.isEmpty
      && trials.isEmpty
  }
}

extension StoreChanges {
  /// The slots that they are of.
  package var slots: Set<Int> {
    Set(
      rooms.map(\.label.slot) + roomSteps.map(\.slot) + sessions.map(\.label.slot)
        + endedRooms.map { slot(of: $0) } + endedSessions.map { slot(of: $0) } + trials.keys)
  }

  /// A room has ended, whose record is in a slot.
  package mutating func end(_ room: RoomKey, in slot: Int) {
    endedRooms.append(room)
    if room.recordSlot != slot { unnamed[room.text] = slot }
  }

  /// A session has ended, whose record is in a slot; nil if only its name may tell it.
  package mutating func end(_ session: String, in slot: Int?) {
    endedSessions.append(session)
    if let slot, SessionName.slot(of: session) != slot { unnamed[session] = slot }
  }

  /// The slot of a room that has ended.
  package func slot(of room: RoomKey) -> Int {
    unnamed.isEmpty ? room.recordSlot : unnamed[room.text] ?? room.recordSlot
  }

  /// The slot of a session that has ended; any slot if nothing tells it.
  package func slot(of session: String) -> Int { unnamed[session] ?? SessionName.slot(of: session) ?? 0 }

  /// Puts what has ended before in front of what has ended since.
  mutating func prepend(_ earlier: StoreChanges) {
    endedRooms = earlier.endedRooms + endedRooms
    endedSessions = earlier.endedSessions + endedSessions
    unnamed.merge(earlier.unnamed) { newer, _ in newer }
  }

  /// Takes out all that is of a slot.
  ///
  /// - Returns: How many records that were.
  package mutating func removeAll(of slot: Int) -> Int {
    let count = rooms.count + roomSteps.count + sessions.count
    rooms.removeAll { $0.label.slot == slot }
    roomSteps.removeAll { $0.slot == slot }
    sessions.removeAll { $0.label.slot == slot }
    defer { remove(slot) }
    return count - rooms.count - roomSteps.count - sessions.count
  }

  /// Whether something of a slot ends.
  func concerns(_ slot: Int) -> Bool {
    endedRooms.contains { self.slot(of: $0) == slot } || endedSessions.contains { self.slot(of: $0) == slot }
  }

  /// Takes out what ends in a slot.
  mutating func remove(_ slot: Int) {
    endedRooms = endedRooms.filter { self.slot(of: $0) != slot }
    endedSessions = endedSessions.filter { self.slot(of: $0) != slot }
  }
}
