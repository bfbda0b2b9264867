// SPDX-License-Identifier: Apache-2.0

/// An answer to a plain request.
package struct HTTPResponse: Sendable {
  package var status: UInt16
  /// Header fields besides the length, the date and those that make every response safe.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// What keeps its page from doing more than it must; nil for what the server has for all.
  package var security: SecurityHeaders?
  /// Makes the body while it is sent; nil if `body` is all.
  package var stream: HTTPStream?
  /// Whether the socket is closed afterwards.
  package var closes = false
  /// Is done when nobody holds it any more: when the response was sent, or cannot be.
  package var afterwards: HTTPAfterwards?

  package init(status: UInt16, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A short text for people.
  package static func text(_ status: UInt16, _ text: String) -> Self {
    Self(
      status: status,
      headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
      body: Array((text + "\n").utf8))
  }

  /// The head as it goes out, up to and including the empty line.
  ///
  /// - Parameters:
  ///   - host: The request's `Host`, for the content security policy; nil if it has none.
  ///   - security: The fields that keep pages from doing more than they must, unless the response has its own.
  ///   - isSecure: Whether it goes through TLS.
  ///   - isHTTP11: Whether a body without a known length may come in chunks.
  /// - Returns: Its bytes.
  package func head(
    host: String?, security: SecurityHeaders, isSecure: Bool, isHTTP11: Bool
  ) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\nDate: \(Timestamp.now.httpDate)\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    text += (self.security ?? security).text(host: host, isSecure: isSecure)
    if status != 304, status != 204 {
      if let length = stream.map(\.length) ?? body.count {
        text += "Content-Length: \(length)\r\n"
      } else if isHTTP11 {
        text += "Transfer-Encoding: chunked\r\n"
      }
    }
    if closes { text += "Connection: close\r\n" }
    text += "\r\n"
    return Array(text.utf8)
  }

  private static func reason(_ status: UInt16) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 507: "Insufficient Storage"
    default: "Status"
    }
  }
}
