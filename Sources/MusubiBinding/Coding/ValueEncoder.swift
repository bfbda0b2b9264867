// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, which travels as an ISO 8601 string.
import Foundation
import MusubiWire

/// Encodes an author's type into a value of the wire.
struct ValueEncoder {
  /// Encodes a value; strings, numbers and truth values without a container.
  ///
  /// - Parameters:
  ///   - source: Anything that an output may hold.
  ///   - codingPath: Where it is in the output, for errors.
  /// - Returns: Its value on the wire; nil if it is absent, as an optional may be.
  /// - Throws: `ValueEncodingError` with the place at which the author's `encode(to:)` refused.
  static func encode(_ source: any Encodable, codingPath: [any CodingKey] = []) throws -> Value {
    switch source {
    case let text as String: return .string(text)
    case let flag as Bool: return .bool(flag)
    case let number as Int: return .integer(Int64(number))
    case let number as Double: return .number(number)
    case let date as Date: return .string(date.formatted(.iso8601))
    default:
      let encoder = BoxEncoder(codingPath: codingPath)
      do {
        try source.encode(to: encoder)
      } catch let error as ValueEncodingError {
        throw error
      } catch {
        throw ValueEncodingError(error, at: codingPath)
      }
      return encoder.box.value
    }
  }

  /// Encodes a row of a list.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - codingPath: Where it is in the output; the index is last.
  /// - Returns: Its value on the wire.
  /// - Throws: `ValueEncodingError`, which names the row by its id if it has one.
  static func encode(row: any Encodable, codingPath: [any CodingKey]) throws -> Value {
    do {
      return try encode(row, codingPath: codingPath)
    } catch var error as ValueEncodingError {
      if error.row == nil {
        error.row = (row as? any Identifiable).map { "with the id \"\(Self.id(of: $0))\"" }
      }
      throw error
    }
  }

  private static func id(of row: some Identifiable) -> String { String("\(row.id)".prefix(80)) }
}

/// A value that its author's own `encode(to:)` refused.
struct ValueEncodingError: Error, CustomStringConvertible {
  /// The row that is to blame, as a phrase; nil outside of lists.
  var row: String?
  private let path: [any CodingKey]
  private let reason: String

  init(_ error: any Error, at path: [any CodingKey]) {
    self.path = path
    if case .invalidValue(_, let context)? = error as? EncodingError {
      reason = context.debugDescription
    } else {
      reason = "\(error)"
    }
  }

  /// Where, and why: `row 3 with the id "7", "title": the text is secret`.
  var description: String {
    let index = path.lazy.compactMap { ($0 as? IndexKey)?.intValue }.first
    let member = path.last.flatMap { $0 is IndexKey ? nil : "\"\($0.stringValue)\"" }
    let place = [index.map { "row \($0)" }, row].compactMap { $0 }.joined(separator: " ")
    let parts = [place, member ?? ""].filter { !$0.isEmpty }
    return (parts.isEmpty ? "" : parts.joined(separator: ", ") + ": ") + reason.prefix(200)
  }
}

/// Where a container puts its result; a class, because containers are values that outlive each other.
private final class Box {
  private var make: () -> Value = { .object(Value.Object()) }
  var value: Value { make() }

  func set(_ value: Value) { make = { value } }
  func setLater(_ make: @escaping () -> Value) { self.make = make }
}

private struct BoxEncoder: Encoder {
  let box = Box()
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let members = Members()
    box.setLater { members.value }
    return KeyedEncodingContainer(KeyedBoxes<Key>(members: members, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    let elements = Elements()
    box.setLater { elements.value }
    return UnkeyedBoxes(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleBox(box: box, codingPath: codingPath)
  }
}

/// The members of an object in the order of their encoding.
private final class Members {
  var boxes: [(key: String, box: Box)] = []

  var value: Value {
    var object = Value.Object()
    for (key, box) in boxes { object[key] = box.value }
    return .object(object)
  }
}

/// The elements of an array.
private final class Elements {
  var boxes: [Box] = []
  var value: Value { .array(boxes.map(\.value)) }
}

private struct KeyedBoxes<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let members: Members
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) throws { set(.null, key) }

  mutating func encode<Source: Encodable>(_ value: Source, forKey key: Key) throws {
    set(try ValueEncoder.encode(value, codingPath: codingPath + [key]), key)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { BoxEncoder(codingPath: codingPath) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func set(_ value: Value, _ key: Key) {
    let box = Box()
    box.set(value)
    members.boxes.append((key.stringValue, box))
  }

  private func encoder(_ key: Key) -> BoxEncoder {
    let encoder = BoxEncoder(codingPath: codingPath + [key])
    members.boxes.append((key.stringValue, encoder.box))
    return encoder
  }
}

private struct UnkeyedBoxes: UnkeyedEncodingContainer {
  let elements: Elements
  let codingPath: [any CodingKey]

  var count: Int { elements.boxes.count }

  mutating func encodeNil() throws { set(.null) }

  mutating func encode<Source: Encodable>(_ value: Source) throws {
    set(try ValueEncoder.encode(row: value, codingPath: codingPath + [IndexKey(count)]))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { encoder().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { encoder() }

  private func set(_ value: Value) {
    let box = Box()
    box.set(value)
    elements.boxes.append(box)
  }

  private func encoder() -> BoxEncoder {
    let encoder = BoxEncoder(codingPath: codingPath + [IndexKey(count)])
    elements.boxes.append(encoder.box)
    return encoder
  }
}

private struct SingleBox: SingleValueEncodingContainer {
  let box: Box
  let codingPath: [any CodingKey]

  mutating func encodeNil() throws { box.set(.null) }
  mutating func encode(_ value: Bool) throws { box.set(.bool(value)) }
  mutating func encode(_ value: String) throws { box.set(.string(value)) }
  mutating func encode(_ value: Double) throws { box.set(.number(value)) }
  mutating func encode(_ value: Float) throws { box.set(.number(Double(value))) }
  mutating func encode(_ value: Int) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int8) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int16) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int32) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: Int64) throws { box.set(.integer(value)) }
  mutating func encode(_ value: UInt) throws { try unsigned(UInt64(value)) }
  mutating func encode(_ value: UInt8) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: UInt16) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: UInt32) throws { box.set(.integer(Int64(value))) }
  mutating func encode(_ value: UInt64) throws { try unsigned(value) }

  mutating func encode<Source: Encodable>(_ value: Source) throws {
    box.set(try ValueEncoder.encode(value, codingPath: codingPath))
  }

  private func unsigned(_ value: UInt64) throws {
    guard let integer = Int64(exactly: value) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "\(value) is too large for the wire."))
    }
    box.set(.integer(integer))
  }
}
