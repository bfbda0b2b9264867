// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `Strikes` {
  private let lobby = RoomKey(screen: "number", name: "lobby", isPrivate: false)
  private let own = RoomKey(screen: "form", name: "A", isPrivate: true)

  private func room(_ key: RoomKey) -> StoredRoom {
    StoredRoom(
      key: key, path: "/", query: [:], visitor: .anonymous, position: StreamPosition(epoch: "e", sequence: 1),
      outputs: 0, state: 0, texts: [], events: [], nextMember: 2, left: nil)
  }

  private func session(_ id: String, taken: Int, _ rooms: [RoomKey]) -> StoredSession {
    StoredSession(
      id: id, token: "", previousToken: nil, visitor: .anonymous, taken: taken, nextScreen: rooms.count,
      views: rooms.enumerated().map {
        StoredSession.View(room: $1, screen: $0, member: 1, dialog: nil)
      }, left: nil)
  }

  private var records: Records {
    Records(
      rooms: [room(lobby), room(own)],
      sessions: [session("A", taken: 4, [lobby, own]), session("B", taken: 0, [lobby])])
  }

  private var state: StoredState { records.index }

  private func trap(_ kind: EventKind, _ session: String = "", _ number: Int = 0, in room: RoomKey) -> Trap {
    Trap(kind: kind, room: room.digest, session: session, number: number, signal: 4)
  }

  @Test func `of one process count once, however often it is judged`() throws {
    var state = state
    let traps = [trap(.input, "A", 5, in: lobby)]
    let first = try state.judge(traps, run: 1, at: 0, strikes: [], reading: records)
    let again = try state.judge(traps, run: 1, at: 1, strikes: first.strikes, reading: records)
    let second = try state.judge(traps, run: 2, at: 2, strikes: again.strikes, reading: records)

    #expect(first.strikes.map(\.count) == [1] && again.strikes.map(\.count) == [1])
    #expect(second.strikes.map(\.count) == [2])
    #expect(second.verdicts == [Verdict(trap: traps[0], room: lobby, consequence: .isRefused)])
    #expect(state.refusedInputs == [InputID(session: "A", number: 5)])
    let (parts, _) = state.parts(loops: 3)
    #expect(parts.allSatisfy { $0.refusedInputs == state.refusedInputs })
  }

  @Test func `of different inputs, or of different rooms, are not added`() throws {
    var state = state
    var strikes: [Strike] = []
    let traps = [
      trap(.input, "A", 5, in: lobby), trap(.edit, "A", 6, in: lobby), trap(.input, "B", 5, in: lobby),
      trap(.timer, in: lobby), trap(.join, in: own),
    ]
    for (run, trap) in traps.enumerated() {
      strikes = try state.judge([trap], run: UInt64(run + 1), at: 0, strikes: strikes, reading: records)
        .strikes
    }

    #expect(strikes.map(\.count) == [1, 1, 1, 1, 1])
    #expect(Set(strikes.map(\.id)).count == 5)
  }

  @Test func `of a room are added whatever it did`() throws {
    var state = state
    let first = try state.judge([trap(.timer, in: own)], run: 1, at: 0, strikes: [], reading: records)
    let second = try state.judge(
      [trap(.output, in: own)], run: 2, at: 9, strikes: first.strikes, reading: records)

    #expect(second.strikes.isEmpty, "The room has gone, and what comes begins without one.")
    #expect(second.aside.map(\.room) == [room(own)])
    #expect(second.aside.first?.sessions == ["A"] && second.aside.first?.kind == .output)
    #expect(second.ended.endedRooms == [own] && second.ended.endedSessions == ["A"])
    #expect(state.rooms.map(\.key) == [lobby] && state.sessions.map(\.key) == ["B"])
    #expect(state.brokenSessions == ["A"])
  }

  @Test func `of a shared room end all its sessions, and what only they show`() throws {
    var state = state
    let first = try state.judge([trap(.join, in: lobby)], run: 1, at: 0, strikes: [], reading: records)
    let second = try state.judge(
      [trap(.join, in: lobby)], run: 2, at: 1, strikes: first.strikes, reading: records)

    #expect(Set(second.ended.endedSessions) == ["A", "B"])
    #expect(Set(second.ended.endedRooms) == [lobby, own])
    #expect(second.aside.map(\.room.key) == [lobby])
    #expect(state.rooms.isEmpty && state.sessions.isEmpty)
  }

  @Test func `lapse: an input's when it was taken or its session has gone, a room's after a day`() throws {
    var state = state
    let traps = [
      trap(.input, "A", 5, in: lobby), trap(.input, "B", 1, in: lobby), trap(.timer, in: lobby),
    ]
    let strikes = try state.judge(traps, run: 1, at: 0, strikes: [], reading: records).strikes
    #expect(strikes.count == 3)
    let records = Records(rooms: [room(lobby)], sessions: [session("A", taken: 5, [lobby])])
    var later = records.index

    let day = try later.judge([], run: 2, at: 86_399, strikes: strikes, reading: records).strikes
    #expect(day.map(\.input) == [nil])
    #expect(try later.judge([], run: 3, at: 86_400, strikes: strikes, reading: records).strikes.isEmpty)
  }

  @Test func `are not given to events that are not stored`() throws {
    var state = state
    let traps = [
      trap(.input, "C", 1, in: lobby), trap(.input, "A", 4, in: lobby),
      trap(.timer, in: RoomKey(screen: "gone", name: "x", isPrivate: false)),
    ]
    let judgement = try state.judge(traps, run: 1, at: 0, strikes: [], reading: records)

    #expect(judgement.strikes.isEmpty)
    #expect(judgement.verdicts.map(\.consequence) == [.none, .none, .none])
  }

  @Test func `tell rooms apart by every part of their key`() throws {
    let keys = [
      lobby, own, RoomKey(screen: "number", name: "lobby", isPrivate: true),
      RoomKey(screen: "numbe", name: "rlobby", isPrivate: false),
    ]
    #expect(Set(keys.map(\.digest)).count == 4)
  }
}

/// Records in memory.
struct Records: RecordReader {
  let rooms: [StoredRoom]
  let sessions: [StoredSession]

  /// What the start of a server knows of them.
  var index: StoredState {
    StoredState(
      rooms: Dictionary(
        uniqueKeysWithValues: rooms.map { ($0.key, StoredEntry(label: $0.label, bytes: 1, left: $0.left)) }),
      sessions: Dictionary(
        uniqueKeysWithValues: sessions.map { session in
          let rooms = session.sharedRoom.map { [$0] } ?? []
          return (session.id, StoredEntry(label: session.label, bytes: 1, left: session.left, rooms: rooms))
        }))
  }

  func room(_ key: RoomKey) throws(RecordError) -> StoredRoom {
    guard let room = rooms.first(where: { $0.key == key }) else { throw .broken("it is not there") }
    return room
  }

  func session(_ id: String) throws(RecordError) -> StoredSession {
    guard let session = sessions.first(where: { $0.id == id }) else { throw .broken("it is not there") }
    return session
  }
}
