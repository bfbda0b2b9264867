// SPDX-License-Identifier: Apache-2.0
import MusubiSQLite
import Testing

@Suite struct `A migrator` {
  @Test func `takes each step once in the life of a file`() throws {
    let folder = try TemporaryFolder()
    var migrator = Pets.migrator
    try migrator.migrate(SQLiteConnection(.file(folder.path("pets"))))
    migrator.register("birthdays") { try $0.runScript("ALTER TABLE pet ADD COLUMN birthday INTEGER;") }

    let connection = try SQLiteConnection(.file(folder.path("pets")))
    try migrator.migrate(connection)
    try migrator.migrate(connection)

    try connection.run("INSERT INTO pet (name, birthday) VALUES ('Tama', 7)")
    #expect(try Pets.names(connection) == ["Tama"])
  }

  @Test func `keeps the steps before a failing one, and nothing of that`() throws {
    let connection = try SQLiteConnection(.memory)
    var migrator = Pets.migrator
    migrator.register("half") { connection in
      try Pets.add("Tama", to: connection)
      throw Pets.Refused()
    }

    #expect(throws: Pets.Refused.self) { try migrator.migrate(connection) }

    #expect(try Pets.names(connection).isEmpty)
  }

  @Test func `refuses a file of a newer program`() throws {
    let connection = try SQLiteConnection(.memory)
    var newer = Pets.migrator
    newer.register("from the future") { _ in }
    try newer.migrate(connection)

    let error = sqliteError { try Pets.migrator.migrate(connection) }

    #expect(error?.kind == .newerSchema)
  }
}
