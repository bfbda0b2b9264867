// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import GalleryAPI
import MusubiPostgres
import MusubiSQLite
import PostgresServers
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The contents` {
  private let folder: TemporaryFolder
  private let contents: ContentsAPI

  init() throws {
    folder = try TemporaryFolder()
    contents = try Self.open(folder)
  }

  private static func open(
    _ folder: TemporaryFolder, _ configuration: ContentsConfiguration = ContentsConfiguration(),
    now: Date = Date(timeIntervalSince1970: 1_000_000.1234)
  ) throws -> ContentsAPI {
    try ContentsAPI(folder: folder.url.appending(path: "a/b"), configuration: configuration) { now }
  }

  @Test func `come back newest first, also after the file is opened again`() async throws {
    let first = try await contents.post(title: "結び", text: "a\0b", author: "", idempotencyKey: "s/1")
    let second = try await contents.post(title: "B", text: "b", author: "Ann", idempotencyKey: "s/2")
    await contents.close()
    let reopened = try Self.open(folder)

    let fetched = try await reopened.fetch()

    #expect(fetched == [second, first])
    #expect(first.time == Date(timeIntervalSince1970: 1_000_000.123))
    #expect(try await reopened.content(first.id) == first)
    #expect(try await reopened.fetch(limit: 1) == [second])
  }

  @Test func `are in memory if there is no folder, and nobody else sees them`() async throws {
    let contents = try ContentsAPI(folder: nil)
    let other = try ContentsAPI(folder: nil)

    let posted = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")

    #expect(try await contents.fetch() == [posted])
    #expect(try await other.fetch() == [])
  }

  @Test func `take a repeated post once, and answer with the first entry`() async throws {
    let first = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")

    let again = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")

    #expect(again == first)
    #expect(try await contents.fetch() == [first])
  }

  @Test func `do not bring a deleted entry back when its post is repeated`() async throws {
    let first = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")
    try await contents.delete(first.id)

    let again = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")

    #expect(again == first)
    #expect(try await contents.fetch().isEmpty)
  }

  @Test func `take many posts at once, each once`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...100 {
        group.addTask { [contents] in
          for _ in 1...2 {
            let key = "s/\(number)"
            _ = try await contents.post(title: key, text: key, author: "", idempotencyKey: key)
          }
        }
      }
      try await group.waitForAll()
    }

    let titles = try await contents.fetch().map(\.title)
    #expect(titles.count == 100)
    #expect(Set(titles) == Set((1...100).map { "s/\($0)" }))
  }

  @Test func `never give the number of a deleted entry to another`() async throws {
    let first = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")
    try await contents.delete(first.id)

    let second = try await contents.post(title: "B", text: "b", author: "", idempotencyKey: "s/2")

    #expect(second.id != first.id)
    #expect(await failure { _ = try await contents.content(first.id) } == .notFound(id: first.id))
    #expect(await failure { try await contents.delete(first.id) } == .notFound(id: first.id))
  }

  @Test func `forget a key only after its time`() async throws {
    _ = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")
    let later = try Self.open(folder, now: Date(timeIntervalSince1970: 1_000_000 + 31 * 86_400))

    _ = try await later.post(title: "B", text: "b", author: "", idempotencyKey: "s/2")
    _ = try await later.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")

    #expect(try await later.fetch().map(\.title) == ["A", "B", "A"])
  }

  @Test func `refuse a blank or too long text, and keep the key for the next attempt`() async throws {
    let long = String(repeating: "結", count: 10_001)
    let cases: [(title: String, text: String, kind: ContentsError.Kind)] = [
      ("", "a", .empty(.title)), ("A", " \n", .empty(.text)), ("A", long, .tooLong(.text, limit: 10_000)),
      (String(long.prefix(201)), "a", .tooLong(.title, limit: 200)),
    ]

    for (title, text, kind) in cases {
      let found = await failure {
        _ = try await contents.post(title: title, text: text, author: "", idempotencyKey: "s/1")
      }
      #expect(found == kind)
    }
    _ = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")

    #expect(try await contents.fetch().count == 1)
  }

  @Test func `tell that the database is locked, and lose nothing`() async throws {
    var impatient = ContentsConfiguration()
    impatient.database.connection.busyTimeout = .zero
    let contents = try Self.open(folder, impatient)
    let first = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")
    let holder = try SQLiteConnection(.file(folder.path("a/b/contents.sqlite")))
    try holder.run("BEGIN IMMEDIATE")

    let found = await failure {
      _ = try await contents.post(title: "B", text: "b", author: "", idempotencyKey: "s/2")
    }
    let meanwhile = try await contents.fetch()
    try holder.run("ROLLBACK")
    let second = try await contents.post(title: "B", text: "b", author: "", idempotencyKey: "s/2")

    #expect(found == .busy)
    #expect(meanwhile == [first])
    #expect(try await contents.fetch() == [second, first])
  }

  @Test func `tell that the disk is full, and lose nothing`() async throws {
    var small = ContentsConfiguration()
    small.database.connection.maxPages = 12
    let contents = try Self.open(folder, small)
    let text = String(repeating: "a", count: 9_000)
    var posted: [Content] = []

    var found: ContentsError.Kind?
    for number in 1...20 where found == nil {
      found = await failure {
        posted.append(
          try await contents.post(title: "A", text: text, author: "", idempotencyKey: "s/\(number)"))
      }
    }

    #expect(found == .diskFull)
    #expect(try await contents.fetch() == posted.reversed())
  }

  @Test func `tell that their file is damaged`() async throws {
    let file = folder.url.appending(path: "contents.sqlite")
    try Data("no database at all".utf8).write(to: file)

    let found = await failure { _ = try ContentsAPI(folder: folder.url) }

    #expect(found == .damaged)
  }

  @Test func `refuse everything after they were closed`() async throws {
    await contents.close()

    #expect(await failure { _ = try await contents.fetch() } == .closed)
  }
}

/// The kind of the contents' error that a closure fails with.
private func failure(_ body: () async throws -> Void) async -> ContentsError.Kind? {
  await failure(ContentsError.self, body)?.kind
}

@Suite(.timeLimit(.minutes(5))) struct `The contents in the database of several servers` {
  private static func open(_ server: PostgresServer?, secondLimit: Int? = 0) throws -> (
    ContentsAPI, ContentsAPI
  )? {
    guard let url = try server?.newDatabase() else { return nil }
    var small = ContentsConfiguration()
    small.maxMebibytes = secondLimit
    return (
      ContentsAPI(database: try .reporting(url)),
      ContentsAPI(database: try .reporting(url), configuration: small)
    )
  }

  @Test func `are the same at all of them`() async throws {
    guard let (first, second) = try Self.open(.shared) else { return }
    let entry = try await first.post(title: "結び", text: "a\0b", author: "", idempotencyKey: "s/1")
    let later = try await first.post(title: "B", text: "b", author: "Ann", idempotencyKey: "s/2")

    #expect(try await second.fetch().map(\.title) == ["B", "結び"])
    #expect(try await second.content(entry.id).text == "a\u{FFFD}b")
    #expect(try await second.post(title: "B", text: "b", author: "", idempotencyKey: "s/2") == later)
    try await second.delete(later.id)
    #expect(await failure { try await first.delete(later.id) } == ContentsError(later.id))
    let full = await failure(ContentsError.self) {
      _ = try await second.post(title: "C", text: "c", author: "", idempotencyKey: "s/3")
    }
    #expect(full?.kind == .diskFull)
  }

  @Test func `take a post once that comes to all of them at once`() async throws {
    guard let (first, second) = try Self.open(.shared, secondLimit: nil) else { return }
    let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<20 {
        let contents = number.isMultiple(of: 2) ? first : second
        group.addTask { try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1").id }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
  }

  @Test func `have a post once whose commit was not answered, as soon as the standby has it`() async throws {
    guard let server = PostgresServer.start() else { return }
    let url = try server.newDatabase()
    let contents = ContentsAPI(database: try .reporting(url))
    try server.loseStandby()

    async let post = contents.post(title: "結び", text: "a", author: "", idempotencyKey: "s/1")

    // On a thread of its own: the post waits for some seconds, and tasks of other tests may have the threads for as long.
    try await withCheckedThrowingContinuation { isSeen in
      Thread.detachNewThread {
        isSeen.resume(
          with: Result {
            let admin = try PostgresConnection(PostgresConfiguration(url: url))
            // It is seen when the commit was given up, and not told before the standby has it.
            while try admin.run("SELECT FROM gallery.content").count == 0 { usleep(20_000) }
            try server.forgetStandby()
          })
      }
    }

    #expect(try await post.title == "結び")

    let admin = try PostgresConnection(PostgresConfiguration(url: url))
    #expect(try admin.run("SELECT FROM gallery.content").count == 1)
    server.stop()
  }

  @Test func `are there again after a database that was away`() async throws {
    guard let server = PostgresServer.start() else { return }
    let tables = try GalleryTables.reporting(server.newDatabase())
    let (contents, codes) = (ContentsAPI(database: tables), SharedCodes(tables))
    let first = try await contents.post(title: "A", text: "a", author: "", idempotencyKey: "s/1")
    server.kill()
    let away = await failure(ContentsError.self) {
      _ = try await contents.post(title: "B", text: "b", author: "", idempotencyKey: "s/2")
    }
    #expect(away?.kind == .unavailable)
    codes.add("123", of: "tea")
    server.restart()
    await codes.settle()
    let second = try await contents.post(title: "B", text: "b", author: "", idempotencyKey: "s/2")
    #expect(try await contents.fetch() == [second, first])
    server.stop()
  }
}

extension ContentsError {
  fileprivate init(_ id: Int64) { self.init(.notFound(id: id), "There is no entry \(id).") }
}
