// SPDX-License-Identifier: Apache-2.0
import MusubiSQLite

/// The schema and the statements that the tests share.
enum Pets {
  struct Refused: Error, Equatable {}

  static var migrator: Migrator {
    var migrator = Migrator()
    migrator.register("pets") { connection in
      try connection.runScript("CREATE TABLE pet (name TEXT NOT NULL UNIQUE, note BLOB) STRICT;")
    }
    return migrator
  }

  static func connection(
    _ location: SQLiteConnection.Location = .memory,
    configuration: ConnectionConfiguration = ConnectionConfiguration()
  ) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(location, configuration: configuration)
    try migrator.migrate(connection)
    return connection
  }

  static func add(_ name: String, to connection: SQLiteConnection) throws {
    try connection.run("INSERT INTO pet (name) VALUES (?)", name)
  }

  static func names(_ connection: SQLiteConnection) throws -> [String] {
    try connection.rows("SELECT name FROM pet ORDER BY rowid") { try $0.value(0) }
  }
}

/// The error of a closure that must fail.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
  do {
    try body()
    return nil
  } catch {
    return error as? SQLiteError
  }
}

/// What an async closure that must fail fails with.
func sqliteError(_ body: () async throws -> Void) async -> SQLiteError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? SQLiteError
  }
}
