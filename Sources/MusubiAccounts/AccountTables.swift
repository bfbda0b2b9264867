// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiSQLite
import MusubiTables

/// The tables of accounts, in a file or in a database that several servers have.
struct AccountTables: Sendable {
  let tables: Tables

  func read<Output: Sendable>(
    _ work: @escaping @Sendable (TableConnection) throws -> Output
  ) async throws -> Output { try await Self.reached { try await tables.read(work) } }

  func write<Output: Sendable>(
    _ work: @escaping @Sendable (TableConnection) throws -> Output
  ) async throws -> Output { try await Self.reached { try await tables.write(work) } }

  /// Tells the visitor when the database is away.
  private static func reached<Output>(_ work: () async throws -> Output) async throws -> Output {
    do { return try await work() } catch  where Tables.isAway(error) {
      throw HTTPError(
        503, "The accounts cannot be reached at the moment; try again. アカウントに接続できません。もう一度お試しください。",
        retryAfter: 5)
    }
  }

  /// Those of a file.
  static var migrator: Migrator {
    var migrator = Migrator()
    migrator.register("accounts") { connection in
      try connection.runScript(
        """
        CREATE TABLE account (id TEXT PRIMARY KEY NOT NULL, address TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
          hash TEXT NOT NULL, roles TEXT NOT NULL, created REAL NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE login (token BLOB PRIMARY KEY NOT NULL,
          account TEXT NOT NULL REFERENCES account(id) ON DELETE CASCADE,
          expires REAL NOT NULL, used REAL NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE link (token BLOB PRIMARY KEY NOT NULL, purpose TEXT NOT NULL,
          account TEXT REFERENCES account(id) ON DELETE CASCADE, address TEXT NOT NULL, name TEXT,
          expires REAL NOT NULL) STRICT, WITHOUT ROWID;
        \(indexes)
        """)
    }
    return migrator
  }

  /// Those of PostgreSQL; see `PostgresQueue`.
  static let steps = [
    """
    CREATE TABLE account (id text PRIMARY KEY, address text NOT NULL UNIQUE, name text NOT NULL,
      hash text NOT NULL, roles text NOT NULL, created float8 NOT NULL);
    CREATE TABLE login (token bytea PRIMARY KEY,
      account text NOT NULL REFERENCES account(id) ON DELETE CASCADE,
      expires float8 NOT NULL, used float8 NOT NULL);
    CREATE TABLE link (token bytea PRIMARY KEY, purpose text NOT NULL,
      account text REFERENCES account(id) ON DELETE CASCADE, address text NOT NULL, name text,
      expires float8 NOT NULL);
    CREATE TABLE attempt (key text PRIMARY KEY, attempts int8 NOT NULL, last int8 NOT NULL,
      next int8 NOT NULL, forgotten int8 NOT NULL);
    CREATE INDEX attempt_forgotten ON attempt(forgotten);
    \(indexes)
    """,
    "ALTER TABLE attempt ADD COLUMN before int8 NOT NULL DEFAULT 0; UPDATE attempt SET before = last;",
  ]

  private static let indexes = """
    CREATE INDEX login_account ON login(account);
    CREATE INDEX login_expires ON login(expires);
    CREATE INDEX link_account ON link(account);
    CREATE INDEX link_address ON link(address);
    CREATE INDEX link_expires ON link(expires);
    """
}
