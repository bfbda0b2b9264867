// SPDX-License-Identifier: Apache-2.0

/// Where a server listens.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or an address, without brackets.
  public let host: String
  /// The port.
  public let port: UInt16

  /// Makes an address of its parts.
  ///
  /// - Parameters:
  ///   - host: A name or an address, without brackets.
  ///   - port: The port.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `http://HOST:PORT` or `ws://HOST:PORT`; a path behind it is ignored.
  ///
  /// - Parameter text: The address.
  /// - Throws: `ClientError` if it has another form; TLS is not supported.
  public init(_ text: String) throws(ClientError) {
    var rest = Substring(text)
    let schemes = ["http://", "ws://"]
    guard let scheme = schemes.first(where: { text.hasPrefix($0) }) else { throw ClientError(.address(text)) }
    rest.removeFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let bracket = authority.lastIndex(of: "]")
    let colon = authority.lastIndex(of: ":").flatMap { colon in
      bracket.map { colon > $0 } ?? true ? colon : nil
    }
    let name = authority[..<(colon ?? authority.endIndex)]
    let number = colon.map { UInt16(authority[authority.index(after: $0)...]) } ?? 80
    let host = name.hasPrefix("[") && name.hasSuffix("]") ? name.dropFirst().dropLast() : name
    guard !host.isEmpty, let number else { throw ClientError(.address(text)) }
    self.init(host: String(host), port: number)
  }

  /// The host and port as in a `Host` header.
  var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The address as `http://HOST:PORT`.
  public var description: String { "http://\(authority)" }
}
