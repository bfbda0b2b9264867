// SPDX-License-Identifier: Apache-2.0

/// A Swift type that can be bound to a statement and read from a column.
///
/// Reading is strict: a text is no number, and null is no value unless an optional is asked for.
package protocol SQLConvertible {
  /// The value to store.
  var sqlValue: SQLValue { get }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  ///
  /// - Parameter sqlValue: What the column holds.
  init?(sqlValue: SQLValue)
}

extension SQLValue: SQLConvertible {
  package var sqlValue: SQLValue { self }
  package init(sqlValue: SQLValue) { self = sqlValue }
}

extension Int64: SQLConvertible {
  package var sqlValue: SQLValue { .integer(self) }

  package init?(sqlValue: SQLValue) {
    guard case .integer(let value) = sqlValue else { return nil }
    self = value
  }
}

extension Int: SQLConvertible {
  package var sqlValue: SQLValue { .integer(Int64(self)) }

  package init?(sqlValue: SQLValue) {
    guard case .integer(let value) = sqlValue else { return nil }
    self.init(exactly: value)
  }
}

extension Bool: SQLConvertible {
  package var sqlValue: SQLValue { .integer(self ? 1 : 0) }

  package init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension Double: SQLConvertible {
  package var sqlValue: SQLValue { .real(self) }

  /// Takes an integer too: SQLite stores 2.0 in a column without a type as it likes.
  package init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .real(let value): self = value
    case .integer(let value): self.init(exactly: value)
    case .null, .text, .blob: return nil
    }
  }
}

extension String: SQLConvertible {
  package var sqlValue: SQLValue { .text(self) }

  package init?(sqlValue: SQLValue) {
    guard case .text(let value) = sqlValue else { return nil }
    self = value
  }
}

extension [UInt8]: SQLConvertible {
  package var sqlValue: SQLValue { .blob(self) }

  package init?(sqlValue: SQLValue) {
    guard case .blob(let value) = sqlValue else { return nil }
    self = value
  }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
  package var sqlValue: SQLValue { self?.sqlValue ?? .null }

  package init?(sqlValue: SQLValue) {
    if case .null = sqlValue {
      self = .none
    } else {
      guard let value = Wrapped(sqlValue: sqlValue) else { return nil }
      self = .some(value)
    }
  }
}
