// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiSQLite
import MusubiText
import MusubiWire
import PostgresServers
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5)), .enabled(if: PostgresServer.shared != nil, "PostgreSQL is installed."))
struct `An import from a file into PostgreSQL` {
  private func key(_ number: Int) -> RoomKey {
    number % 3 == 2
      ? RoomKey(screen: "own", name: "session \(number)", isPrivate: true)
      : RoomKey(screen: "number", name: "room \(number)", isPrivate: false)
  }

  private func room(_ number: Int, state: Value) -> StoredRoom {
    var room = StoredRoom(
      key: key(number), path: "/number", query: [:], visitor: .anonymous,
      position: StreamPosition(epoch: "e", sequence: number), outputs: 7, state: state,
      texts: [StoredRoom.Text(name: "number", text: "結び\u{0}", revision: number)], events: [], nextMember: 4,
      left: number % 2 == 0 ? 3.5 : nil)
    room.label = RecordLabel(slot: number, peer: "i:a\u{0}nn", made: 12)
    room.label.others = number % 2 == 0 ? "a:10.0.0.1" : nil
    return room
  }

  private func session(_ number: Int) -> StoredSession {
    var session = StoredSession(
      id: "session \(number)", token: "hash", previousToken: number % 2 == 0 ? "older" : nil,
      visitor: Visitor(id: "ann"), taken: 3, nextScreen: 1,
      views: [StoredSession.View(room: key(number), screen: 0, member: 3, dialog: nil)], left: 12.5)
    session.label = RecordLabel(slot: number, peer: "i:ann", made: 13)
    session.isUsed = number % 2 == 0
    return session
  }

  private func commit(_ changes: StoreChanges, to store: any DurableStore) async throws {
    try await withCheckedThrowingContinuation { continuation in
      store.commit(changes) { continuation.resume(with: $0.map { _ in }) }
    }
  }

  /// A file with rooms, of which one has a step, and sessions.
  private func filled(_ count: Int) async throws -> SQLiteSessionStore {
    guard case .folder(let folder) = try StoreKind.sqlite.newPlace() else {
      throw CocoaError(.featureUnsupported)
    }
    let file = try SQLiteSessionStore(folder: folder)
    var changes = StoreChanges()
    for number in 0..<count {
      changes.rooms.append(room(number, state: ["count": .integer(Int64(number))]))
      changes.sessions.append(session(number))
    }
    try await commit(changes, to: file)
    changes = StoreChanges()
    changes.roomSteps = [
      StoredRoomStep(
        room: key(0).text, number: 1, sequence: 9, outputs: 8,
        state: [StateChange(path: ["count"], value: 99, edit: nil)], texts: [], events: nil, nextMember: 5,
        left: nil, taken: [TakenInput(session: "session 0", number: 4)])
    ]
    try await commit(changes, to: file)
    return file
  }

  private func empty() throws -> PostgresSessionStore {
    try PostgresSessionStore(.patient(url: try PostgresServer.installed.newDatabase())) { _ in }
  }

  @Test func `brings all records with their labels, and the steps of rooms`() async throws {
    let (file, store) = (try await filled(120), try empty())

    let done = try await store.importAll(of: file)

    #expect(done == StoreImport(rooms: 120, sessions: 120))
    let (mine, others) = (try await file.load(), try await store.load())
    #expect(others.rooms.count == 120 && others.sessions.count == 120)
    for (key, entry) in mine.rooms {
      let label = try #require(others.rooms[key]?.label)
      #expect(
        label.slot == entry.label.slot && label.others == entry.label.others && label.made == entry.label.made
      )
      #expect(label.peer == "i:a\u{FFFD}nn", "PostgreSQL has no U+0000.")
      #expect(others.rooms[key]?.left == entry.left)
      var (copy, original) = (try store.room(key), try file.room(key))
      (copy.label, original.label) = (RecordLabel(slot: 0), RecordLabel(slot: 0))
      #expect(copy == original)
    }
    for (id, entry) in mine.sessions {
      let other = try #require(others.sessions[id])
      #expect(other.label == entry.label && other.isUsed == entry.isUsed && other.left == entry.left)
      #expect(Set(other.rooms) == Set(entry.rooms))
      #expect(try store.session(id) == file.session(id))
    }
    #expect(try store.room(key(0)).state == ["count": 99])
    #expect(try store.room(key(0)).taken?.map(\.number) == [4])
    // The store goes on with the next commit.
    var changes = StoreChanges()
    changes.endedSessions = ["session 1"]
    try await commit(changes, to: store)
    #expect(try await store.load().sessions.count == 119)
    await file.close()
    await store.close()
  }

  @Test func `leaves a damaged record behind, and says which`() async throws {
    let (file, store) = (try await filled(3), try empty())
    let key = key(1).text
    _ = try await file.database.write { connection in
      try connection.run("UPDATE record SET data = '{' WHERE key = ?", key)
    }

    let done = try await store.importAll(of: file)

    #expect(done.rooms == 2 && done.sessions == 3)
    #expect(done.broken.count == 1 && done.broken.allSatisfy { $0.hasPrefix(key) })
    await file.close()
    await store.close()
  }

  @Test func `takes strikes along, and rooms that were put aside`() async throws {
    let (file, store) = (try await filled(3), try empty())
    let trap = Trap(kind: .input, room: key(0).digest, session: "session 0", number: 5, signal: 4)
    for run in 1...2 { _ = try await file.load(after: [trap], run: UInt64(run), at: 100) }
    let strikes = try await file.strikes()
    #expect(!strikes.isEmpty)

    let done = try await store.importAll(of: file)

    #expect(done.strikes == strikes.count)
    #expect(try await store.strikes() == strikes)
    #expect(try await store.asideRooms().map(\.room) == file.asideRooms().map(\.room))
    await file.close()
    await store.close()
  }

  @Test func `writes nothing into a store that has something`() async throws {
    let (file, store) = (try await filled(3), try empty())
    var changes = StoreChanges()
    changes.rooms = [room(7, state: ["count": 1_000])]
    try await commit(changes, to: store)

    let error = await #expect(throws: StorageError.self) { try await store.importAll(of: file) }

    #expect(error?.description.contains("is not empty") == true)
    #expect(try await store.load().rooms.count == 1)
    #expect(try await store.load().sessions.isEmpty)
    await file.close()
    await store.close()
  }
}
