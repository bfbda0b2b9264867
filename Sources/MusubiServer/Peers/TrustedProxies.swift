// SPDX-License-Identifier: Apache-2.0

/// The proxies whose word about a visitor's address counts.
package struct TrustedProxies: Sendable {
  /// Where they are; none: each visitor is who its socket says.
  package var networks: [IPNetwork]

  package init(_ networks: [IPNetwork] = []) { self.networks = networks }

  /// The header fields in which proxies that log people in say who somebody is.
  ///
  /// They are those of oauth2-proxy, Authelia and Authentik, and are read from trusted proxies alone.
  package static let userHeaders = [
    "x-forwarded-user", "x-forwarded-preferred-username", "x-forwarded-email", "x-forwarded-groups",
    "x-auth-request-user", "x-auth-request-preferred-username", "x-auth-request-email",
    "x-auth-request-groups", "remote-user", "remote-name", "remote-email", "remote-groups",
  ]

  /// Whether an address is a trusted proxy's.
  package func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// The visitor's address: that of the socket, or of the nearest on the way that is no trusted proxy.
  ///
  /// `X-Forwarded-For` counts where it comes with `Forwarded`: it is what nearly all proxies write, and what they leave of
  /// `Forwarded` is the visitor's own claim.
  ///
  /// - Parameters:
  ///   - socket: The socket's address.
  ///   - headers: The request's header fields.
  /// - Returns: The address, and whether it is the visitor's: else it is the last proxy's that could be read.
  package func visitor(
    of socket: IPAddress, _ headers: [String: String]
  ) -> (address: IPAddress, isKnown: Bool) {
    guard contains(socket) else { return (socket, true) }
    let way =
      if let text = headers["x-forwarded-for"] {
        Self.entries(text).map { Self.node($0) }
      } else {
        headers["forwarded"].map(Self.forwarded) ?? []
      }
    var nearest = socket
    for node in way.reversed() {
      // Whoever wrote what cannot be read may have invented what comes before it.
      guard let address = node else { return (nearest, false) }
      nearest = address
      if !contains(address) { return (address, true) }
    }
    return (nearest, true)
  }

  /// Whether a request says that it came through a proxy.
  package static func isForwarded(_ headers: [String: String]) -> Bool {
    headers["x-forwarded-for"] != nil || headers["forwarded"] != nil
  }

  /// Whether the visitor's browser speaks TLS to the proxy, as the nearest one says.
  package static func isSecure(_ headers: [String: String]) -> Bool {
    if let scheme = headers["x-forwarded-proto"] {
      return entries(scheme).last?.lowercased() == "https"
    }
    guard let last = headers["forwarded"].flatMap({ members($0).last ?? nil }) else { return false }
    return pairs(of: last).contains { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 && parts[0].trimmed.lowercased() == "proto"
        && unquoted(parts[1].trimmed).lowercased() == "https"
    }
  }

  /// The `for` of each member of a `Forwarded` (RFC 7239); nil where there is no address.
  private static func forwarded(_ text: String) -> [IPAddress?] {
    members(text).map { member in
      for pair in member.map(pairs) ?? [] {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmed.lowercased() == "for" else { continue }
        return node(unquoted(parts[1].trimmed))
      }
      return nil
    }
  }

  /// The entries of a field that knows no quotation marks; by bytes, as no character may swallow a comma.
  private static func entries(_ text: String) -> [Substring] {
    text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      Substring($0).trimmed
    }
  }

  /// The parts of a `Forwarded`, or of one of its members; a separator between quotation marks is none.
  ///
  /// They are read from the end, where the proxies have written: a mark with which a visitor begins, and does not end, a text
  /// in what comes before hides nothing of theirs.
  ///
  /// - Returns: The parts; nil for a first one that begins within such a text.
  private static func parts(of text: Substring, _ separator: UInt8) -> [Substring?] {
    let bytes = text.utf8
    var parts: [Substring?] = []
    var (end, isQuoted) = (bytes.endIndex, false)
    for index in bytes.indices.reversed() {
      switch bytes[index] {
      case UInt8(ascii: "\"") where !isEscaped(bytes[..<index]): isQuoted.toggle()
      case separator where !isQuoted:
        parts.append(Substring(bytes[bytes.index(after: index)..<end]).trimmed)
        end = index
      default: break
      }
    }
    parts.append(isQuoted ? nil : Substring(bytes[..<end]).trimmed)
    return parts.reversed()
  }

  private static func members(_ text: String) -> [Substring?] { parts(of: text[...], UInt8(ascii: ",")) }

  private static func pairs(of member: Substring) -> [Substring] {
    parts(of: member, UInt8(ascii: ";")).compactMap(\.self)
  }

  /// Whether the byte behind others is escaped by a backslash.
  private static func isEscaped(_ before: Substring.UTF8View) -> Bool {
    before.reversed().prefix { $0 == UInt8(ascii: "\\") }.count % 2 == 1
  }

  private static func unquoted(_ text: Substring) -> Substring {
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
    // No address has a character that needs to be escaped.
    return text.dropFirst().dropLast()
  }

  /// An address with or without port; nil for `unknown`, for a name such as `_hidden`, and for anything else.
  private static func node(_ text: Substring) -> IPAddress? {
    if text.first == "[" {
      let parts = text.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].isEmpty || isPort(parts[1]), parts[0].contains(":") else { return nil }
      return IPAddress(parts[0])
    }
    if let address = IPAddress(text) { return address }
    guard let colon = text.lastIndex(of: ":"), isPort(text[colon...]), !text[..<colon].contains(":") else {
      return nil
    }
    return IPAddress(text[..<colon])
  }

  /// Whether a text is a colon and a port, or the name of one.
  private static func isPort(_ text: Substring) -> Bool {
    guard text.first == ":", text.count > 1 else { return false }
    return text.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }
}
