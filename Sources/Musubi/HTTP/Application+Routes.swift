// SPDX-License-Identifier: Apache-2.0
public import MusubiBinding
import MusubiServer
import MusubiSession

// MARK: - HTTP routes

extension Application {
  /// Answers `GET` at a path, and `HEAD` without the body: for exports, pages that the program writes, and the like.
  ///
  /// ```swift
  /// application.get("/orders/<id>") { request in
  ///   let order = try await orders.find(request.parameters["id"] ?? "", of: request.visitor)
  ///   return try .json(order)
  /// }
  /// ```
  ///
  /// It must change nothing: browsers ask for addresses that they have not been told to open. An answer is not kept by
  /// browsers unless it says so by `Cache-Control`.
  ///
  /// - Parameters:
  ///   - path: The path; a segment such as `<id>` stands for anything, and is in the request's `parameters`. A last one
  ///     such as `<path...>` stands for all segments that follow.
  ///   - permission: Who may ask; everybody if left out.
  ///   - isOpen: Whether somebody whom `identifyVisitors` refuses is answered, too, as a visitor of whom nothing is known:
  ///     for pages to log in.
  ///   - timeLimit: How long the answer may take; `Configuration.requestTimeout` if left out.
  ///   - answer: Answers, off the event loops, so that it may wait. `Denied`, `HTTPError` and `LogInRequired` become
  ///     answers; any other error becomes status 500, and a line in the log.
  public mutating func get(
    _ path: String, for permission: Permission? = nil, isOpen: Bool = false, timeLimit: Duration? = nil,
    answer: @escaping @Sendable (Request) async throws -> Response
  ) {
    table.add(
      Route(
        method: .get, path: path, permission: permission, isOpen: isOpen, maxBodyBytes: 0,
        timeLimit: timeLimit, answer: answer))
  }

  /// Answers `POST` at a path: for forms, and for scripts that change something.
  ///
  /// ```swift
  /// application.post("/orders") { request in
  ///   try await orders.add(Order(try request.form), by: request.visitor)
  ///   return try .redirect(to: "/thanks")
  /// }
  /// ```
  ///
  /// A browser's page of another site is refused before this is called. A request that names no site is no browser's: it
  /// has no visitor's cookies, unless somebody has given them away.
  ///
  /// - Parameters:
  ///   - path: The path; a segment such as `<id>` stands for anything, and is in the request's `parameters`. A last one
  ///     such as `<path...>` stands for all segments that follow.
  ///   - permission: Who may ask; everybody if left out.
  ///   - isOpen: Whether somebody whom `identifyVisitors` refuses is answered, too, as a visitor of whom nothing is known:
  ///     for pages to log in.
  ///   - maxBodyBytes: The most bytes of a body; `Configuration.maxBodyBytes` if left out.
  ///   - timeLimit: How long the body and then the answer may take; `Configuration.requestTimeout` if left out.
  ///   - answer: Answers, off the event loops, so that it may wait. `Denied`, `HTTPError` and `LogInRequired` become
  ///     answers; any other error becomes status 500, and a line in the log.
  public mutating func post(
    _ path: String, for permission: Permission? = nil, isOpen: Bool = false, maxBodyBytes: Int? = nil,
    timeLimit: Duration? = nil, answer: @escaping @Sendable (Request) async throws -> Response
  ) {
    table.add(
      Route(
        method: .post, path: path, permission: permission, isOpen: isOpen, maxBodyBytes: maxBodyBytes,
        timeLimit: timeLimit, answer: answer))
  }

  /// Answers a request by its route, as the running server does: for tests, without a server.
  ///
  /// ```swift
  /// let response = await application.respond(to: Request("/orders.csv"))
  /// #expect(response.text == "tea,cups\r\n")
  /// ```
  ///
  /// Files that are sent need a folder: `configuration.uploadFolder`. A stream is run to its end, and is the response's `body`; then `Response.afterwards(_:)` is done. Screens and files are not answered here, and the limits and
  /// checks of connections do not hold.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response; status 404 if no route has the path.
  public func respond(to request: Request) async -> Response {
    let quiet = Logger(sink: { _ in })
    let asking = identify.map { self.identifier(asking: $0, quiet, PeerLedger()) }
    let answering = RouteAnswer(identifier: asking, failed: { _, _, _ in })
    uploading.openForTests(configuration)
    switch table.match(request.method, request.path) {
    case .none: return .text("There is nothing at this address.\n", status: 404)
    case .otherMethod(let methods): return RouteAnswer.otherMethod(methods)
    case .route(let route, let parameters):
      var request = request
      request.parameters = parameters
      let response = await answering.response(of: route, to: request, of: []).collected()
      for work in response.works { await work() }
      return response
    }
  }
}

extension Response {
  /// The same response with all bytes of a stream.
  fileprivate func collected() async -> Response {
    let pieces = Pieces()
    let writer = ResponseWriter { await pieces.append($0) }
    do {
      switch content {
      case .bytes: return self
      case .stream(_, let write): try await write(writer)
      case .file(let file, let range): try await file.write(range, to: writer)
      }
    } catch {
      var failure = RouteAnswer.failure
      failure.works = works
      return failure
    }
    var response = self
    response.content = .bytes(await pieces.bytes)
    return response
  }

  private actor Pieces {
    private(set) var bytes: [UInt8] = []

    func append(_ piece: [UInt8]) { bytes += piece }
  }
}
