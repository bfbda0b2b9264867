// SPDX-License-Identifier: Apache-2.0

/// A decoder that hands out live streams: the compiler's `init(from:)` of a ViewModel's `Inputs` becomes its binding.
///
/// A stream is not data, so no other decoder can make one; it then fails with a `DecodingError` that says so.
package protocol StreamDecoder: Decoder {
  /// The stream of the coding key at which the decoder stands.
  ///
  /// - Parameter type: The type of the stream's elements.
  /// - Returns: What the page sends, as long as the screen lives.
  /// - Throws: If elements of this type cannot cross the wire.
  func stream<Element>(of type: Element.Type) throws -> Observable<Element>
}

/// An encoder that takes live streams: the compiler's `encode(to:)` of a ViewModel's `Outputs` becomes its binding.
package protocol StreamEncoder: Encoder {
  /// Takes the stream of the coding key at which the encoder stands.
  ///
  /// - Parameters:
  ///   - stream: What the page is to show.
  ///   - isState: Whether the latest element is kept and shown to pages that come later (a driver), or each is
  ///     delivered once (a signal).
  /// - Throws: If elements of this type cannot cross the wire.
  func collect<Element>(_ stream: Observable<Element>, isState: Bool) throws
}

extension SharedSequence: Decodable {
  /// Takes the live stream of a coding key from Musubi's decoder.
  ///
  /// - Parameter decoder: Musubi's decoder.
  /// - Throws: `DecodingError` from any other decoder, or if the elements cannot cross the wire.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.liveStream(of: Element.self))
  }
}

extension SharedSequence: Encodable {
  /// Hands the stream to Musubi's encoder.
  ///
  /// - Parameter encoder: Musubi's encoder.
  /// - Throws: `EncodingError` from any other encoder, or if the elements cannot cross the wire.
  public func encode(to encoder: any Encoder) throws {
    guard let encoder = encoder as? any StreamEncoder else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "A stream is no data to encode."))
    }
    try encoder.collect(asObservable(), isState: SharingStrategy.self == DriverSharingStrategy.self)
  }
}

extension ControlEvent: Decodable {
  /// Takes the live stream of a coding key from Musubi's decoder.
  ///
  /// - Parameter decoder: Musubi's decoder.
  /// - Throws: `DecodingError` from any other decoder, or if the elements cannot cross the wire.
  public init(from decoder: any Decoder) throws {
    self.init(events: try decoder.liveStream(of: PropertyType.self))
  }
}

extension Decoder {
  fileprivate func liveStream<Element>(of type: Element.Type) throws -> Observable<Element> {
    guard let decoder = self as? any StreamDecoder else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "A stream cannot be made from data."))
    }
    return try decoder.stream(of: type)
  }
}

/// A stream that can be a property of a ViewModel's inputs.
package protocol LiveStream {}

extension SharedSequence: LiveStream {}
extension ControlEvent: LiveStream {}
