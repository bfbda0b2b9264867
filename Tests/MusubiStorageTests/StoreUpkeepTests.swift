// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiSQLite
import MusubiWire
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5))) struct `The upkeep of a store` {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("musubi-\(UUID().uuidString)").path
  private let lobby = RoomKey(screen: "number", name: "lobby", isPrivate: false)

  private struct Failure: Error {}

  private func whole() -> StoreChanges {
    var changes = StoreChanges()
    changes.rooms = [
      StoredRoom(
        key: lobby, path: "/number", query: [:], visitor: .anonymous,
        position: StreamPosition(epoch: "e", sequence: 1), outputs: 1, state: "", texts: [], events: [],
        nextMember: 1, left: nil)
    ]
    return changes
  }

  private func step(_ number: Int, bytes: Int) -> StoreChanges {
    var changes = StoreChanges()
    let text = String(repeating: "x", count: bytes)
    changes.roomSteps = [
      StoredRoomStep(
        room: lobby.text, number: number, sequence: number + 1, outputs: 1,
        state: [StateChange(path: [], value: .string(text), edit: nil)], texts: [], events: nil,
        nextMember: 1,
        left: nil)
    ]
    return changes
  }

  private func commit(_ changes: StoreChanges, to store: SQLiteSessionStore) async throws {
    _ = try await withCheckedThrowingContinuation { continuation in
      store.commit(changes) { continuation.resume(with: $0) }
    }
  }

  private func count(_ sql: String, _ store: SQLiteSessionStore) async throws -> Int {
    try await store.database.read { try $0.row(sql) { try $0.value(0, as: Int.self) } ?? 0 }
  }

  /// Waits until the upkeep that is under way has ended.
  private func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test func `empties a journal that several processes have filled`() async throws {
    var store = try SQLiteSessionStore(folder: folder)
    try await commit(whole(), to: store)
    for number in 1...5 {
      try await commit(step(number, bytes: 90 << 10), to: store)
      await store.close()
      store = try SQLiteSessionStore(folder: folder)
    }
    #expect(try await count("SELECT count(*) FROM step", store) == 0)

    try await commit(step(6, bytes: 90 << 10), to: store)

    try await eventually { try await count("SELECT count(*) FROM step", store) == 1 }
    #expect(try await count("SELECT sum(length(data)) FROM journal", store) == 0)
    #expect(try store.room(lobby).state.stringValue?.utf8.count == 90 << 10)
    await store.close()
  }

  @Test func `sweeps up what earlier processes have left, also behind what it looks at first`() async throws {
    var store = try SQLiteSessionStore(folder: folder)
    try await commit(whole(), to: store)
    _ = try await store.database.write { connection in
      for _ in 0..<5_000 {
        try connection.run(
          "INSERT INTO step (record, version, bytes, data) SELECT id, version - 1, 1, '' FROM record")
      }
    }
    await store.close()
    store = try SQLiteSessionStore(folder: folder)

    try await commit(step(1, bytes: 1), to: store)

    try await eventually { try await count("SELECT count(*) FROM step", store) == 0 }
    await store.close()
  }

  @Test func `begins again after a commit that failed`() async throws {
    let store = try SQLiteSessionStore(folder: folder)
    try await commit(whole(), to: store)
    let path = "\(folder)/sessions.sqlite"
    let connection = try SQLiteConnection(.file(path))
    let upkeep = try StoreUpkeep(connection)
    var sizes = StoredSizes()
    sizes.steps = [600 << 10]
    #expect(upkeep.note(sizes, hasDeleted: false))

    #expect(throws: Failure.self) {
      try connection.transaction {
        _ = try upkeep.work(connection)
        throw Failure()
      }
    }
    #expect(!upkeep.end(nil))

    sizes.steps = [1]
    #expect(upkeep.note(sizes, hasDeleted: false), "The journal is as long as it was.")
    let outcome = try connection.transaction { try upkeep.work(connection) }
    #expect(!upkeep.end(outcome))
    #expect(!upkeep.note(sizes, hasDeleted: false))
    await store.close()
  }
}
