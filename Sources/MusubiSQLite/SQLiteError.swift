// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// What SQLite, or this module before it, refused to do.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
  /// The kinds that a caller can tell apart and react to.
  package enum Kind: String, Sendable {
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

  /// What went wrong, in the few words that a program can act on.
  package let kind: Kind
  /// SQLite's primary result code; 0 if this module refused by itself.
  package let code: Int32
  /// SQLite's extended result code; 0 if this module refused by itself.
  package let extendedCode: Int32
  /// One sentence about the cause.
  package let message: String
  /// The statement that failed; nil if there was none.
  package let sql: String?

  package var description: String {
    let cause = code == 0 ? message : "\(message) (SQLite code \(extendedCode))"
    guard let sql else { return cause }
    return "\(cause), in: \(sql.count <= 80 ? sql : sql.prefix(79) + "…")"
  }

  /// An error that this module finds by itself.
  package init(_ kind: Kind, _ message: String, sql: String? = nil) {
    self.kind = kind
    code = 0
    extendedCode = 0
    self.message = message
    self.sql = sql
  }

  /// An error that SQLite reports.
  init(extendedCode: Int32, message: String, sql: String? = nil) {
    code = extendedCode & 0xFF
    kind = Self.kind(ofCode: code)
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
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
