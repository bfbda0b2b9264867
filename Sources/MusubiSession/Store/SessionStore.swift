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

  package init() {}

  /// Whether there is nothing to store.
  package var isEmpty: Bool {
    rooms.isEmpty && roomSteps.isEmpty && sessions.isEmpty && endedRooms.isEmpty && endedSessions.isEmpty
  }
}

extension StoreChanges {
  /// The slots that they are of.
  package var slots: Set<Int> {
    Set(
      rooms.map(\.label.slot) + roomSteps.map(\.slot) + sessions.map(\.label.slot)
        + endedRooms.map(\.recordSlot)
        + endedSessions.compactMap { SessionName.slot(of: $0) })
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
    endedRooms.contains { $0.recordSlot == slot }
      || endedSessions.contains { SessionName.slot(of: $0) == slot }
  }

  /// Takes out what ends in a slot.
  mutating func remove(_ slot: Int) {
    endedRooms.removeAll { $0.recordSlot == slot }
    endedSessions.removeAll { SessionName.slot(of: $0) == slot }
  }
}
