// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer
import MusubiSession

/// Runs routes: finds out who asks, whether they may, and turns what is thrown into answers.
struct RouteAnswer: Sendable {
  /// Finds out who sends a request; nil if the application does not ask.
  let identifier: VisitorIdentifier?
  /// Is told of a route that has failed, for whom, and why.
  let failed: @Sendable (_ path: String, _ peer: String, _ message: String) -> Void
  /// Is told of a visitor who has too many requests under way.
  var refused: @Sendable (_ path: String, Peer, PeerRefusal) -> Void = { _, _, _ in }

  /// What the browser gets when the program fails.
  static var failure: Response {
    .text("The server could not answer; its operator finds the reason in the log.\n", status: 500)
  }

  /// The answer to a method that a path does not have.
  static func otherMethod(_ methods: [Request.Method]) -> Response {
    var response = Response.text("This address does not take this method.\n", status: 405)
    response.headers["Allow"] = allow(methods)
    return response
  }

  /// The value of `Allow`.
  static func allow(_ methods: [Request.Method]) -> String {
    methods.map { $0 == .get ? "GET, HEAD" : $0.rawValue }.sorted().joined(separator: ", ")
  }

  /// The response of a route to a request; checked, so that it can be sent.
  ///
  /// - Parameters:
  ///   - route: The route.
  ///   - request: The request.
  ///   - peers: The peers of its address.
  ///   - place: Counts it among those that are under way; its visitor's, too, once it is known who that is.
  /// - Returns: The response.
  func response(
    of route: Route, to request: Request, of peers: [Peer], in place: RequestPlace? = nil
  ) async -> Response {
    var request = request
    request.peers = peers
    var works: [@Sendable () async -> Void] = []
    do {
      request.visitor = try await visitor(of: request, peers, route)
      if let peer = request.visitor.id.map(Peer.identity), let refusal = place?.join(peer) {
        refused(HTTPRequest.logged(request.path), peer, refusal)
        throw HTTPError(429, refusal.message, retryAfter: refusal.retryAfter)
      }
      if let permission = route.permission, !permission.isGranted(to: request.visitor) {
        throw Denied("You may not open this address.")
      }
      let asked = request
      let (result, called) = await RouteRun.result { try await route.answer(asked) }
      works = called
      var response = try result.get().part(for: request)
      response.works.insert(contentsOf: called, at: 0)
      works = response.works
      _ = try response.fields(isSecure: request.isSecure)
      return response
    } catch {
      var response = answer(to: error, request, of: peers)
      response.works = works
      return response
    }
  }

  private func visitor(
    of request: Request, _ peers: [Peer], _ route: Route
  ) async throws(VisitorRefusal) -> Visitor {
    guard let identifier else {
      return Visitor(locales: AcceptLanguage.tags(in: request.headers["accept-language"]))
    }
    do {
      return try await identifier.visitor(for: request, peers: peers)
    } catch {
      // The page to log in at is not sent to itself.
      let isPlace = error.logIn.map { $0.prefix { $0 != "?" } == request.path } ?? false
      guard error.status == 401, route.isOpen || isPlace else { throw error }
      return Visitor(locales: AcceptLanguage.tags(in: request.headers["accept-language"]))
    }
  }

  private func answer(to error: any Error, _ request: Request, of peers: [Peer]) -> Response {
    switch error {
    case let error as HTTPError:
      var response = page(error.message, error.status, request)
      if let seconds = error.retryAfter { response.headers["Retry-After"] = "\(seconds)" }
      return response
    case let denied as Denied: return page(denied.message, request.visitor.id == nil ? 401 : 403, request)
    case let refusal as VisitorRefusal:
      if let place = refusal.logIn { return logIn(at: place, refusal.sentence, request) }
      var response = page(refusal.sentence, Int(refusal.status), request)
      if refusal.status == 503 { response.headers["Retry-After"] = "10" }
      return response
    case let required as LogInRequired where required.problem == nil:
      return logIn(at: required.place, required.message, request)
    default:
      failed(HTTPRequest.logged(request.path), peers.first?.text ?? request.remoteAddress, "\(error)")
      return Self.failure
    }
  }

  /// Sends somebody who looks at a page to where one logs in, and tells a script.
  private func logIn(at place: String, _ message: String, _ request: Request) -> Response {
    guard Self.takesPages(request) else { return .text(message + "\n", status: 401) }
    var address = place
    // A link does not send the body again.
    if request.method == .get || request.method == .head {
      let next = Self.encoded(request.path, keeping: "/") + Self.encoded(request.query)
      address += (place.contains("?") ? "&" : "?") + "next=" + Self.encoded(next)
    }
    return Response(status: 303, headers: ["Location": address])
  }

  private static func takesPages(_ request: Request) -> Bool {
    (request.headers["accept"] ?? "").contains("text/html")
  }

  private static func encoded(_ query: [String: String]) -> String {
    guard !query.isEmpty else { return "" }
    let pairs = query.sorted { $0.key < $1.key }.map { encoded($0.key) + "=" + encoded($0.value) }
    return "?" + pairs.joined(separator: "&")
  }

  /// A text with all but letters, digits and some marks percent-encoded (RFC 3986, section 2.3).
  static func encoded(_ text: String, keeping kept: String = "") -> String {
    var result = ""
    for byte in text.utf8 {
      let scalar = UnicodeScalar(byte)
      let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      if isPlain || "-._~".utf8.contains(byte) || kept.utf8.contains(byte) {
        result.unicodeScalars.append(scalar)
      } else {
        result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  /// A sentence as an answer: a small page for somebody who looks at it, else a text.
  private func page(_ sentence: String, _ status: Int, _ request: Request) -> Response {
    guard Self.takesPages(request) else {
      return .text(sentence + "\n", status: status)
    }
    let text = sentence.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return .html(
      "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
        + "<title>\(status)</title>\n<p>\(text)</p>\n", status: status)
  }
}

extension Response {
  /// The header fields as they are sent.
  ///
  /// - Throws: `ResponseProblem` if one of them cannot be.
  func fields(isSecure: Bool) throws(ResponseProblem) -> [(name: String, value: String)] {
    do {
      try contentSecurity?.check()
    } catch {
      throw ResponseProblem(error.description)
    }
    guard (200...599).contains(status) else { throw ResponseProblem("The status \(status) is no answer's.") }
    var fields: [(name: String, value: String)] = []
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      try ResponseProblem.check(name, value)
      fields.append((name, value))
    }
    if !fields.contains(where: { $0.name.lowercased() == "cache-control" }) {
      fields.append(("Cache-Control", "no-store"))
    }
    for cookie in cookies { fields.append(("Set-Cookie", try cookie.field(isSecure: isSecure))) }
    return fields
  }
}
