// SPDX-License-Identifier: Apache-2.0
import CPostgres

/// The answer to a statement: the owner of one `PGresult`.
///
/// Not `Sendable`: it is read where its connection is used, and may outlive it.
package final class PostgresResult {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var status: ExecStatusType { PQresultStatus(result) }

  /// What the server has refused; nil if it has not.
  var error: PostgresError? {
    guard let code = musubi_postgres_sqlstate(result) else { return nil }
    let message = musubi_postgres_message(result).map { String(cString: $0) } ?? ""
    return PostgresError(sqlState: String(cString: code), message: message)
  }

  /// The number of rows that a query has found.
  package var count: Int { Int(PQntuples(result)) }

  /// The number of columns of each row.
  package var columns: Int { Int(PQnfields(result)) }

  /// The number of a column's type in the server's catalogue.
  package func type(_ column: Int) -> UInt32 { PQftype(result, Int32(column)) }

  /// The number of rows that a statement has inserted, changed or deleted.
  package var changes: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// A column as text; nil for null.
  package func text(_ row: Int, _ column: Int) -> String? {
    guard PQgetisnull(result, Int32(row), Int32(column)) == 0,
      let start = PQgetvalue(result, Int32(row), Int32(column))
    else { return nil }
    let length = Int(PQgetlength(result, Int32(row), Int32(column)))
    return start.withMemoryRebound(to: UInt8.self, capacity: length) {
      String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
    }
  }

  /// A column as a type that reads itself from text.
  ///
  /// - Throws: `PostgresError` of kind `wrongType` if it is null or something else.
  package func value<Value: LosslessStringConvertible>(
    _ row: Int, _ column: Int, as type: Value.Type = Value.self
  ) throws(PostgresError) -> Value {
    guard let value: Value = try optional(row, column) else {
      throw PostgresError(.wrongType, "Column \(column) is null, not \(Value.self)")
    }
    return value
  }

  /// A column that may be null.
  ///
  /// - Throws: `PostgresError` of kind `wrongType` if it is something else.
  package func optional<Value: LosslessStringConvertible>(
    _ row: Int, _ column: Int, as type: Value.Type = Value.self
  ) throws(PostgresError) -> Value? {
    guard let text = text(row, column) else { return nil }
    guard let value = Value(text) else {
      throw PostgresError(.wrongType, "Column \(column) holds \"\(text.prefix(80))\", not \(Value.self)")
    }
    return value
  }
}
