// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiWire
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5))) struct `Events that have ended the process` {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("musubi-\(UUID().uuidString)").path
  private let lobby = RoomKey(screen: "number", name: "lobby", isPrivate: false)

  private func changes(_ state: Value) -> StoreChanges {
    var changes = StoreChanges()
    changes.rooms = [
      StoredRoom(
        key: lobby, path: "/number", query: [:], visitor: .anonymous,
        position: StreamPosition(epoch: "e", sequence: 1), outputs: 0, state: state, texts: [], events: [],
        nextMember: 2, left: nil)
    ]
    changes.sessions = [
      StoredSession(
        id: "A", token: "", previousToken: nil, visitor: .anonymous, taken: 3, nextScreen: 1,
        views: [StoredSession.View(room: lobby, screen: 0, member: 1, dialog: nil)], left: nil)
    ]
    return changes
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

  private func trap(_ kind: EventKind, _ number: Int = 0) -> Trap {
    Trap(
      kind: kind, room: lobby.digest, session: kind.isInput ? "A" : "", number: number, signal: 4)
  }

  @Test(arguments: StoreKind.installed) func `is there after a restart, until it is lifted`(
    _ kind: StoreKind
  ) async throws {
    let place = try kind.newPlace()
    let store = try place.open()
    #expect(await commit(changes("old"), to: store) == nil)
    _ = try await store.load(after: [trap(.input, 4)], run: 1, at: 10)
    await store.close()

    let again = try place.open()
    let (state, verdicts) = try await again.load(after: [trap(.input, 4)], run: 2, at: 20)
    #expect(verdicts.map(\.consequence) == [.isRefused])
    #expect(state.refusedInputs == [InputID(session: "A", number: 4)])
    #expect(try await again.strikes().map(\.count) == [2])
    #expect(try await again.liftStrikes(7) == 0)
    #expect(try await again.liftStrikes(1) == 1)

    #expect(try await again.load(after: [], run: 2, at: 30).state.refusedInputs.isEmpty)
    await again.close()
  }

  @Test(arguments: StoreKind.installed) func `is a room that is kept aside, and can be put back`(
    _ kind: StoreKind
  ) async throws {
    let place = try kind.newPlace()
    let store = try place.open()
    #expect(await commit(changes("old"), to: store) == nil)
    for run in 1...2 as ClosedRange<UInt64> {
      _ = try await store.load(after: [trap(.timer)], run: run, at: Double(run))
    }
    #expect(try await store.allRooms().isEmpty)
    #expect(try await store.allSessions().isEmpty)
    let aside = try await store.asideRooms()
    #expect(aside.map(\.room.room) == changes("old").rooms)
    #expect(aside.map(\.room.sessions) == [["A"]])
    #expect(await commit(changes("new"), to: store) == nil)

    let done = try await store.putBack(aside[0].id, at: 9)

    #expect(done?.room == lobby && done?.hasReplaced == true)
    var old = changes("old").rooms
    old[0].label = RecordLabel(slot: lobby.slot, made: 9)
    #expect(try await store.allRooms() == old, "At home where it was.")
    #expect(try await store.allSessions().isEmpty, "Its pages begin again.")
    let newer = try await store.asideRooms()
    #expect(newer.map(\.room.room) == changes("new").rooms)
    #expect(try await store.putBack(99, at: 9) == nil)
    #expect(try await store.deleteAside(newer[0].id))
    #expect(try await store.asideRooms().isEmpty)
    await store.close()
  }

  @Test(
    arguments: [
      // How many ended in a row, how long the last one served, how many that makes, the wait in seconds.
      (0, nil, 1, 0), (1, 5, 2, 1), (2, 5, 3, 2), (3, 59, 4, 4), (6, 0, 7, 30), (40, 1, 16, 30),
      (4, 60, 4, 4), (0, 60, 1, 0), (7, 599, 7, 30), (7, 600, 1, 0), (3, nil, 4, 4),
    ] as [(Int, Double?, Int, Int)])
  func `makes the next one wait, longer as long as ends come within a minute`(
    ends: Int, served: Double?, expected: Int, seconds: Int
  ) {
    let pause = RestartPause(ends: ends).afterEnd(served: served)

    #expect(pause.ends == expected)
    #expect(pause.wait(atMost: .seconds(30)) == .seconds(seconds))
    #expect(pause.wait(atMost: .zero) == .zero)
  }

  @Test func `is counted by the record: an end that was asked for is none, a kill while it waits is none`()
    throws
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func life(at time: Double, _ live: (RunRecord) -> Void) throws -> Int {
      let record = try RunRecord(folder: folder, at: time)
      record.begin(1)
      live(record)
      return record.pause.ends
    }
    func serve(_ record: RunRecord, from time: Double) {
      record.isUnderWay = true
      record.listens(at: time)
    }

    #expect(try life(at: 0) { $0.isUnderWay = true } == 0)
    #expect(try life(at: 100) { _ in } == 1, "The one before has never listened.")
    #expect(try life(at: 101) { serve($0, from: 102) } == 1, "A kill while it waited.")
    #expect(try life(at: 110) { serve($0, from: 112) } == 2)
    #expect(try life(at: 300) { serve($0, from: 300) } == 2, "It has served for a while.")
    #expect(
      try life(at: 900) {
        serve($0, from: 900); $0.end()
      } == 1, "It has served for ten minutes.")
    #expect(try life(at: 901) { _ in } == 0)
    #expect(try RunRecord(folder: folder, at: 902).traps.isEmpty)
  }
}
