// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Makes the streams of inputs.
protocol InputStreams {
  /// The stream of one input.
  func input<Element>(_ path: [any CodingKey], of type: Element.Type) throws -> Observable<Element>
}

/// Hands out a live stream for each coding key of a ViewModel's inputs.
struct InputsDecoder: StreamDecoder {
  let streams: any InputStreams
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func stream<Element>(of element: Element.Type, kind: StreamKind) throws -> Observable<Element> {
    try streams.input(codingPath, of: element)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(InputProperties(streams: streams, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw plain("an array") }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw plain("a plain value") }

  fileprivate func plain(_ kind: String) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: codingPath, debugDescription: "\(kind) cannot be bound; make it a Signal of its type."))
  }
}

private struct InputProperties<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let streams: any InputStreams
  let codingPath: [any CodingKey]
  let allKeys: [Key] = []

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) -> Bool { false }

  func decode<Property: Decodable>(_ type: Property.Type, forKey key: Key) throws -> Property {
    try Property(from: decoder(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> { decoder(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw decoder(key).plain("an array")
  }

  func superDecoder() -> any Decoder { InputsDecoder(streams: streams, codingPath: codingPath) }

  func superDecoder(forKey key: Key) -> any Decoder { decoder(key) }

  private func decoder(_ key: Key) -> InputsDecoder {
    InputsDecoder(streams: streams, codingPath: codingPath + [key])
  }
}
