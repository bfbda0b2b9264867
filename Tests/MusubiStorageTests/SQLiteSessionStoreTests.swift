// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiSQLite
import MusubiText
import MusubiWire
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5))) struct `Stored sessions` {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("musubi-\(UUID().uuidString)").path

  private let lobby = RoomKey(screen: "number", name: "lobby", isPrivate: false)

  private func room(_ state: Value, sequence: Int) -> StoredRoom {
    StoredRoom(
      key: lobby, path: "/number", query: ["a": "b"], visitor: .anonymous,
      position: StreamPosition(epoch: "e", sequence: sequence), outputs: .max - 1, state: state,
      texts: [StoredRoom.Text(name: "number", text: "結び \u{0}\u{1F600}", revision: 3)],
      events: [StoredRoom.Event(sequence: 2, name: "told", value: nil)], nextMember: 4, left: nil)
  }

  private func session(_ id: String, taken: Int) -> StoredSession {
    StoredSession(
      id: id, token: "hash", previousToken: nil, visitor: Visitor(id: "ann"), taken: taken,
      nextScreen: 2,
      views: [
        StoredSession.View(
          room: lobby, screen: 0, member: 3,
          dialog: StoredSession.Dialog(name: "ask", value: ["id": 7, "at": 0.5, "on": true, "no": nil]))
      ], left: 12.5)
  }

  private func commit(_ changes: StoreChanges, to store: any DurableStore) async -> String? {
    await withCheckedContinuation { continuation in
      store.commit(changes) { result in
        if case .failure(let failure) = result {
          continuation.resume(returning: failure.message)
        } else {
          continuation.resume(returning: nil)
        }
      }
    }
  }

  @Test(arguments: StoreKind.installed) func `come back as they were, the newest of each`(
    _ kind: StoreKind
  ) async throws {
    let place = try kind.newPlace()
    let store = try place.open()
    var changes = StoreChanges()
    changes.rooms = [room("old", sequence: 1)]
    changes.sessions = [session("A", taken: 1), session("B", taken: 9)]
    #expect(await commit(changes, to: store) == nil)
    changes = StoreChanges()
    changes.rooms = [room(["count": 5, "list": [1, 2.5, "x", nil]], sequence: 2)]
    changes.sessions = [session("A", taken: 2)]
    changes.endedSessions = ["B"]
    #expect(await commit(changes, to: store) == nil)
    await store.close()

    let again = try place.open()
    #expect(try await again.allRooms() == changes.rooms)
    #expect(try await again.allSessions() == changes.sessions)
    await again.close()
  }

  @Test(arguments: StoreKind.installed) func `come back with their later changes`(
    _ kind: StoreKind
  ) async throws {
    let place = try kind.newPlace()
    let store = try place.open()
    let long = String(repeating: "x", count: 300)
    var changes = StoreChanges()
    changes.rooms = [room(["a/b": ["list": [1, .string(long)]]], sequence: 1)]
    changes.sessions = [session("A", taken: 1)]
    #expect(await commit(changes, to: store) == nil)
    let states: [Value] = [
      ["a/b": ["list": [2, .string("y" + long)]]], ["a/b": ["list": [2, .string("y" + long)], "c": nil]],
      "all \u{1}",
    ]
    var expected = changes.rooms[0]
    for (index, state) in states.enumerated() {
      var changes = StoreChanges()
      var step = StoredRoomStep(
        room: lobby.text, number: index + 1, sequence: index + 2, outputs: .max,
        state: StateChange.changes(from: expected.state, to: state),
        texts: [.init(name: "number", edits: [TextEdit(position: 0, inserted: "\"é")])],
        events: index == 1 ? [.init(sequence: 9, name: "told", value: ["x": nil])] : nil, nextMember: 5,
        left: 2.5)
      if index == 2 { step.rowsFollow = true }
      step.taken = [TakenInput(session: "A", number: index + 7), TakenInput(session: "é\"", number: 1)]
      changes.roomSteps = [step]
      expected = try expected.applying(step)
      #expect(expected.state == state)
      #expect(await commit(changes, to: store) == nil)
    }
    await store.close()

    let again = try place.open()

    #expect(try await again.allRooms() == [expected])
    let inputs = [TakenInput(session: "A", number: 9), TakenInput(session: "é\"", number: 1)]
    #expect(expected.taken == inputs, "Each session's newest.")
    #expect(expected.rowsFollow == true)
    #expect(try await again.load().rooms[lobby]?.left == 2.5)
    #expect(expected.texts[0].text == "\"é\"é\"é結び \u{0}\u{1F600}" && expected.texts[0].revision == 6)
    #expect(try await again.allSessions() == [session("A", taken: 1)])
    changes.sessions = []
    #expect(await commit(changes, to: again) == nil, "A whole takes the place of the steps.")
    #expect(try await again.allRooms() == changes.rooms)
    changes = StoreChanges()
    changes.endedRooms = [lobby]
    #expect(await commit(changes, to: again) == nil)
    #expect(try await again.allRooms().isEmpty)
    await again.close()
  }

  @Test func `are erased when they end: the file has nothing of their text any more`() async throws {
    let tea = RoomKey(screen: "number", name: "tea", isPrivate: false)
    let stays = StoredRoom(
      key: tea, path: "/number", query: [:], visitor: .anonymous,
      position: StreamPosition(epoch: "e", sequence: 1), outputs: 1, state: "stays here", texts: [],
      events: [],
      nextMember: 1, left: nil)
    var changes = StoreChanges()
    changes.rooms = [room("what nobody may read", sequence: 1), stays]
    func isInFile(_ text: String) throws -> Bool {
      let file = try Data(contentsOf: URL(fileURLWithPath: folder).appending(path: "sessions.sqlite"))
      return file.range(of: Data(text.utf8)) != nil
    }
    for isThere in [true, false] {
      let store = try SQLiteSessionStore(folder: folder)
      #expect(await commit(changes, to: store) == nil)
      await store.close()
      #expect(try isInFile("what nobody may read") == isThere)
      #expect(try isInFile("stays here"))
      changes = StoreChanges()
      changes.endedRooms = [lobby]
    }
  }

  @Test(arguments: StoreKind.installed) func `come back with all peers of whoever made them`(
    _ kind: StoreKind
  ) async throws {
    let place = try kind.newPlace()
    let peers: [Peer] = [.identity("ann b"), .address("2001:db8::/64"), .network("2001:db8::/48")]
    let store = try place.open()
    var changes = StoreChanges()
    changes.rooms = [room("state", sequence: 1)]
    changes.sessions = [session("A", taken: 1)]
    changes.rooms[0].label = RecordLabel(slot: lobby.slot, peers: peers, made: 3)
    changes.sessions[0].label = RecordLabel(slot: lobby.slot, peers: [peers[1]], made: 4)
    #expect(await commit(changes, to: store) == nil)
    await store.close()

    let again = try place.open()

    let index = try await again.load()
    #expect(index.rooms[lobby]?.label == changes.rooms[0].label && index.rooms[lobby]?.label.peers == peers)
    #expect(index.sessions["A"]?.label == changes.sessions[0].label)
    #expect(try await again.allRooms() == changes.rooms)
    #expect(try await again.allSessions() == changes.sessions)
    await again.close()
  }

  @Test func `are found whatever the number of loops is`() async throws {
    let sessions = (0..<40).map { session("\(Array("ABCD")[$0 % 4])\($0)", taken: $0) }
    let label = RecordLabel(slot: lobby.slot)
    let state = StoredState(
      rooms: [lobby: StoredEntry(label: label, bytes: 1, left: nil)],
      sessions: Dictionary(
        uniqueKeysWithValues: sessions.map {
          ($0.id, StoredEntry(label: label, bytes: 1, left: nil, rooms: [lobby]))
        }))

    for loops in 1...4 {
      let (parts, unnamed) = state.parts(loops: loops)

      #expect(parts.map(\.sessions.count).reduce(0, +) == 40)
      let home = try #require(parts.firstIndex { !$0.rooms.isEmpty })
      #expect(parts[home].sessions.count == 40, "A session lives where its room does.")
      for session in sessions {
        #expect(unnamed[session.id] == lobby.slot)
      }
    }
  }

  @Test(arguments: [(false, 1), (true, 2)]) func `are synced with each commit if that is wanted`(
    isSynced: Bool, level: Int
  ) async throws {
    let store = try SQLiteSessionStore(folder: folder, isSynced: isSynced)

    let found = try await store.database.read {
      try $0.row("PRAGMA synchronous") { try $0.value(0, as: Int.self) }
    }

    #expect(found == level, "SQLite: 1 is NORMAL, 2 is FULL.")
    await store.close()
  }

  @Test func `need a file that nobody else uses, and say so`() async throws {
    let store = try SQLiteSessionStore(folder: folder)

    let error = #expect(throws: StorageError.self) {
      try SQLiteSessionStore(folder: folder, busyTimeout: .milliseconds(10))
    }

    #expect(error?.description.contains("is in use by another process") == true)
    await store.close()
    await (try SQLiteSessionStore(folder: folder)).close()
  }

  @Test func `say what to do about a file that is damaged or newer`() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/sessions.sqlite"
    try Data("This is no database, whatever its name says; it has enough bytes to be read as one.".utf8)
      .write(to: URL(fileURLWithPath: path))
    #expect(throws: StorageError.self) { try SQLiteSessionStore(folder: folder) }

    try FileManager.default.removeItem(atPath: path)
    let store = try SQLiteSessionStore(folder: folder)
    await store.close()
    do {
      let connection = try SQLiteConnection(.file(path))
      try connection.run("INSERT INTO musubi_migration VALUES ('from the future')")
    }
    let error = #expect(throws: StorageError.self) { try SQLiteSessionStore(folder: folder) }
    #expect(error?.description.contains("newer version") == true)
  }

  @Test func `are refused by a full disk with a sentence, and taken when there is space again`() async throws
  {
    let store = try SQLiteSessionStore(folder: folder, maxPages: 20)
    var changes = StoreChanges()
    changes.rooms = [room(.string(String(repeating: "x", count: 100_000)), sequence: 1)]
    changes.sessions = [session("A", taken: 1)]

    let failure = await commit(changes, to: store)

    #expect(failure?.contains("is full") == true)
    changes.rooms = [room("short", sequence: 1)]
    #expect(await commit(changes, to: store) == nil)
    await store.close()
  }
}
