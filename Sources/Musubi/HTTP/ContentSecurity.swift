// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer

/// What pages may load, run and be shown in, besides what comes from their own server.
///
/// Every response has a strict `Content-Security-Policy`: scripts, styles, fonts and connections of the server alone, no
/// inline script, no frame of another site around a page, and no text that becomes markup or code (Trusted Types). This
/// adds single sources to it, each by its kind:
///
/// ```swift
/// application.configuration.contentSecurity.allow(images: ["https://tiles.example.org"], trustedTypes: ["leaflet"])
/// ```
///
/// The server checks them when it starts: what would open everything, such as `*` or `'unsafe-inline'`, keeps it from
/// starting. Source: Content Security Policy Level 3 and Trusted Types, both of the W3C.
public struct ContentSecurity: Sendable {
  private(set) var headers = SecurityHeaders()

  /// The strict policy, which allows what comes from the server itself.
  public init() {}

  /// Whether a text becomes markup or code only by a policy of Trusted Types; true unless set otherwise.
  ///
  /// Turn it off for single responses alone, whose scripts make markup from text that no visitor writes: pages of docc do.
  public var requiresTrustedTypes: Bool {
    get { headers.requiresTrustedTypes }
    set { headers.requiresTrustedTypes = newValue }
  }

  /// Adds sources to those that pages may use.
  ///
  /// An origin is `https://example.org`, with a port if it has one, or `https://*.example.org` for all names below.
  ///
  /// - Parameters:
  ///   - images: Origins of pictures, or `blob:` for those that a script makes.
  ///   - connect: Origins that scripts may fetch from and connect to, `wss://…` for WebSockets.
  ///   - fonts: Origins of fonts, or `data:`.
  ///   - frameAncestors: Origins of pages that may show the server's in a frame, or `'self'`. A browser sends no cookies of
  ///     the server, and so no log-in, to a frame of another site.
  ///   - scripts: Inline scripts by their hash: `sha256-` and its 32 bytes in base64, or with `sha384-` or `sha512-`.
  ///   - trustedTypes: Names of the Trusted Types policies by which scripts, such as widgets, may make markup from text.
  public mutating func allow(
    images: [String] = [], connect: [String] = [], fonts: [String] = [], frameAncestors: [String] = [],
    scripts: [String] = [], trustedTypes: [String] = []
  ) {
    headers.images += images
    headers.connect += connect
    headers.fonts += fonts
    headers.frameAncestors += frameAncestors
    headers.scripts += scripts.map { "'\($0)'" }
    headers.trustedTypes += trustedTypes
  }

  /// Allows the inline scripts of a page that a tool has made, by their hashes.
  ///
  /// These are the elements `<script>` without `src`, whatever other attributes they have: modules, import maps, and data such as
  /// `application/json`, which never runs, so that its hash opens nothing. One without an end tag gets no hash, since it does not run.
  ///
  /// - Parameter page: The page's text, with nothing in it that a visitor has written.
  public mutating func allowScripts(of page: String) {
    let bytes = Array(page.utf8)
    for script in PageReader.elements(of: page)
    where script.tag == "script" && script["src"] == nil && script.isClosed {
      // A browser reads every end of a line as one (HTML, section 13.2.3.5), before it makes the hash.
      let text = String(decoding: bytes[script.content], as: UTF8.self)
        .replacing("\r\n", with: "\n").replacing("\r", with: "\n")
      let digest = Cryptography.sha256(Array(text.utf8))
      allow(scripts: ["sha256-" + Data(digest).base64EncodedString()])
    }
  }

  /// Checks that each source opens one thing and no more.
  ///
  /// - Throws: The first that does not.
  func check() throws(ContentSecurityError) {
    try Self.check(headers.images, "images", besides: ["blob:"])
    try Self.check(headers.connect, "connect", schemes: ["https", "http", "wss", "ws"])
    try Self.check(headers.fonts, "fonts", besides: ["data:"])
    try Self.check(headers.frameAncestors, "frameAncestors", besides: ["'self'"])
    for script in headers.scripts.map({ $0.dropFirst().dropLast() }) where !Self.isHash(script) {
      throw ContentSecurityError(
        kind: "scripts", source: String(script),
        reason:
          "an inline script is allowed by its hash alone, such as sha256-… with 32 bytes in base64; put a longer one "
          + "into a file of the folder with the pages")
    }
    for name in headers.trustedTypes {
      guard name != "default" else {
        throw ContentSecurityError(
          kind: "trustedTypes", source: name,
          reason:
            "the default policy is asked for every text, and so opens the page to all of them; name the widget's own"
        )
      }
      guard Self.isPolicyName(name) else {
        throw ContentSecurityError(
          kind: "trustedTypes", source: name,
          reason:
            "a policy's name has letters, digits and - # = _ / @ . % alone, and all policies at once cannot be allowed"
        )
      }
    }
  }

  private static func check(
    _ sources: [String], _ kind: String, schemes: [String] = ["https", "http"], besides words: [String] = []
  ) throws(ContentSecurityError) {
    for source in sources where !words.contains(source) && !isOrigin(source, schemes: schemes) {
      let others = words.isEmpty ? "" : ", or " + words.joined(separator: ", ")
      throw ContentSecurityError(
        kind: kind, source: source,
        reason:
          "it takes an origin such as \(schemes.contains("wss") ? "wss" : "https")://example.org, without a path\(others)"
      )
    }
  }

  /// Whether a text is a scheme, a host of at least two parts behind a star, and perhaps a port.
  private static func isOrigin(_ source: String, schemes: [String]) -> Bool {
    guard let scheme = schemes.first(where: { source.hasPrefix($0 + "://") }) else { return false }
    let parts = source.dropFirst(scheme.count + 3).split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let port = UInt16(parts[1]), port > 0, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
      else {
        return false
      }
    }
    let isBelow = parts[0].hasPrefix("*.")
    let labels = parts[0].dropFirst(isBelow ? 2 : 0).split(separator: ".", omittingEmptySubsequences: false)
    return labels.count >= (isBelow ? 2 : 1)
      && labels.allSatisfy { label in
        !label.isEmpty && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
      }
  }

  private static func isHash(_ text: Substring) -> Bool {
    for (name, characters, padding) in [("sha256-", 43, "="), ("sha384-", 64, ""), ("sha512-", 86, "==")]
    where text.hasPrefix(name) && text.hasSuffix(padding) {
      let digest = text.dropFirst(name.count).dropLast(padding.count)
      return digest.count == characters
        && digest.utf8.allSatisfy { isAlphanumeric($0) || "+/".utf8.contains($0) }
    }
    return false
  }

  /// Whether a text is a `tt-policy-name` (Trusted Types, section 4.2).
  private static func isPolicyName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { isAlphanumeric($0) || "-#=_/@.%".utf8.contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

/// What a page may not be allowed to do.
public struct ContentSecurityError: Error, Equatable, CustomStringConvertible {
  let kind: String
  let source: String
  let reason: String

  /// One sentence that names the source and says what is right instead.
  public var description: String {
    "contentSecurity.allow(\(kind):) cannot take \"\(source.prefix(80))\": \(reason)."
  }
}
