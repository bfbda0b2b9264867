// SPDX-License-Identifier: Apache-2.0

extension SQLiteConnection {
  /// Runs several statements so that all or none of them happen.
  ///
  /// The outermost call takes the write lock at its start (`BEGIN IMMEDIATE`): a transaction that reads first
  /// and writes later could otherwise fail in its middle. A call inside another one is a savepoint: its
  /// failure takes back its own changes only.
  ///
  /// - Parameter body: The statements.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, after everything was rolled back; `SQLiteError` if the transaction cannot
  ///   begin (`busy`) or commit (`full`).
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    guard transactionDepth == 0 else { return try savepoint(body) }
    try begin()
    let result: Result
    do {
      result = try body()
      try commit()
    } catch {
      rollBack()
      throw error
    }
    return result
  }

  /// Runs several statements once for each key, however often they are asked for: all or none of them.
  ///
  /// ```swift
  /// let card = try connection.transaction(once: effect.key) {
  ///   try connection.run("INSERT INTO card (title) VALUES (?)", title)
  ///   return Card(id: Int(connection.lastInsertedRowID), title: title)
  /// }
  /// ```
  ///
  /// An input that comes again after a kill of the process has the same `Effect.key`. The key is noted in the same transaction,
  /// in the table `musubi_once`, which is made at the first call.
  ///
  /// - Parameters:
  ///   - key: Names what is to happen once.
  ///   - maxKeys: How many keys the database remembers, the last ones of all such calls; 10,000. Take as many as inputs may come
  ///     while one of them waits for its acknowledgement.
  ///   - body: The statements.
  /// - Returns: What `body` returns; nil if it has been run for this key before.
  /// - Throws: As the other `transaction`; the key is not noted then.
  @discardableResult
  public func transaction<Result>(
    once key: String, remembering maxKeys: Int = 10_000, _ body: () throws -> Result
  ) throws -> Result? {
    try transaction {
      try run(
        "CREATE TABLE IF NOT EXISTS musubi_once (id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL) STRICT")
      guard try run("INSERT OR IGNORE INTO musubi_once (key) VALUES (?)", key) == 1 else { return nil }
      try run("DELETE FROM musubi_once WHERE id <= ? - ?", lastInsertedRowID, maxKeys)
      return try body()
    }
  }

  /// Runs several reads on one unchanging state of the database, without the write lock.
  ///
  /// - Parameter body: The reads.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `SQLiteError` if the file cannot be read.
  public func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
    guard transactionDepth == 0 else { return try body() }
    try run("BEGIN DEFERRED")
    transactionDepth = 1
    let result: Result
    do {
      result = try body()
      try commit()
    } catch {
      rollBack()
      throw error
    }
    return result
  }

  /// Opens a transaction with the write lock.
  ///
  /// - Throws: `SQLiteError`, mostly `busy`; nothing is open then.
  func begin() throws {
    // An earlier rollback may have failed. Joining the rest of its transaction would lose the work from now
    // on.
    if isInTransaction { try run("ROLLBACK") }
    try run("BEGIN IMMEDIATE")
    transactionDepth = 1
  }

  /// Makes everything since `begin()` last.
  ///
  /// - Throws: `SQLiteError`; the caller rolls back then.
  func commit() throws {
    try run("COMMIT")
    transactionDepth = 0
  }

  /// Takes everything since `begin()` back.
  func rollBack() {
    transactionDepth = 0
    // SQLite may have rolled back already. If the rollback fails, `begin()` tries it again before anything
    // else, and the error that led here is the one to tell.
    if isInTransaction { do { try run("ROLLBACK") } catch {} }
  }

  /// Runs statements whose failure takes back nothing but themselves.
  ///
  /// - Parameter body: The statements; a transaction is open.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws. If SQLite has rolled back the whole transaction, `isInTransaction` is false
  ///   then.
  func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    let name = "musubi_\(transactionDepth)"
    try run("SAVEPOINT \(name)")
    transactionDepth += 1
    defer { transactionDepth -= 1 }
    do {
      let result = try body()
      try run("RELEASE \(name)")
      return result
    } catch {
      if isInTransaction {
        do {
          try run("ROLLBACK TO \(name)")
          try run("RELEASE \(name)")
        } catch {
          // A failed part must not be committed with the rest: better nothing than a half.
          try run("ROLLBACK")
        }
      }
      throw error
    }
  }
}
