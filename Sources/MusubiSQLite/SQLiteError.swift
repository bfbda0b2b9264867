// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// What SQLite, or this module before it, refused to do.
public struct SQLiteError: Error, Equatable, CustomStringConvertible {
  /// The kinds that a caller can tell apart and react to.
  public enum Kind: String, Sendable {
    /// Another connection holds the lock, and the busy timeout has passed; a later attempt may succeed.
    case busy
    /// The disk, or the file's allowed size, is used up; nothing of the transaction was kept.
    case full
    /// The file is no database, or is damaged.
    case corrupt
    /// A constraint of the schema (unique, not null, check, foreign key) forbids the change.
    case constraint
    /// The file, its folder or the connection may not be written.
    case readOnly = "read-only"
    /// The file cannot be opened or created.
    case cannotOpen = "cannot-open"
    /// The operating system failed to read or write.
    case inputOutput = "input-output"
    /// A value or a statement is larger than SQLite's limits.
    case tooLarge = "too-large"
    /// A column holds another type than the one that was asked for.
    case wrongType = "wrong-type"
    /// The file was written by a program that knows more migrations.
    case newerSchema = "newer-schema"
    /// The database queue holds as many works as it may.
    case queueFull = "queue-full"
    /// The database queue is closed.
    case closed
    /// Anything else, mostly wrong SQL.
    case other
  }

  /// The kind of failure, in the few words that a program can act on.
  public let kind: Kind
  /// SQLite's primary result code; 0 if this module refused by itself.
  public let code: Int32
  /// SQLite's extended result code; 0 if this module refused by itself.
  public let extendedCode: Int32
  /// One sentence about the cause.
  public let message: String
  /// The statement that failed; nil if there was none.
  public let sql: String?
  /// The database's file; nil in memory, and where none is meant.
  public let file: String?

  /// One sentence for the log: the file, the cause, the statement, and what to do where a person can do something.
  public var description: String {
    var text = code == 0 ? message : "\(message) (SQLite code \(extendedCode))"
    if let sql { text += ", in: \(sql.count <= 80 ? sql : sql.prefix(79) + "…")" }
    guard let file else { return text }
    return "\(file): \(text)" + (remedy.map { "; \($0)" } ?? "")
  }

  private var remedy: String? {
    switch kind {
    case .busy: "another connection or program uses the file."
    case .full: "free some space: nothing of the transaction was kept."
    case .corrupt: "it is no database, or damaged: move it away, or restore a copy."
    case .readOnly, .cannotOpen: "check that its folder is there, and that file and folder may be written."
    case .newerSchema: "use the newer program, or a copy of the file from before it."
    default: nil
    }
  }

  /// An error that this module finds by itself.
  ///
  /// - Parameters:
  ///   - kind: What went wrong.
  ///   - message: The cause, without the file and without a full stop.
  ///   - sql: The statement.
  ///   - file: The database's file.
  public init(_ kind: Kind, _ message: String, sql: String? = nil, file: String? = nil) {
    self.kind = kind
    code = 0
    extendedCode = 0
    self.message = message
    self.sql = sql
    self.file = file
  }

  /// An error that SQLite reports.
  init(extendedCode: Int32, message: String, sql: String? = nil, file: String? = nil) {
    code = extendedCode & 0xFF
    kind = Self.kind(ofCode: code)
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.file = file
  }

  private static func kind(ofCode code: Int32) -> Kind {
    switch code {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_FULL: .full
    case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_IOERR, SQLITE_PROTOCOL: .inputOutput
    case SQLITE_TOOBIG, SQLITE_NOMEM: .tooLarge
    case SQLITE_MISMATCH: .wrongType
    default: .other
    }
  }
}
