// SPDX-License-Identifier: Apache-2.0

/// The state that was stored when the server's process ended, as far as nobody has asked for it since.
package struct StoredState: Sendable {
  private(set) var rooms: [RoomKey: StoredRoom] = [:]
  private(set) var sessions: [String: StoredSession] = [:]
  /// The inputs that are not run again, because they have ended the process too often.
  package internal(set) var refusedInputs: Set<InputID> = []
  /// The sessions that ended with a room that was put aside; their pages begin again, and give back nothing of it.
  package internal(set) var brokenSessions: Set<String> = []
  /// How many of the sessions show a room.
  private var visits: [RoomKey: Int] = [:]

  /// Nothing.
  package init() {}

  /// The state that a store has read.
  package init(rooms: [StoredRoom], sessions: [StoredSession]) {
    for room in rooms { self.rooms[room.key] = room }
    for session in sessions { add(session) }
  }

  /// Divides the stored state among the loops.
  ///
  /// - Parameter loops: How many loops there are now; there may have been another number before.
  /// - Returns: Each loop's part, and the sessions that are not where their name says.
  package func parts(loops: Int) -> (parts: [StoredState], moved: [String: Int]) {
    var parts = Array(repeating: StoredState(), count: loops)
    for index in parts.indices {
      parts[index].refusedInputs = refusedInputs
      parts[index].brokenSessions = brokenSessions
    }
    var moved: [String: Int] = [:]
    for (key, room) in rooms where !key.isPrivate { parts[key.home(among: loops)].rooms[key] = room }
    for (id, session) in sessions {
      let named = LoopEnvironment.loop(ofSession: id) ?? 0
      let first = session.views.first?.room
      let home = first.flatMap { $0.isPrivate ? nil : $0.home(among: loops) } ?? named % loops
      if home != named { moved[id] = home }
      parts[home].add(session)
      for view in session.views where view.room.isPrivate { parts[home].rooms[view.room] = rooms[view.room] }
    }
    return (parts, moved)
  }

  /// The rooms in no order.
  package var allRooms: [StoredRoom] { Array(rooms.values) }

  /// The sessions in no order.
  package var allSessions: [StoredSession] { Array(sessions.values) }

  /// Takes out a session.
  mutating func takeSession(_ id: String) -> StoredSession? {
    guard let session = sessions.removeValue(forKey: id) else { return nil }
    for view in session.views { visits[view.room, default: 1] -= 1 }
    return session
  }

  /// Takes out a room.
  mutating func takeRoom(_ key: RoomKey) -> StoredRoom? { rooms.removeValue(forKey: key) }

  /// Whether a room is here that no session here shows.
  func isAbandoned(_ key: RoomKey) -> Bool { rooms[key] != nil && visits[key, default: 0] == 0 }

  private mutating func add(_ session: StoredSession) {
    sessions[session.id] = session
    for view in session.views { visits[view.room, default: 0] += 1 }
  }
}

extension RoomKey {
  /// The loop where a shared room is at home.
  ///
  /// FNV-1a, 64 bits: all loops must agree, and rooms of similar names spread.
  func home(among loops: Int) -> Int {
    var hash = FNV1a()
    hash.add(screen.utf8)
    hash.add(CollectionOfOne(0xff))
    hash.add(name.utf8)
    return Int((hash.value ^ (hash.value >> 32)) % UInt64(loops))
  }
}

/// The hash function of Fowler, Noll and Vo, 64 bits: the same in every process.
struct FNV1a {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
}
