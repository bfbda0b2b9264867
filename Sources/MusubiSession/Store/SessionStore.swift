// SPDX-License-Identifier: Apache-2.0

/// Where sessions and rooms outlive the server's process; the core knows no file and no thread.
package protocol SessionStore: AnyObject, Sendable {
  /// Stores changes, all or none of them.
  ///
  /// Called in order, one at a time for each loop; never blocks.
  ///
  /// - Parameters:
  ///   - changes: What has changed.
  ///   - completion: Called once on any thread: with nil when the changes survive a kill of the process, else with one
  ///     sentence for the operator, and nothing was stored.
  func commit(_ changes: StoreChanges, completion: @escaping @Sendable (_ failure: String?) -> Void)
}

/// What one loop has to store at the end of a turn.
package struct StoreChanges: Equatable, Sendable {
  /// Rooms as they are now.
  package var rooms: [StoredRoom] = []
  /// Sessions as they are now.
  package var sessions: [StoredSession] = []
  /// Rooms that have ended.
  package var endedRooms: [RoomKey] = []
  /// Sessions that have ended.
  package var endedSessions: [String] = []

  package init() {}

  /// Whether there is nothing to store.
  package var isEmpty: Bool {
    rooms.isEmpty && sessions.isEmpty && endedRooms.isEmpty && endedSessions.isEmpty
  }
}
