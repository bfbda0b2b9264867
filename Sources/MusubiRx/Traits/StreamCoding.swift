// SPDX-License-Identifier: Apache-2.0

/// A decoder that hands out live streams instead of stored values.
///
/// A synthesised `init(from:)` of a struct of inputs then is its binding: for each property the container's decoder is
/// asked for a stream, and `codingPath` says under which name.
package protocol StreamDecoder: Decoder {
  /// The stream of an input.
  func stream<Element>(of element: Element.Type, kind: StreamKind) throws -> Observable<Element>
}

/// An encoder that collects live streams instead of stored values.
package protocol StreamEncoder: Encoder {
  /// Takes the stream of an output, under the name that `codingPath` says.
  func collect<Element>(_ stream: Observable<Element>, kind: StreamKind) throws
}

/// The declared type of a property that stands for a stream.
package enum StreamKind: String, Sendable {
  /// A value that is kept, and replayed to each new observer.
  case driver = "Driver"
  /// Events that happen once.
  case signal = "Signal"
  /// Events of a control.
  case controlEvent = "ControlEvent"
}

/// A sharing strategy that says which kind of stream it makes.
private func kind<Strategy: SharingStrategyProtocol>(of strategy: Strategy.Type) -> StreamKind {
  strategy == DriverSharingStrategy.self ? .driver : .signal
}

private func stream<Element>(
  from decoder: any Decoder, of element: Element.Type, kind: StreamKind
) throws -> Observable<Element> {
  if let decoder = decoder as? any StreamDecoder { return try decoder.stream(of: element, kind: kind) }
  throw DecodingError.dataCorrupted(
    DecodingError.Context(
      codingPath: decoder.codingPath,
      debugDescription: """
        \(kind.rawValue)<\(element)> is a live stream and is not stored in data. Only Musubi's binding decodes it, from the \
        inputs of a screen.
        """))
}

private func encode<Element>(_ stream: Observable<Element>, to encoder: any Encoder, kind: StreamKind) throws
{
  if let encoder = encoder as? any StreamEncoder { return try encoder.collect(stream, kind: kind) }
  throw EncodingError.invalidValue(
    stream,
    EncodingError.Context(
      codingPath: encoder.codingPath,
      debugDescription: """
        \(kind.rawValue)<\(Element.self)> is a live stream and cannot be stored in data. Only Musubi's binding encodes it, \
        to the outputs of a screen.
        """))
}

extension SharedSequence: Decodable {
  /// Takes the stream of an input from Musubi's binding.
  public init(from decoder: any Decoder) throws {
    let source = try stream(from: decoder, of: Element.self, kind: kind(of: SharingStrategy.self))
    self.init(source.observe(on: SharingStrategy.scheduler))
  }
}

extension SharedSequence: Encodable {
  /// Hands the stream of an output to Musubi's binding.
  public func encode(to encoder: any Encoder) throws {
    try MusubiRx.encode(source, to: encoder, kind: kind(of: SharingStrategy.self))
  }
}

extension ControlEvent: Decodable {
  /// Takes the stream of an input from Musubi's binding.
  public init(from decoder: any Decoder) throws {
    self.init(events: try stream(from: decoder, of: Element.self, kind: .controlEvent))
  }
}

extension ControlEvent: Encodable {
  /// Hands the stream of an output to Musubi's binding.
  public func encode(to encoder: any Encoder) throws {
    try MusubiRx.encode(events, to: encoder, kind: .controlEvent)
  }
}

/// A stream that can be a property of a ViewModel's inputs.
package protocol LiveStream: Encodable {
  /// A stream of this type that never emits.
  static var absent: Self { get }
}

extension SharedSequence: LiveStream {
  package static var absent: Self { .never() }
}

extension ControlEvent: LiveStream {
  package static var absent: Self { ControlEvent(events: Observable.never()) }
}
