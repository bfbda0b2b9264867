// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres

/// The tables in the schema `musubi`.
///
/// | table | row |
/// | --- | --- |
/// | `fence` | who owns a slot: node, generation (count of its owners), commits (count of its commits), beats |
/// | `record` | a room or a session as JSON, with its label |
/// | `step` | the changes of a room since its whole, in one commit |
/// | `strike`, `aside_room` | events that have ended the process, and rooms that have |
///
/// For now one row of `fence`, that of slot 0, stands for all slots: one node at a time owns the store. Each record has its own
/// slot already, so that there can be a row for each of the 4,096.
enum PostgresSchema {
  /// Grows with each change that an older program would not understand.
  static let version = 1

  /// Any number that other programs do not take: two starts make the tables one after the other.
  private static let lock = 0x6d75_7375_6269

  /// Makes the tables at the first time.
  ///
  /// - Throws: `PostgresError`, or a `StorageError` if a newer program has made them.
  static func prepare(_ connection: PostgresConnection) throws {
    let exists = "SELECT to_regclass('musubi.version') IS NOT NULL"
    if try connection.run(exists).text(0, 0) != "t" {
      try connection.transaction {
        try connection.run("SELECT pg_advisory_xact_lock($1)", .integer(lock))
        guard try connection.run(exists).text(0, 0) != "t" else { return }
        try connection.runScript(tables)
      }
    }
    let found = try connection.run("SELECT version FROM musubi.version").value(0, 0, as: Int.self)
    guard found <= version else {
      throw StorageError(
        "The tables of the database were made by a newer version of the program (\(found); this one knows \(version)); use that one, or another database."
      )
    }
  }

  private static let tables = """
    CREATE SCHEMA IF NOT EXISTS musubi;
    CREATE TABLE musubi.fence (slot int PRIMARY KEY, node bigint, generation bigint NOT NULL, commits bigint NOT NULL,
      beats bigint NOT NULL, since timestamptz) WITH (fillfactor = 10);
    INSERT INTO musubi.fence VALUES (0, NULL, 0, 0, 0, NULL);
    CREATE TABLE musubi.record (key text COLLATE "C" PRIMARY KEY, slot int NOT NULL, bytes bigint NOT NULL, peer text,
      others text, made float8 NOT NULL, left_at float8, room text COLLATE "C", is_used bool NOT NULL, data text NOT NULL);
    CREATE INDEX record_room ON musubi.record (room) WHERE room IS NOT NULL;
    CREATE TABLE musubi.step (key text COLLATE "C", version bigint, bytes bigint NOT NULL, data text NOT NULL,
      PRIMARY KEY (key, version));
    CREATE TABLE musubi.strike (id bigint PRIMARY KEY, record text NOT NULL);
    CREATE TABLE musubi.aside_room (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, record text NOT NULL);
    CREATE TABLE musubi.version (version int NOT NULL);
    INSERT INTO musubi.version VALUES (\(version));
    """
}
