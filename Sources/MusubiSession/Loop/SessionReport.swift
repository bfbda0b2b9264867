// SPDX-License-Identifier: Apache-2.0

/// A loop's state at a moment, for who runs the server.
package struct SessionReport: Sendable {
  /// Sessions whose page is connected, and those that wait for it.
  package var connected = 0
  package var waiting = 0
  /// Records of the store that nobody has asked for.
  package var stored = 0
  /// The counted bytes of sessions and rooms, and how many there may be; nil for no limit.
  package var bytes = 0
  package var maxBytes: Int?
  /// The bytes of records, and how many there may be; nil for no limit.
  package var storedBytes = 0
  package var maxStoredBytes: Int?
  /// Whether the store has refused the last commit.
  package var storeFails = false
  /// How long commits took until they were safe.
  package var commits = DurationHistogram()
  /// How often the store took nothing of a slot, because it is not this server's any more.
  package var refusedSlots = 0
  /// The counts of rooms, by the screens' names.
  package var screens: [ScreenTotals] = []
  /// The rooms with the most turns since the report before, the busiest first.
  package var busiestRooms: [BusyRoom] = []
  /// The peers that hold more than half of the bytes that they may.
  package var peers: [PeerShare] = []

  package init() {}

  /// A room that is busy.
  package struct BusyRoom: Sendable {
    package let key: RoomKey
    package let pages: Int
    package let bytes: Int
    package let turnsPerSecond: Double
  }
}

extension SessionLoop {
  /// So many rooms are looked at for the busiest ones.
  private static let maxBusyRooms = 1_024

  /// The loop's state now; the busiest rooms are those since the last call.
  package func report() -> SessionReport {
    var report = SessionReport()
    (report.connected, report.waiting) = sessions.counts
    report.stored = rooms.stored.sessions.count
    report.bytes = memory.total
    report.maxBytes = configuration.maxMemoryBytes
    report.storedBytes = committer.budget.ledger.total
    report.maxStoredBytes = configuration.maxStoredBytes
    report.storeFails = committer.isFailing
    report.commits = committer.durations
    report.refusedSlots = committer.refusedSlots
    report.screens = rooms.counts
    report.busiestRooms = takeBusiestRooms()
    report.peers = memory.nearLimits("bytes") + committer.budget.ledger.nearLimits("stored")
    return report
  }

  /// A room has a turn, the first since the last report.
  func note(_ room: Room) {
    guard let count = busyRooms?.count, count < Self.maxBusyRooms else { return }
    room.isNoted = true
    busyRooms?.append((room.key, room.sequence))
  }

  private func takeBusiestRooms() -> [SessionReport.BusyRoom] {
    let now = environment.clock()
    let seconds = max((now - reportedAt) / .seconds(1), 0.001)
    let busy = (busyRooms ?? []).compactMap { entry -> (room: Room, turns: Int)? in
      guard let room = rooms[entry.key] else { return nil }
      room.isNoted = false
      return (room, room.sequence - entry.sequence)
    }
    (busyRooms, reportedAt) = ([], now)
    return busy.filter { $0.turns > 0 }.sorted { $0.turns > $1.turns }.prefix(10).map { room, turns in
      SessionReport.BusyRoom(
        key: room.key, pages: room.members.count(where: \.isConnected), bytes: room.charge.bytes,
        turnsPerSecond: Double(turns) / seconds)
    }
  }
}
