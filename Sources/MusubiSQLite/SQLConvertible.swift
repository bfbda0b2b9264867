// SPDX-License-Identifier: Apache-2.0

/// A Swift type that can be bound to a statement and read from a column.
///
/// Reading is strict: a text is no number, and null is no value unless an optional is asked for. A type of your own says how it
/// is stored:
///
/// ```swift
/// extension Mood: SQLConvertible {
///   var sqlValue: SQLValue { .text(rawValue) }
///   init?(sqlValue: SQLValue) {
///     guard case .text(let text) = sqlValue else { return nil }
///     self.init(rawValue: text)
///   }
/// }
/// ```
public protocol SQLConvertible {
  /// The value to store.
  var sqlValue: SQLValue { get }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  ///
  /// - Parameter sqlValue: What the column holds.
  init?(sqlValue: SQLValue)
}

extension SQLValue: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { self }
  /// Takes what the column holds.
  public init(sqlValue: SQLValue) { self = sqlValue }
}

extension Int64: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { .integer(self) }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  public init?(sqlValue: SQLValue) {
    guard case .integer(let value) = sqlValue else { return nil }
    self = value
  }
}

extension Int: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { .integer(Int64(self)) }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  public init?(sqlValue: SQLValue) {
    guard case .integer(let value) = sqlValue else { return nil }
    self.init(exactly: value)
  }
}

extension Bool: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { .integer(self ? 1 : 0) }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  public init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }
}

extension Double: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { .real(self) }

  /// Takes an integer too: SQLite stores 2.0 in a column without a type as it likes.
  public init?(sqlValue: SQLValue) {
    switch sqlValue {
    case .real(let value): self = value
    case .integer(let value): self.init(exactly: value)
    case .null, .text, .blob: return nil
    }
  }
}

extension String: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { .text(self) }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  public init?(sqlValue: SQLValue) {
    guard case .text(let value) = sqlValue else { return nil }
    self = value
  }
}

extension [UInt8]: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { .blob(self) }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  public init?(sqlValue: SQLValue) {
    guard case .blob(let value) = sqlValue else { return nil }
    self = value
  }
}

extension Optional: SQLConvertible where Wrapped: SQLConvertible {
  /// The value to store.
  public var sqlValue: SQLValue { self?.sqlValue ?? .null }

  /// Reads a stored value back; nil if it is of another type or does not fit.
  public init?(sqlValue: SQLValue) {
    if case .null = sqlValue {
      self = .none
    } else {
      guard let value = Wrapped(sqlValue: sqlValue) else { return nil }
      self = .some(value)
    }
  }
}
