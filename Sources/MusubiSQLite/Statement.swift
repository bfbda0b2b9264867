// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// A prepared statement: the owner of one `sqlite3_stmt`.
///
/// Belongs to its connection and is used where that is used. Who takes one out of the cache binds, steps,
/// resets and gives it back.
final class Statement {
  let sql: String
  private let statement: OpaquePointer
  private let database: OpaquePointer
  /// How often the statement was stepped or reset: which row is the current one.
  private(set) var stepCount: UInt64 = 0

  /// Compiles one statement.
  ///
  /// - Parameters:
  ///   - sql: Exactly one statement; `?` stands for an argument.
  ///   - database: The open connection, which outlives the statement.
  /// - Throws: `SQLiteError` if the text is no valid statement for this database, or more than one.
  init(_ sql: String, database: OpaquePointer) throws(SQLiteError) {
    var prepared: OpaquePointer?
    var text = sql
    let (code, hasMore) = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          database, characters.baseAddress, Int32(clamping: characters.count),
          UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &tail)
        guard let tail, let start = characters.baseAddress else { return (code, false) }
        return (code, characters[(tail - start)...].contains { $0 > 0x20 && $0 != 0x3B })
      }
    }
    guard code == SQLITE_OK else { throw SQLiteError(lastOf: database, sql: sql) }
    guard let prepared, !hasMore else {
      sqlite3_finalize(prepared)
      throw SQLiteError(.other, "Exactly one statement is expected", sql: sql)
    }
    self.sql = sql
    self.statement = prepared
    self.database = database
  }

  deinit { sqlite3_finalize(statement) }

  /// The number of columns that a row has.
  var columnCount: Int { Int(sqlite3_column_count(statement)) }

  /// Gives all `?` their values.
  ///
  /// - Parameter arguments: As many as the statement has `?`.
  /// - Throws: `SQLiteError` if the number differs or a value is too large.
  func bind(_ arguments: [any SQLConvertible]) throws(SQLiteError) {
    let expected = Int(sqlite3_bind_parameter_count(statement))
    guard arguments.count == expected else {
      throw SQLiteError(.other, "\(expected) arguments are expected, not \(arguments.count)", sql: sql)
    }
    for (index, argument) in arguments.enumerated() {
      let code = bind(argument.sqlValue, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw SQLiteError(lastOf: database, sql: sql) }
    }
  }

  private func bind(_ value: SQLValue, at position: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(statement, position)
    case .integer(let value): return sqlite3_bind_int64(statement, position, value)
    case .real(let value): return sqlite3_bind_double(statement, position, value)
    case .text(var value):
      return value.withUTF8 { bytes in
        // Of an empty text the address may be nil, which SQLite would take for null.
        guard let start = bytes.baseAddress else {
          return musubi_sqlite3_bind_text(statement, position, "", 0)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          musubi_sqlite3_bind_text(statement, position, $0, UInt64(bytes.count))
        }
      }
    case .blob(let value):
      return value.withUnsafeBytes {
        musubi_sqlite3_bind_blob(statement, position, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: `SQLiteError` if the statement fails; it must be reset then.
  func step() throws(SQLiteError) -> Bool {
    stepCount += 1
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(lastOf: database, sql: sql)
    }
  }

  /// Ends the execution and forgets the arguments, which may be large.
  ///
  /// - Throws: `SQLiteError` if the implicit commit at the end of a statement fails, or if the last step did.
  func reset() throws(SQLiteError) {
    stepCount += 1
    let code = sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    guard code == SQLITE_OK else { throw SQLiteError(lastOf: database, sql: sql) }
  }

  /// The value of a column of the current row; text that is no UTF-8 is repaired.
  func column(_ index: Int) -> SQLValue {
    let index = Int32(index)
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      guard let start = sqlite3_column_text(statement, index) else { return .text("") }
      let count = Int(sqlite3_column_bytes(statement, index))
      return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      guard let start = sqlite3_column_blob(statement, index) else { return .blob([]) }
      let count = Int(sqlite3_column_bytes(statement, index))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }

  /// The bytes of a text in the current row, until the next step; nil if the column holds something else.
  func text(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
    let index = Int32(index)
    guard sqlite3_column_type(statement, index) == SQLITE_TEXT else { return nil }
    // The text first: it may be converted, which changes its length.
    let start = sqlite3_column_text(statement, index)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, index)))
  }

  /// The name of a column, for messages.
  func columnName(_ index: Int) -> String {
    sqlite3_column_name(statement, Int32(index)).map { String(cString: $0) } ?? "\(index)"
  }
}

extension SQLiteError {
  /// The error that the connection reported last.
  init(lastOf database: OpaquePointer?, sql: String? = nil, file: String? = nil) {
    let message = sqlite3_errmsg(database).map { String(cString: $0) } ?? "out of memory"
    // Of a database in memory the name is empty.
    let name = database.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) } ?? ""
    self.init(
      extendedCode: sqlite3_extended_errcode(database), message: message, sql: sql,
      file: file ?? (name.isEmpty ? nil : name))
  }
}
