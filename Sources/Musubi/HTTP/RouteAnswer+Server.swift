// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer
import MusubiSession

extension Application {
  /// What plain requests see: files, pages and routes.
  func site(_ files: StaticFiles, _ answering: RouteAnswer, _ table: RouteTable) -> Site {
    let handlers = developmentHandlers
    guard !table.routes.isEmpty else { return Site(files: files, handlers: handlers) }
    let (maxBodyBytes, timeLimit) = (configuration.maxBodyBytes, configuration.requestTimeout)
    return Site(files: files, handlers: handlers) { asked in
      switch table.match(Request.Method(asked), asked.path) {
      case .none: .none
      case .otherMethod(let methods): .otherMethod(allow: RouteAnswer.allow(methods))
      case .route(let route, let parameters):
        .route(
          HTTPRoute(
            maxBodyBytes: route.maxBodyBytes ?? maxBodyBytes, timeLimit: route.timeLimit ?? timeLimit,
            readsWhileArriving: route.readsWhileArriving
          ) { asked in
            let request = Request(asked, parameters: parameters)
            let response = await answering.response(
              of: route, to: request, of: asked.addresses, in: asked.place)
            var sent = HTTPResponse(response, isSecure: asked.isSecure)
            if !response.works.isEmpty {
              sent.afterwards = HTTPAfterwards(response.works, route.timeLimit ?? timeLimit, asked.place)
            }
            return sent
          })
      }
    }
  }

  /// What `musubi dev` has the open pages show: a file in the data folder that it writes, which a page asks for again and again.
  private var developmentHandlers: [String: @Sendable (HTTPRequest) -> HTTPResponse] {
    guard configuration.isDevelopment else { return [:] }
    let path = configuration.dataFolder.map { $0 + "/problem.json" }
    return [
      "/musubi/problem.json": { _ in
        // It is small, and an author's server has time. Without a data folder it is not `musubi dev` that has started it.
        guard let path, let problem = FileManager.default.contents(atPath: path) else {
          return HTTPResponse(status: 204, headers: [("Cache-Control", "no-store")])
        }
        return HTTPResponse(
          status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
          body: Array(problem))
      }
    ]
  }
}

extension RouteAnswer {
  /// Answers the requests of a server.
  ///
  /// - Parameters:
  ///   - identifier: Finds out who sends one; nil if the application does not ask.
  ///   - logger: Is told what went wrong.
  ///   - ledger: Counts that.
  init(asking identifier: VisitorIdentifier?, _ logger: Logger, _ ledger: PeerLedger) {
    self.init(identifier: identifier) { path, peer, message in
      // Not by path: a visitor may invent as many as he wants.
      guard let count = ledger.refusals.count("route-failed", of: peer, at: MonotonicTime.now) else { return }
      logger.log(
        .error, "route failed", ["path": path, "message": message, "peer": peer, "count": "\(count)"])
    }
    refused = { path, peer, refusal in
      let (reason, peer) = (refusal.reason, peer.text)
      guard let count = ledger.refusals.count(reason, of: peer, at: MonotonicTime.now) else { return }
      logger.log(
        .info, "request refused", ["reason": reason, "path": path, "peer": peer, "count": "\(count)"])
    }
  }
}

extension Request.Method {
  /// The method of a server's request; nil for one that no route takes.
  fileprivate init?(_ request: HTTPRequest) {
    switch request.method {
    case .get: self = .get
    case .head: self = .head
    case .post: self = .post
    case .patch: self = .patch
    case .delete: self = .delete
    case .options: self = .options
    case .other: return nil
    }
  }
}

extension Request {
  /// A server's request for a route.
  fileprivate init(_ request: HTTPRequest, parameters: [String: String]) {
    self.init(
      Method(request) ?? .get, request.path, query: request.query, headers: request.headers,
      remoteAddress: request.remoteAddress, body: request.body)
    self.parameters = parameters
    isSecure = request.isSecure
    arriving = request.arriving
  }
}

extension HTTPResponse {
  /// A route's response for the server.
  fileprivate init(_ response: Response, isSecure: Bool) {
    do throws(ResponseProblem) {
      self.init(status: UInt16(response.status), headers: try response.fields(isSecure: isSecure))
    } catch {
      // The route's answer was checked already.
      self = .text(500, error.description)
      return
    }
    security = response.contentSecurity?.headers
    switch response.content {
    case .bytes(let bytes): body = bytes
    case .stream(let length, let write):
      stream = HTTPStream(length: length) { send in try await write(ResponseWriter(send)) }
    case .file(let file, let range):
      stream = HTTPStream(length: range.count) { send in try await file.write(range, to: ResponseWriter(send))
      }
    }
  }
}
