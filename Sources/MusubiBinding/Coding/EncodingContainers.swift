// SPDX-License-Identifier: Apache-2.0
import MusubiWire

// The containers that `EncodingNode` gives an author's `encode(to:)`. They do not own their node: it keeps the first of
// them for the next row, and outlives the call of `encode(to:)` that they are made for.

/// The members of an object.
struct EncodingMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  unowned let node: EncodingNode
  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil(forKey key: Key) throws { node.set(.null, key) }
  mutating func encode(_ value: Bool, forKey key: Key) throws { node.set(.bool(value), key) }
  mutating func encode(_ value: String, forKey key: Key) throws { node.set(.string(value), key) }
  mutating func encode(_ value: Double, forKey key: Key) throws { node.set(.number(value), key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { node.set(.integer(Int64(value)), key) }

  mutating func encode<Source: Encodable>(_ value: Source, forKey key: Key) throws {
    try node.encode(value, forKey: key)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { node.nested(key).container(keyedBy: type) }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    node.nested(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { node }

  mutating func superEncoder(forKey key: Key) -> any Encoder { node.nested(key) }
}

/// The elements of an array.
struct EncodingElements: UnkeyedEncodingContainer {
  unowned let node: EncodingNode
  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int { node.count }

  mutating func encodeNil() throws { node.append(.null) }

  mutating func encode<Source: Encodable>(_ value: Source) throws { try node.encode(element: value) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { node.nested().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.nested().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { node.nested() }
}

/// One value.
struct EncodingSingle: SingleValueEncodingContainer {
  unowned let node: EncodingNode
  var codingPath: [any CodingKey] { node.codingPath }

  mutating func encodeNil() throws { node.set(.null) }

  mutating func encode<Source: Encodable>(_ value: Source) throws {
    if let plain = Value(plain: value, inRecord: node.isRecord) {
      node.set(plain)
    } else if let number = value as? any BinaryInteger {
      if let integer = Int64(exactly: number) {
        node.set(.integer(integer))
      } else if node.isRecord {
        node.set(Value(recording: "\(number)"))
      } else {
        throw EncodingError.invalidValue(
          value, .init(codingPath: codingPath, debugDescription: "\(value) is too large for the wire."))
      }
    } else if let number = value as? Float {
      node.set(.number(Double(number)))
    } else {
      try node.encode(single: value)
    }
  }
}
