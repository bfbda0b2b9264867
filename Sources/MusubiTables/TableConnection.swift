// SPDX-License-Identifier: Apache-2.0
package import MusubiPostgres
package import MusubiSQLite

/// The connection that a work on `Tables` is lent.
package enum TableConnection {
  case file(SQLiteConnection)
  case server(PostgresConnection)

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - sql: One statement; `$1` stands for the first argument.
  ///   - arguments: As many as the statement has, in the order in which they first stand there.
  /// - Returns: The number of rows that it has inserted, changed or deleted.
  /// - Throws: `SQLiteError`, or `PostgresError`.
  @discardableResult
  package func run(_ sql: String, _ arguments: any SQLConvertible...) throws -> Int {
    try answer(sql, arguments).changes
  }

  /// All rows that a statement finds; `INSERT ... RETURNING` finds some, too.
  package func rows<Element>(
    _ sql: String, _ arguments: any SQLConvertible..., read: (TableRow) throws -> Element
  ) throws -> [Element] { try answer(sql, arguments).rows.map(read) }

  /// The first row that a statement finds; nil if there is none.
  package func row<Element>(
    _ sql: String, _ arguments: any SQLConvertible..., read: (TableRow) throws -> Element
  ) throws -> Element? { try answer(sql, arguments).rows.first.map(read) }

  private func answer(
    _ sql: String, _ arguments: [any SQLConvertible]
  ) throws -> (changes: Int, rows: [TableRow]) {
    switch self {
    case .file(let connection):
      let answer = try connection.table(sql, arguments)
      return (answer.changes, answer.rows.map(TableRow.init))
    case .server(let connection):
      let result = try connection.run(sql, arguments.map { PostgresValue($0.sqlValue) })
      let rows = (0..<result.count).map { row in
        TableRow(values: (0..<result.columns).map { result.sqlValue(row, $0) })
      }
      return (result.changes, rows)
    }
  }
}

/// A row that a statement has found.
package struct TableRow: Equatable, Sendable {
  let values: [SQLValue]

  /// Reads a column.
  ///
  /// - Parameters:
  ///   - column: The column's position, from 0.
  ///   - type: What to read it as; an optional if the column may be null.
  /// - Returns: The value.
  /// - Throws: `SQLiteError` of kind `wrongType` if there is no such column, or it holds something else.
  package func value<Value: SQLConvertible>(
    _ column: Int, as type: Value.Type = Value.self
  ) throws -> Value {
    guard values.indices.contains(column), let value = Value(sqlValue: values[column]) else {
      throw SQLiteError(.wrongType, "Column \(column) of \(values.count) is no \(Value.self)")
    }
    return value
  }
}

extension PostgresValue {
  /// A value of a table; U+0000, which PostgreSQL has in no text, becomes U+FFFD.
  fileprivate init(_ value: SQLValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .text(let text): self = .text(text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text)
    case .blob(let bytes): self = .blob(bytes)
    }
  }
}

extension PostgresResult {
  fileprivate func sqlValue(_ row: Int, _ column: Int) -> SQLValue {
    guard let text = text(row, column) else { return .null }
    switch type(column) {
    case 17: return .blob(Self.bytes(text))
    case 16: return .integer(text == "t" ? 1 : 0)
    case 20, 21, 23: return Int64(text).map(SQLValue.integer) ?? .text(text)
    case 700, 701: return Double(text).map(SQLValue.real) ?? .text(text)
    default: return .text(text)
    }
  }

  /// Bytes as the server writes them: `\x` and hexadecimal digits.
  private static func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8.dropFirst(2))
    func digit(_ byte: UInt8) -> UInt8 { byte < 58 ? byte - 48 : byte - 87 }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digit(digits[$0]) << 4 | digit(digits[$0 + 1]) }
  }
}
