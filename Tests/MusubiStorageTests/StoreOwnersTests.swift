// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
import PostgresServers
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5)), .enabled("a PostgreSQL server is installed") { PostgresServer.shared != nil })
struct `The owner of a whole store in PostgreSQL` {
  private let url: String

  init() throws { url = try PostgresServer.installed.newDatabase() }

  private func admin() throws -> PostgresConnection {
    try PostgresConnection(PostgresConfiguration(url: url))
  }

  private func open(
    folder: Int64, silence: Duration = .seconds(1), patience: Duration = .seconds(60)
  ) async throws -> PostgresSessionStore {
    var configuration = PostgresStoreConfiguration.patient(url: url, node: folder)
    (configuration.silence, configuration.patience) = (silence, patience)
    return try await onThread { [configuration] in try PostgresSessionStore(configuration) { _ in } }
  }

  /// Runs what blocks on a thread of its own: those of tasks are few.
  private func onThread<Output: Sendable>(
    _ work: @escaping @Sendable () throws -> Output
  ) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
  }

  /// Somebody gives a sign of life, again and again.
  private func living(_ sign: String) throws -> Task<Void, any Error> {
    let connection = PostgresConfiguration(url: url)
    return Task {
      while !Task.isCancelled {
        try PostgresConnection(connection).runScript(sign)
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private func number(_ sql: String, _ connection: PostgresConnection) throws -> Int {
    try connection.run(sql).value(0, 0)
  }

  @Test func `has none beside nodes of a cluster that live, and takes all from those that are silent`()
    async throws
  {
    await (try await open(folder: 1)).close()
    let connection = try admin()
    try connection.runScript(
      """
      INSERT INTO musubi.node (id, folder, address, build, loops, link)
        VALUES (70, 7, 'a:1', '', 2, 1), (80, 8, 'b:1', '', 2, 1), (90, 9, 'c:1', '', 2, 1);
      UPDATE musubi.fence SET node = 70, generation = 5, lost_since = 3, commits = slot WHERE slot < 1000;
      """)
    let before = try number("SELECT version FROM musubi.directory", connection)
    let beats = try living("UPDATE musubi.node SET seen = clock_timestamp() WHERE id = 80")

    let error = await #expect(throws: StorageError.self) {
      _ = try await open(folder: 9, silence: .seconds(600), patience: .milliseconds(200))
    }
    #expect(error?.description.contains("Another node owns the store and is alive") == true)
    #expect(try number("SELECT count(*) FROM musubi.node", connection) == 3)
    #expect(try number("SELECT max(generation) FROM musubi.fence", connection) == 5)
    beats.cancel()
    _ = await beats.result

    let store = try await open(folder: 9)

    #expect(await store.fence(of: 999) == PostgresFence(generation: 6, commits: 999))
    #expect(await store.fence(of: 1_000) == PostgresFence(generation: 2, commits: 0))
    let mine = "node = (SELECT id FROM musubi.node WHERE folder = 9 AND address = '')"
    #expect(try number("SELECT count(*) FROM musubi.node", connection) == 1)
    #expect(try number("SELECT count(*) FROM musubi.fence WHERE \(mine)", connection) == 4_096)
    let version = try number("SELECT version FROM musubi.directory", connection)
    #expect(version > before)
    #expect(try number("SELECT min(moved) FROM musubi.fence", connection) == version)
    // What was given up was stored to its end; what was left behind may not have been.
    let lost = "SELECT count(*) FROM musubi.fence WHERE lost_since"
    #expect(try number("\(lost) = generation AND slot < 1000", connection) == 1_000)
    #expect(try number("\(lost) = 0 AND slot >= 1000", connection) == 3_096)
    await store.close()
    #expect(try number("SELECT min(moved) FROM musubi.fence", connection) > version)
  }

  @Test func `is not ended by an older process of its folder that is killed`() async throws {
    let first = try await open(folder: 1)
    let second = try await open(folder: 1, silence: .seconds(1_000))
    #expect(await second.fence(of: 4_095) == PostgresFence(generation: 2, commits: 0))
    #expect(try number("SELECT max(lost_since) FROM musubi.fence", admin()) == 2)
    await first.close()
    await second.close()
  }

  // MARK: - Tables of version 1

  private static let version1 = """
    CREATE SCHEMA IF NOT EXISTS musubi;
    CREATE TABLE musubi.fence (slot int PRIMARY KEY, node bigint, generation bigint NOT NULL, commits bigint NOT NULL,
      beats bigint NOT NULL, since timestamptz) WITH (fillfactor = 10);
    INSERT INTO musubi.fence VALUES (0, 7, 3, 10, 5, now());
    CREATE TABLE musubi.record (key text COLLATE "C" PRIMARY KEY, slot int NOT NULL, bytes bigint NOT NULL, peer text,
      others text, made float8 NOT NULL, left_at float8, room text COLLATE "C", is_used bool NOT NULL, data text NOT NULL);
    CREATE INDEX record_room ON musubi.record (room) WHERE room IS NOT NULL;
    CREATE TABLE musubi.step (key text COLLATE "C", version bigint, bytes bigint NOT NULL, data text NOT NULL,
      PRIMARY KEY (key, version));
    CREATE TABLE musubi.strike (id bigint PRIMARY KEY, record text NOT NULL);
    CREATE TABLE musubi.aside_room (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, record text NOT NULL);
    CREATE TABLE musubi.version (version int NOT NULL);
    INSERT INTO musubi.version VALUES (1);
    INSERT INTO musubi.record VALUES ('A', 9, 2, NULL, NULL, 1, NULL, NULL, true, '{}');
    """

  @Test func `finds what a program with one owner for all slots has stored, and stops that one`() async throws
  {
    let old = try admin()
    try old.runScript(Self.version1)
    let commit = """
      UPDATE musubi.fence SET commits = commits + 1 WHERE slot = 0 AND generation = 3 AND commits = $1 RETURNING commits
      """
    let beat = "UPDATE musubi.fence SET beats = beats + 1 WHERE slot = 0 AND generation = 3"
    #expect(try old.run(commit, .integer(10)).count == 1 && old.run(beat).changes == 1)

    // A node of a cluster takes nothing, and the owner before is free to be followed.
    let node = try PostgresSessionStore(joining: .patient(url: url, node: 7), node: 70) { _ in }

    #expect(try old.run(commit, .integer(11)).count == 0 && old.run(beat).changes == 0)
    #expect(
      try number(
        """
        SELECT count(*) FROM musubi.fence
          WHERE node = 7 AND generation = 4 AND commits = 11 AND lost_since = 0 AND moved = 0
        """, old) == 4_096)
    #expect(try number("SELECT version FROM musubi.version", old) == 2)
    #expect(try PostgresRecords.index(old, slots: [9])[9]?.sessions.keys.map(\.self) == ["A"])
    await node.close()
    let store = try await open(folder: 8, silence: .seconds(1_000))
    #expect(await store.fence(of: 4_095) == PostgresFence(generation: 5, commits: 11))
    #expect(try number("SELECT min(lost_since) FROM musubi.fence", old) == 5)
    #expect(try await store.load().sessions.count == 1)
    await store.close()
  }

  @Test func `leaves the tables to a program of before that lives`() async throws {
    let old = try admin()
    try old.runScript(Self.version1)
    let beats = try living("UPDATE musubi.fence SET beats = beats + 1 WHERE generation = 3")

    let error = await #expect(throws: StorageError.self) {
      _ = try await open(folder: 8, silence: .seconds(600), patience: .milliseconds(200))
    }

    #expect(error?.description.contains("Another node owns the store and is alive") == true)
    #expect(try number("SELECT version FROM musubi.version", old) == 1)
    beats.cancel()
    _ = await beats.result
    let stores = try await withThrowingTaskGroup(of: PostgresSessionStore.self) { group in
      for node: Int64 in 1...3 {
        group.addTask {
          var configuration = PostgresStoreConfiguration.patient(url: url, node: node)
          (configuration.silence, configuration.patience) = (.milliseconds(500), .seconds(60))
          return try await onThread { [configuration] in
            try PostgresSessionStore(joining: configuration, node: node) { _ in }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(stores.count == 3)
    #expect(try number("SELECT max(generation) FROM musubi.fence", old) == 4, "Once, by one of three.")
    for store in stores { await store.close() }
  }
}
