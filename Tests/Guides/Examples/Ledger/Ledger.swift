import MusubiRx
import MusubiSQLite
import Synchronization

/// A line of a ledger.
struct Payment: Identifiable, Codable, Equatable, Sendable {
  let id: Int
  let text: String
}

/// Payments in a database, one instance for all screens on all loops.
final class Ledger: Sendable {
  /// How many payments there are, and the ids of every 500th: all of the list that is in memory.
  struct Index: Sendable {
    static let step = 500
    /// Counts the changes of the ledger.
    let version: Int
    let count: Int
    let keys: [Int]
  }

  private let database: DatabaseQueue
  /// Reads beside the writer, without waiting for it.
  private let reader: Mutex<SQLiteConnection>
  private let newest = SharedRelay<Index>(value: Index(version: -1, count: 0, keys: []))

  /// The payments, now and after each change.
  var payments: MusubiRx.Observable<LedgerRows> {
    newest.asObservable().map { [self] in LedgerRows(ledger: self, index: $0) }
  }

  /// Opens the ledger; blocks until its schema is up to date, so it happens before the server starts.
  init(_ path: String) throws {
    var migrator = Migrator()
    migrator.register("payments") { connection in
      try connection.runScript("CREATE TABLE payment (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;")
    }
    database = try DatabaseQueue(.file(path), migrator: migrator)
    var configuration = ConnectionConfiguration()
    configuration.isReader = true
    reader = Mutex(try SQLiteConnection(.file(path), configuration: configuration))
    database.read(Self.index) { [newest] result in
      if case .success(let index) = result { newest.accept(index) }
    }
  }

  /// Adds payments.
  func pay(_ texts: [String]) async throws {
    try await change { connection in
      for text in texts { try connection.run("INSERT INTO payment (text) VALUES (?)", text) }
    }
  }

  /// Takes a payment back.
  func takeBack(_ id: Int) async throws {
    try await change { connection in try connection.run("DELETE FROM payment WHERE id = ?", id) }
  }

  private func change(_ work: @escaping @Sendable (SQLiteConnection) throws -> Void) async throws {
    let index = try await database.write { connection in
      try work(connection)
      return try Self.index(connection)
    }
    // Two loops may come here in another order than their changes.
    newest.update { if $0.version < index.version { $0 = index } }
  }

  @Sendable private static func index(_ connection: SQLiteConnection) throws -> Index {
    let keys = try connection.rows(
      """
      SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM payment) WHERE place % ? = 0
      """, Index.step
    ) { row in try row.value(0, as: Int.self) }
    let counts = try connection.row("SELECT total_changes(), (SELECT count(*) FROM payment)") { row in
      (try row.value(0, as: Int.self), try row.value(1, as: Int.self))
    }
    return Index(version: counts?.0 ?? 0, count: counts?.1 ?? 0, keys: keys)
  }

  /// Reads from the database, some hundred rows at most.
  func read<Result: Sendable>(_ work: (SQLiteConnection) throws -> Result) throws -> Result {
    try reader.withLock { try work($0) }
  }

  func close() async { await database.close() }
}

/// The list of all payments; a page has those that it looks at.
struct LedgerRows: WindowedRows {
  let ledger: Ledger
  let index: Ledger.Index

  var count: Int { index.count }

  func rows(in range: Range<Int>) throws -> [Payment] {
    let (block, offset) = range.lowerBound.quotientAndRemainder(dividingBy: Ledger.Index.step)
    guard !range.isEmpty, index.keys.indices.contains(block) else { return [] }
    return try ledger.read { connection in
      try connection.rows(
        "SELECT id, text FROM payment WHERE id >= ? ORDER BY id LIMIT ? OFFSET ?", index.keys[block],
        range.count, offset
      ) { row in Payment(id: try row.value(0), text: try row.value(1)) }
    }
  }

  func position(of id: Int) throws -> Int? {
    guard let block = index.keys.lastIndex(where: { $0 <= id }) else { return nil }
    return try ledger.read { connection in
      try connection.row(
        "SELECT (SELECT count(*) FROM payment WHERE id >= ? AND id < ?) FROM payment WHERE id = ?",
        index.keys[block], id, id
      ) { row in block * Ledger.Index.step + (try row.value(0, as: Int.self)) }
    }
  }
}
