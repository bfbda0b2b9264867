// SPDX-License-Identifier: Apache-2.0

/// Where sessions and rooms outlive the server's process; the core knows no file and no thread.
package protocol SessionStore: AnyObject, Sendable {
  /// Stores changes, all or none of them.
  ///
  /// Called in order, one at a time for each loop; never blocks.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - completion: Called once on any thread: with nil when the changes survive a kill of the process, else with one
  ///     sentence for the operator, and nothing was stored.
  func commit(_ changes: StoreChanges, completion: @escaping @Sendable (_ failure: String?) -> Void)
}

/// What one loop has to store at the end of a turn.
package struct StoreChanges: Equatable, Sendable {
  /// Rooms as they are now.
  package var rooms: [StoredRoom] = []
  /// The changes of rooms that were stored before.
  package var roomSteps: [StoredRoomStep] = []
  /// Sessions as they are now.
  package var sessions: [StoredSession] = []
  /// Sessions that were stored before, of which nothing but the number of the last input has changed.
  package var taken: [TakenInput] = []
  /// Rooms that have ended.
  package var endedRooms: [RoomKey] = []
  /// Sessions that have ended.
  package var endedSessions: [String] = []

  package init() {}

  /// Whether there is nothing to store.
  package var isEmpty: Bool {
    rooms.isEmpty && roomSteps.isEmpty && sessions.isEmpty && taken.isEmpty && endedRooms.isEmpty
      && endedSessions.isEmpty
  }
}

/// The last input that a session has taken.
package struct TakenInput: Equatable, Sendable {
  /// The session's id.
  package let session: String
  /// The input's number.
  package let number: Int
}
