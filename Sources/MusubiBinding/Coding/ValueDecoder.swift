// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, which travels as an ISO 8601 string.
import Foundation
package import MusubiWire

/// Decodes an author's type from a value of the wire.
struct ValueDecoder: Decoder {
  let value: Value
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: Value, codingPath: [any CodingKey] = []) {
    self.value = value
    self.codingPath = codingPath
  }

  /// Decodes a type; the common ones without a container.
  static func decode<Result>(_ type: any Decodable.Type, as _: Result.Type, from value: Value) throws
    -> Result
  {
    let decoded = try ValueDecoder(value).unbox(type)
    guard let result = decoded as? Result else { throw mismatch(type, [], value) }
    return result
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = value else {
      throw Self.mismatch([String: Value].self, codingPath, value)
    }
    return KeyedDecodingContainer(KeyedValues(object: object, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw Self.mismatch([Value].self, codingPath, value) }
    return UnkeyedValues(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  fileprivate func unbox(_ type: any Decodable.Type) throws -> any Decodable {
    guard type == Date.self else { return try type.init(from: self) }
    guard case .string(let text) = value, let date = Self.date(text) else {
      throw Self.mismatch(type, codingPath, value)
    }
    return date
  }

  /// A day (`2026-11-21`, as a date field sends it) or a point in time.
  private static func date(_ text: String) -> Date? {
    if let moment = try? Date(text, strategy: .iso8601) { return moment }
    return try? Date(text, strategy: .iso8601.year().month().day())
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
  func decode(_ type: Double.Type) throws -> Double { try required(value.doubleValue, type) }
  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    if let integer = type as? any FixedWidthInteger.Type {
      return try required(self.integer(integer) as? Result, type)
    }
    return try required(try unbox(type) as? Result, type)
  }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any? {
    value.intValue.flatMap { Integer(exactly: $0) }
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

  func superDecoder() throws -> any Decoder { ValueDecoder(.object(object), codingPath: codingPath) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(at: key) }

  private func decoder(at key: Key) throws -> ValueDecoder {
    guard let value = object[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "\"\(key.stringValue)\" is missing."))
    }
    return ValueDecoder(value, codingPath: codingPath + [key])
  }
}

/// The elements of an array.
private struct UnkeyedValues: UnkeyedDecodingContainer {
  let elements: [Value]
  let codingPath: [any CodingKey]
  var currentIndex = 0

  init(elements: [Value], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
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
    return ValueDecoder(elements[currentIndex], codingPath: codingPath + [IndexKey(currentIndex)])
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
  /// Reads what `ValueEncoder` has written.
  ///
  /// - Throws: `DecodingError` if the value is of another type.
  package init(value: Value) throws { try self.init(from: ValueDecoder(value)) }
}
