// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

/// Why a handshake does not become a connection, as Wire.md's "Connecting" has it.
struct HTTPRefusal: Error, Equatable {
  var status: UInt16
  var code: String
  /// For people; empty if pages say it in their own language.
  var message: String
  /// After how many seconds it may be worth while to come back; nil if that does not help.
  var retryAfter: Int?
  /// The thing of which there is too much, for counters and the log; nil if the code says it.
  var reason: String?
  /// Who has too much; nil if somebody else is to blame, or nobody.
  var peer: Peer?
  /// The place where somebody logs in, if that helps.
  var logIn: String?

  init(status: UInt16, code: String, message: String, retryAfter: Int? = nil, logIn: String? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfter = retryAfter ?? (status == 503 ? 10 : nil)
    self.logIn = logIn
  }

  /// A peer has too much.
  init(_ refusal: PeerRefusal, of peer: Peer?) {
    self.init(
      status: refusal == .busy ? 503 : 429, code: ErrorCode.tooMany.rawValue, message: refusal.message,
      retryAfter: refusal.retryAfter)
    reason = refusal.reason
    self.peer = peer
  }

  static func badRequest(_ message: String) -> Self {
    Self(status: 400, code: "bad-request", message: message)
  }

  static let full = Self(status: 503, code: "full", message: "The server has no room for more connections.")
  static let restarting = Self(
    status: 503, code: "full", message: "The server restarts; come back in a moment.", retryAfter: 2)
  static let timedOut = Self(
    status: 503, code: VisitorRefusal.timedOut.code, message: VisitorRefusal.timedOut.message)
  static let upgradeRequired = Self(
    status: 426, code: "upgrade-required", message: "This address speaks WebSocket, subprotocol musubi.v1.")
  static let notUTF8 = Self.badRequest(
    "The address is not UTF-8; percent-encode the bytes of its characters in UTF-8.")
  static let notFound = Self(status: 404, code: "not-found", message: "WebSockets are served below /live/.")

  static let noToken = Self(
    status: 401, code: "no-token", message: "This needs the token of --admin-token, as Bearer or as password."
  )
  static let wrongToken = Self(
    status: 401, code: "wrong-token", message: "This is not the token of --admin-token.")

  static let lengthRequired = Self(
    status: 411, code: "length-required", message: "A request with a body says its Content-Length.")
  static let foreignSite = Self(
    status: 403, code: "origin-not-allowed", message: "Pages of another site may change nothing here.")

  static let pipelinedBody = Self(
    status: 503, code: "full",
    message: "A request with a body is not sent before the answer to the one before it.",
    retryAfter: 0)

  static func tooLong(_ most: Int) -> Self {
    Self(status: 413, code: "too-long", message: "This address takes at most \(most) bytes.")
  }

  static func originNotAllowed(_ origin: String) -> Self {
    Self(
      status: 403, code: "origin-not-allowed",
      message: "Pages of \(quoted(origin)) may not connect here; the operator allows them by --allow-origin.")
  }

  static func hostNotAllowed(_ host: String) -> Self {
    Self(
      status: 403, code: "origin-not-allowed",
      message: "This server does not know the name \(quoted(host)); the operator adds it by --allow-host.")
  }

  /// The members of its JSON.
  private var members: String {
    let place = logIn.map { ",\"logIn\":" + JSONText.string($0) } ?? ""
    let sentence = message.isEmpty ? "" : ",\"message\":" + JSONText.string(message)
    return "\"code\":\(JSONText.string(code))" + sentence + place
  }

  /// What there is to say, for those who are no page.
  var sentence: String { message.isEmpty ? VisitorRefusal.general : message }

  /// The frame that says the same to somebody whose handshake was answered before.
  var frame: [UInt8] {
    WebSocketFrame.bytes(.text, Array("{\"refused\":{\"status\":\(status),\(members)}}".utf8))
  }

  /// The end of a connection that was refused behind its handshake; a page that may come back is told when.
  var end: ConnectionEnd {
    let wait = retryAfter.map { "\(1_000 * $0) ms, then come back: " } ?? ""
    return ConnectionEnd(.refused, wait + code)
  }

  /// The answer to somebody who looks at it.
  var textResponse: HTTPResponse {
    var response = HTTPResponse.text(status, sentence)
    if let retryAfter { response.headers.append((name: "Retry-After", value: "\(retryAfter)")) }
    return response
  }

  /// The answer, readable for scripts of every origin.
  var response: HTTPResponse {
    var headers = [
      (name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store"),
      (name: "Access-Control-Allow-Origin", value: "*"),
    ]
    if let retryAfter { headers.append((name: "Retry-After", value: "\(retryAfter)")) }
    if code == Self.noToken.code || code == Self.wrongToken.code {
      headers.append((name: "WWW-Authenticate", value: "Basic realm=\"Musubi\", charset=\"UTF-8\""))
    }
    var text = "{" + members
    if status == 426 {
      headers.append((name: "Upgrade", value: "websocket"))
      // A page of another version learns here that its subprotocol was refused.
      text += ",\"protocol\":1"
    }
    text += "}"
    return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
  }
}
