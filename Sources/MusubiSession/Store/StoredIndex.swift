// SPDX-License-Identifier: Apache-2.0

/// A loop's index of the records that nobody has asked for; its rooms and its bytes count as those of whoever made
/// them.
final class StoredIndex {
  private var state: StoredState
  private let memory: MemoryLedger
  private let ledger: PeerLedger
  private let clock: () -> Duration
  private var shares: [RecordLabel.Maker: Share] = [:]

  /// The entries of one maker.
  private final class Share {
    let peers: [Peer]
    var charge: Charge
    var count = 0

    init(_ peers: [Peer], _ owner: Owner) {
      self.peers = peers
      charge = Charge(owner)
    }
  }

  init(_ state: StoredState, _ memory: MemoryLedger, _ ledger: PeerLedger, clock: @escaping () -> Duration) {
    self.state = state
    self.memory = memory
    self.ledger = ledger
    self.clock = clock
    for (key, entry) in state.rooms { count(entry, of: key, by: 1) }
    for entry in state.sessions.values { count(entry, by: 1) }
  }

  var rooms: [RoomKey: StoredEntry] { state.rooms }
  var sessions: [String: StoredEntry] { state.sessions }

  /// Whether a room is here that no session here shows.
  func isAbandoned(_ key: RoomKey) -> Bool { state.isAbandoned(key) }

  /// Whether a session here shows a room.
  func isShown(_ key: RoomKey) -> Bool { state.isShown(key) }

  /// A session's page has been away since then.
  func note(_ since: Duration, of id: String) { state.note(since, of: id) }

  /// Nobody shows a room since then.
  func note(_ since: Duration, of key: RoomKey) { state.note(since, of: key) }

  /// A room is no longer in memory.
  func add(_ key: RoomKey, _ entry: StoredEntry) {
    state.add(key, entry)
    count(entry, of: key, by: 1)
  }

  /// A session is no longer in memory.
  func add(_ id: String, _ entry: StoredEntry) {
    state.add(id, entry)
    count(entry, by: 1)
  }

  /// Takes out a room.
  func takeRoom(_ key: RoomKey) -> StoredEntry? {
    guard let entry = state.takeRoom(key) else { return nil }
    count(entry, of: key, by: -1)
    return entry
  }

  /// Takes out all that is in slots.
  func take(_ slots: Set<Int>) -> [Int: StoredState] {
    let taken = state.take(slots)
    for part in taken.values {
      for (key, entry) in part.rooms { count(entry, of: key, by: -1) }
      for entry in part.sessions.values { count(entry, by: -1) }
    }
    return taken
  }

  /// Takes out a session.
  func takeSession(_ id: String) -> StoredEntry? {
    guard let entry = state.takeSession(id) else { return nil }
    count(entry, by: -1)
    return entry
  }

  private func count(_ entry: StoredEntry, of key: RoomKey? = nil, by number: Int) {
    let maker = entry.label.maker
    let share = shares[maker] ?? share(of: maker)
    share.charge.set(share.charge.bytes + number * (Self.entryBytes + entry.rooms.count * Self.nameBytes))
    share.count += number
    if key != nil {
      if number > 0 {
        ledger.addRoom(of: share.peers, at: clock())
      } else {
        ledger.releaseRoom(of: share.peers)
      }
    }
    if share.count == 0 { shares[maker] = nil }
  }

  private func share(of maker: RecordLabel.Maker) -> Share {
    let share = Share(maker.peers, memory.owner(maker.peers))
    shares[maker] = share
    return share
  }

  /// The bytes of an entry with its name and its place in the tables, and of each room that it names beside itself.
  private static let (entryBytes, nameBytes) = (320, 128)
}
