// SPDX-License-Identifier: Apache-2.0

/// What plain requests see: the public folder, and a few answers made on demand.
package struct Site: Sendable {
  /// The pages and their files.
  package var files: StaticFiles
  /// Answers made on demand, by path; called on a loop's thread, so they must not block.
  package var handlers: [String: @Sendable (HTTPRequest) -> HTTPResponse]
  /// The program's answer to a request, on a loop's thread; nil if it has no routes.
  package var match: (@Sendable (HTTPRequest) -> HTTPRouteMatch)?

  package init(
    files: StaticFiles, handlers: [String: @Sendable (HTTPRequest) -> HTTPResponse] = [:],
    match: (@Sendable (HTTPRequest) -> HTTPRouteMatch)? = nil
  ) {
    self.files = files
    self.handlers = handlers
    self.match = match
  }

  /// Answers a request that is not about a WebSocket.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - readiness: What `/readyz` tells.
  /// - Returns: The answer.
  package func response(to request: HTTPRequest, readiness: Readiness) -> HTTPResponse {
    guard request.isLooking else { return files.response(to: request) }
    if let handler = handlers[request.path] { return handler(request) }
    // A process that drains is well, and takes no more visitors.
    if request.path == "/healthz" { return .text(200, "ok") }
    if request.path == "/readyz" { return readiness.answer }
    return files.response(to: request)
  }
}

/// Whether a server takes new visitors.
package enum Readiness: Sendable {
  /// It does not know yet which of the rooms are its own.
  case starting
  case ready
  /// It is about to stop.
  case restarting

  /// What a load balancer is told.
  package var answer: HTTPResponse {
    switch self {
    case .starting: .text(503, "starting")
    case .ready: .text(200, "ready")
    case .restarting: .text(503, "restarting")
    }
  }
}
