// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres

/// The tables in the schema `musubi`.
///
/// | table | row |
/// | --- | --- |
/// | `node` | a process that lives: its data folder, where it listens for others, and when it said so last |
/// | `fence` | who owns a slot: node, generation (count of its owners), commits (count of its commits), trial (`SlotTrial`) |
/// | `directory` | one row: the count of changes of owners, by which `fence.moved` tells when a slot has changed; the nodes' secret |
/// | `signed_out` | a visitor who was signed out among several nodes: its sessions of before end, whoever has them |
/// | `record` | a room or a session as JSON, with its label |
/// | `step` | the changes of a room since its whole, in one commit |
/// | `strike`, `aside_room` | events that have ended the process, and rooms that have |
///
/// A slot is free if its node is null, or has no row in `node`. A node without an address owns everything, alone.
enum PostgresSchema {
  /// Grows with each change that an older program would not understand.
  static let version = 2

  /// Any number that other programs do not take: two starts make the tables one after the other.
  private static let lock = 0x6d75_7375_6269

  /// Makes the tables at the first time, and brings those of older programs up to date.
  ///
  /// - Parameters:
  ///   - connection: A connection that waits for long: an index of a large table takes its time.
  ///   - configuration: Says how long to wait for an owner that lives.
  /// - Throws: `PostgresError`, or a `StorageError` if a newer program has made them, or an older one is alive.
  static func prepare(
    _ connection: PostgresConnection, _ configuration: PostgresStoreConfiguration
  ) throws {
    if try found(connection) == nil {
      try locked(connection) { if try found(connection) == nil { try connection.runScript(tables) } }
    }
    if try found(connection) == 1 {
      // An owner of version 1 says in its row that it lives.
      let signs = { try signsOfVersion1(connection, of: configuration.node) }
      try PostgresSilence.wait(configuration, signs) { seen in
        try locked(connection) { () throws -> Void? in
          guard try found(connection) == 1 else { return () }
          guard try signs() == seen else { return nil }
          try connection.runScript(fromVersion1)
          return ()
        }
      }
    }
    guard let found = try found(connection), found <= version else {
      throw StorageError(
        "The tables of the database were made by a newer version of the program; this one knows version \(version) of them. Use that one, or another database."
      )
    }
  }

  /// The version of the tables; nil if there are none.
  ///
  /// It reads the catalog's rows: `to_regclass` remembers that something was not there, and behind the lock another start has made it.
  private static func found(_ connection: PostgresConnection) throws -> Int? {
    let rows = try connection.run(
      "SELECT FROM pg_tables WHERE schemaname = 'musubi' AND tablename = 'version'")
    guard rows.count > 0 else { return nil }
    return try connection.run("SELECT version FROM musubi.version").value(0, 0)
  }

  private static func locked<Output>(
    _ connection: PostgresConnection, _ work: () throws -> Output
  ) throws -> Output {
    try connection.transaction {
      try connection.run("SELECT pg_advisory_xact_lock($1)", .integer(lock))
      return try work()
    }
  }

  private static func signsOfVersion1(
    _ connection: PostgresConnection, of folder: Int64
  ) throws -> [Int64: String] {
    // Another start may have brought the tables up to date: then there is nobody of version 1.
    guard try found(connection) == 1 else { return [:] }
    let rows = try connection.run(
      "SELECT node, beats FROM musubi.fence WHERE slot = 0 AND node <> $1", .integer(folder))
    return rows.count == 1 ? [try rows.value(0, 0): rows.text(0, 1) ?? ""] : [:]
  }

  private static let tables = """
    CREATE SCHEMA IF NOT EXISTS musubi;
    CREATE TABLE musubi.fence (slot int PRIMARY KEY, node bigint, generation bigint NOT NULL DEFAULT 0,
      commits bigint NOT NULL DEFAULT 0, lost_since bigint NOT NULL DEFAULT 0, moved bigint NOT NULL DEFAULT 0,
      trial text) WITH (fillfactor = 20);
    INSERT INTO musubi.fence (slot) SELECT generate_series(0, 4095);
    CREATE TABLE musubi.record (key text COLLATE "C" PRIMARY KEY, slot int NOT NULL, bytes bigint NOT NULL, peer text,
      others text, made float8 NOT NULL, left_at float8, room text COLLATE "C", is_used bool NOT NULL, data text NOT NULL);
    CREATE INDEX record_room ON musubi.record (room) WHERE room IS NOT NULL;
    CREATE TABLE musubi.step (key text COLLATE "C", version bigint, bytes bigint NOT NULL, data text NOT NULL,
      PRIMARY KEY (key, version));
    CREATE TABLE musubi.strike (id bigint PRIMARY KEY, record text NOT NULL);
    CREATE TABLE musubi.aside_room (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, record text NOT NULL);
    CREATE TABLE musubi.version (version int NOT NULL);
    INSERT INTO musubi.version VALUES (\(version));
    \(slots)
    """

  /// What version 2 has beside the tables of version 1.
  private static let slots = """
    CREATE TABLE musubi.node (id bigint PRIMARY KEY, folder bigint NOT NULL, address text NOT NULL, build text NOT NULL,
      loops int NOT NULL, link int NOT NULL, since timestamptz NOT NULL DEFAULT clock_timestamp(),
      seen timestamptz NOT NULL DEFAULT clock_timestamp(), draining bool NOT NULL DEFAULT false,
      signed_out bigint NOT NULL DEFAULT 0);
    CREATE TABLE musubi.directory (version bigint NOT NULL, secret text NOT NULL);
    INSERT INTO musubi.directory VALUES (0, gen_random_uuid()::text || gen_random_uuid()::text);
    CREATE TABLE musubi.signed_out (number bigint PRIMARY KEY, identity text NOT NULL, log_in text,
      at timestamptz NOT NULL DEFAULT clock_timestamp());
    CREATE INDEX fence_moved ON musubi.fence (moved);
    CREATE INDEX record_slot ON musubi.record (slot);
    """

  /// Version 1 had one row of `fence`, that of slot 0, for all slots.
  ///
  /// A program of version 1 that still runs has lost that row, so it stores nothing more. It finds out by its next beat, whose
  /// column stays for it.
  private static let fromVersion1 = """
    ALTER TABLE musubi.fence SET (fillfactor = 20);
    ALTER TABLE musubi.fence DROP since, ALTER beats SET DEFAULT 0, ALTER generation SET DEFAULT 0,
      ALTER commits SET DEFAULT 0, ADD lost_since bigint NOT NULL DEFAULT 0, ADD moved bigint NOT NULL DEFAULT 0,
      ADD trial text;
    UPDATE musubi.fence SET generation = generation + 1;
    INSERT INTO musubi.fence (slot, node, generation, commits)
      SELECT s, node, generation, commits FROM musubi.fence, generate_series(1, 4095) AS s;
    \(slots)
    UPDATE musubi.version SET version = 2;
    """
}
