// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// What is stored beside a record's data: where it belongs, and whose it is.
package struct RecordLabel: Equatable, Sendable {
  /// The slot of a room and its sessions; see `RoomKey.slot`.
  package var slot: Int
  /// Who made it, as `Peer.text`; nil if nobody knows.
  package var peer: String?
  /// The further peers that it counts against, each as `Peer.text`, with spaces between them; nil if there are none, or if it
  /// was stored by a program that did not know.
  package var others: String?
  /// When it was made, in seconds since 1970.
  package var made: Double

  package init(slot: Int, peer: String? = nil, others: String? = nil, made: Double = 0) {
    self.slot = slot
    self.peer = peer
    self.others = others
    self.made = made
  }

  /// The label of what a visitor with these peers makes, the one that is known best first.
  package init(slot: Int, peers: [Peer], made: Double) {
    let others = peers.dropFirst().map(\.text).joined(separator: " ")
    self.init(slot: slot, peer: peers.first?.text, others: others.isEmpty ? nil : others, made: made)
  }

  /// Who made it.
  var maker: Maker { Maker(peer: peer, others: others) }

  /// Everybody whom it counts against, the one that is known best first.
  var peers: [Peer] { maker.peers }

  /// Who made records, as their labels tell.
  struct Maker: Hashable {
    let peer: String?
    let others: String?

    /// Everybody whom the records count against.
    var peers: [Peer] {
      [peer.flatMap { Peer($0) }].compactMap { $0 }
        + (others?.split(separator: " ").compactMap { Peer(String($0)) } ?? [])
    }
  }

  /// So many slots there are.
  package static let slots = 4_096
}

/// All that memory holds of a stored record that nobody has asked for.
package struct StoredEntry: Equatable, Sendable {
  package var label: RecordLabel
  /// The bytes of its data, with the steps of a room.
  package var bytes: Int
  /// When its last page left, in seconds since 1970; nil while one was there.
  package var left: Double?
  /// The rooms that a session shows; none for a room.
  package var rooms: [RoomKey] = []
  /// Whether a session has taken something of its page's.
  package var isUsed = true
  /// Since when nobody shows it, on the loop's clock; nil if that was before the process began.
  var since: Duration?

  package init(label: RecordLabel, bytes: Int, left: Double?, rooms: [RoomKey] = []) {
    self.label = label
    self.bytes = bytes
    self.left = left
    self.rooms = rooms
  }
}

/// An index of the state that is stored and that nobody has asked for; the store reads a record when somebody does.
package struct StoredState: Sendable {
  package private(set) var rooms: [RoomKey: StoredEntry] = [:]
  package private(set) var sessions: [String: StoredEntry] = [:]
  /// The inputs that are not run again, because they have ended the process too often.
  package internal(set) var refusedInputs: Set<InputID> = []
  /// The sessions that ended with a room that was put aside; their pages begin again, and give back nothing of it.
  package internal(set) var brokenSessions: Set<String> = []
  /// The sessions of visitors who were signed out when nobody had them; they end with their arrival.
  package private(set) var signedOut: Set<String> = []
  /// How many of the sessions show a room.
  private var visits: [RoomKey: Int] = [:]

  /// Nothing.
  package init() {}

  /// The index of what a store holds.
  ///
  /// - Parameters:
  ///   - rooms: The rooms.
  ///   - sessions: The sessions, each with the shared room that it shows; its private rooms are found by their names.
  package init(rooms: [RoomKey: StoredEntry], sessions: [String: StoredEntry]) {
    var sessions = sessions
    for key in rooms.keys {
      if let session = key.session { sessions[session]?.rooms.append(key) }
    }
    self.rooms = rooms
    for (id, entry) in sessions { add(id, entry) }
  }

  /// Divides the stored state among the loops.
  ///
  /// - Parameter loops: How many loops there are now; there may have been another number before.
  /// - Returns: Each loop's part, and the slots of sessions whose names do not tell them.
  package func parts(loops: Int) -> (parts: [StoredState], unnamed: [String: Int]) {
    var parts = Array(repeating: StoredState(), count: loops)
    for index in parts.indices {
      parts[index].refusedInputs = refusedInputs
      parts[index].brokenSessions = brokenSessions
    }
    var unnamed: [String: Int] = [:]
    for (key, entry) in rooms { parts[entry.label.slot % loops].rooms[key] = entry }
    for (id, entry) in sessions {
      if entry.label.slot != SessionName.slot(of: id) { unnamed[id] = entry.label.slot }
      parts[entry.label.slot % loops].add(id, entry)
    }
    return (parts, unnamed)
  }

  /// Notes inputs that are not run again, and sessions that ended with a room that was put aside.
  package mutating func refuse(_ inputs: [InputID], broken sessions: [String]) {
    refusedInputs.formUnion(inputs)
    brokenSessions.formUnion(sessions)
  }

  /// Notes sessions of visitors who were signed out.
  package mutating func signOut(_ sessions: some Sequence<String>) { signedOut.formUnion(sessions) }

  /// Notes that a visitor was signed out; of one log-in no session that only the store has.
  package mutating func signOut(_ who: SignedOut) {
    guard who.logIn == nil else { return }
    let peer = Peer.identity(who.identity).text
    signOut(sessions.filter { $0.value.label.peer == peer }.keys)
  }

  /// Takes out all that is in slots.
  ///
  /// - Parameter slots: The slots.
  /// - Returns: What is in each; none for one that is empty.
  package mutating func take(_ slots: Set<Int>) -> [Int: StoredState] {
    var taken: [Int: StoredState] = [:]
    for (key, entry) in rooms where slots.contains(entry.label.slot) {
      taken[entry.label.slot, default: StoredState()].rooms[key] = takeRoom(key) ?? entry
    }
    for (id, entry) in sessions where slots.contains(entry.label.slot) {
      taken[entry.label.slot, default: StoredState()].add(id, takeSession(id) ?? entry)
    }
    return taken
  }

  /// Adds what is in other slots.
  package mutating func add(_ other: StoredState) {
    for (key, entry) in other.rooms { add(key, entry) }
    for (id, entry) in other.sessions { add(id, entry) }
  }

  /// Takes out a session.
  mutating func takeSession(_ id: String) -> StoredEntry? {
    guard let entry = sessions.removeValue(forKey: id) else { return nil }
    for room in entry.rooms {
      let others = visits[room, default: 1] - 1
      visits[room] = others > 0 ? others : nil
    }
    return entry
  }

  /// Takes out a room.
  mutating func takeRoom(_ key: RoomKey) -> StoredEntry? { rooms.removeValue(forKey: key) }

  /// Whether a room is here that no session here shows.
  func isAbandoned(_ key: RoomKey) -> Bool { rooms[key] != nil && visits[key] == nil }

  /// Adds a session.
  mutating func add(_ id: String, _ entry: StoredEntry) {
    sessions[id] = entry
    for room in entry.rooms { visits[room, default: 0] += 1 }
  }

  /// Whether a session here shows a room.
  func isShown(_ key: RoomKey) -> Bool { visits[key] != nil }

  /// A session whose page has been away since then.
  mutating func note(_ since: Duration, of id: String) { sessions[id]?.since = since }

  /// A room that nobody shows since then.
  mutating func note(_ since: Duration, of key: RoomKey) { rooms[key]?.since = since }

  /// Adds a room.
  mutating func add(_ key: RoomKey, _ entry: StoredEntry) { rooms[key] = entry }
}

extension RoomKey {
  /// The session of a private room; nil for a shared one.
  package var session: String? {
    isPrivate ? String(name.prefix { $0 != "/" }) : nil
  }

  /// The slot of a shared room: 0 to 4,095, the same in every process.
  ///
  /// FNV-1a, 64 bits: all loops must agree, and rooms of similar names spread.
  package var slot: Int {
    var hash = FNV1a()
    hash.add(screen.utf8)
    hash.add(CollectionOfOne(0xff))
    hash.add(name.utf8)
    return Int((hash.value ^ (hash.value >> 32)) % UInt64(RecordLabel.slots))
  }
}

/// The hash function of Fowler, Noll and Vo, 64 bits: the same in every process.
struct FNV1a {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  /// Adds a value; the members of an object in any order, since that of a dictionary differs between processes.
  mutating func add(_ content: Value) {
    switch content {
    case .array(let elements):
      for element in elements { add(element) }
      add("]".utf8)
    case .object(let object):
      var sum: UInt64 = 0
      for member in object.members {
        var hash = FNV1a()
        hash.add(Value.string(member.key))
        hash.add(member.value)
        sum &+= hash.value
      }
      withUnsafeBytes(of: sum) { add($0) }
    default:
      var json = ByteBuffer()
      json.appendJSON(content)
      add(json.bytes)
      add(",".utf8)
    }
  }
}
