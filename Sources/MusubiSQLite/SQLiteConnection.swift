// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// One connection to a database: the owner of one `sqlite3`.
///
/// Not `Sendable`: the compiler keeps it on the thread or in the isolation that opened it, and `DatabaseQueue`
/// is the way to share one. It closes when the last reference goes.
///
/// ```swift
/// let connection = try SQLiteConnection(.memory)
/// try connection.run("CREATE TABLE pet (name TEXT NOT NULL, age INTEGER)")
/// try connection.run("INSERT INTO pet VALUES (?, ?)", "Tama", 3)
/// let ages = try connection.rows("SELECT age FROM pet WHERE name = ?", "Tama") { row in
///   try row.value(0, as: Int?.self)
/// }
/// ```
public final class SQLiteConnection {
  /// Where a database lives.
  public enum Location: Sendable, Equatable {
    /// In a file; it is created if it does not exist, its folder is not.
    case file(String)
    /// In the memory of this connection.
    case memory

    /// In a file of the folder where the application has its data, which is made if it is not there; in memory if it has none.
    ///
    /// ```swift
    /// let connection = try SQLiteConnection(.file("chores.sqlite", in: application.configuration.dataFolder))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - folder: The folder; nil if nothing is to be kept.
    /// - Returns: The location.
    /// - Throws: `SQLiteError` of kind `cannotOpen` if the folder cannot be made.
    public static func file(_ name: String, in folder: String?) throws -> Location {
      guard let folder else { return .memory }
      try PrivateFile.make(folder: folder)
      return .file("\(folder)/\(name)")
    }
  }

  private let database: OpaquePointer
  /// The file; nil in memory.
  let path: String?
  private var cache: StatementCache
  /// How many transactions and savepoints are open; counted, because SQLite may have rolled back by itself.
  var transactionDepth = 0

  /// Opens a database in WAL mode.
  ///
  /// - Parameters:
  ///   - location: The file, or memory.
  ///   - configuration: How to treat it.
  /// - Throws: `SQLiteError`: `cannotOpen`, `readOnly`, `corrupt` if the file is no database, `busy` if another
  ///   connection keeps it locked.
  public init(
    _ location: Location, configuration: ConnectionConfiguration = ConnectionConfiguration()
  ) throws {
    if case .file(let path) = location {
      self.path = path
      try PrivateFile.prepare(database: path)
    } else {
      path = nil
    }
    // No mutex of SQLite's own: a connection is confined already.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path ?? ":memory:", &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(lastOf: opened, file: path)
      sqlite3_close(opened)
      throw error
    }
    database = opened
    cache = StatementCache(capacity: configuration.cachedStatements)
    try configure(configuration, location: location)
  }

  deinit {
    // Statements first, or SQLite refuses to close.
    cache.removeAll()
    sqlite3_close(database)
  }

  private func configure(_ configuration: ConnectionConfiguration, location: Location) throws {
    musubi_sqlite3_harden(database)
    sqlite3_busy_timeout(database, configuration.busyTimeout.milliseconds)
    // Before WAL mode, so that the lock is taken with the first read.
    if configuration.isExclusive { try run("PRAGMA locking_mode = EXCLUSIVE") }
    if configuration.vacuumsIncrementally { try run("PRAGMA auto_vacuum = INCREMENTAL") }
    // The first statement that reads the file: this is where one that is no database is found.
    let mode = try row("PRAGMA journal_mode = WAL") { try $0.value(0, as: String.self) }
    guard location == .memory || mode == "wal" else {
      throw SQLiteError(.cannotOpen, "The file system does not allow WAL mode; use a local disk", file: path)
    }
    try run("PRAGMA synchronous = \(configuration.synchronous.rawValue)")
    try run("PRAGMA foreign_keys = \(configuration.enforcesForeignKeys ? 1 : 0)")
    if configuration.erasesDeleted { try run("PRAGMA secure_delete = FAST") }
    // The log is cut to as much when it has been copied into the file.
    try run("PRAGMA journal_size_limit = 4194304")
    if configuration.isReader { try run("PRAGMA query_only = 1") }
    if let maxPages = configuration.maxPages { try run("PRAGMA max_page_count = \(maxPages)") }
  }

  /// Executes one statement and drops the rows, if it yields any.
  ///
  /// - Parameters:
  ///   - sql: One statement; `?` stands for an argument. Values never belong in the text.
  ///   - arguments: One for each `?`.
  /// - Returns: The number of rows that the last insert, update or delete on this connection changed.
  /// - Throws: `SQLiteError`.
  @discardableResult
  public func run(_ sql: String, _ arguments: any SQLConvertible...) throws -> Int {
    try withStatement(sql, arguments) { statement in
      while try statement.step() {}
    }
    return Int(sqlite3_changes64(database))
  }

  /// Executes several statements without arguments, such as a schema.
  ///
  /// - Parameter sql: Statements, each with a semicolon at its end.
  /// - Throws: `SQLiteError`; those before the failing one have been executed.
  public func runScript(_ sql: String) throws {
    try checkTransaction(sql)
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw SQLiteError(lastOf: database, sql: sql)
    }
  }

  /// All rows of a query.
  ///
  /// - Parameters:
  ///   - sql: One statement that yields rows.
  ///   - arguments: One for each `?`.
  ///   - read: Makes an element of a row.
  /// - Returns: The elements in the order of the rows.
  /// - Throws: `SQLiteError` of the query or of `read`.
  public func rows<Element>(
    _ sql: String, _ arguments: any SQLConvertible...,
    read: (Row) throws -> Element
  ) throws -> [Element] {
    try withStatement(sql, arguments) { statement in
      var elements: [Element] = []
      while try statement.step() { elements.append(try read(Row(statement))) }
      return elements
    }
  }

  /// The first row of a query.
  ///
  /// - Parameters:
  ///   - sql: One statement that yields rows; `INSERT ... RETURNING` is one.
  ///   - arguments: One for each `?`.
  ///   - read: Makes an element of the row.
  /// - Returns: The element; nil if there is no row.
  /// - Throws: `SQLiteError` of the query or of `read`.
  public func row<Element>(
    _ sql: String, _ arguments: any SQLConvertible...,
    read: (Row) throws -> Element
  ) throws -> Element? {
    try withStatement(sql, arguments) { statement in
      try statement.step() ? try read(Row(statement)) : nil
    }
  }

  /// Executes one statement, and returns the rows as they are.
  ///
  /// - Parameters:
  ///   - sql: One statement.
  ///   - arguments: One for each parameter, in the order in which they first stand in the statement.
  /// - Returns: The number of rows that the last insert, update or delete on this connection changed, and those that were found.
  /// - Throws: `SQLiteError`.
  package func table(
    _ sql: String, _ arguments: [any SQLConvertible]
  ) throws -> (changes: Int, rows: [[SQLValue]]) {
    let rows = try withStatement(sql, arguments) { statement in
      var rows: [[SQLValue]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.column($0) })
      }
      return rows
    }
    return (Int(sqlite3_changes64(database)), rows)
  }

  /// The row id of the last insert on this connection.
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(database) }

  /// Whether a transaction is open; SQLite ends one by itself after some errors, such as a full disk.
  public var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  /// How many pages have been written so far, to the log of a WAL file above all.
  package var writtenPages: Int {
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
    return Int(current)
  }

  /// The name of the schema that the file was written for; 0 for a file without one.
  package var userVersion: Int {
    get throws { try row("PRAGMA user_version") { try $0.value(0, as: Int.self) } ?? 0 }
  }

  /// The number of prepared statements that wait for their next use.
  var cachedStatementCount: Int { cache.count }

  /// Refuses statements that would stand alone because the transaction around them is gone already.
  private func checkTransaction(_ sql: String) throws {
    guard transactionDepth == 0 || isInTransaction else {
      throw SQLiteError(
        .other, "SQLite has rolled back the transaction after an earlier error", sql: sql, file: path)
    }
  }

  /// Lends a statement with its arguments and takes it back, whatever happens.
  private func withStatement<Result>(
    _ sql: String, _ arguments: [any SQLConvertible],
    _ body: (Statement) throws -> Result
  ) throws -> Result {
    try checkTransaction(sql)
    let cached = cache.take(sql)
    let statement = if let cached { cached } else { try Statement(sql, database: database) }
    let result: Result
    do {
      try statement.bind(arguments)
      result = try body(statement)
    } catch {
      // The reset repeats the error that is on its way already. A statement that failed is not kept.
      do { try statement.reset() } catch {}
      throw error
    }
    try statement.reset()
    cache.give(statement)
    return result
  }
}

extension Duration {
  /// Whole milliseconds; at most an hour, which nobody waits for a lock.
  fileprivate var milliseconds: Int32 {
    let (seconds, attoseconds) = min(max(self, .zero), .seconds(3600)).components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
