// SPDX-License-Identifier: Apache-2.0
package import MusubiSession

/// A store of a server's process: what it holds at the start, and what an operator asks of it.
package protocol DurableStore: SessionStore {
  /// Reads the index.
  ///
  /// - Returns: The stored state.
  /// - Throws: `StorageError` if it cannot be read.
  func load() async throws -> StoredState

  /// Reads everything, and stores what follows from the events that have ended the process before.
  ///
  /// - Parameters:
  ///   - traps: The events; none after an end that no event has brought about.
  ///   - run: Names the process that they have ended; the same again counts once.
  ///   - time: The time, in seconds since 1970.
  /// - Returns: The state that is left to be restored, and a verdict on each event.
  /// - Throws: `StorageError` if it cannot be read, or cannot be written.
  func load(
    after traps: [Trap], run: UInt64, at time: Double
  ) async throws -> (state: StoredState, verdicts: [Verdict])

  /// The events that have ended the process before and still count, in the order of the ids.
  func strikes() async throws -> [Strike]

  /// The rooms that were put aside, in the order of the ids.
  func asideRooms() async throws -> [(id: Int, room: AsideRoom)]

  /// Forgets a strike: its input is run again, its room begins to count again.
  ///
  /// - Parameter id: The strike's; nil for all.
  /// - Returns: How many there were.
  /// - Throws: `StorageError`.
  func liftStrikes(_ id: Int?) async throws -> Int

  /// Forgets a room that was put aside.
  ///
  /// - Parameter id: What names it.
  /// - Returns: Whether it was there.
  /// - Throws: `StorageError`.
  func deleteAside(_ id: Int) async throws -> Bool

  /// Stores a shared room again that was put aside; its newer state is put aside in its place.
  ///
  /// - Parameters:
  ///   - id: What names it.
  ///   - time: The time, in seconds since 1970.
  /// - Returns: Its key, and whether another state of it is put aside now; nil if there is no such room.
  /// - Throws: `StorageError`.
  func putBack(_ id: Int, at time: Double) async throws -> (room: RoomKey, hasReplaced: Bool)?

  /// Stores what waits, and lets the store go.
  func close() async
}
