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
struct `A store in PostgreSQL` {
  private let url: String
  private let server: PostgresServer
  private let lobby = RoomKey(screen: "number", name: "lobby", isPrivate: false)

  init() throws {
    server = try PostgresServer.installed
    url = try server.newDatabase()
  }

  /// What a store has reported.
  private final class Reports: Sendable {
    private let events = Mutex<[PostgresStoreEvent]>([])
    var all: [PostgresStoreEvent] { events.withLock { $0 } }
    var hasLost: Bool { !losses.isEmpty }
    var losses: [String] {
      all.compactMap { if case .lost(let sentence) = $0 { sentence } else { nil } }
    }
    func note(_ event: PostgresStoreEvent) { events.withLock { $0.append(event) } }
  }

  private func open(
    node: Int64 = .random(in: 1...Int64.max), through folder: String? = nil, reports: Reports = Reports(),
    _ change: (inout PostgresStoreConfiguration) -> Void = { _ in }
  ) throws -> PostgresSessionStore {
    var url = url
    if let folder { url = url.replacingOccurrences(of: server.folder, with: folder) }
    var configuration = PostgresStoreConfiguration.patient(url: url, node: node)
    change(&configuration)
    return try PostgresSessionStore(configuration) { reports.note($0) }
  }

  /// An owner that says nothing between its commits: only they find out that it is none any more.
  private func openSilent(node: Int64 = 1, through folder: String? = nil, reports: Reports = Reports()) throws
    -> PostgresSessionStore
  {
    try open(node: node, through: folder, reports: reports) { $0.beat = .seconds(3_600) }
  }

  private func whole(_ text: String) -> StoreChanges {
    var changes = StoreChanges()
    changes.rooms = [
      StoredRoom(
        key: lobby, path: "/number", query: [:], visitor: .anonymous,
        position: StreamPosition(epoch: "e", sequence: 1), outputs: 1, state: "",
        texts: [
          StoredRoom.Text(name: "n", text: text, revision: 0)
        ], events: [], nextMember: 4, left: nil)
    ]
    return changes
  }

  /// A keystroke: it shows in the text how often it was stored.
  private func step(_ number: Int, _ text: String) -> StoreChanges {
    var changes = StoreChanges()
    changes.roomSteps = [
      StoredRoomStep(
        room: lobby.text, number: number, sequence: number + 1, outputs: 1, state: [],
        texts: [.init(name: "n", edits: [TextEdit(position: 0, inserted: text)])], events: nil, nextMember: 4,
        left: nil)
    ]
    return changes
  }

  private func commit(_ changes: StoreChanges, to store: PostgresSessionStore) async -> String? {
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

  /// Runs what blocks on a thread of its own: those of tasks are few.
  private func onThread<Output: Sendable>(
    _ work: @escaping @Sendable () throws -> Output
  ) async -> Result<Output, any Error> {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try work() }) }
    }
  }

  private func text(in store: PostgresSessionStore) throws -> String? {
    try store.room(lobby).texts.first?.text
  }

  private func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
  }

  // MARK: - The fence

  @Test func `refuses everything of a commit of an owner from whom another has taken it`() async throws {
    let reports = Reports()
    let old = try openSilent(reports: reports)
    #expect(await commit(whole("old"), to: old) == nil)

    let new = try openSilent()
    #expect(await commit(step(1, "new "), to: new) == nil)
    var late = step(1, "late ")
    late.endedSessions = ["nobody"]
    late.rooms = whole("late").rooms.map {
      StoredRoom(
        key: RoomKey(screen: "number", name: "other", isPrivate: false), path: "/", query: [:],
        visitor: .anonymous, position: $0.position, outputs: 1, state: "", texts: [], events: [],
        nextMember: 1, left: nil)
    }
    let refusal = await commit(late, to: old)

    #expect(refusal?.contains("Another node has taken the store") == true)
    #expect(
      reports.losses.count == 1
        && reports.losses[0].contains("commit 2 of generation 1 of slot 0 was refused"))
    #expect(await commit(whole("later"), to: old) == refusal, "It never stores anything again.")
    #expect(try text(in: new) == "new old")
    #expect(try await new.load().rooms.keys.map(\.name) == ["lobby"])
    #expect(await new.fence(of: 0) == PostgresFence(generation: 2, commits: 2))
    await old.close()
    await new.close()
    // The old owner has given up nothing that was not its own.
    let third = try openSilent(node: 3)
    #expect(await third.fence(of: 0)?.generation == 3)
    await third.close()
  }

  @Test func `is taken with the last commit of the owner before, which was under way`() async throws {
    let old = try openSilent()
    #expect(await commit(whole("old"), to: old) == nil)
    let bytes = try #require(try await old.load().rooms[lobby]?.bytes)
    let fence = try #require(await old.fence(of: 0))
    // A commit that the server has begun, and not ended.
    let connection = try PostgresConnection(PostgresConfiguration(url: url))
    try connection.runScript("BEGIN")
    var changes = PostgresChanges()
    let step = try changes.add(step(1, "last ")).total
    let node = try connection.run("SELECT node FROM musubi.fence WHERE slot = 0").value(0, 0, as: Int64.self)
    #expect(try changes.write([0], [0: fence], by: node, of: 1, connection) == [0])

    async let taking = onThread { try openSilent() }
    try await eventually {
      try connection.waiters() > 0
    }
    try connection.runScript("COMMIT")
    let new = try await taking.get()
    let state = try await new.load()

    #expect(state.rooms[lobby]?.bytes == bytes + step, "The index has the change, too.")
    #expect(try text(in: new) == "last old")
    #expect(await new.fence(of: 0) == PostgresFence(generation: 2, commits: 2))
    await old.close()
    await new.close()
  }

  @Test func `refuses a commit that waited for the take-over`() async throws {
    let old = try openSilent()
    #expect(await commit(whole("old"), to: old) == nil)
    let connection = try PostgresConnection(PostgresConfiguration(url: url))
    try connection.runScript(
      "BEGIN; UPDATE musubi.fence SET node = 7, generation = generation + 1 WHERE slot = 0")

    async let refusal = commit(step(1, "late "), to: old)
    try await eventually { try connection.waiters() > 0 }
    try connection.runScript("COMMIT")

    #expect(await refusal?.contains("Another node has taken the store") == true)
    #expect(try text(in: old) == "old")
    await old.close()
  }

  @Test func `tells an idle owner that it is none any more`() async throws {
    let reports = Reports()
    let old = try open(node: 1, reports: reports) { $0.beat = .milliseconds(10) }

    let new = try open(node: 1)

    try await eventually { reports.hasLost }
    #expect(reports.losses.first?.contains("Another node has taken the store") == true)
    await old.close()
    await new.close()
  }

  @Test func `is taken from a silent owner of another name, and not from one that lives`() async throws {
    let alive = try open(node: 1) { $0.beat = .milliseconds(20) }
    func openOther() throws -> PostgresSessionStore {
      try open(node: 2) { ($0.silence, $0.patience) = (.seconds(3), .milliseconds(200)) }
    }

    let error = #expect(throws: StorageError.self) { _ = try openOther() }

    #expect(error?.description.contains("Another node owns the store and is alive") == true)
    #expect(await alive.fence(of: 0)?.generation == 1)
    await alive.close()
    let next = try openOther()
    #expect(await next.fence(of: 0)?.generation == 2, "It was given up, so nobody waits.")
    await next.close()
    let silent = try openSilent(node: 1)
    #expect(await silent.fence(of: 0)?.generation == 3)
    let after = try openOther()
    #expect(await after.fence(of: 0)?.generation == 4)
    await silent.close()
    await after.close()
  }

  @Test func `is taken by one of two that begin at once`() async throws {
    await (try openSilent()).close()
    let connection = try PostgresConnection(PostgresConfiguration(url: url))
    try connection.runScript("BEGIN; SELECT FROM musubi.fence FOR UPDATE")
    func start(_ node: Int64) async -> Result<PostgresSessionStore, any Error> {
      await onThread {
        try open(node: node) { ($0.beat, $0.patience) = (.milliseconds(20), .milliseconds(100)) }
      }
    }
    async let first = start(2)
    async let second = start(3)
    try await eventually { try connection.waiters() == 2 }
    try connection.runScript("COMMIT")

    var stores: [PostgresSessionStore] = []
    var refusals: [String] = []
    for start in [await first, await second] {
      switch start {
      case .success(let store): stores.append(store)
      case .failure(let error): refusals.append("\(error)")
      }
    }

    #expect(stores.map(\.generation) == [2])
    #expect(refusals.count == 1 && refusals[0].contains("Another node owns the store"))
    for store in stores { await store.close() }
  }

  @Test func `has its tables made by one of several that begin at once with a new database`() async throws {
    let starts = (1...4).map { (node: Int64) in
      Task { await onThread { try PostgresSchema.prepare(try connection(), .patient(url: url, node: node)) } }
    }
    for start in starts { try await start.value.get() }
    #expect(try connection().run("SELECT FROM musubi.fence").count == 4_096)
  }

  private func connection() throws -> PostgresConnection {
    try PostgresConnection(PostgresConfiguration(url: url))
  }

  @Test func `stays whose it is when an owner of before ends that does not know`() async throws {
    let old = try openSilent()
    let new = try openSilent()

    await old.close()

    let connection = try PostgresConnection(PostgresConfiguration(url: url))
    let owners = "SELECT count(*) FROM musubi.fence JOIN musubi.node ON id = node WHERE folder = 1"
    #expect(try connection.run(owners).text(0, 0) == "4096")
    await new.close()
    #expect(try connection.run("SELECT FROM musubi.fence WHERE node IS NOT NULL").count == 0)
    #expect(try connection.run("SELECT FROM musubi.node").count == 0)
  }

  // MARK: - Outcomes that nobody knows

  @Test(arguments: [
    [LossyProxy.Loss.statement], [.answer], [.answer, .answer], [.statement, .answer, .statement],
  ])
  func `stores each commit once, whatever becomes of its connection`(_ losses: [LossyProxy.Loss]) async throws
  {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let reports = Reports()
    let store = try open(through: proxy.folder, reports: reports)
    #expect(await commit(whole("end"), to: store) == nil)
    let before = try #require(await store.fence(of: 0))

    for loss in losses { proxy.lose(loss) }
    #expect(await commit(step(1, "keystroke "), to: store) == nil)
    #expect(await commit(step(2, "next "), to: store) == nil)

    #expect(proxy.lost == losses.count)
    try await eventually { (try? text(in: store)) != nil }
    #expect(try text(in: store) == "next keystroke end")
    #expect(
      await store.fence(of: 0) == PostgresFence(generation: before.generation, commits: before.commits + 2))
    #expect(reports.losses.isEmpty)
    await store.close()
  }

  @Test func `stores a commit once that arrives late, behind the same one sent again`() async throws {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let store = try open(through: proxy.folder)
    #expect(await commit(whole("end"), to: store) == nil)

    proxy.lose(.late)
    #expect(await commit(step(1, "keystroke "), to: store) == nil)
    proxy.deliver()
    #expect(await commit(step(2, "next "), to: store) == nil)

    #expect(proxy.lost == 1)
    #expect(try text(in: store) == "next keystroke end")
    await store.close()
  }

  @Test func `never stores a late commit that was told as failed`() async throws {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let store = try open(through: proxy.folder)
    #expect(await commit(whole("end"), to: store) == nil)
    let connection = try PostgresConnection(PostgresConfiguration(url: url))

    // The first attempt is on its way while the second one is refused for another reason.
    proxy.refuses = true
    proxy.lose(.late)
    async let outcome = commit(step(1, "keystroke "), to: store)
    try await eventually { store.isAway }
    try connection.runScript("ALTER TABLE musubi.step ADD CONSTRAINT none CHECK (false) NOT VALID")
    proxy.refuses = false
    #expect(await outcome?.contains("SQLSTATE 23514") == true)
    try connection.runScript("ALTER TABLE musubi.step DROP CONSTRAINT none")
    proxy.deliver()

    #expect(try connection.run("SELECT FROM musubi.step").count == 0)
    #expect(await commit(step(1, "other "), to: store) == nil)
    try await eventually { (try? text(in: store)) != nil }
    #expect(try text(in: store) == "other end")
    await store.close()
  }

  @Test func `takes nothing for stored that another owner has prevented`() async throws {
    let proxy = LossyProxy(to: server.folder, losing: "keystroke")
    defer { proxy.end() }
    let old = try openSilent(through: proxy.folder)
    #expect(await commit(whole("end"), to: old) == nil)

    proxy.refuses = true
    proxy.lose(.statement)
    async let outcome = commit(step(1, "keystroke "), to: old)
    try await eventually { old.isAway }
    let new = try openSilent()
    #expect(await commit(step(1, "new "), to: new) == nil)
    proxy.refuses = false

    #expect(await outcome?.contains("Another node has taken the store") == true)
    #expect(try text(in: new) == "new end")
    await old.close()
    await new.close()
  }

  @Test func `waits while the server is away, tells it once, and loses nothing`() async throws {
    let own = try #require(PostgresServer.start())
    let reports = Reports()
    let store = try PostgresSessionStore(
      .patient(url: own.url(of: "postgres"))
    ) { reports.note($0) }
    #expect(await commit(whole("end"), to: store) == nil)

    own.kill()
    async let first = commit(step(1, "first "), to: store)
    try await eventually { store.isAway }
    #expect(throws: RecordError.self) { try store.room(lobby) }
    own.restart()
    #expect(await first == nil)
    #expect(await commit(step(2, "second "), to: store) == nil)

    #expect(!store.isAway)
    try await eventually { (try? text(in: store)) != nil }
    #expect(try text(in: store) == "second first end")
    #expect(reports.all.count == 2 && reports.all.last == .back)
    await store.close()
    own.stop()
  }

  @Test func `waits while the standby is away, tells it, and leaves nothing behind in the server`()
    async throws
  {
    let own = try #require(PostgresServer.start())
    let reports = Reports()
    var configuration = PostgresStoreConfiguration.patient(url: own.url(of: "postgres"))
    configuration.answerTimeout = .milliseconds(300)
    let store = try PostgresSessionStore(configuration) { reports.note($0) }
    #expect(await commit(whole("end"), to: store) == nil)
    let admin = try PostgresConnection(PostgresConfiguration(url: own.url(of: "postgres")))
    let answer = Mutex<String??>(nil)
    try own.loseStandby()

    let first = Task { [self] in
      let refusal = await commit(step(1, "first "), to: store)
      answer.withLock { $0 = .some(refusal) }
    }
    try await eventually { store.isAway }
    var processes: Set<Int> = []
    var most = 0
    try await eventually {
      let waiting = try own.commitsThatWait(admin)
      most = max(most, waiting.count)
      processes.formUnion(waiting)
      return processes.count >= 5
    }

    // The change is seen before the standby has it, and not acknowledged.
    #expect(try admin.run("SELECT FROM musubi.step").count == 1)
    #expect(answer.withLock { $0 == nil })
    #expect(most <= 2, "One that waits, and the one before, which ends.")
    #expect(store.isAway && reports.all.last != .back)
    try own.forgetStandby()
    await first.value
    #expect(answer.withLock { $0 == .some(nil) })
    try await eventually { !store.isAway }
    #expect(reports.all.last == .back)
    #expect(try text(in: store) == "first end")
    #expect(await commit(step(2, "second "), to: store) == nil)
    await store.close()
    own.stop()
  }

  @Test func `waits for the standby though somebody cancels that, which the server answers like a commit`()
    async throws
  {
    let own = try #require(PostgresServer.start())
    let store = try PostgresSessionStore(.patient(url: own.url(of: "postgres"))) { _ in }
    #expect(await commit(whole("end"), to: store) == nil)
    let admin = try PostgresConnection(PostgresConfiguration(url: own.url(of: "postgres")))
    let answer = Mutex<String??>(nil)
    try own.loseStandby()

    let first = Task { [self] in
      let refusal = await commit(step(1, "first "), to: store)
      answer.withLock { $0 = .some(refusal) }
    }
    var cancelled = 0
    try await eventually {
      for process in try own.commitsThatWait(admin) {
        try admin.run("SELECT pg_cancel_backend($1::int)", .integer(process))
        cancelled += 1
      }
      return cancelled >= 3
    }

    #expect(answer.withLock { $0 == nil })
    try own.forgetStandby()
    await first.value
    #expect(answer.withLock { $0 == .some(nil) })
    #expect(try text(in: store) == "first end")
    await store.close()
    own.stop()
  }

  @Test func `goes on by itself when the server takes changes again`() async throws {
    let reports = Reports()
    let store = try openSilent(reports: reports)
    #expect(await commit(whole("end"), to: store) == nil)
    let writable = PostgresConfiguration(url: url + "&options=-c%20default_transaction_read_only%3Doff")
    let admin = try PostgresConnection(writable)
    let database = try #require(try admin.run("SELECT current_database()").text(0, 0))
    // A server that becomes a standby ends its connections; this is as far as one of before can be led.
    try admin.runScript("ALTER DATABASE \(database) SET default_transaction_read_only = on")
    try await store.perform { _ = try $0.runScript("SET default_transaction_read_only = on") }

    async let first = commit(step(1, "first "), to: store)
    try await eventually { store.isAway }
    try admin.runScript("ALTER DATABASE \(database) RESET default_transaction_read_only")

    #expect(await first == nil)
    #expect(reports.all.count == 2 && reports.all.last == .back)
    #expect(try text(in: store) == "first end")
    await store.close()
  }

  @Test func `has commits on the disk before it answers, whatever the database's default is`() async throws {
    let admin = try PostgresConnection(PostgresConfiguration(url: url))
    let database = try #require(try admin.run("SELECT current_database()").text(0, 0))
    try admin.runScript("ALTER DATABASE \(database) SET synchronous_commit = off")
    let store = try open()

    let setting = try await store.perform { try $0.run("SHOW synchronous_commit").text(0, 0) }

    #expect(setting == "on")
    await store.close()
  }

  // MARK: - Records

  @Test func `takes a visitor's name with U+0000, which PostgreSQL has not`() async throws {
    let store = try open()
    var changes = whole("\u{0}")
    changes.rooms[0].label = RecordLabel(slot: 1, peers: [.identity("a\u{0}b"), .address("c\u{0}")], made: 1)

    #expect(await commit(changes, to: store) == nil)

    #expect(try store.room(lobby).label.peers == [.identity("a\u{FFFD}b"), .address("c\u{FFFD}")])
    #expect(try text(in: store) == "\u{0}")
    await store.close()
  }

  @Test func `is refused a commit that is too much, and its neighbours' are not`() async throws {
    let store = try open()
    let admin = try PostgresConnection(PostgresConfiguration(url: url))
    try admin.runScript("ALTER TABLE musubi.record ADD CONSTRAINT short CHECK (length(data) < 10000)")
    // The thread waits for the lock, and the commits for the thread.
    try admin.runScript("BEGIN; SELECT FROM musubi.fence FOR UPDATE")
    async let first = commit(whole("one"), to: store)
    try await eventually { try admin.waiters() > 0 }
    var large = StoreChanges()
    large.sessions = [
      StoredSession(
        id: "A", token: String(repeating: "x", count: 20_000), previousToken: nil, visitor: .anonymous,
        taken: 1, nextScreen: 1, views: [], left: nil)
    ]
    async let second = commit(large, to: store)
    async let third = commit(step(1, "more "), to: store)
    try await Task.sleep(for: .milliseconds(50))
    try admin.runScript("COMMIT")

    #expect(await first == nil)
    #expect(await second?.contains("SQLSTATE 23514") == true)
    #expect(await third == nil)
    #expect(try text(in: store) == "more one")
    await store.close()
  }

  // MARK: - Starts

  @Test func `says in one sentence why it cannot be used`() async throws {
    func failure(_ url: String, _ change: (inout PostgresStoreConfiguration) -> Void = { _ in }) -> String {
      var configuration = PostgresStoreConfiguration(url: url)
      change(&configuration)
      return #expect(throws: StorageError.self) { _ = try PostgresSessionStore(configuration) { _ in } }?
        .description ?? ""
    }

    #expect(failure("postgres://postgres@/x?host=/nowhere").contains("cannot be reached"))
    #expect(failure(server.url(of: "no_such_database")).contains("no such database"))
    #expect(failure(server.url(of: "postgres", user: "no_such_user")).contains("does not let this user in"))
    #expect(failure(url) { $0.oldestServer = 990_000 }.contains("is too old; 99 or newer is needed"))
    let hasty = try #require(PostgresServer.start("fsync=off"))
    #expect(failure(hasty.url(of: "postgres")).contains("fsync = off"))
    hasty.stop()
    await (try open()).close()
    let admin = try PostgresConnection(PostgresConfiguration(url: url))
    try admin.runScript("UPDATE musubi.version SET version = 99")
    #expect(failure(url).contains("newer version of the program"))
  }

  @Test func `notices that the server has lost commits which it had answered`() async throws {
    let reports = Reports()
    let store = try openSilent(reports: reports)
    #expect(await commit(whole("end"), to: store) == nil)
    let admin = try PostgresConnection(PostgresConfiguration(url: url))
    try admin.runScript("UPDATE musubi.fence SET commits = 0")

    #expect(await commit(step(1, "more "), to: store)?.contains("it has lost some") == true)

    #expect(reports.hasLost)
    await store.close()
  }
}
