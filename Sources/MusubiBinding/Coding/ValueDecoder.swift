// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, which travels as an ISO 8601 string.
import Foundation
package import MusubiWire

/// Decodes an author's type from a value of the wire.
struct ValueDecoder: Decoder {
  let value: Value
  let codingPath: [any CodingKey]
  /// Whether `ValueEncoder.encodeRecord` has written the value; what pages send is none.
  let isRecord: Bool
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: Value, codingPath: [any CodingKey] = [], isRecord: Bool = false) {
    self.value = value
    self.codingPath = codingPath
    self.isRecord = isRecord
  }

  /// Decodes a type; the common ones without a container.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - _: The same, as the caller knows it.
  ///   - value: The value.
  ///   - isRecord: Whether `ValueEncoder.encodeRecord` has written it.
  /// - Returns: What the value is of.
  /// - Throws: `DecodingError` if the value is of another type.
  static func decode<Result>(
    _ type: any Decodable.Type, as _: Result.Type, from value: Value, isRecord: Bool = false
  ) throws -> Result {
    let decoded = try ValueDecoder(value, isRecord: isRecord).unbox(type)
    guard let result = decoded as? Result else { throw mismatch(type, [], value) }
    return result
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = value else {
      throw Self.mismatch([String: Value].self, codingPath, value)
    }
    return KeyedDecodingContainer(KeyedValues(object: object, codingPath: codingPath, isRecord: isRecord))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw Self.mismatch([Value].self, codingPath, value) }
    return UnkeyedValues(elements: elements, codingPath: codingPath, isRecord: isRecord)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  fileprivate func unbox(_ type: any Decodable.Type) throws -> any Decodable {
    guard type == Date.self else { return try type.init(from: self) }
    if isRecord, let date = value.recordedDate { return date }
    guard case .string(let text) = value, let date = Self.date(text) else {
      throw Self.mismatch(type, codingPath, value)
    }
    return date
  }

  /// A day (`2026-11-21`, as a date field sends it) or a point in time.
  ///
  /// A field for both (`2026-11-21T10:30`) sends no zone, and seconds only if there are some: it is in UTC, as a day is.
  private static func date(_ text: String) -> Date? {
    let (day, time) = (text.prefix(10), text.dropFirst(10))
    guard !time.isEmpty else { return try? Date(text, strategy: .iso8601.year().month().day()) }
    let hasZone = time.contains { "Z+-".contains($0) }
    let moment = day + time + (time.count == 6 ? ":00" : "") + (hasZone ? "" : "Z")
    let parts = Date.ISO8601FormatStyle(includingFractionalSeconds: time.contains("."))
    return try? Date(String(moment), strategy: parts)
  }

  fileprivate static func mismatch(
    _ type: Any.Type, _ path: [any CodingKey], _ value: Value
  ) -> DecodingError {
    .typeMismatch(
      type, .init(codingPath: path, debugDescription: "\(value.description.prefix(80)) is no \(type)."))
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool { try required(value.boolValue, type) }
  func decode(_ type: String.Type) throws -> String { try required(value.stringValue, type) }
  func decode(_ type: Double.Type) throws -> Double {
    try required(value.doubleValue ?? recordedNumber.flatMap { Double($0) }, type)
  }
  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    if let integer = type as? any FixedWidthInteger.Type {
      return try required(self.integer(integer) as? Result, type)
    }
    return try required(try unbox(type) as? Result, type)
  }

  /// What a record says of a number that JSON or the wire does not have.
  private var recordedNumber: String? { isRecord ? value.recordedNumber : nil }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any? {
    if let recordedNumber { return Integer(recordedNumber) }
    return value.intValue.flatMap { Integer(exactly: $0) }
  }

  private func required<Result>(_ result: Result?, _ type: Result.Type) throws -> Result {
    guard let result else { throw Self.mismatch(type, codingPath, value) }
    return result
  }
}

/// The members of an object.
private struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: Value.Object
  let codingPath: [any CodingKey]
  let isRecord: Bool

  var allKeys: [Key] { object.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { object[key.stringValue]?.isNull ?? true }

  func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
    try decoder(at: key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try decoder(at: key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(at: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(.object(object), codingPath: codingPath, isRecord: isRecord)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(at: key) }

  private func decoder(at key: Key) throws -> ValueDecoder {
    guard let value = object[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "\"\(key.stringValue)\" is missing."))
    }
    return ValueDecoder(value, codingPath: codingPath + [key], isRecord: isRecord)
  }
}

/// The elements of an array.
private struct UnkeyedValues: UnkeyedDecodingContainer {
  let elements: [Value]
  let codingPath: [any CodingKey]
  let isRecord: Bool
  var currentIndex = 0

  init(elements: [Value], codingPath: [any CodingKey], isRecord: Bool) {
    self.elements = elements
    self.codingPath = codingPath
    self.isRecord = isRecord
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    let result = try current().decode(type)
    currentIndex += 1
    return result
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try current().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try current().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try current()
    currentIndex += 1
    return decoder
  }

  private func current() throws -> ValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self,
        .init(codingPath: codingPath, debugDescription: "The array has only \(elements.count) elements."))
    }
    return ValueDecoder(
      elements[currentIndex], codingPath: codingPath + [IndexKey(currentIndex)], isRecord: isRecord)
  }
}

/// The position in an array, as a coding key.
struct IndexKey: CodingKey {
  let intValue: Int?
  var stringValue: String { String(intValue ?? 0) }

  init(_ index: Int) { intValue = index }
  init?(intValue: Int) { self.intValue = intValue }
  init?(stringValue: String) { return nil }
}

extension Decodable {
  /// Reads what `ValueEncoder.encodeRecord` has written.
  ///
  /// - Parameter value: The value of a record.
  /// - Throws: `DecodingError` if the value is of another type.
  package init(recorded value: Value) throws {
    self = try ValueDecoder(value, isRecord: true).decode(Self.self)
  }
}
