// SPDX-License-Identifier: Apache-2.0

/// The current row of a query; lent to the closure that reads it.
///
/// It cannot be copied or kept, because the next step of its statement changes it.
package struct Row: ~Copyable {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  /// Reads a column.
  ///
  /// - Parameters:
  ///   - column: The column's position, from 0.
  ///   - type: What to read it as; an optional if the column may be null.
  /// - Returns: The value.
  /// - Throws: `SQLiteError` of kind `wrongType` if there is no such column, or it holds something else.
  package func value<Value: SQLConvertible>(
    _ column: Int, as type: Value.Type = Value.self
  ) throws(SQLiteError) -> Value {
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
}
