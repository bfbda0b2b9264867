// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiSQLite
import MusubiTables

/// Accounts in tables: in a file of SQLite, which only the program's user may read, or in PostgreSQL.
package final class TableAccountStore: AccountStore {
  /// The most log-ins of one account; the oldest go.
  static let maxLogins = 50
  /// The most links of all addresses.
  static let maxLinks = 100_000
  private let tables: AccountTables
  package let attempts: any Attempts

  /// Opens or makes the file; blocks until its schema is up to date.
  ///
  /// - Parameter location: The file, or memory.
  /// - Throws: `SQLiteError`.
  init(_ location: SQLiteConnection.Location) throws {
    var configuration = DatabaseQueueConfiguration()
    configuration.connection.erasesDeleted = true
    tables = AccountTables(
      tables: .file(
        try DatabaseQueue(location, configuration: configuration, migrator: AccountTables.migrator)))
    attempts = MemoryAttempts()
  }

  /// Connects, and makes the tables in the schema `musubi_accounts`; blocks until they are up to date.
  ///
  /// - Parameter url: The database.
  /// - Throws: `PostgresError`.
  init(postgres url: String) throws {
    tables = AccountTables(
      tables: .server(try PostgresQueue(url: url, schema: "musubi_accounts", steps: AccountTables.steps)))
    attempts = TableAttempts(tables: tables)
  }

  package func close() async { await tables.tables.close() }

  // MARK: - Accounts

  private static let columns =
    "account.id, account.address, account.name, account.roles, account.created, account.hash"

  private static func account(_ row: TableRow, from first: Int = 0) throws -> StoredAccount {
    let words = try row.value(first + 3, as: String.self).split(separator: "\n")
    return StoredAccount(
      account: Account(
        id: try row.value(first), address: try row.value(first + 1), displayName: try row.value(first + 2),
        roles: Set(words.map { Role(String($0)) }), created: try row.value(first + 4)),
      hash: try row.value(first + 5))
  }

  private static func account(id: String, _ connection: TableConnection) throws -> StoredAccount? {
    try connection.row("SELECT \(columns) FROM account WHERE id = $1", id) { try account($0) }
  }

  private static func insert(_ stored: StoredAccount, _ connection: TableConnection) throws -> Bool {
    let account = stored.account
    return try connection.run(
      "INSERT INTO account (id, address, name, hash, roles, created) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
      account.id, account.address, account.displayName, stored.hash,
      account.roles.map(\.rawValue).sorted().joined(separator: "\n"), account.created) == 1
  }

  package func account(address: String) async throws -> StoredAccount? {
    try await tables.read { connection in
      try connection.row("SELECT \(Self.columns) FROM account WHERE address = $1", address) {
        try Self.account($0)
      }
    }
  }

  package func account(id: String) async throws -> StoredAccount? {
    try await tables.read { try Self.account(id: id, $0) }
  }

  package func add(_ account: StoredAccount) async throws -> Bool {
    try await tables.write { try Self.insert(account, $0) }
  }

  package func remove(id: String) async throws {
    try await tables.write { _ = try $0.run("DELETE FROM account WHERE id = $1", id) }
  }

  package func setRoles(_ roles: Set<String>, of id: String) async throws {
    let text = roles.sorted().joined(separator: "\n")
    try await tables.write { _ = try $0.run("UPDATE account SET roles = $1 WHERE id = $2", text, id) }
  }

  package func setPassword(_ hash: String, replacing old: String, login: StoredLogin) async throws -> Bool {
    try await tables.write { connection in
      let changed = try connection.run(
        "UPDATE account SET hash = $1 WHERE id = $2 AND hash = $3", hash, login.account, old)
      guard changed == 1 else { return false }
      try Self.endAll(of: login.account, connection)
      try Self.insert(login, connection)
      return true
    }
  }

  package func setAddress(_ address: String, of account: StoredAccount) async throws -> Bool {
    try await tables.write { connection in
      guard try Self.isUnchanged(account, connection) else { throw AccountProblem.credentialsWrong }
      return try Self.setAddress(address, of: account.account.id, connection)
    }
  }

  /// Whether an account still has the password and the address with which it was read.
  private static func isUnchanged(_ read: StoredAccount, _ connection: TableConnection) throws -> Bool {
    let stored = try account(id: read.account.id, connection)
    return stored?.hash == read.hash && stored?.account.address == read.account.address
  }

  /// Links to the address before do nothing any more.
  private static func setAddress(_ address: String, of id: String, _ connection: TableConnection) throws
    -> Bool
  {
    let changed = try connection.run(
      "UPDATE account SET address = $1 WHERE id = $2 AND NOT EXISTS"
        + " (SELECT 1 FROM account WHERE address = $1 AND id <> $2)", address, id)
    if changed == 1 { try connection.run("DELETE FROM link WHERE account = $1", id) }
    return changed == 1
  }

  // MARK: - Logins

  private static func endAll(of id: String, _ connection: TableConnection) throws {
    try connection.run("DELETE FROM login WHERE account = $1", id)
    try connection.run("DELETE FROM link WHERE account = $1", id)
  }

  private static func insert(_ login: StoredLogin, _ connection: TableConnection) throws {
    try connection.run("DELETE FROM login WHERE expires <= $1", login.used)
    try connection.run(
      "INSERT INTO login (token, account, expires, used) VALUES ($1, $2, $3, $4)",
      login.token, login.account, login.expires, login.used)
    try connection.run(
      """
      DELETE FROM login WHERE account = $1 AND token NOT IN
        (SELECT token FROM login WHERE account = $1 ORDER BY used DESC LIMIT \(maxLogins))
      """, login.account)
  }

  package func begin(_ login: StoredLogin, verified: String, renewed: String?) async throws -> Account? {
    try await tables.write { connection in
      guard let stored = try Self.account(id: login.account, connection), stored.hash == verified else {
        return nil
      }
      if let renewed {
        try connection.run("UPDATE account SET hash = $1 WHERE id = $2", renewed, login.account)
      }
      try Self.insert(login, connection)
      return stored.account
    }
  }

  package func login(_ token: [UInt8], at now: Double) async throws -> (StoredLogin, Account)? {
    try await tables.read { connection in
      try connection.row(
        """
        SELECT login.expires, login.used, \(Self.columns) FROM login JOIN account ON account.id = login.account
        WHERE login.token = $1 AND login.expires > $2
        """, token, now
      ) { row in
        let account = try Self.account(row, from: 2).account
        let login = StoredLogin(
          token: token, account: account.id, expires: try row.value(0), used: try row.value(1))
        return (login, account)
      }
    }
  }

  package func use(_ login: StoredLogin) async throws {
    try await tables.write {
      _ = try $0.run(
        "UPDATE login SET expires = $1, used = $2 WHERE token = $3", login.expires, login.used, login.token)
    }
  }

  package func removeLogin(_ token: [UInt8]) async throws {
    try await tables.write { _ = try $0.run("DELETE FROM login WHERE token = $1", token) }
  }

  package func removeLogins(of id: String) async throws {
    try await tables.write { _ = try $0.run("DELETE FROM login WHERE account = $1", id) }
  }

  // MARK: - Links

  private static func link(_ token: [UInt8], at now: Double, _ connection: TableConnection) throws
    -> StoredLink?
  {
    let link: StoredLink?? = try connection.row(
      "SELECT purpose, account, address, name, expires FROM link WHERE token = $1 AND expires > $2", token,
      now
    ) { row in
      try StoredLink.Purpose(rawValue: try row.value(0)).map { purpose in
        StoredLink(
          token: token, purpose: purpose, account: try row.value(1), address: try row.value(2),
          name: try row.value(3), expires: try row.value(4))
      }
    }
    return link ?? nil
  }

  package func add(_ link: StoredLink, of account: StoredAccount?, at now: Double) async throws -> Bool {
    try await tables.write { connection in
      if let account {
        guard try Self.isUnchanged(account, connection) else { return false }
      }
      try connection.run("DELETE FROM link WHERE expires <= $1", now)
      let count = try connection.row("SELECT count(*) FROM link") { try $0.value(0, as: Int.self) } ?? 0
      guard count < Self.maxLinks else { return false }
      try connection.run(
        "INSERT INTO link (token, purpose, account, address, name, expires) VALUES ($1, $2, $3, $4, $5, $6)",
        link.token, link.purpose.rawValue, link.account, link.address, link.name, link.expires)
      try connection.run(
        """
        DELETE FROM link WHERE address = $1 AND purpose = $2 AND token NOT IN
          (SELECT token FROM link WHERE address = $1 AND purpose = $2 ORDER BY expires DESC LIMIT 3)
        """, link.address, link.purpose.rawValue)
      return true
    }
  }

  package func link(_ token: [UInt8], at now: Double) async throws -> StoredLink? {
    try await tables.read { try Self.link(token, at: now, $0) }
  }

  package func redeem(
    _ token: [UInt8], at now: Double, making account: StoredAccount, login: StoredLogin
  ) async throws -> Account? {
    try await tables.write { connection in
      guard let link = try Self.link(token, at: now, connection) else { return nil }
      var made = account
      switch link.purpose {
      case .change: return nil
      case .signUp:
        guard try Self.insert(made, connection) else { return nil }
      case .reset:
        guard let id = link.account, let stored = try Self.account(id: id, connection) else { return nil }
        made.account = stored.account
        try connection.run("UPDATE account SET hash = $1 WHERE id = $2", account.hash, id)
      }
      try Self.endAll(of: made.account.id, connection)
      try connection.run(
        "DELETE FROM link WHERE token = $1 OR (address = $2 AND purpose = 'signUp')", token, link.address)
      var login = login
      login.account = made.account.id
      try Self.insert(login, connection)
      return made.account
    }
  }

  package func redeemChange(_ token: [UInt8], at now: Double) async throws -> Account? {
    try await tables.write { connection in
      guard let link = try Self.link(token, at: now, connection), link.purpose == .change,
        let id = link.account
      else { return nil }
      try connection.run("DELETE FROM link WHERE token = $1", token)
      guard try Self.setAddress(link.address, of: id, connection) else { return nil }
      return try Self.account(id: id, connection)?.account
    }
  }
}
