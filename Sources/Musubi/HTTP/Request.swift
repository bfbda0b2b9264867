// SPDX-License-Identifier: Apache-2.0
public import MusubiBinding
import MusubiServer
import MusubiSession

/// What a browser asks for: an HTTP request, or a page that wants to show a screen.
///
/// ```swift
/// application.identifyVisitors { request in
///   guard let token = request.cookies["login"] else { return .anonymous }
///   return try await logins.visitor(of: token)
/// }
/// ```
public struct Request: Sendable {
  /// The method of a request (RFC 9110, section 9).
  public enum Method: String, Sendable {
    /// Reads.
    case get = "GET"
    /// Reads, and wants no body.
    case head = "HEAD"
    /// Sends something.
    case post = "POST"
    /// Sends a part of an upload (`Application.uploads`).
    case patch = "PATCH"
    /// Cancels an upload.
    case delete = "DELETE"
    /// Asks what an address for uploads takes.
    case options = "OPTIONS"
  }

  /// The method; `get` for a page that wants to show a screen.
  public var method: Method
  /// The path, percent-decoded: of the request, or of the page that wants to show a screen, `/contents/42`.
  public var path: String
  /// The parameters of the address, percent-decoded; the first of a name counts.
  public var query: [String: String]
  /// The header fields that the server knows, with names in lower case.
  public var headers: [String: String]
  /// The visitor's address without port; behind a proxy that `Configuration.trustedProxies` does not name, the proxy's.
  public var remoteAddress: String
  /// Whom it counts against besides its visitor, as the server counts addresses.
  var peers: [Peer] = []
  /// The screen that a page wants to show; nil for an HTTP request.
  public var screen: String?
  /// The room that a page wants to enter; nil in session scope, and for an HTTP request.
  public var room: String?
  /// Who sends it; `.anonymous` while that is being asked.
  public var visitor: Visitor = .anonymous
  /// What stands in the places of a route's path: `["id": "42"]` for `/contents/<id>`; empty for a page.
  public var parameters: [String: String] = [:]
  /// Whether it came through TLS, at least up to a proxy that `Configuration.trustedProxies` names.
  public var isSecure = false
  /// The bytes that it brings.
  public var body: [UInt8]
  /// The bytes that it brings, while they arrive; nil if `body` has them.
  var arriving: HTTPBody?

  /// A request, for tests of what answers it.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path, without the address's parameters.
  ///   - query: The parameters of the address.
  ///   - headers: The header fields, with names in lower case.
  ///   - remoteAddress: The visitor's address, without port.
  ///   - body: The bytes that it brings.
  public init(
    _ method: Method, _ path: String, query: [String: String] = [:], headers: [String: String] = [:],
    remoteAddress: String = "127.0.0.1", body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.remoteAddress = remoteAddress
    self.body = body
  }

  /// A request that reads, for tests of what answers it.
  ///
  /// - Parameters:
  ///   - path: The path, without the address's parameters.
  ///   - query: The parameters of the address.
  ///   - headers: The header fields, with names in lower case.
  ///   - remoteAddress: The visitor's address, without port.
  public init(
    _ path: String, query: [String: String] = [:], headers: [String: String] = [:],
    remoteAddress: String = "127.0.0.1"
  ) {
    self.init(.get, path, query: query, headers: headers, remoteAddress: remoteAddress)
  }

  /// The cookies by name; of several with one name the first (RFC 6265, section 5.4).
  public var cookies: [String: String] {
    var cookies: [String: String] = [:]
    for member in (headers["cookie"] ?? "").split(separator: ";") {
      let parts = member.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      let name = String(parts[0].trimmingPrefix(while: \.isWhitespace))
      if cookies[name] == nil { cookies[name] = String(parts[1]) }
    }
    return cookies
  }
}
