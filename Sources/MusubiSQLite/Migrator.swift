// SPDX-License-Identifier: Apache-2.0

/// The steps that bring a database's schema from any earlier version to the newest.
///
/// A step that was ever released is never changed; a change is a new step at the end.
///
/// ```swift
/// var migrator = Migrator()
/// migrator.register("pets") { connection in
///   try connection.runScript("CREATE TABLE pet (name TEXT NOT NULL) STRICT;")
/// }
/// try migrator.migrate(SQLiteConnection(.memory))
/// ```
public struct Migrator: Sendable {
  private struct Step: Sendable {
    let name: String
    let body: @Sendable (SQLiteConnection) throws -> Void
  }

  private var steps: [Step] = []

  /// No steps.
  public init() {}

  /// Adds a step at the end.
  ///
  /// - Parameters:
  ///   - name: Its name in the file; unique and for ever.
  ///   - body: Changes the schema; runs in a transaction, once in the life of a file.
  public mutating func register(
    _ name: String, _ body: @escaping @Sendable (SQLiteConnection) throws -> Void
  ) {
    precondition(!steps.contains { $0.name == name }, "The migration \"\(name)\" is registered twice.")
    steps.append(Step(name: name, body: body))
  }

  /// Takes the steps that the file has not seen, in their order, each in one transaction.
  ///
  /// Two programs may do it at once: each step looks again after it got the lock.
  ///
  /// - Parameter connection: The database.
  /// - Throws: `SQLiteError` of kind `newerSchema` if the file knows a step that this program does not,
  ///   before anything changed; or a step's error, with the earlier steps kept.
  public func migrate(_ connection: SQLiteConnection) throws {
    try connection.run(
      "CREATE TABLE IF NOT EXISTS musubi_migration (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID")
    let taken = try connection.rows("SELECT name FROM musubi_migration") { try $0.value(0, as: String.self) }
    if let unknown = taken.first(where: { name in !steps.contains { $0.name == name } }) {
      throw SQLiteError(
        .newerSchema,
        "The file has the migration \"\(unknown.prefix(80))\", which this program does not know",
        file: connection.path)
    }
    for step in steps where !taken.contains(step.name) {
      try connection.transaction {
        let isNew = try connection.run("INSERT OR IGNORE INTO musubi_migration VALUES (?)", step.name) == 1
        if isNew { try step.body(connection) }
      }
    }
  }
}
