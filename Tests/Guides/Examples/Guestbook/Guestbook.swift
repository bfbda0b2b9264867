import MusubiRx
import MusubiSQLite

/// What somebody has written.
struct Entry: Identifiable, Codable, Equatable, Sendable {
  let id: Int
  let text: String
}

/// The guests' entries in a database, one instance for all screens on all loops.
final class Guestbook: Sendable {
  /// Why an entry is not there, for who has written it; the log has the rest.
  struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ error: SQLiteError) {
      description =
        switch error.kind {
        case .full, .readOnly: "The book is full. Try again tomorrow."
        case .busy, .queueFull: "Many people write at once. Try again."
        default: "The book cannot be found."
        }
    }
  }

  private let database: DatabaseQueue
  private let list = SharedRelay<[Entry]>(value: [])

  /// The newest entries first, now and after each change.
  var entries: MusubiRx.Observable<[Entry]> { list.asObservable() }

  /// The schema.
  ///
  /// A step that people have used never changes: what changes is a new step.
  static var migrator: Migrator {
    var migrator = Migrator()
    migrator.register("entries") { connection in
      try connection.runScript("CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;")
    }
    migrator.register("each entry once") { connection in
      try connection.runScript(
        """
        ALTER TABLE entry ADD COLUMN key TEXT;
        CREATE UNIQUE INDEX entry_key ON entry (key);
        """)
    }
    return migrator
  }

  /// Opens the book; blocks until its schema is up to date, so it happens before the server starts.
  init(_ location: SQLiteConnection.Location, configuration: DatabaseQueueConfiguration = .init()) throws {
    database = try DatabaseQueue(location, configuration: configuration, migrator: Self.migrator)
    database.read(Self.newest) { [list] result in
      if case .success(let entries) = result { list.accept(entries) }
    }
  }

  /// Adds an entry, once for each key, and returns when it is on the disk.
  func sign(_ text: String, key: String) async throws {
    do {
      let entries = try await database.write { connection in
        try connection.run("INSERT OR IGNORE INTO entry (text, key) VALUES (?, ?)", text, key)
        return try Self.newest(connection)
      }
      // Two loops may come here in another order than their entries.
      list.update { if ($0.first?.id ?? 0) < (entries.first?.id ?? 0) { $0 = entries } }
    } catch let error as SQLiteError {
      throw Refusal(error)
    }
  }

  @Sendable private static func newest(_ connection: SQLiteConnection) throws -> [Entry] {
    try connection.rows("SELECT id, text FROM entry ORDER BY id DESC LIMIT 100") { row in
      Entry(id: try row.value(0), text: try row.value(1))
    }
  }

  func close() async { await database.close() }
}
