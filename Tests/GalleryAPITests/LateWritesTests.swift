// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import MusubiPostgres
import PostgresServers
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Writes that nobody waits for` {
  private static let away = PostgresError(.unreachable, "away")
  private static let standby = PostgresError(.notAllowed, "a standby", sqlState: "25006")
  private static let wrong = PostgresError(.constraint, "wrong")

  @Test func `are made of each key's newest value, in the order in which the keys came`() async {
    let desk = Desk()
    let writes = desk.writes()
    writes.put(1, for: "a")
    await desk.begun("a1")
    for (key, value) in [("b", 1), ("a", 2), ("c", 1), ("b", 2)] { writes.put(value, for: key) }
    #expect(writes.value(of: "b") == 2)
    writes.put(1, for: "d")
    #expect(writes.value(of: "d") == 1)
    #expect(writes.value(of: "e") == nil)

    for _ in 0..<5 { desk.end() }
    await writes.settle()

    #expect(desk.begun == ["a1", "b2", "a2", "c1", "d1"])
    #expect(writes.value(of: "b") == nil && writes.failure == nil)
    #expect(desk.reports == [])
    await writes.settle()
  }

  @Test func `do not wait for the pauses of other keys`() async {
    let pauses = Mutex(0)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Void>.makeStream()
    let writes = LateWrites<Int, Int>(
      "numbers", pause: .seconds(1), sleep: { _ in pauses.withLock { $0 += 1 } }, report: { _ in }
    ) { key, _ in
      guard key == 0 else { return }
      begin.yield()
      await Task { for await _ in ended { return } }.value
    }
    writes.put(1, for: 0)
    for await _ in begun { break }
    for key in 1...40 { writes.put(1, for: key) }
    end.yield()
    await writes.settle()

    // That behind the first one, and that behind all others, if it has begun.
    #expect((1...2).contains(pauses.withLock(\.self)))
  }

  @Test func `know what is being written`() async {
    let desk = Desk()
    let writes = desk.writes()
    writes.put(1, for: "a")
    await desk.begun("a1")
    #expect(writes.value(of: "a") == 1)
    desk.end()
    await writes.settle()
  }

  @Test func `give the oldest up when too many wait, and say so once`() async {
    let desk = Desk()
    let writes = desk.writes(limit: 2)
    writes.put(1, for: "a")
    await desk.begun("a1")
    for key in ["b", "c", "d", "e"] { writes.put(1, for: key) }
    writes.put(2, for: "d")
    for _ in 0..<3 { desk.end() }
    await writes.settle()

    #expect(desk.begun == ["a1", "d2", "e1"])
    #expect(desk.reports == ["numbers: more than 2 wait to be written; the oldest are given up"])
  }

  @Test(arguments: [away, standby])
  func `are tried again while the database is away, with what is newest then`(away: PostgresError) async {
    let desk = Desk()
    let writes = desk.writes()
    writes.put(1, for: "a")
    writes.put(1, for: "b")
    desk.end(away)
    desk.end(away)
    await desk.begun("a1", times: 3)
    writes.put(2, for: "a")
    #expect(writes.value(of: "a") == 2)
    desk.end(away)
    desk.end()
    desk.end()
    await writes.settle()

    #expect(desk.begun == ["a1", "a1", "a1", "b1", "a2"])
    #expect(desk.reports == [])
  }

  @Test func `are given up after another failure, which is reported once`() async {
    let desk = Desk()
    let writes = desk.writes()
    for key in ["a", "b", "c", "d"] { writes.put(1, for: key) }
    for error in [Self.wrong, Self.wrong, nil, Self.wrong] { desk.end(error) }
    await writes.settle()

    #expect(desk.begun == ["a1", "b1", "c1", "d1"])
    let report = "numbers: not written, and given up: wrong"
    #expect(desk.reports == [report, report], "one before and one behind a success")
    #expect(writes.failure as? PostgresError == Self.wrong)
  }

  @Test func `are tried again after a failure that passes, which is reported once`() async {
    let desk = Desk()
    let writes = desk.writes { $0 as? PostgresError == Self.wrong }
    writes.put(1, for: "a")
    for error in [Self.wrong, Self.wrong, nil] { desk.end(error) }
    await writes.settle()

    #expect(desk.begun == ["a1", "a1", "a1"])
    #expect(desk.reports == ["numbers: not written, and tried again: wrong"])
  }

  @Test func `are tried without pauses when their owner has gone, and end`() async {
    let desk = Desk()
    let (ends, end) = AsyncStream<Void>.makeStream()
    var writes: LateWrites<String, Int>? = desk.writes(
      pause: .seconds(86_400), holding: Token { end.yield() })
    for key in ["a", "b", "c", "d"] { writes?.put(1, for: key) }
    await desk.begun("a1")
    desk.end()
    desk.end()
    desk.end(Self.away)
    writes = nil
    for await _ in ends { break }

    #expect(desk.begun == ["a1", "b1", "c1"])
    #expect(desk.reports == ["numbers: not written, and given up: away"])
  }

  @Test func `of quiz codes reach all servers, also when a code goes on to another room`() async throws {
    guard let url = try PostgresServer.shared?.newDatabase() else { return }
    let (first, second) = (SharedCodes(try .reporting(url)), SharedCodes(try .reporting(url)))
    first.add("123", of: "tea")
    await first.settle()
    #expect(try await second.room(of: "123") == "tea")
    // Another server's code is its own.
    second.add("123", of: "coffee")
    second.remove("123")
    await second.settle()
    #expect(try await second.room(of: "123") == "tea")

    first.remove("123")
    first.add("123", of: "milk")
    await first.settle()
    #expect(try await second.room(of: "123") == "milk")
    first.remove("123")
    await first.settle()
    #expect(try await second.room(of: "123") == nil)
  }

  @Test func `of quiz codes wait for a database that is away`() async throws {
    guard let server = PostgresServer.start() else { return }
    let codes = SharedCodes(try .reporting(server.newDatabase()))
    server.kill()
    codes.add("123", of: "tea")
    let away = await failure(PostgresError.self) { _ = try await codes.room(of: "123") }
    #expect(away.map(GalleryTables.isAway) == true)
    server.restart()
    await codes.settle()
    #expect(try await codes.room(of: "123") == "tea")
    server.stop()
  }
}

extension GalleryTables {
  /// Tables whose reports are mistakes.
  static func reporting(_ url: String) throws -> GalleryTables {
    try GalleryTables(url: url) { Issue.record("\($0)") }
  }
}

/// Tells its end.
private final class Token: Sendable {
  private let ended: @Sendable () -> Void
  init(_ ended: @escaping @Sendable () -> Void) { self.ended = ended }
  deinit { ended() }
}

/// Lets a test see which writings begin, and decide how they end.
private final class Desk: Sendable {
  private struct Seen {
    var begun: [String] = []
    var reports: [String] = []
  }

  private let seen = Mutex(Seen())
  private let beginnings = AsyncStream<Void>.makeStream()
  private let ends = AsyncStream<PostgresError?>.makeStream()

  var begun: [String] { seen.withLock(\.begun) }
  var reports: [String] { seen.withLock(\.reports) }

  func writes(
    limit: Int = 100, pause: Duration = .zero, holding token: Token? = nil,
    isTemporary: @escaping @Sendable (any Error) -> Bool = { _ in false }
  ) -> LateWrites<String, Int> {
    LateWrites(
      "numbers", limit: limit, pause: pause, retryPause: .zero, isTemporary: isTemporary,
      report: { report in self.seen.withLock { $0.reports.append(report) } }
    ) { key, value in
      defer { withExtendedLifetime(token) {} }
      self.seen.withLock { $0.begun.append("\(key)\(value)") }
      self.beginnings.continuation.yield()
      // A task of its own: the end of the owner cancels no writing under way.
      let end = await Task { await self.ends.stream.first { _ in true } }.value
      if let error = end ?? nil { throw error }
    }
  }

  /// The next writing ends, now or when it has begun.
  func end(_ error: PostgresError? = nil) { ends.continuation.yield(error) }

  /// Waits until a writing has begun so many times.
  func begun(_ writing: String, times: Int = 1) async {
    for await _ in beginnings.stream where begun.count(where: { $0 == writing }) >= times { return }
  }
}
