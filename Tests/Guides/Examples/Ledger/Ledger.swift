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
  /// How many payments there are, and where each block of at most 500 begins: all of the list that is in memory.
  struct Index: Sendable {
    /// The payments from an id on, up to the next block.
    struct Block: Sendable {
      let first: Int
      let place: Int
    }

    /// Counts the changes of the ledger.
    var version = -1
    var count = 0
    var blocks: [Block] = []
  }

  let database: DatabaseQueue
  /// Reads beside the writer, without waiting for it.
  private let reader: Mutex<SQLiteConnection>
  private let newest = SharedRelay<Index>(value: Index())

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
    migrator.register("blocks") { try $0.runScript(Self.blocks) }
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

  /// The database counts its blocks itself, so that nobody reads all payments for that; a new payment has the highest id.
  private static let blocks = """
    CREATE TABLE block (first INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
    INSERT INTO block SELECT min(id), count(*)
      FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / 500 AS number FROM payment) GROUP BY number;
    CREATE TRIGGER payment_paid AFTER INSERT ON payment BEGIN
      INSERT INTO block SELECT new.id, 0
        WHERE ifnull((SELECT count FROM block ORDER BY first DESC LIMIT 1), 500) >= 500;
      UPDATE block SET count = count + 1 WHERE first = (SELECT max(first) FROM block);
    END;
    CREATE TRIGGER payment_taken_back AFTER DELETE ON payment BEGIN
      UPDATE block SET count = count - 1 WHERE first = (SELECT max(first) FROM block WHERE first <= old.id);
      DELETE FROM block WHERE first = (SELECT max(first) FROM block WHERE first <= old.id) AND count = 0;
    END;
    """

  @Sendable private static func index(_ connection: SQLiteConnection) throws -> Index {
    var index = Index()
    let blocks = try connection.rows("SELECT first, count FROM block ORDER BY first") { row in
      (first: try row.value(0, as: Int.self), count: try row.value(1, as: Int.self))
    }
    for block in blocks {
      index.blocks.append(Index.Block(first: block.first, place: index.count))
      index.count += block.count
    }
    let changes = try connection.row("SELECT total_changes()") { row in try row.value(0, as: Int.self) }
    index.version = changes ?? 0
    return index
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
    let place = range.lowerBound
    guard !range.isEmpty, let block = index.blocks.last(where: { $0.place <= place }) else { return [] }
    return try ledger.read { connection in
      try connection.rows(
        "SELECT id, text FROM payment WHERE id >= ? ORDER BY id LIMIT ? OFFSET ?", block.first, range.count,
        place - block.place
      ) { row in Payment(id: try row.value(0), text: try row.value(1)) }
    }
  }

  func position(of id: Int) throws -> Int? {
    guard let block = index.blocks.last(where: { $0.first <= id }) else { return nil }
    return try ledger.read { connection in
      try connection.row(
        "SELECT (SELECT count(*) FROM payment WHERE id >= ? AND id < ?) FROM payment WHERE id = ?",
        block.first, id, id
      ) { row in block.place + (try row.value(0, as: Int.self)) }
    }
  }
}
