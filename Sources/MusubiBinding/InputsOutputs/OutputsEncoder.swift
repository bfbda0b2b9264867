// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Collects a live stream for each coding key of a ViewModel's outputs.
struct OutputsEncoder: StreamEncoder {
  let declaration: StreamDeclaration
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func collect<Element>(_ stream: Observable<Element>, kind: StreamKind) throws {
    try declaration.output(codingPath, stream, isState: kind == .driver)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(OutputProperties(declaration: declaration, codingPath: codingPath))
  }

  /// Refuses whatever is no stream.
  static func refusal(at codingPath: [any CodingKey]) -> any Encoder { RefusedOutput(codingPath: codingPath) }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedOutput(codingPath: codingPath) }

  func singleValueContainer() -> any SingleValueEncodingContainer { RefusedOutput(codingPath: codingPath) }
}

private struct OutputProperties<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let declaration: StreamDeclaration
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) throws {}

  mutating func encode<Property: Encodable>(_ value: Property, forKey key: Key) throws {
    try value.encode(to: encoder(key))
  }

  /// An output that is absent has its name all the same, so that all instances of a screen have the same names.
  mutating func encodeIfPresent<Property: Encodable>(_ value: Property?, forKey key: Key) throws {
    try optional(value, key)
  }

  // The protocol's own implementations for these types would be silent about nil.
  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try optional(value, key) }
  mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try optional(value, key) }

  private mutating func optional<Property: Encodable>(_ value: Property?, _ key: Key) throws {
    if let value { return try encode(value, forKey: key) }
    guard let type = Property.self as? any LiveStream.Type else {
      return try RefusedOutput(codingPath: codingPath + [key]).encodeNil()
    }
    try type.absent.encode(to: encoder(key))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    OutputsEncoder(declaration: declaration, codingPath: codingPath)
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

  private func encoder(_ key: Key) -> OutputsEncoder {
    OutputsEncoder(declaration: declaration, codingPath: codingPath + [key])
  }
}

/// A property that is no stream: whatever is encoded into it is refused with its name.
private struct RefusedOutput: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let count = 0
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusedProperties(output: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws { throw refusal("nil") }

  func encode<Source: Encodable>(_ value: Source) throws { throw refusal(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func superEncoder() -> any Encoder { self }

  private func refusal(_ value: some Encodable) -> EncodingError {
    .invalidValue(
      value,
      .init(
        codingPath: codingPath, debugDescription: "a plain value never changes; make it a Driver of its type."
      ))
  }
}

private struct RefusedProperties<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: RefusedOutput
  var codingPath: [any CodingKey] { output.codingPath }

  func encodeNil(forKey key: Key) throws { try output.encodeNil() }

  func encode<Source: Encodable>(_ value: Source, forKey key: Key) throws { try output.encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { output.container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { output }

  func superEncoder() -> any Encoder { output }

  func superEncoder(forKey key: Key) -> any Encoder { output }
}
