// SPDX-License-Identifier: Apache-2.0

/// The current row of a query; lent to the closure that reads it.
///
/// It is of no use afterwards, because the next step of its statement changes it; reading it then is a mistake
/// that ends the program. (As a noncopyable type, which would let the compiler find that mistake, it crashes the
/// optimizer of Swift 6.3.)
public struct Row {
  private let statement: Statement
  private let step: UInt64

  init(_ statement: Statement) {
    self.statement = statement
    step = statement.stepCount
  }

  /// Reads a column.
  ///
  /// - Parameters:
  ///   - column: The column's position, from 0.
  ///   - type: What to read it as; an optional if the column may be null.
  /// - Returns: The value.
  /// - Throws: `SQLiteError` of kind `wrongType` if there is no such column, or it holds something else.
  public func value<Value: SQLConvertible>(
    _ column: Int, as type: Value.Type = Value.self
  ) throws(SQLiteError) -> Value {
    precondition(statement.stepCount == step, "A row is read after its query has gone on.")
    guard column >= 0, column < statement.columnCount else {
      throw SQLiteError(
        .wrongType, "A row has \(statement.columnCount) columns, none at \(column)", sql: statement.sql)
    }
    let stored = statement.column(column)
    guard let value = Value(sqlValue: stored) else {
      throw SQLiteError(
        .wrongType, "Column \(statement.columnName(column)) holds \(stored.typeName), not \(Value.self)",
        sql: statement.sql)
    }
    return value
  }
  /// Lends the bytes of a text, without a copy.
  ///
  /// - Parameters:
  ///   - column: The column's position, from 0.
  ///   - read: Reads the bytes; they are gone afterwards.
  /// - Returns: What `read` returns.
  /// - Throws: `SQLiteError` of kind `wrongType` if there is no such column, or it holds no text; what `read` throws.
  package func withUTF8<Result>(
    _ column: Int, _ read: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) throws -> Result {
    precondition(statement.stepCount == step, "A row is read after its query has gone on.")
    guard column >= 0, column < statement.columnCount, let bytes = statement.text(column) else {
      throw SQLiteError(.wrongType, "A row has no text at \(column)", sql: statement.sql)
    }
    return try read(bytes)
  }
}
