// SPDX-License-Identifier: Apache-2.0
package import MusubiSession

/// A request's head as a value.
package struct HTTPRequest: Sendable {
  /// The methods that the server tells apart.
  package enum Method: Sendable {
    case get, head, post, patch, delete, options, other
  }

  package var method: Method
  /// The path, percent-decoded once.
  package var path: String
  /// The query's parameters, percent-decoded; the first of a name counts.
  package var query: [String: String]
  /// Whether it speaks HTTP/1.1.
  package var isHTTP11: Bool
  /// The header fields that the server knows, by lower-cased name; empty ones are left out.
  package var headers: [String: String]
  /// The visitor's address as text, without port: the socket's, or what a trusted proxy says.
  package var remoteAddress: String
  /// The peers that the address belongs to; none if it is not counted.
  package var addresses: [Peer] = []
  /// Whether it came through TLS, to here or to a trusted proxy.
  package var isSecure = false
  /// The bytes that it brings; for a request that the program answers.
  package var body: [UInt8] = []
  /// The bytes that it brings, while they arrive; nil if its route waits for all of them.
  package var arriving: HTTPBody?
  /// Its place among the requests that are under way, while the program answers it.
  package var place: RequestPlace?
  /// Whether path and query are UTF-8; other bytes must not become another name by repair.
  package var isAddressUTF8 = true
  /// The problem of its head, as a sentence; such a request is refused at any address.
  package var defect: String?

  package init(
    method: Method = .get, path: String, query: [String: String] = [:], isHTTP11: Bool = true,
    headers: [String: String] = [:], remoteAddress: String = "127.0.0.1"
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.isHTTP11 = isHTTP11
    self.headers = headers
    self.remoteAddress = remoteAddress
  }

  /// The path for logs.
  var loggedPath: String { Self.logged(path) }

  /// A path for logs: a part that may be a secret, such as the address of an upload, is shown by its first letters.
  package static func logged(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      // Base64 and hexadecimal digits.
      let isToken = part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
      return part.utf8.count >= 32 && isToken ? part.prefix(4) + "…" : part
    }.joined(separator: "/")
  }

  /// Whether it only looks.
  var isLooking: Bool { method == .get || method == .head }

  /// How many bytes it says that it brings; nil if it does not say.
  var contentLength: Int? { headers["content-length"].map { Int($0) ?? .max } }

  /// Whether it may bring a body to the program.
  var mayBringBody: Bool { method == .post || method == .patch }

  /// Whether the library reads a body behind its head: it may do so for one that does not say how long that is, too.
  var bringsBody: Bool { contentLength.map { $0 > 0 } ?? mayBringBody }

  /// The members of a header field that is a comma-separated list, without what follows a semicolon, lower-cased.
  func list(_ header: String) -> [Substring] {
    guard let value = headers[header] else { return [] }
    return value.lowercased().split(separator: ",").map { member in
      let end = member.firstIndex(of: ";") ?? member.endIndex
      return member[..<end].trimmed
    }
  }

  /// Whether the answer may be compressed by gzip.
  var acceptsGzip: Bool {
    guard let value = headers["accept-encoding"] else { return false }
    return value.lowercased().split(separator: ",").contains { member in
      let parts = member.split(separator: ";").map(\.trimmed)
      guard parts.first == "gzip" || parts.first == "*" else { return false }
      return !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" || $0 == "q=0.00" || $0 == "q=0.000" }
    }
  }

  /// What the session hears of a request for the screen of that name.
  func connectionRequest(screen: String) -> ConnectionRequest {
    var kept: [String: String] = [:]
    for name in ["authorization", "cookie", "accept-language", "user-agent"] { kept[name] = headers[name] }
    for name in TrustedProxies.userHeaders { kept[name] = headers[name] }
    var request = ConnectionRequest(
      screen: screen, query: query, headers: kept, remoteAddress: remoteAddress)
    request.addresses = addresses
    return request
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The text without spaces and tabs at its ends.
  var trimmed: Substring {
    var rest = self[...]
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
