// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The rules that a handshake must keep before the screen is asked; a pure function of the request.
struct Handshake {
  /// Origins besides the server's own; `*` for all.
  var allowedOrigins: [String]
  /// Names of this server besides IP addresses and `localhost`; `*` for all.
  var allowedHosts: [String] = []
  /// The subprotocol that is spoken.
  var subprotocol: String

  /// The problem of a request that wants to be upgraded; nil if there is none.
  func refusal(of request: HTTPRequest) -> HTTPRefusal? {
    if let defect = request.defect { return .badRequest(defect) }
    guard request.method == .get, request.isHTTP11 else {
      return .badRequest("A WebSocket handshake is a GET request of HTTP/1.1.")
    }
    guard request.headers["upgrade"]?.lowercased() == "websocket",
      request.list("connection").contains("upgrade")
    else { return .badRequest("A WebSocket handshake says Upgrade: websocket and Connection: Upgrade.") }
    guard request.headers["sec-websocket-version"] == "13" else {
      return .badRequest("The server speaks version 13 of the WebSocket protocol.")
    }
    guard request.headers["host"] != nil, let key = request.headers["sec-websocket-key"], Self.isKey(key)
    else {
      return .badRequest("A WebSocket handshake has Host and a Sec-WebSocket-Key of 16 bytes.")
    }
    let offered = request.list("sec-websocket-protocol")
    guard offered.isEmpty || offered.contains(where: { $0 == subprotocol }) else {
      return .badRequest("The server speaks the subprotocol \(subprotocol).")
    }
    return originRefusal(of: request) ?? (request.isAddressUTF8 ? nil : .notUTF8)
  }

  /// Whether a text is 16 bytes in base64.
  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == 24 && text.utf8.suffix(2).elementsEqual("==".utf8)
      && text.utf8.dropLast(2).allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
      }
  }

  /// The problem of a request's origin; nil if there is none.
  ///
  /// A missing `Origin` is no browser's page on another site: browsers send it with every handshake.
  func originRefusal(of request: HTTPRequest) -> HTTPRefusal? {
    guard let origin = request.headers["origin"] else { return nil }
    if allowedOrigins.contains(where: { $0 == "*" || Self.isSame($0, origin) }) { return nil }
    guard let host = request.headers["host"], Self.isOwn(origin, host: host) else {
      return .originNotAllowed(origin)
    }
    return hostRefusal(of: request)
  }

  /// The problem of a request that changes something; nil if there is none.
  ///
  /// Browsers say with each of them where its page is from (Fetch, section 3.2; Fetch Metadata, section 2). One that says
  /// nothing is no browser's.
  func changeRefusal(of request: HTTPRequest) -> HTTPRefusal? {
    if let refusal = originRefusal(of: request) { return refusal }
    guard request.headers["origin"] == nil, let site = request.headers["sec-fetch-site"] else { return nil }
    return ["same-origin", "none"].contains(site.lowercased()) ? nil : .foreignSite
  }

  /// The problem of the name by which a request calls the server; nil if there is none.
  func hostRefusal(of request: HTTPRequest) -> HTTPRefusal? {
    let host = request.headers["host"] ?? ""
    return isOwnName(host) ? nil : .hostNotAllowed(host)
  }

  /// Whether the server may be called so: else any name could be pointed here, and its pages would seem our own.
  private func isOwnName(_ host: String) -> Bool {
    let name = Self.name(of: host.lowercased())
    if name == "localhost" || name.hasSuffix(".localhost") || Self.isAddress(name) { return true }
    return allowedHosts.contains { $0 == "*" || $0.lowercased() == name }
  }

  /// A host without its port.
  private static func name(of host: String) -> String {
    if host.hasPrefix("[") { return String(host.prefix { $0 != "]" }.dropFirst()) }
    return String(host.prefix { $0 != ":" })
  }

  /// Whether a name is an IP address: a browser looks nothing up for it.
  private static func isAddress(_ name: String) -> Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1
  }

  /// Whether an origin names the host that the request was sent to.
  ///
  /// The scheme is left out: behind a proxy that ends TLS, the server does not know its own.
  private static func isOwn(_ origin: String, host: String) -> Bool {
    let origin = origin.lowercased()
    let host = host.lowercased()
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")] where origin.hasPrefix(scheme) {
      let named = origin.dropFirst(scheme.count)
      return !named.isEmpty && withoutSuffix(named, port) == withoutSuffix(host[...], port)
    }
    return false
  }

  private static func isSame(_ allowed: String, _ origin: String) -> Bool {
    withoutSuffix(allowed.lowercased()[...], "/") == origin.lowercased()[...]
  }

  private static func withoutSuffix(_ text: Substring, _ suffix: String) -> Substring {
    text.hasSuffix(suffix) ? text.dropLast(suffix.count) : text
  }
}
