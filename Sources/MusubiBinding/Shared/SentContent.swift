// SPDX-License-Identifier: Apache-2.0
package import MusubiRx
import MusubiWire

/// An author's value on its way between two servers: of a relay, or of an answer.
package struct SentContent: Equatable, Sendable {
  /// The value as JSON.
  package let json: [UInt8]

  /// What has come from another server.
  package init(json: [UInt8]) { self.json = json }

  /// Writes a value.
  ///
  /// - Throws: What the author's `encode(to:)` throws.
  package init(_ content: some Encodable) throws {
    json = Array(try ValueEncoder.encodeRecord(content).description.utf8)
  }

  /// The value.
  ///
  /// - Throws: What tells why it is not of that type.
  func decoded<Content>(as type: any Decodable.Type, _: Content.Type) throws -> Content {
    try ValueDecoder.decode(type, as: Content.self, from: Value(json: json), isRecord: true)
  }
}

/// An author's error, as it is stored and goes to another server.
package struct SentError: Error, Equatable, CustomStringConvertible {
  /// The error; nil if it is not `Codable`.
  package let content: SentContent?
  /// What it says of itself.
  package let description: String

  /// What has come from another server.
  package init(_ content: SentContent?, description: String) {
    self.content = content
    self.description = description
  }

  init(_ error: any Error) {
    description = "\(error)"
    do { content = try (error as? any Encodable).map { try SentContent($0) } } catch { content = nil }
  }

  /// The error; its description alone if it is not of that type.
  func decoded<Failure: Error>(as type: Failure.Type) -> any Error {
    if let content, let decodable = type as? any Decodable.Type {
      do { return try content.decoded(as: decodable, Failure.self) } catch {
        // The other server is of another build, where it looks different.
      }
    }
    return SharedModelError.failed(description)
  }
}

extension ModelResult {
  /// What came of a command, as it goes to another server.
  package var sent: ModelResult {
    switch self {
    case .success(is Void): return self
    case .success(let reply):
      guard let content = reply as? any Encodable else {
        return Self.unsent("it is \(type(of: reply)), which is neither Void nor Codable")
      }
      do { return .success(try SentContent(content)) } catch { return Self.unsent("\(error)") }
    case .failure(let error as SharedModelError): return .failure(error)
    case .failure(let error): return .failure(SentError(error))
    }
  }

  private static func unsent(_ reason: String) -> ModelResult {
    .failure(SharedModelError.failed("the answer cannot go to another server: \(reason)"))
  }

  /// What came of a command, where a screen waits for it.
  func received<Reply: Sendable>(as type: Reply.Type, or failure: (some Error).Type) -> ModelResult {
    switch self {
    case .success(let content as SentContent):
      guard let decodable = type as? any Decodable.Type else { return self }
      return ModelResult { try content.decoded(as: decodable, Reply.self) }
    case .failure(let error as SentError): return .failure(error.decoded(as: failure))
    default: return self
    }
  }
}

/// A relay of a shared model whose values can go to another server.
package protocol CodableRelay: AnyObject {
  /// Its value.
  ///
  /// - Throws: What the author's `encode(to:)` throws.
  func sentContent() throws -> SentContent
  /// The bytes of heap that its value takes.
  var heapBytes: Int { get }
  /// Tells whenever it has a value: at once, and then each new one.
  func follow(_ take: @escaping () -> Void) -> any Disposable
}

extension BehaviorRelay: CodableRelay where Element: Codable {
  package func sentContent() throws -> SentContent { try SentContent(value) }

  package var heapBytes: Int {
    // A screen that shows it tells what is wrong with it.
    (try? ValueEncoder.encode(value).heapBytes) ?? 0
  }

  package func follow(_ take: @escaping () -> Void) -> any Disposable { subscribe(onNext: { _ in take() }) }
}
