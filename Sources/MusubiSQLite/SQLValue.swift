// SPDX-License-Identifier: Apache-2.0

/// One value as SQLite stores it.
public enum SQLValue: Equatable, Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A number.
  case real(Double)
  /// A text in UTF-8.
  case text(String)
  /// Bytes as they are.
  case blob([UInt8])

  /// The storage class's name, for messages.
  var typeName: String {
    switch self {
    case .null: "null"
    case .integer: "integer"
    case .real: "real"
    case .text: "text"
    case .blob: "blob"
    }
  }
}
