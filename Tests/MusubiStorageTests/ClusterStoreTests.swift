// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiPostgres
import MusubiText
import MusubiWire
import PostgresServers
import Synchronization
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5)), .enabled("a PostgreSQL server is installed") { PostgresServer.shared != nil })
struct `A store in PostgreSQL that nodes share` {
  private let url: String
  private let server: PostgresServer

  init() throws {
    server = try PostgresServer.installed
    url = try server.newDatabase()
  }

  private final class Reports: Sendable {
    private let events = Mutex<[PostgresStoreEvent]>([])
    var losses: [String] {
      events.withLock { $0.compactMap { if case .lost(let sentence) = $0 { sentence } else { nil } } }
    }
    func note(_ event: PostgresStoreEvent) { events.withLock { $0.append(event) } }
  }

  private func admin() throws -> PostgresConnection {
    try PostgresConnection(PostgresConfiguration(url: url))
  }

  /// A node that owns slots: this is what a directory does.
  private func join(
    _ node: Int64, owning slots: [Int], through folder: String? = nil, reports: Reports = Reports()
  ) async throws -> PostgresSessionStore {
    let place = folder.map { url.replacingOccurrences(of: server.folder, with: $0) } ?? url
    var configuration = PostgresStoreConfiguration.patient(url: place, node: node)
    configuration.longestPause = .milliseconds(50)
    let store = try PostgresSessionStore(joining: configuration, node: node) { reports.note($0) }
    let connection = try admin()
    try connection.run(
      "INSERT INTO musubi.node (id, folder, address, build, loops, link) VALUES ($1, $1, 'there:1', '', 1, 1)",
      .integer(node))
    await store.own(try take(slots, for: node, connection))
    return store
  }

  private func take(
    _ slots: [Int], for node: Int64, _ connection: PostgresConnection
  ) throws -> [Int: PostgresFence] {
    let rows = try connection.run(
      """
      UPDATE musubi.fence SET node = $1, generation = generation + 1 WHERE slot = ANY ($2)
        RETURNING slot, generation, commits
      """, .integer(node), .integers(slots.map { Int64($0) }))
    var fences: [Int: PostgresFence] = [:]
    for row in 0..<rows.count {
      fences[try rows.value(row, 0)] = PostgresFence(
        generation: try rows.value(row, 1), commits: try rows.value(row, 2))
    }
    return fences
  }

  private func key(_ slot: Int) -> RoomKey {
    RoomKey(screen: "number", name: "room \(slot)", isPrivate: false)
  }

  /// Rooms as a whole, each in its slot.
  private func wholes(_ slots: [Int], _ text: String) -> StoreChanges {
    var changes = StoreChanges()
    changes.rooms = slots.map { slot in
      var room = StoredRoom(
        key: key(slot), path: "/number", query: [:], visitor: .anonymous,
        position: StreamPosition(epoch: "e", sequence: 1), outputs: 1, state: "",
        texts: [StoredRoom.Text(name: "n", text: text, revision: 0)], events: [], nextMember: 4, left: nil)
      room.label = RecordLabel(slot: slot, made: 1)
      return room
    }
    return changes
  }

  /// A keystroke in each room: its text shows how often it was stored.
  private func steps(_ slots: [Int], _ number: Int, _ text: String) -> StoreChanges {
    var changes = StoreChanges()
    changes.roomSteps = slots.map {
      StoredRoomStep(
        room: key($0).text, slot: $0, number: number, sequence: number + 1, outputs: 1, state: [],
        texts: [.init(name: "n", edits: [TextEdit(position: 0, inserted: text)])], events: nil, nextMember: 4,
        left: nil)
    }
    return changes
  }

  private func session(
    _ id: String, in slot: Int, showing room: RoomKey? = nil, left: Double? = nil
  ) -> StoredSession {
    var session = StoredSession(
      id: id, token: "t", previousToken: nil, visitor: .anonymous, taken: 1, nextScreen: 1,
      views: room.map { [StoredSession.View(room: $0, screen: 0, member: 1, dialog: nil)] } ?? [], left: left)
    session.label = RecordLabel(slot: slot, made: 1)
    return session
  }

  private func commit(
    _ changes: StoreChanges, to store: PostgresSessionStore
  ) async -> Result<StoredSizes, StoreFailure> {
    await withCheckedContinuation { continuation in
      store.commit(changes) { continuation.resume(returning: $0) }
    }
  }

  /// The slots of a commit that were lost.
  private func lost(_ changes: StoreChanges, to store: PostgresSessionStore) async throws -> Set<Int> {
    try await commit(changes, to: store).get().lost
  }

  private func text(_ slot: Int) throws -> String? {
    try PostgresRecords.room(key(slot), admin())?.texts.first?.text
  }

  private func waitForLock(_ connection: PostgresConnection) async throws {
    while try connection.waiters() == 0 {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  // MARK: - Owners

  @Test func `is written by two owners at once, each in its own slots`() async throws {
    let first = try await join(1, owning: [1, 2])
    let second = try await join(2, owning: [3, 4])
    for (store, slots) in [(first, [1, 2]), (second, [3, 4])] {
      #expect(try await lost(wholes(slots, ""), to: store).isEmpty)
    }

    await withTaskGroup(of: Void.self) { group in
      for (store, slots) in [(first, [1, 2]), (second, [4, 3])] {
        group.addTask {
          for number in 1...50 {
            let result = await commit(steps(slots, number, "x"), to: store)
            #expect((try? result.get().lost) == [])
          }
        }
      }
    }

    for slot in 1...4 { #expect(try text(slot) == String(repeating: "x", count: 50)) }
    #expect(await first.fence(of: 2) == PostgresFence(generation: 1, commits: 51))
    #expect(await second.fence(of: 2) == nil)
    #expect(
      try await lost(steps([1, 3], 51, "y"), to: second) == [1], "It is another's, and nobody is asked.")
    #expect(try text(1)?.contains("y") == false && text(3)?.hasPrefix("y") == true)
    await first.close()
    await second.close()
    #expect(try admin().run("SELECT FROM musubi.node").count == 2, "They are the directory's.")
  }

  @Test func `loses the slot alone that another has taken while a commit waited for it`() async throws {
    let reports = Reports()
    let store = try await join(1, owning: [4, 5, 6], reports: reports)
    var first = wholes([4, 5, 6], "end")
    first.sessions = [session("gone", in: 5), session("gone, too", in: 6)]
    #expect(try await lost(first, to: store).isEmpty)
    let connection = try admin()
    try connection.runScript("BEGIN")
    let theirs = try take([5], for: 2, connection)

    var late = steps([4, 5, 6], 1, "late ")
    late.rooms = wholes([5], "whole").rooms
    late.roomSteps.removeAll { $0.slot == 5 }
    late.sessions = [session("five", in: 5), session("six", in: 6)]
    late.end("gone", in: 5)
    late.end("gone, too", in: 6)
    async let answer = lost(late, to: store)
    try await waitForLock(connection)
    try connection.runScript("COMMIT")

    #expect(try await answer == [5])
    #expect(try text(4) == "late end" && text(5) == "end" && text(6) == "late end")
    let sessions = try connection.run("SELECT key FROM musubi.record WHERE key NOT LIKE '[%' ORDER BY key")
    #expect((0..<sessions.count).map { sessions.text($0, 0) } == ["gone", "six"])
    #expect(await store.fence(of: 5) == nil)
    #expect(await store.fence(of: 6) == PostgresFence(generation: 1, commits: 2))
    #expect(reports.losses.isEmpty)

    // The other owner's row is as it was.
    let other = try await join(2, owning: [])
    await other.own(theirs)
    #expect(theirs == [5: PostgresFence(generation: 2, commits: 1)])
    #expect(try await lost(steps([5], 1, "new "), to: other).isEmpty)
    #expect(try await lost(steps([5, 6], 2, "more "), to: store) == [5])
    #expect(try text(5) == "new end" && text(6) == "more late end")
    await store.close()
    await other.close()
  }

  @Test
  func `has records of slots that were taken, as they were read, until a commit names them or the slots go`()
    async throws
  {
    let store = try await join(1, owning: [1, 2, 3, 4])
    var first = wholes([1, 2, 3, 4], "end")
    first.sessions = [1, 2].map { session("A\($0)", in: $0) } + [session("left", in: 1, left: 5)]
    #expect(try await lost(first, to: store).isEmpty)
    #expect(try await lost(steps([1, 2, 3, 4], 1, "the "), to: store).isEmpty)
    let connection = try admin()
    let ahead = try PostgresRecords.ahead(connection, slots: [1, 2, 3])
    #expect(ahead.map(\.label.slot).sorted() == [1, 1, 2, 2, 3], "Who left long ago is left out.")
    let known = RecordsAhead()
    known.put(ahead, of: [1, 2, 3])
    known.expire(at: .now + .seconds(20))
    #expect(known.take("A1") != nil)
    known.expire(at: .now + .seconds(40))
    #expect(known.take("A2") == nil, "Nobody has come back for it.")
    store.know(ahead, of: [1, 2, 3])
    await store.own(try take([1, 2, 3], for: 1, connection))
    // What is in the database is another text from now on.
    try connection.run("UPDATE musubi.step SET data = replace(data, 'the ', 'her ')")

    #expect(try store.room(key(1)).texts.first?.text == "the end")
    #expect(try store.session("A1").label.slot == 1)
    #expect(try store.room(key(1)).texts.first?.text == "her end", "It was known once.")
    #expect(try await lost(steps([2], 2, "in "), to: store).isEmpty)
    #expect(try store.room(key(2)).texts.first?.text == "in her end")
    await store.letGo([3])
    #expect(try store.room(key(3)).texts.first?.text == "her end")
    await store.close()
  }

  @Test func `tells commits that share a statement each its own loss`() async throws {
    let store = try await join(1, owning: [1, 2, 3])
    #expect(try await lost(wholes([1, 2, 3], ""), to: store).isEmpty)
    let connection = try admin()
    try connection.runScript("BEGIN")
    _ = try take([2], for: 2, connection)
    async let first = lost(steps([2], 1, "a"), to: store)
    try await waitForLock(connection)

    async let second = lost(steps([1, 2], 1, "b"), to: store)
    async let third = lost(steps([3], 1, "c"), to: store)
    try await Task.sleep(for: .milliseconds(50))
    try connection.runScript("COMMIT")

    #expect(try await first == [2])
    #expect(try await second == [2])
    #expect(try await third == [])
    #expect(try text(1) == "b" && text(2) == "" && text(3) == "c")
    await store.close()
  }

  @Test func `stores what came before a slot is let go, and nothing later`() async throws {
    let store = try await join(1, owning: [1, 2])
    #expect(try await lost(wholes([1, 2], ""), to: store).isEmpty)
    let connection = try admin()
    try connection.runScript("BEGIN; SELECT FROM musubi.fence FOR UPDATE")
    async let before = lost(steps([1], 1, "before "), to: store)
    try await waitForLock(connection)
    async let behind = lost(steps([1, 2], 2, "behind "), to: store)
    try await Task.sleep(for: .milliseconds(50))
    async let letting: Void = store.letGo([1])
    try await Task.sleep(for: .milliseconds(50))
    try connection.runScript("COMMIT")
    await letting

    #expect(try await before == [])
    #expect(try await behind == [])
    #expect(try text(1) == "behind before ")
    #expect(try await lost(steps([1, 2], 3, "late "), to: store) == [1])
    #expect(try text(1) == "behind before " && text(2) == "late behind ")
    await store.own(try take([1], for: 1, connection))
    #expect(try await lost(steps([1], 3, "again "), to: store) == [])
    #expect(try text(1) == "again behind before ")
    await store.close()
  }

  @Test func `stores nothing more after the node was given up`() async throws {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let reports = Reports()
    let store = try await join(1, owning: [1], through: proxy.folder, reports: reports)
    #expect(try await lost(wholes([1], "end"), to: store).isEmpty)
    // A commit that waits for the server ends, too.
    proxy.refuses = true
    proxy.lose(.statement)
    async let waiting = commit(steps([1], 1, "keystroke "), to: store)
    while !store.isAway { try await Task.sleep(for: .milliseconds(5)) }

    store.end("It was buried.")
    store.end("It was buried again.")

    let failure = StoreFailure("Sessions cannot be stored: It was buried.")
    #expect(await waiting == .failure(failure))
    proxy.refuses = false
    #expect(await commit(steps([1], 2, "late "), to: store) == .failure(failure))
    await #expect(throws: StorageError.self) { _ = try await store.strikes() }
    #expect(reports.losses == ["It was buried."])
    #expect(try text(1) == "end")
    await store.close()
  }

  @Test func `works on the whole store while its node lives`() async throws {
    let store = try await join(1, owning: [1])
    let connection = try admin()
    #expect(try await store.strikes().isEmpty)
    try connection.runScript("DELETE FROM musubi.node")
    await #expect(throws: StorageError.self) { _ = try await store.strikes() }
    await store.close()
  }

  // MARK: - Outcomes that nobody knows

  @Test(arguments: [
    [LossyProxy.Loss.statement], [.answer], [.answer, .answer], [.statement, .answer], [.late],
  ])
  func `stores a commit of several slots once, whatever becomes of its connection`(
    _ losses: [LossyProxy.Loss]
  ) async throws {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let store = try await join(1, owning: [4, 5, 6], through: proxy.folder)
    #expect(try await lost(wholes([4, 5, 6], "end"), to: store).isEmpty)

    for loss in losses { proxy.lose(loss) }
    #expect(try await lost(steps([4, 6], 1, "keystroke "), to: store).isEmpty)
    proxy.deliver()
    #expect(try await lost(steps([4, 5, 6], 2, "next "), to: store).isEmpty)

    #expect(proxy.lost == losses.count)
    #expect(try text(4) == "next keystroke end" && text(5) == "next end" && text(6) == "next keystroke end")
    #expect(await store.fence(of: 4) == PostgresFence(generation: 1, commits: 3))
    #expect(await store.fence(of: 5) == PostgresFence(generation: 1, commits: 2))
    await store.close()
  }

  @Test(arguments: [LossyProxy.Loss.statement, .answer, .late])
  func `tells a slot as lost that was taken before the outcome was known`(
    _ loss: LossyProxy.Loss
  ) async throws {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let store = try await join(1, owning: [4, 5, 6], through: proxy.folder)
    #expect(try await lost(wholes([4, 5, 6], "end"), to: store).isEmpty)
    let connection = try admin()

    proxy.refuses = true
    proxy.lose(loss)
    async let answer = lost(steps([4, 5, 6], 1, "keystroke "), to: store)
    while !store.isAway { try await Task.sleep(for: .milliseconds(5)) }
    // The server has stored what it got, or never will before the slot is taken.
    while loss == .answer, try text(5) == "end" { try await Task.sleep(for: .milliseconds(5)) }
    _ = try take([5], for: 2, connection)
    proxy.refuses = false

    #expect(try await answer == [5])
    proxy.deliver()
    let text5 = loss == .answer ? "keystroke end" : "end"
    #expect(try text(4) == "keystroke end" && text(5) == text5 && text(6) == "keystroke end")
    #expect(try await lost(steps([4, 5, 6], 2, "next "), to: store) == [5])
    #expect(try text(4) == "next keystroke end" && text(5) == text5)
    await store.close()
  }

  @Test func `never stores a late commit of several slots that was told as failed`() async throws {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let store = try await join(1, owning: [4, 5, 6], through: proxy.folder)
    #expect(try await lost(wholes([4, 5, 6], "end"), to: store).isEmpty)
    let connection = try admin()

    proxy.refuses = true
    proxy.lose(.late)
    async let outcome = commit(steps([4, 5, 6], 1, "keystroke "), to: store)
    while !store.isAway { try await Task.sleep(for: .milliseconds(5)) }
    try connection.runScript("ALTER TABLE musubi.step ADD CONSTRAINT none CHECK (false) NOT VALID")
    let other = try await join(2, owning: [6])
    proxy.refuses = false
    guard case .failure(let failure) = await outcome else {
      Issue.record("The constraint forbids it.")
      return
    }
    #expect(failure.message.contains("SQLSTATE 23514"))
    try connection.runScript("ALTER TABLE musubi.step DROP CONSTRAINT none")
    proxy.deliver()

    #expect(try connection.run("SELECT FROM musubi.step").count == 0)
    #expect(await store.fence(of: 4) == PostgresFence(generation: 1, commits: 3), "Its number is burnt.")
    #expect(try await lost(steps([4, 5, 6], 1, "other "), to: store) == [6])
    #expect(try text(4) == "other end" && text(5) == "other end" && text(6) == "end")
    #expect(
      try await lost(steps([6], 1, "own "), to: other).isEmpty, "No number of somebody else's is burnt.")
    await store.close()
    await other.close()
  }

  // MARK: - Records

  @Test func `is read by slots, with the rooms of sessions`() async throws {
    let store = try await join(1, owning: [1, 2, 3, 4_000])
    var changes = wholes([1, 2, 4_000], "text")
    changes.rooms[0].label.peer = "i:ann"
    changes.sessions = [session("A", in: 1, showing: key(1)), session("B", in: 2, showing: key(2))]
    changes.sessions[1].isUsed = false
    #expect(try await lost(changes, to: store).isEmpty)
    #expect(try await lost(steps([1], 1, "more "), to: store).isEmpty)
    let connection = try admin()

    let slots = try PostgresRecords.index(connection, slots: [4_000, 1, 3])

    #expect(Set(slots.keys) == [1, 4_000])
    let whole = try PostgresRecords.index(connection)
    #expect(slots[1]?.rooms == [key(1): whole.rooms[key(1)]].compactMapValues { $0 })
    #expect(slots[1]?.rooms[key(1)]?.label.peer == "i:ann")
    #expect(slots[1]?.sessions["A"]?.rooms == [key(1)])
    #expect(slots[1]?.sessions["A"] == whole.sessions["A"])
    #expect(slots[4_000]?.rooms.keys.map(\.self) == [key(4_000)] && slots[4_000]?.sessions.isEmpty == true)
    let many = try PostgresRecords.index(connection, slots: Array(0..<RecordLabel.slots))
    #expect(Set(many.keys) == [1, 2, 4_000] && many[2]?.sessions["B"]?.isUsed == false)
    await store.close()
  }

  @Test func `forgets what ends under a name that does not tell its slot`() async throws {
    let store = try await join(1, owning: [7])
    var changes = wholes([7], "")
    changes.sessions = [session("old", in: 7)]
    #expect(try await lost(changes, to: store).isEmpty)
    changes = StoreChanges()
    changes.end("old", in: 7)
    changes.end(key(7), in: 7)
    #expect(changes.slots == [7])

    #expect(try await lost(changes, to: store).isEmpty)

    #expect(try admin().run("SELECT FROM musubi.record").count == 0)
    #expect(changes.concerns(7) && !changes.concerns(0))
    changes.remove(7)
    #expect(changes.isEmpty)
    await store.close()
  }
}
