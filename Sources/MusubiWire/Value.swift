// SPDX-License-Identifier: Apache-2.0
import MusubiText

/// A JSON value: what states, inputs and events are made of.
///
/// Equality is that of the wire: numbers are equal if they are the same number (`1` and `1.0`), objects if they
/// have the same members in any order, strings if they have the same bytes. The last is stricter than Swift's
/// `String`, for which a composed and a decomposed "é" are equal: a page can tell them apart, so we must too.
///
/// ```swift
/// let row: Value = ["id": 7, "title": "Tea", "tags": ["green", nil]]
/// row["title"]?.stringValue  // "Tea"
/// row.description            // {"id":7,"title":"Tea","tags":["green",null]}
/// ```
public enum Value: Sendable {
  /// The value `null`.
  case null
  /// The value `true` or `false`.
  case bool(Bool)
  /// A number without fraction that fits into 64 bits.
  case integer(Int64)
  /// Any other number; one that is not finite is written as `null`.
  case number(Double)
  /// A text.
  case string(String)
  /// A list of values.
  case array([Value])
  /// Named values.
  case object(Object)
}

extension Value {
  /// Whether this is `null`.
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// The truth value, or nil if this is none.
  public var boolValue: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// The number if it is one without fraction that fits, or nil.
  public var intValue: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .number(let value): value.exactInteger.flatMap { Int(exactly: $0) }
    default: nil
    }
  }

  /// The number, rounded to the nearest double if it is a very large integer, or nil if this is none.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The text, or nil if this is none.
  public var stringValue: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  /// The elements, or nil if this is no array.
  public var arrayValue: [Value]? {
    if case .array(let value) = self { return value }
    return nil
  }

  /// The members, or nil if this is no object.
  public var objectValue: Object? {
    if case .object(let value) = self { return value }
    return nil
  }

  /// The member of that name, or nil if there is none or this is no object.
  public subscript(key: String) -> Value? {
    if case .object(let object) = self { return object[key] }
    return nil
  }

  /// The element at that index, or nil if there is none or this is no array.
  public subscript(index: Int) -> Value? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension Value: Equatable {
  /// Whether both are the same value on the wire.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b || (a.isNaN && b.isNaN)
    case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): b.exactInteger == a
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension Value: CustomStringConvertible {
  /// The value as JSON.
  public var description: String {
    String(writing: { $0.appendJSON(self) })
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes `null`.
  public init(nilLiteral: ()) { self = .null }

  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Makes a number without fraction.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Makes a number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Makes a text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Makes a list.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }

  /// Makes an object; the last of several members with one name counts.
  public init(dictionaryLiteral elements: (String, Value)...) {
    var object = Object()
    for (key, value) in elements { object[key] = value }
    self = .object(object)
  }
}
