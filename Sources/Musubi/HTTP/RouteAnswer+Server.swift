// SPDX-License-Identifier: Apache-2.0
import MusubiServer

extension Application {
  /// What plain requests see: files, pages and routes.
  func site(_ files: StaticFiles, _ answering: RouteAnswer) -> Site {
    guard !table.routes.isEmpty else { return Site(files: files) }
    let (table, maxBodyBytes, timeLimit) = (table, configuration.maxBodyBytes, configuration.requestTimeout)
    return Site(files: files) { asked in
      switch table.match(Request.Method(asked), asked.path) {
      case .none: .none
      case .otherMethod(let methods): .otherMethod(allow: RouteAnswer.allow(methods))
      case .route(let route, let parameters):
        .route(
          HTTPRoute(
            maxBodyBytes: route.maxBodyBytes ?? maxBodyBytes, timeLimit: route.timeLimit ?? timeLimit
          ) { asked in
            let request = Request(asked, parameters: parameters)
            return HTTPResponse(
              await answering.response(of: route, to: request, of: asked.addresses), isSecure: asked.isSecure)
          })
      }
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
    switch response.content {
    case .bytes(let bytes): body = bytes
    case .stream(let length, let write):
      stream = HTTPStream(length: length) { send in try await write(ResponseWriter(send)) }
    }
  }
}
