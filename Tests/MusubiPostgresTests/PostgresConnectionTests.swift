// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgresServers
import Testing

@testable import MusubiPostgres

@Suite(.timeLimit(.minutes(5)), .enabled("a PostgreSQL server is installed") { PostgresServer.shared != nil })
struct `A connection to PostgreSQL` {
  private let server: PostgresServer
  private let configuration: PostgresConfiguration

  init() throws {
    server = try #require(PostgresServer.shared)
    configuration = PostgresConfiguration(url: try server.newDatabase())
  }

  @Test func `gives every value back as it was`() throws {
    let connection = try PostgresConnection(configuration)
    let long = String(repeating: "結び\u{1F600}\"\\'", count: 300_000)

    let answer = try connection.run(
      "SELECT $1, $2, $3, $4, $5::text", .text(long), .integer(Int64.min), .real(0.1), .bool(true), .null)

    #expect(answer.text(0, 0) == long)
    #expect(try answer.value(0, 1, as: Int64.self) == .min)
    #expect(try answer.value(0, 2, as: Double.self) == 0.1)
    #expect(answer.text(0, 3) == "t")
    #expect(try answer.optional(0, 4, as: Int.self) == nil)
    #expect(throws: PostgresError.self) { try answer.value(0, 4, as: Int.self) }
    #expect(throws: PostgresError.self) { try answer.value(0, 0, as: Int.self) }
  }

  @Test func `makes rows of arrays, which may be empty or have nulls`() throws {
    let connection = try PostgresConnection(configuration)
    let sql = "SELECT * FROM unnest($1::text[], $2::int8[], $3::float8[], $4::bool[])"

    let answer = try connection.run(
      sql, .texts(["{\"", nil, ""]), .integers([1, -2, 1 << 40]), .reals([nil, 2.5, -0.25]),
      .bools([true, false, true]))

    #expect((0..<answer.count).map { answer.text($0, 0) } == ["{\"", nil, ""])
    #expect((0..<answer.count).map { answer.text($0, 1) } == ["1", "-2", "\(1 << 40)"])
    #expect((0..<answer.count).map { answer.text($0, 2) } == [nil, "2.5", "-0.25"])
    #expect((0..<answer.count).map { answer.text($0, 3) } == ["t", "f", "t"])
    #expect(try connection.run(sql, .texts([]), .integers([]), .reals([]), .bools([])).count == 0)
  }

  @Test func `tells the kinds of refusals apart, and goes on behind each`() throws {
    let connection = try PostgresConnection(configuration)
    try connection.runScript("CREATE TABLE pet (name text PRIMARY KEY)")
    try connection.run("INSERT INTO pet VALUES ($1)", .text("Tama"))
    func kind(_ work: () throws -> PostgresResult) -> PostgresError.Kind? {
      #expect(throws: PostgresError.self) { try work() }?.kind
    }

    #expect(kind { try connection.run("INSERT INTO pet VALUES ($1)", .text("Tama")) } == .constraint)
    #expect(kind { try connection.run("INSERT INTO pet VALUES ($1)", .text("a\u{0}")) } == .wrongType)
    #expect(kind { try connection.run("SELECT nothing") } == .other)
    #expect(!connection.isLost)
    #expect(try connection.run("SELECT name FROM pet").text(0, 0) == "Tama")
    #expect(try connection.run("UPDATE pet SET name = $1", .text("Pochi")).changes == 1)
  }

  @Test func `takes a transaction back that throws`() throws {
    struct Mistake: Error {}
    let connection = try PostgresConnection(configuration)
    try connection.runScript("CREATE TABLE pet (name text)")

    #expect(throws: Mistake.self) {
      try connection.transaction {
        try connection.run("INSERT INTO pet VALUES ('Tama')")
        throw Mistake()
      }
    }

    #expect(try connection.run("SELECT FROM pet").count == 0)
    try connection.transaction { _ = try connection.run("INSERT INTO pet VALUES ('Tama')") }
    #expect(try connection.run("SELECT FROM pet").count == 1)
  }

  @Test func `has commits answered when they are on the disk, whatever a role's default is`() throws {
    let admin = try PostgresConnection(configuration)
    let role = "hasty_" + UUID().uuidString.prefix(8).lowercased()
    try admin.runScript(
      "CREATE ROLE \(role) LOGIN SUPERUSER; ALTER ROLE \(role) SET synchronous_commit = off")

    let url = configuration.url.replacingOccurrences(of: "postgres@", with: "\(role)@")
    let connection = try PostgresConnection(PostgresConfiguration(url: url))

    #expect(try connection.run("SHOW synchronous_commit").text(0, 0) == "on")
    #expect(try connection.run("SHOW plan_cache_mode").text(0, 0) == "force_generic_plan")
    #expect(try connection.run("SELECT current_user").text(0, 0) == role)
  }

  @Test func `is lost with its backend, and nobody knows what became of the statement`() throws {
    let connection = try PostgresConnection(configuration)
    let other = try PostgresConnection(configuration)
    try other.run("SELECT pg_terminate_backend($1::int8::int)", .integer(Int64(connection.backend)))

    let error = #expect(throws: PostgresError.self) { try connection.run("SELECT pg_sleep(60)") }

    #expect(error?.kind == .connectionLost && error?.isUnknown == true)
    #expect(connection.isLost)
    #expect(throws: PostgresError.self) { try connection.run("SELECT 1") }
  }

  @Test func `is given up when no answer comes`() throws {
    var impatient = configuration
    impatient.answerTimeout = .seconds(3)
    let connection = try PostgresConnection(impatient)

    let error = #expect(throws: PostgresError.self) { try connection.run("SELECT pg_sleep(60)") }

    #expect(error?.kind == .timedOut && error?.isUnknown == true)
    #expect(connection.isLost)
  }

  @Test func `ends what an earlier one has left behind`() async throws {
    var impatient = configuration
    impatient.answerTimeout = .milliseconds(300)
    let connection = try PostgresConnection(impatient)
    let admin = try PostgresConnection(configuration)
    let asleep = "SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(61%' AND state = 'active'"
    #expect(throws: PostgresError.self) { try connection.run("SELECT pg_sleep(61)") }
    #expect(connection.abandoned?.number == Int64(connection.backend))
    #expect(try admin.run(asleep).count == 1)
    // A later process of the same number is none of its business.
    let other = try PostgresConnection(configuration)
    _ = try PostgresConnection(
      configuration, ending: .init(number: Int64(other.backend), start: 1))
    #expect(try other.run("SELECT 1").count == 1)

    let next = try PostgresConnection(configuration, ending: connection.abandoned)

    while try admin.run(asleep).count > 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(next.abandoned == nil)
  }

  @Test func `is of no more use when the server takes no changes, and is not made`() throws {
    let connection = try PostgresConnection(configuration)
    try connection.runScript("CREATE TABLE pet (name text)")
    let database = try #require(try connection.run("SELECT current_database()").text(0, 0))
    try connection.runScript("ALTER DATABASE \(database) SET default_transaction_read_only = on")
    try connection.runScript("SET default_transaction_read_only = on")
    #expect(try connection.run("SELECT FROM pet").count == 0 && !connection.isLost)

    let error = #expect(throws: PostgresError.self) { try connection.run("INSERT INTO pet VALUES ('Tama')") }

    #expect(error?.isReadOnly == true && error?.isUnknown == false)
    #expect(connection.isLost && connection.abandoned == nil)
    let refusal = #expect(throws: PostgresError.self) { _ = try PostgresConnection(configuration) }
    #expect(refusal?.isReadOnly == true && refusal?.kind == .notAllowed)
    // Whoever only reads says so.
    let url = configuration.url + "&target_session_attrs=any"
    #expect(try PostgresConnection(PostgresConfiguration(url: url)).run("SELECT FROM pet").count == 0)
  }

  @Test func `says why it is not made`() throws {
    let admin = try PostgresConnection(configuration)
    let role = "ann_" + UUID().uuidString.prefix(8).lowercased()
    try admin.runScript(
      """
      DO $$ BEGIN CREATE ROLE locked; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
      CREATE ROLE \(role) LOGIN PASSWORD 'right' IN ROLE locked
      """)
    func error(_ url: String) -> PostgresError? {
      #expect(throws: PostgresError.self) { _ = try PostgresConnection(PostgresConfiguration(url: url)) }
    }

    let wrong = error("postgres://\(role):wrong@/postgres?host=\(server.folder)")
    #expect(wrong?.kind == .refused && wrong?.description.contains("wrong") == false)
    #expect(error("postgres://\(role)@/postgres?host=\(server.folder)")?.kind == .refused)
    #expect(error(server.url(of: "postgres", user: "nobody_of_this_name"))?.kind == .refused)
    #expect(error(server.url(of: "no_such_database"))?.kind == .noDatabase)
    #expect(error("postgres://postgres@/postgres?host=/nowhere")?.kind == .unreachable)
    _ = try PostgresConnection(
      PostgresConfiguration(url: "postgres://\(role):right@/postgres?host=\(server.folder)"))
  }

  @Test func `has a URL that tells whether a password is in it`() throws {
    #expect(try PostgresConfiguration(url: "postgres://ann:secret@db/musubi").hasPassword())
    #expect(try PostgresConfiguration(url: "postgres://ann@db/musubi?password=secret").hasPassword())
    #expect(try !PostgresConfiguration(url: "postgresql://ann@db,db2:6432/musubi").hasPassword())
    #expect(try PostgresConfiguration(url: "postgres://ann:sec%40ret%2F@db/musubi").hasPassword())
    // Of the last two libpq would tell a part of the password as a host or a port.
    for url in [
      "ann:secret@db:x/%", "ann:a@secret@db/musubi", "ann:secret/x@db/musubi",
    ] {
      let error = #expect(throws: PostgresError.self) {
        try PostgresConfiguration(url: "postgres://\(url)").hasPassword()
      }
      #expect(error?.description.contains("secret") == false)
    }
  }
}

@Suite(.timeLimit(.minutes(5)), .enabled("a PostgreSQL server is installed") { PostgresServer.shared != nil })
struct `A PostgreSQL server that is killed` {
  @Test func `is there again, with everything that it has answered`() throws {
    let server = try #require(PostgresServer.start())
    let configuration = PostgresConfiguration(url: server.url(of: "postgres"))
    let connection = try PostgresConnection(configuration)
    try connection.runScript("CREATE TABLE pet (name text); INSERT INTO pet VALUES ('Tama')")

    server.kill()

    #expect(throws: PostgresError.self) { try connection.run("SELECT FROM pet") }
    #expect(throws: PostgresError.self) { _ = try PostgresConnection(configuration) }
    server.restart()
    #expect(try PostgresConnection(configuration).run("SELECT FROM pet").count == 1)
  }
}

@Suite struct `The arguments of a statement` {
  @Test func `are refused before they are sent if no server takes as many bytes`() throws {
    try PostgresConnection.checkSize(1 << 20)

    let error = #expect(throws: PostgresError.self) { try PostgresConnection.checkSize(Int(Int32.max) + 1) }

    #expect(error?.kind == .tooLarge && error?.isUnknown == false)
  }
}
