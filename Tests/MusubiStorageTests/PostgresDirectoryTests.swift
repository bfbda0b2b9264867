// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiPostgres
import MusubiRx
import MusubiWire
import PostgresServers
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5)), .enabled("a PostgreSQL server is installed") { PostgresServer.shared != nil })
struct `The directory of nodes that share a database` {
  private let url: String

  init() throws { url = try PostgresServer.installed.newDatabase() }

  private func configuration(_ folder: Int64) -> PostgresStoreConfiguration {
    var configuration = PostgresStoreConfiguration.patient(url: url, node: folder)
    configuration.silence = .milliseconds(300)
    return configuration
  }

  /// A node in the directory, whose tables are there.
  private func node(_ number: Int64, folder: Int64? = nil) async throws -> PostgresDirectory {
    let folder = folder ?? number
    let store = try PostgresSessionStore(joining: configuration(folder), node: number) { _ in }
    await store.close()
    let entry = DirectoryEntry(node: number, folder: folder, build: "b", loops: 2)
    let directory = PostgresDirectory(configuration(folder), entry)
    try directory.join(address: "127.0.0.1:\(number)")
    return directory
  }

  private func sql(_ text: String) throws -> String? {
    try PostgresConnection(PostgresConfiguration(url: url)).run(text).text(0, 0)
  }

  @Test func `tells all at first, and then what has changed`() async throws {
    let (one, two) = (try await node(1), try await node(2))
    let first = try one.read()
    #expect(
      first.isWhole && first.moved.count == RecordLabel.slots && first.moved.allSatisfy { $0.node == nil })
    #expect(first.nodes.map(\.id) == [1, 2] && first.nodes.map(\.address) == ["127.0.0.1:1", "127.0.0.1:2"])
    #expect(first.nodes.allSatisfy { $0.loops == 2 && !$0.isDraining && $0.build == "b" })

    try two.take(3)

    let second = try one.read()
    #expect(!second.isWhole && second.moved.map(\.slot).sorted() == [0, 1, 2])
    #expect(second.moved.allSatisfy { $0.node == 2 && $0.generation == 1 && $0.lostSince == 0 })
    #expect(try one.read().moved.isEmpty)
    #expect(try one.secret() == two.secret() && (try one.secret()).count == 72)
  }

  @Test func `knows that the database has forgotten what was read before`() async throws {
    let (one, two) = (try await node(1), try await node(2))
    try two.take(3)
    #expect(try !one.read().hasForgotten)
    one.reconnect()
    let again = try one.read()
    #expect(again.isWhole && !again.hasForgotten)

    // As on a standby that lacks the last change of owners, or a sign-out.
    _ = try sql("UPDATE musubi.directory SET version = version - 1 RETURNING version")
    one.reconnect()

    #expect(try one.read().hasForgotten)
  }

  @Test func `gives a slot to one of those that take it at once`() async throws {
    let (one, two) = (try await node(1), try await node(2))
    try one.take(3_000)
    try two.take(3_000)
    #expect(Set(try one.load(Array(0..<4_096)).keys).count == 3_000)
    #expect(Set(try two.load(Array(0..<4_096)).keys).count == 1_096)
    #expect(try sql("SELECT max(generation) FROM musubi.fence") == "1")
  }

  @Test func `has a dead node's slots taken, and says that something may be lost`() async throws {
    let (one, two) = (try await node(1), try await node(2))
    try one.take(10)
    let seen = try #require(try two.read().nodes.first?.seen)
    let pulse = PostgresPulse(configuration(1), node: 1)
    try pulse.beat()
    try two.bury([1: seen])
    #expect(try two.read().nodes.count == 2, "It has said something since.")
    let last = try #require(try two.read().nodes.first?.seen)
    #expect(last != seen)
    try two.bury([1: last])
    #expect(try two.read().nodes.map(\.id) == [2])
    try pulse.beat()
    #expect(try one.read().nodes.map(\.id) == [2], "It finds itself buried.")

    try two.take(10)
    let slots = try two.load(Array(0..<10))
    #expect(slots.count == 10)
    #expect(slots.values.allSatisfy { $0.fence.generation == 2 && $0.lostSince == 2 })
    #expect(try one.load(Array(0..<10)).isEmpty)
  }

  @Test func `hands slots over, and nothing that was taken meanwhile`() async throws {
    let (one, two) = (try await node(1), try await node(2))
    try one.take(10)
    _ = try sql("UPDATE musubi.fence SET node = 7, generation = 5 WHERE slot = 3")

    try one.handOver([2: 1, 3: 1, 4: 0], to: 2)

    let slots = try two.load(Array(0..<10))
    #expect(slots.keys.sorted() == [2])
    #expect(slots[2]?.fence.generation == 2 && slots[2]?.lostSince == 0, "Nothing was lost.")
    #expect(try one.load([2, 3, 4]).keys.sorted() == [4])
  }

  @Test func `reads what is stored in a slot together with its last commit`() async throws {
    let store = try PostgresSessionStore(joining: configuration(1), node: 1) { _ in }
    let (one, two) = (try await node(1), try await node(2))
    try one.take(4_096)
    let key = RoomKey(screen: "number", name: "lobby", isPrivate: false)
    let fence = try #require(try one.load([key.slot])[key.slot]?.fence)
    await store.own([key.slot: fence])
    var changes = StoreChanges()
    changes.sessions = [
      StoredSession(
        id: "A", token: "", previousToken: nil, visitor: .anonymous, taken: 3, nextScreen: 1,
        views: [StoredSession.View(room: key, screen: 0, member: 1, dialog: nil)], left: nil)
    ]
    changes.sessions[0].label = RecordLabel(slot: key.slot)
    let outcome = await withCheckedContinuation { continuation in
      store.commit(changes) { continuation.resume(returning: $0) }
    }
    #expect(try outcome.get().lost.isEmpty)

    try one.handOver([key.slot: fence.generation], to: 2)
    let loaded = try #require(try two.load([key.slot])[key.slot])
    #expect(loaded.fence == PostgresFence(generation: fence.generation + 1, commits: 1))
    #expect(loaded.state.sessions["A"]?.rooms == [key])
    await store.close()
  }

  @Test func `leaves a slot to a commit that is under way, takes it later, and reads what that has stored`()
    async throws
  {
    let (one, two) = (try await node(1), try await node(2))
    try one.take(1)
    let owner = try PostgresConnection(PostgresConfiguration(url: url))
    try owner.runScript(
      """
      BEGIN; UPDATE musubi.fence SET commits = commits + 1 WHERE slot = 0;
      INSERT INTO musubi.record (key, slot, bytes, made, is_used, data) VALUES ('[unreadable', 0, 1, 0, true, '{}')
      """)
    let seen = try #require(try two.read().nodes.first { $0.id == 1 }?.seen)
    try two.bury([1: seen])

    try two.take(1)
    #expect(try two.load([0, 1]).keys.sorted() == [1], "It waits for nobody.")
    try owner.runScript("COMMIT")
    try two.take(1)

    let slot = try #require(try two.load([0])[0])
    #expect(slot.fence == PostgresFence(generation: 2, commits: 1))
    #expect(two.unreadable.count == 1, "It has read what the commit has stored, which no program can.")
  }

  @Test func `knows that the process before on the same folder is dead`() async throws {
    let one = try await node(1, folder: 9)
    try one.take(5)
    let two = try await node(2, folder: 9)
    #expect(try two.read().nodes.map(\.id) == [2])
    #expect(try one.successor() == "127.0.0.1:2")
    #expect(try two.successor() == nil)
    try two.take(5)
    #expect(try two.load(Array(0..<5)).count == 5)
  }

  @Test func `waits for who owns everything alone, and refuses beside one that lives`() async throws {
    var patient = configuration(5)
    (patient.beat, patient.silence, patient.patience) = (.milliseconds(20), .seconds(600), .milliseconds(200))
    let store = try PostgresSessionStore(patient) { _ in }
    let directory = PostgresDirectory(patient, DirectoryEntry(node: 1, folder: 1, build: "b", loops: 1))
    let error = #expect(throws: StorageError.self) { try directory.join(address: "a:1") }
    #expect(error?.description.contains("Another node uses the database alone") == true)

    await store.close()
    try directory.join(address: "a:1")
    #expect(try directory.read().nodes.map(\.id) == [1])

    // And the other way round.
    let beating = Task.detached { [url] in
      let connection = try PostgresConnection(PostgresConfiguration(url: url))
      while !Task.isCancelled {
        try connection.run("UPDATE musubi.node SET seen = clock_timestamp()")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    let refused = #expect(throws: StorageError.self) { try PostgresSessionStore(patient) { _ in } }
    #expect(refused?.description.contains("owns the store and is alive") == true)
    beating.cancel()
    _ = await beating.result
  }

  @Test func `shows nodes to their operator, and has one drain`() async throws {
    let one = try await node(1)
    _ = try await node(2)
    try one.take(100)
    let view = try PostgresClusterView(url: url)
    let members = try view.members()
    #expect(members.map(\.node.id).sorted() == [1, 2] && members.map(\.slots).sorted() == [0, 100])
    #expect(try view.drain(2) && !view.drain(3))
    #expect(try one.read().nodes.map(\.isDraining) == [false, true])
    try one.leave()
    #expect(try view.members().map(\.node.id) == [2])
  }

  @Test func `takes an input that ends nodes from whoever has it, and refuses it from then on`() async throws
  {
    let store = try PostgresSessionStore(joining: configuration(1), node: 1) { _ in }
    let (one, two) = (try await node(1), try await node(2))
    let (fence, changes) = try await own(store, one)
    let trap = Trap(kind: .input, room: key.digest, session: session, number: 4, signal: 4)
    let judge = try PostgresJudge(configuration(3))

    let first = try judge.judge([trap], run: 1, of: 3, at: 10)
    #expect(first.map(\.consequence) == [.runsAgain(strikes: 1)])
    #expect(try one.load([key.slot])[key.slot]?.fence.generation == fence.generation, "Its owner goes on.")
    let second = try judge.judge([trap], run: 2, of: 3, at: 20)
    #expect(second.map(\.consequence) == [.isRefused])

    #expect(try one.load([key.slot]).isEmpty, "It is nobody's now.")
    #expect(try await commit(changes, to: store).lost == [key.slot])
    #expect(try two.take(1) && !two.take(1))
    #expect(try two.load([key.slot])[key.slot]?.state.refusedInputs == [input])
    await store.close()
  }

  @Test func `remembers what is refused elsewhere`() async throws {
    let store = try PostgresSessionStore(joining: configuration(1), node: 1) { _ in }
    let one = try await node(1)
    let (_, changes) = try await own(store, one)
    let other = RoomKey(screen: "number", name: "cellar", isPrivate: false)
    let others = SessionName.make(slot: other.slot, random: [8, 8, 8, 8, 8, 8, 8, 8, 8])
    await store.own([other.slot: try #require(try one.load([other.slot])[other.slot]?.fence)])
    var more = changes
    more.sessions = [content(of: others, other)]
    more.rooms = []
    #expect(try await commit(more, to: store).lost.isEmpty)
    let judge = try PostgresJudge(configuration(3))

    for (key, session) in [(other, others), (key, session)] {
      let trap = Trap(kind: .input, room: key.digest, session: session, number: 4, signal: 4)
      let times = try (1...2).map { try judge.judge([trap], run: UInt64(key.slot + $0), of: 3, at: 10) }
      #expect(times.last?.map(\.consequence) == [.isRefused])
    }
    let two = try await node(2)
    try two.take(2)
    let loaded = try two.load([key.slot, other.slot]).values.flatMap(\.state.refusedInputs)
    #expect(Set(loaded) == [input, InputID(session: others, number: 4)])
    await store.close()
  }

  // MARK: - Inputs on trial

  private let key = RoomKey(screen: "number", name: "lobby", isPrivate: false)
  private var session: String {
    SessionName.make(slot: key.slot, random: [7, 7, 7, 7, 7, 7, 7, 7, 7])
  }
  private var input: InputID { InputID(session: session, number: 4) }

  /// A node owns all slots, and has a session in one whose page has sent three inputs.
  private func own(
    _ store: PostgresSessionStore, _ node: PostgresDirectory
  ) async throws -> (fence: PostgresFence, changes: StoreChanges) {
    try node.take(4_096)
    let fence = try #require(try node.load([key.slot])[key.slot]?.fence)
    await store.own([key.slot: fence])
    var changes = StoreChanges()
    changes.sessions = [content(of: session, key)]
    changes.sessions[0].lostSince = 5
    var room = StoredRoom(
      key: key, path: "/number", query: [:], visitor: .anonymous,
      position: StreamPosition(epoch: "e", sequence: 1), outputs: 1, state: "", texts: [], events: [],
      nextMember: 4, left: nil)
    room.label = RecordLabel(slot: key.slot)
    changes.rooms = [room]
    #expect(try await commit(changes, to: store).lost.isEmpty)
    return (fence, changes)
  }

  /// A session whose page has sent three inputs.
  private func content(of session: String, _ key: RoomKey) -> StoredSession {
    var stored = StoredSession(
      id: session, token: "", previousToken: nil, visitor: .anonymous, taken: 3, nextScreen: 1,
      views: [StoredSession.View(room: key, screen: 0, member: 1, dialog: nil)], left: nil)
    stored.label = RecordLabel(slot: key.slot)
    return stored
  }

  private func commit(_ changes: StoreChanges, to store: PostgresSessionStore) async throws -> StoredSizes {
    try await withCheckedContinuation { done in store.commit(changes) { done.resume(returning: $0) } }.get()
  }

  /// A node of folder 1 has died with an input on trial; another one has taken what it had, and waits so long for what is told.
  private func dead(waiting: Duration) async throws -> PostgresDirectory {
    let store = try PostgresSessionStore(joining: configuration(1), node: 1) { _ in }
    let one = try await node(1)
    _ = try await own(store, one)
    var trial = StoreChanges()
    trial.trials = [key.slot: [input]]
    #expect(try await commit(trial, to: store).lost.isEmpty)
    await store.close()
    try one.leave()
    _ = try await node(2)
    var patient = configuration(2)
    patient.trialWait = waiting
    let entry = DirectoryEntry(node: 2, folder: 2, build: "b", loops: 2)
    let two = PostgresDirectory(patient, entry)
    try two.take(4_096)
    return two
  }

  @Test func `an input on trial is refused if its dead owner tells nothing in time`() async throws {
    let two = try await dead(waiting: .milliseconds(50))
    let others = try two.load([key.slot, (key.slot + 1) % 4_096])
    #expect(others.count == 1 && others[key.slot] == nil, "It waits, and nothing else does.")
    var found: LoadedSlot?
    repeat { found = try two.load([key.slot])[key.slot] } while found == nil
    let loaded = try #require(found)
    #expect(loaded.struck == [input] && loaded.state.refusedInputs == [input])
    // Whoever has the slot after it knows as well.
    let again = try #require(try two.load([key.slot])[key.slot])
    #expect(again.struck.isEmpty && again.state.refusedInputs == [input])
    #expect(try sql("SELECT count(*) FROM musubi.fence WHERE trial IS NOT NULL") == "0")
  }

  @Test func `one is refused though another one's strike cannot be read`() async throws {
    let two = try await dead(waiting: .zero)
    _ = try sql("INSERT INTO musubi.strike VALUES (7, '{\"id\":7}')")
    var found: LoadedSlot?
    repeat { found = try two.load([key.slot])[key.slot] } while found == nil
    #expect(found?.struck == [input] && two.unreadable.count > 0)
    #expect(try sql("SELECT max(id) FROM musubi.strike") == "8")
  }

  @Test func `one that cannot be read is told, and not taken for none, and keeps no other slot waiting`()
    async throws
  {
    let two = try await dead(waiting: .zero)
    _ = try sql("UPDATE musubi.fence SET trial = '{\"folder\":1}' WHERE trial IS NOT NULL")
    let other = (key.slot + 1) % 4_096
    #expect(Array(try two.load([key.slot, other]).keys) == [other])
    #expect(two.unsettled[key.slot]?.contains("What was on trial cannot be read: ") == true)
    #expect(two.unreadable.isEmpty)
    #expect(try sql("SELECT count(*) FROM musubi.fence WHERE trial IS NOT NULL") == "1")
  }

  @Test func `records and strikes that cannot be read are told, and left out`() async throws {
    let store = try PostgresSessionStore(joining: configuration(1), node: 1) { _ in }
    let one = try await node(1)
    _ = try await own(store, one)
    _ = try sql(
      """
      INSERT INTO musubi.record (key, slot, bytes, made, is_used, data) VALUES ('[broken', \(key.slot), 1, 0, true, '{}')
      """)
    _ = try sql("INSERT INTO musubi.strike VALUES (7, '{\"id\":7}')")
    _ = try sql(
      #"""
      INSERT INTO musubi.aside_room (record)
        VALUES ('{"room":{"state":{"sessions":["a\u0000b"]}},"kind":"new","sessions":["\#(session)"]}')
      """#)
    _ = try sql("INSERT INTO musubi.aside_room (record) VALUES ('{\"sessions\":7}')")

    let loaded = try #require(try one.load([key.slot])[key.slot])

    #expect(Array(loaded.state.rooms.keys) == [key] && Array(loaded.state.sessions.keys) == [session])
    #expect(
      loaded.state.brokenSessions == [session], "Who showed a room that was put aside is known all the same.")
    #expect(one.unreadable.count == 3)
    #expect(try one.load([key.slot])[key.slot]?.state.brokenSessions == [session], "They are not read again.")
    await store.close()
  }

  @Test func `one that has ended its owner is refused at once, though that was the first strike`()
    async throws
  {
    let two = try await dead(waiting: .seconds(600))
    #expect(try two.load([key.slot]).isEmpty)
    let trap = Trap(kind: .input, room: key.digest, session: session, number: 4, signal: 4)
    let verdicts = try PostgresJudge(configuration(1)).judge([trap], run: 7, of: 1, at: 10)
    #expect(verdicts.map(\.consequence) == [.isRefused])
    try two.take(1)
    let loaded = try #require(try two.load([key.slot])[key.slot])
    #expect(loaded.struck.isEmpty && loaded.state.refusedInputs == [input])
  }

  @Test func `one whose owner was killed is run again, as its next process tells`() async throws {
    let two = try await dead(waiting: .seconds(600))
    let judge = try PostgresJudge(configuration(1))
    #expect(try judge.judge([], run: 7, of: 9, at: 10).isEmpty)
    #expect(try two.load([key.slot]).isEmpty, "That was another one's process.")
    #expect(try judge.judge([], run: 7, of: 1, at: 10).isEmpty)
    let loaded = try #require(try two.load([key.slot])[key.slot])
    #expect(loaded.struck.isEmpty && loaded.state.refusedInputs.isEmpty)
    #expect(try sql("SELECT count(*) FROM musubi.strike") == "0")
  }

  @Test func `nothing is suspected that has run, or whose owner gave its slot away`() async throws {
    let store = try PostgresSessionStore(joining: configuration(1), node: 1) { _ in }
    let (one, two) = (try await node(1), try await node(2))
    var (fence, changes) = try await own(store, one)
    let trials = { try sql("SELECT count(*) FROM musubi.fence WHERE trial IS NOT NULL") }
    changes.trials = [key.slot: [input]]
    _ = try await commit(changes, to: store)
    #expect(try trials() == "1")
    changes.trials = [:]
    _ = try await commit(changes, to: store)
    #expect(try trials() == "0", "Each commit of the slot tells what is on trial.")
    changes.trials = [key.slot: [input]]
    _ = try await commit(changes, to: store)
    fence.commits += 4
    try one.handOver([key.slot: fence.generation], to: 2)
    #expect(try two.load([key.slot])[key.slot]?.state.refusedInputs == [])
    #expect(try trials() == "0")
    await store.close()
  }
}
