// SPDX-License-Identifier: Apache-2.0

/// Decides who may see a site that is its operator's alone; a pure function of the request.
///
/// Health is everybody's. For all else the request has to call the server by a name of its own, so that no page of another
/// site reads it through a name that was pointed here. Then comes the token: where the site is guarded, and for whatever is
/// not only looking.
package struct AccessGate: Sendable {
  /// What becomes of a request.
  enum Passage {
    case open
    /// It may pass, and its browser is given this header field with the answer.
    case remembered((name: String, value: String))
    case refused(HTTPRefusal)
  }

  /// Whether looking needs the token, too.
  private let isGuarded: Bool
  private let isSecure: Bool
  /// The SHA-256 of the token; nil if nobody has one.
  private let tokenHash: [UInt8]?
  /// What browsers remember instead of the token.
  private let cookie: String

  private static let cookieName = "musubi-admin"

  /// A gate.
  ///
  /// - Parameters:
  ///   - token: What opens it; nil if nothing does.
  ///   - isGuarded: Whether looking needs the token.
  ///   - isSecure: Whether connections are encrypted.
  package init(token: String?, isGuarded: Bool, isSecure: Bool) {
    self.isGuarded = isGuarded
    self.isSecure = isSecure
    tokenHash = token.map(Self.hash)
    cookie = Self.hash("musubi-admin:" + (token ?? "")).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
  }

  /// What becomes of a request.
  func passage(of request: HTTPRequest, _ handshake: Handshake) -> Passage {
    let isLooking = request.isLooking
    if isLooking, request.path == "/healthz" || request.path == "/readyz" { return .open }
    if let refusal = handshake.hostRefusal(of: request) ?? handshake.originRefusal(of: request) {
      return .refused(refusal)
    }
    guard isGuarded || !isLooking else { return .open }
    // A cookie comes along with whatever a page of another port sends: it is good for looking alone.
    if isLooking, let cookies = request.headers["cookie"], holdsCookie(cookies) { return .open }
    let authorization = request.headers["authorization"] ?? ""
    guard let token = Self.token(in: authorization), let tokenHash, Self.isSame(Self.hash(token), tokenHash)
    else {
      return .refused(authorization.isEmpty ? .noToken : .wrongToken)
    }
    // Not every browser repeats the password with the handshake of a WebSocket.
    let attributes = "; Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    return .remembered((name: "Set-Cookie", value: Self.cookieName + "=" + cookie + attributes))
  }

  private func holdsCookie(_ cookies: String) -> Bool {
    guard tokenHash != nil else { return false }
    return cookies.split(separator: ";").contains { member in
      let parts = member.trimmed.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0] == Self.cookieName
        && Self.isSame(Array(parts[1].utf8), Array(cookie.utf8))
    }
  }

  /// The token that a request shows: `Bearer TOKEN`, or `Basic` with the token as password.
  static func token(in authorization: String) -> String? {
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let value = parts[1].trimmed
    switch parts[0].lowercased() {
    case "bearer": return String(value)
    case "basic":
      guard let bytes = Cryptography.bytes(ofBase64: String(value)),
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
      else {
        return nil
      }
      return String(decoding: bytes[(colon + 1)...], as: UTF8.self)
    default: return nil
    }
  }

  private static func hash(_ text: String) -> [UInt8] { Cryptography.sha256(Array(text.utf8)) }

  /// Looks at all of both, so that time does not tell where they differ.
  private static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
  }
}
