// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
import MusubiSession
import Synchronization

/// A record as it was read, with its steps.
package struct RecordText: Sendable {
  let key: String
  let label: RecordLabel
  private let data: String
  private let isUsed: Bool
  private let steps: String?
  var bytes: Int { data.utf8.count + (steps?.utf8.count ?? 0) }

  /// What `init` reads.
  static let columns = """
    SELECT key, slot, peer, others, made, data, is_used,
        (SELECT string_agg(s.data, ',' ORDER BY s.version) FROM musubi.step s WHERE s.key = r.key)
      FROM musubi.record r
    """

  init(_ rows: PostgresResult, _ row: Int) throws(PostgresError) {
    key = rows.text(row, 0) ?? ""
    label = RecordLabel(
      slot: try rows.value(row, 1), peer: rows.text(row, 2), others: rows.text(row, 3),
      made: try rows.value(row, 4))
    data = rows.text(row, 5) ?? ""
    isUsed = rows.text(row, 6) == "t"
    steps = rows.text(row, 7)
  }

  /// The room that it is.
  ///
  /// - Throws: If it cannot be read.
  func room() throws -> StoredRoom {
    let decoder = JSONDecoder()
    var room = try decoder.decode(StoredRoom.self, from: Data(data.utf8))
    room.label = label
    guard let steps else { return room }
    return try room.applying(decoder.decode([StoredRoomStep].self, from: Data("[\(steps)]".utf8)))
  }

  /// The session that it is.
  ///
  /// - Throws: If it cannot be read.
  func session() throws -> StoredSession {
    var session = try JSONDecoder().decode(StoredSession.self, from: Data(data.utf8))
    (session.label, session.isUsed) = (label, isUsed)
    return session
  }
}

/// Records of slots that were just taken, read with them, since their pages come back at once: each would be a round trip to the
/// database otherwise, while its loop waits.
///
/// They take 64 MiB at most, for half a minute. Nobody but the owner changes a record, so that one is as it was read until a commit
/// names it. May be used from every thread.
final class RecordsAhead: Sendable {
  private struct State {
    var records: [String: RecordText] = [:]
    var bytes = 0
    var since = ContinuousClock.now
  }

  /// For how long they are kept.
  static let lifetime: Duration = .seconds(30)
  /// How many bytes of them: the others are read when they are asked for.
  private static let maxBytes = 64 << 20
  /// How many come with one reading: without so much space there is none.
  private static let partBytes = 16 << 20
  private let state = Mutex(State())
  private let isEmpty = Atomic(true)

  /// Whether there is space for more.
  var hasSpace: Bool { state.withLock { $0.bytes <= Self.maxBytes - Self.partBytes } }

  /// Slots were taken, with these records; what was known of them before is of an earlier owner.
  func put(_ records: [RecordText], of slots: some Collection<Int>) {
    change { state in
      Self.drop(Set(slots), &state)
      for record in records where state.bytes + record.bytes <= Self.maxBytes {
        state.records[record.key] = record
        state.bytes += record.bytes
      }
      if !records.isEmpty { state.since = .now }
    }
  }

  /// A record, which is not known any more then; nil if it is not known.
  func take(_ key: String) -> RecordText? {
    guard !isEmpty.load(ordering: .relaxed) else { return nil }
    return change { Self.remove(key, &$0) }
  }

  /// Slots have another owner.
  func drop(_ slots: Set<Int>) {
    guard !isEmpty.load(ordering: .relaxed) else { return }
    change { Self.drop(slots, &$0) }
  }

  /// A commit writes records: they are not as they were read any more.
  func drop(_ changes: StoreChanges) {
    guard !isEmpty.load(ordering: .relaxed) else { return }
    change { state in
      let rooms =
        changes.rooms.map(\.key.text) + changes.roomSteps.map(\.room) + changes.endedRooms.map(\.text)
      for key in rooms + changes.sessions.map(\.id) + changes.endedSessions { Self.remove(key, &state) }
    }
  }

  /// Time has passed: who has not come back by now waits for the database.
  func expire(at now: ContinuousClock.Instant = .now) {
    change { if now - $0.since >= Self.lifetime { $0 = State() } }
  }

  private static func drop(_ slots: Set<Int>, _ state: inout State) {
    for (key, record) in state.records where slots.contains(record.label.slot) { remove(key, &state) }
  }

  @discardableResult
  private static func remove(_ key: String, _ state: inout State) -> RecordText? {
    let record = state.records.removeValue(forKey: key)
    state.bytes -= record?.bytes ?? 0
    return record
  }

  @discardableResult
  private func change<Output: Sendable>(_ work: (inout sending State) -> Output) -> Output {
    state.withLock { state in
      defer { isEmpty.store(state.records.isEmpty, ordering: .relaxed) }
      return work(&state)
    }
  }
}
