// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Something that makes values from data, such as `JSONDecoder`.
public protocol DataDecoder {
  /// Makes a value.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
  /// Makes a value from each piece of data; a failure ends the sequence.
  public func decode<Item: Decodable, Decoder: DataDecoder>(
    type: Item.Type, decoder: Decoder
  ) -> Observable<Item> { map { try decoder.decode(type, from: $0) } }
}
