// SPDX-License-Identifier: Apache-2.0

/// The answer to a request.
///
/// ```swift
/// application.post("/language") { request in
///   var response = try Response.redirect(to: "/")
///   response.setCookie("language", try request.form["language"] ?? "en")
///   return response
/// }
/// ```
public struct Response: Sendable {
  /// The status (RFC 9110, section 15).
  public var status: Int
  /// The header fields, such as `["Cache-Control": "private, max-age=60"]`; `no-store` if it says nothing about that.
  ///
  /// The server writes the lengths, the date and what makes each response safe. A field that it writes itself, or a value
  /// with an end of line, is an error of the program: the browser gets 500, and the log a line.
  public var headers: [String: String]
  /// What its page may load and run; nil for what `Configuration.contentSecurity` says of all.
  ///
  /// ```swift
  /// response.contentSecurity = ContentSecurity()
  /// response.contentSecurity?.allow(images: ["https://tiles.example.org"])
  /// ```
  ///
  /// What would open everything is an error of the program: the browser gets 500, and the log a line.
  public var contentSecurity: ContentSecurity?
  /// The cookies that the browser is given.
  public private(set) var cookies: [SetCookie] = []
  /// What follows the header fields.
  var content: Content
  /// The work that is done when the response was sent.
  var works: [@Sendable () async -> Void] = []

  /// What follows the header fields.
  enum Content: Sendable {
    case bytes([UInt8])
    /// Bytes that are made while they are sent; the length if it is known.
    case stream(length: Int?, @Sendable (ResponseWriter) async throws -> Void)
    /// A part of a file, or all of it.
    case file(OpenFile, Range<Int>)
  }

  /// A response of bytes.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - headers: The header fields.
  ///   - body: The bytes.
  public init(status: Int = 200, headers: [String: String] = [:], body: [UInt8] = []) {
    self.init(status: status, headers: headers, content: .bytes(body))
  }

  init(status: Int = 200, headers: [String: String] = [:], content: Content) {
    self.status = status
    self.headers = headers
    self.content = content
  }

  /// The bytes; empty for a stream that has not been run, as `Application.respond(to:)` does.
  public var body: [UInt8] { if case .bytes(let bytes) = content { bytes } else { [] } }

  /// The bytes as a text.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Gives the browser a cookie, which comes back with each later request.
  ///
  /// ```swift
  /// response.setCookie("login", try application.secrets.seal(id, for: "login", validFor: .seconds(86_400)),
  ///   maxAge: .seconds(86_400))
  /// ```
  ///
  /// By default no script can read it, no other site's form sends it, and once it was given through TLS it comes
  /// through TLS alone.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value; ASCII without spaces, quotation marks, commas, semicolons and backslashes.
  ///   - maxAge: How long the browser keeps it; nil for as long as it runs.
  ///   - path: The addresses below which it is sent.
  ///   - isHTTPOnly: Whether scripts of the page cannot read it.
  ///   - sameSite: With which requests of other sites it is sent.
  ///   - isSecure: Whether it comes through TLS alone; nil: if the request that is answered came so.
  public mutating func setCookie(
    _ name: String, _ value: String, maxAge: Duration? = nil, path: String = "/", isHTTPOnly: Bool = true,
    sameSite: SetCookie.SameSite = .lax, isSecure: Bool? = nil
  ) {
    cookies.removeAll { $0.name == name && $0.path == path }
    cookies.append(
      SetCookie(
        name: name, value: value, maxAge: maxAge, path: path, isHTTPOnly: isHTTPOnly, sameSite: sameSite,
        isSecure: isSecure))
  }

  /// Has the browser forget a cookie.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - path: The path with which it was given.
  public mutating func removeCookie(_ name: String, path: String = "/") {
    setCookie(name, "", maxAge: .zero, path: path)
  }

  /// Does something when the browser has been sent the response, or has gone.
  ///
  /// For what other tabs of the browser are to learn when it has its new cookie, and not before:
  ///
  /// ```swift
  /// application.post("/login") { request in
  ///   let (account, token, former) = try await logIns.begin(request)
  ///   var response = try Response.redirect(to: "/")
  ///   response.setCookie("login", token)
  ///   if let former { response.afterwards { await visitors.endSessions(of: former.id, logIn: former.key) } }
  ///   return response
  /// }
  /// ```
  ///
  /// It is done once, also if the time for the answer was over, and after what was added before. "Sent" means that the system has
  /// all bytes. Until it returns it counts as a request of the browser's address; when it takes longer than the
  /// route's `timeLimit`, its task is cancelled. A server that is ended may not come to it.
  ///
  /// - Parameter work: What is done.
  public mutating func afterwards(_ work: @escaping @Sendable () async -> Void) { works.append(work) }

  /// The same response as a file that the browser saves (RFC 6266).
  ///
  /// - Parameter name: The name that it proposes; what cannot be part of a file's name becomes `_`.
  /// - Returns: The response with a `Content-Disposition`.
  public func download(as name: String) -> Response {
    var response = self
    response.headers["Content-Disposition"] = DownloadName(name).disposition
    return response
  }
}

/// A cookie that a browser is given (RFC 6265).
public struct SetCookie: Sendable, Equatable {
  /// With which requests of other sites a browser sends a cookie.
  public enum SameSite: String, Sendable {
    /// With none, not even when somebody follows a link to here.
    case strict = "Strict"
    /// When somebody follows a link to here.
    case lax = "Lax"
  }

  /// The name.
  public var name: String
  /// The value.
  public var value: String
  /// How long the browser keeps it; nil for as long as it runs.
  public var maxAge: Duration?
  /// The addresses below which it is sent.
  public var path: String
  /// Whether scripts of the page cannot read it.
  public var isHTTPOnly: Bool
  /// With which requests of other sites it is sent.
  public var sameSite: SameSite
  /// Whether it comes through TLS alone; nil: if the request that is answered came so.
  public var isSecure: Bool?

  /// As many bytes of name and value every browser keeps.
  static let maxBytes = 4_096

  /// The value of the header field `Set-Cookie`.
  ///
  /// - Throws: `ResponseProblem` if a browser would read something else.
  func field(isSecure: Bool) throws(ResponseProblem) -> String {
    guard ResponseProblem.isToken(name) else { throw ResponseProblem("The cookie's name is no token.") }
    let isValue = value.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\",;\\".utf8.contains($0) }
    guard isValue else {
      throw ResponseProblem("The cookie \(name) has a value that browsers do not keep; encode it.")
    }
    guard name.utf8.count + value.utf8.count <= Self.maxBytes else {
      throw ResponseProblem("The cookie \(name) is longer than \(Self.maxBytes) bytes.")
    }
    guard path.hasPrefix("/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ";") })
    else { throw ResponseProblem("The cookie \(name) has a path that is none.") }
    var text = "\(name)=\(value); Path=\(path); SameSite=\(sameSite.rawValue)"
    if let maxAge { text += "; Max-Age=\(max(0, maxAge.components.seconds))" }
    if isHTTPOnly { text += "; HttpOnly" }
    if self.isSecure ?? isSecure { text += "; Secure" }
    return text
  }
}
