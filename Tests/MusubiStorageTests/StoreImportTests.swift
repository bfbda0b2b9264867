// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiText
import MusubiWire
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5))) struct `An import from one store into another` {
  private func key(_ number: Int) -> RoomKey {
    RoomKey(screen: "number", name: "room \(number)", isPrivate: false)
  }

  private func room(_ number: Int, state: Value) -> StoredRoom {
    var room = StoredRoom(
      key: key(number), path: "/number", query: [:], visitor: .anonymous,
      position: StreamPosition(epoch: "e", sequence: number), outputs: 7, state: state,
      texts: [StoredRoom.Text(name: "number", text: "結び", revision: number)], events: [], nextMember: 4,
      left: 3.5)
    room.label = RecordLabel(slot: number, peer: "a:10.0.0.1", made: 12)
    return room
  }

  private func session(_ number: Int) -> StoredSession {
    var session = StoredSession(
      id: "session \(number)", token: "hash", previousToken: nil, visitor: Visitor(id: "ann"), taken: 3,
      nextScreen: 1,
      views: [StoredSession.View(room: key(number), screen: 0, member: 3, dialog: nil)], left: 12.5)
    session.label = RecordLabel(slot: number, peer: "i:ann", made: 13)
    session.isUsed = true
    return session
  }

  private func commit(_ changes: StoreChanges, to store: any DurableStore) async throws {
    try await withCheckedThrowingContinuation { continuation in
      store.commit(changes) { continuation.resume(with: $0.map { _ in }) }
    }
  }

  /// A file with rooms, of which one has a step, and sessions.
  private func filled(_ count: Int) async throws -> any DurableStore {
    let file = try StoreKind.sqlite.newPlace().open()
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
        left: nil,
        taken: [TakenInput(session: "session 0", number: 4)])
    ]
    try await commit(changes, to: file)
    return file
  }

  @Test(arguments: StoreKind.installed) func `brings all records with their labels, and the steps of rooms`(
    _ kind: StoreKind
  ) async throws {
    let (file, store) = (try await filled(450), try kind.newPlace().open())

    var copy = StoreImport(from: file, to: store)
    let outcome = try await copy.run()

    #expect(outcome == StoreImport.Outcome(rooms: 450, sessions: 450))
    let (mine, others) = (try await file.load(), try await store.load())
    #expect(others.rooms.count == 450 && others.sessions.count == 450)
    for (key, entry) in mine.rooms {
      #expect(others.rooms[key]?.label == entry.label)
      #expect(try store.room(key) == file.room(key))
    }
    for (id, entry) in mine.sessions {
      #expect(others.sessions[id]?.label == entry.label && others.sessions[id]?.isUsed == entry.isUsed)
      #expect(try store.session(id) == file.session(id))
    }
    #expect(try store.room(key(0)).state == ["count": 99])
    #expect(try store.room(key(0)).taken?.map(\.number) == [4])
    await file.close()
    await store.close()
  }

  @Test(arguments: StoreKind.installed) func `goes on where it was interrupted`(_ kind: StoreKind)
    async throws
  {
    let (file, store) = (try await filled(5), try kind.newPlace().open())
    var changes = StoreChanges()
    changes.rooms = [room(3, state: ["count": 3])]
    changes.sessions = [session(4)]
    try await commit(changes, to: store)

    var copy = StoreImport(from: file, to: store)
    let outcome = try await copy.run()

    #expect(outcome == StoreImport.Outcome(rooms: 4, sessions: 4, known: 2))
    var again = StoreImport(from: file, to: store)
    #expect(try await again.run() == StoreImport.Outcome(known: 10))
    await file.close()
    await store.close()
  }

  @Test(arguments: StoreKind.installed, [false, true])
  func `writes nothing into a store that a server has used`(_ kind: StoreKind, isKnown: Bool) async throws {
    let (file, store) = (try await filled(3), try kind.newPlace().open())
    var changes = StoreChanges()
    changes.rooms = [room(isKnown ? 2 : 7, state: ["count": 1_000])]
    try await commit(changes, to: store)

    var copy = StoreImport(from: file, to: store)
    await #expect(throws: StorageError.self) { try await copy.run() }

    #expect(try await store.load().rooms.count == 1)
    #expect(try await store.load().sessions.isEmpty)
    await file.close()
    await store.close()
  }
}
