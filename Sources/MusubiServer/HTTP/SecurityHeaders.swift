// SPDX-License-Identifier: Apache-2.0

/// The header fields that every response carries, so that a page can do no more than it must.
///
/// What is added here must have been checked: a semicolon would begin another directive. Source: Content Security Policy
/// Level 3 and Trusted Types, both of the W3C.
package struct SecurityHeaders: Sendable {
  /// Where pages may connect to, besides their own server.
  package var connect: [String] = []
  /// The sites that may show a page in a frame, or `'self'`.
  package var frameAncestors: [String] = []
  /// Where pages may load pictures from, besides their own server and `data:`.
  package var images: [String] = []
  /// Where pages may load fonts from, besides their own server.
  package var fonts: [String] = []
  /// The hashes of inline scripts, in their quotes.
  package var scripts: [String] = []
  /// The names of Trusted Types policies that scripts may make.
  package var trustedTypes: [String] = []
  /// Whether a text becomes markup or code by these policies alone.
  package var requiresTrustedTypes = true
  /// Whether a page may have workers of its own server.
  package var allowsWorkers = true

  /// Those of a server that adds nothing.
  package init() {}

  /// The fields for one response.
  ///
  /// - Parameters:
  ///   - host: The request's `Host`; nil if it has none.
  ///   - isSecure: Whether the response goes through TLS.
  /// - Returns: Lines with their ends.
  func text(host: String?, isSecure: Bool) -> String {
    var text =
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: same-origin\r\n"
      + "Cross-Origin-Opener-Policy: same-origin\r\n"
      + "Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\r\n"
    // The older field knows no list of sites; browsers that know `frame-ancestors` do not read it.
    if frameAncestors.isEmpty { text += "X-Frame-Options: DENY\r\n" }
    if frameAncestors == ["'self'"] { text += "X-Frame-Options: SAMEORIGIN\r\n" }
    // Browsers then come by TLS only, for a year (HSTS).
    if isSecure { text += "Strict-Transport-Security: max-age=31536000\r\n" }
    return text + "Content-Security-Policy: \(policy(host: host))\r\n"
  }

  private func policy(host: String?) -> String {
    // `'self'` covers WebSockets since Safari 15.4 only; for older ones the own host is named besides.
    let sockets = host.flatMap { Self.isPlain($0) ? ["ws://\($0)", "wss://\($0)"] : nil } ?? []
    var all = ["default-src 'self'", "connect-src 'self'" + Self.list(sockets + connect)]
    all.append("img-src 'self' data:" + Self.list(images))
    if !fonts.isEmpty { all.append("font-src 'self'" + Self.list(fonts)) }
    if !scripts.isEmpty { all.append("script-src 'self'" + Self.list(scripts)) }
    if !allowsWorkers { all.append("worker-src 'none'") }
    all += ["object-src 'none'", "base-uri 'none'", "form-action 'self'"]
    all.append("frame-ancestors" + Self.list(frameAncestors.isEmpty ? ["'none'"] : frameAncestors))
    if requiresTrustedTypes {
      all.append("trusted-types" + Self.list(trustedTypes.isEmpty ? ["'none'"] : trustedTypes))
      all.append("require-trusted-types-for 'script'")
    }
    return all.joined(separator: "; ")
  }

  private static func list(_ sources: [String]) -> String { sources.map { " " + $0 }.joined() }

  /// Whether a `Host` is only a name or address with port, and so cannot smuggle anything into the policy.
  private static func isPlain(_ host: String) -> Bool {
    !host.isEmpty && host.utf8.count <= 255
      && host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"),
          UInt8(ascii: "["), UInt8(ascii: "]"):
          true
        default: false
        }
      }
  }
}
