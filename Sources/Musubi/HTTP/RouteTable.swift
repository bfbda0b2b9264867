// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer

/// One address that the program answers.
struct Route: Sendable {
  /// The method; `get` answers `HEAD`, too.
  let method: Request.Method
  /// The path; a segment in angle brackets stands for any, and a last one with dots, `<path...>`, for all that follow.
  let path: String
  /// Who may ask; nil for everybody.
  let permission: Permission?
  /// Whether whom `identifyVisitors` refuses is answered, too.
  let isOpen: Bool
  /// The most bytes of a body; nil for the configuration's.
  let maxBodyBytes: Int?
  /// How long the answer may take; nil for the configuration's.
  let timeLimit: Duration?
  /// Whether it reads a body while that arrives.
  var readsWhileArriving = false
  /// Answers.
  let answer: @Sendable (Request) async throws -> Response

  /// Whether its last place stands for all segments that follow.
  var takesRest: Bool { path.hasSuffix("...>") }

  /// The parts of a request's path in the places of this one; nil if it does not fit.
  func parameters(in requested: String) -> [String: String]? {
    let places = path.split(separator: "/", omittingEmptySubsequences: false)
    let segments = requested.split(
      separator: "/", maxSplits: takesRest ? places.count - 1 : .max, omittingEmptySubsequences: false)
    guard places.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (place, segment) in zip(places, segments) {
      guard place.hasPrefix("<") else {
        guard place == segment else { return nil }
        continue
      }
      guard !segment.isEmpty else { return nil }
      let name = place.dropFirst().dropLast()
      parameters[String(name.hasSuffix("...") ? name.dropLast(3) : name)] = String(segment)
    }
    return parameters
  }
}

/// The routes of an application, and which of them answers a request.
struct RouteTable: Sendable {
  private(set) var routes: [Route] = []

  mutating func add(_ route: Route) { routes.append(route) }

  /// What becomes of a request.
  enum Match {
    /// No route has its path.
    case none
    /// Routes have its path, for these methods.
    case otherMethod([Request.Method])
    case route(Route, parameters: [String: String])
  }

  /// The route for a request: one whose path says all comes before one with places, and that before one that takes the rest.
  func match(_ method: Request.Method?, _ path: String) -> Match {
    let fitting = routes.filter { $0.parameters(in: path) != nil }
    guard !fitting.isEmpty else { return .none }
    let asked: Request.Method? = method == .head ? .get : method
    let candidates = fitting.filter { $0.method == asked }
    guard
      let route = candidates.first(where: { !$0.path.contains("<") })
        ?? candidates.first(where: { !$0.takesRest }) ?? candidates.first
    else {
      return .otherMethod(fitting.map(\.method))
    }
    return .route(route, parameters: route.parameters(in: path) ?? [:])
  }

  /// Checks that each path is one, and that each request has one answer.
  ///
  /// - Parameters:
  ///   - pages: The addresses of the screens.
  ///   - filePaths: The addresses of the files.
  ///   - echo: The address of the echo for conformance suites.
  /// - Throws: `RouteError` with the route to blame.
  func check(pages: [PageRoute], filePaths: some Sequence<String>, echo: String?) throws(RouteError) {
    var shapes: Set<String> = []
    for route in routes {
      if let problem = Self.problem(of: route.path) { throw RouteError(route, problem) }
      guard shapes.insert(route.method.rawValue + Self.shape(of: route.path)).inserted else {
        throw RouteError(route, "another route has this path; give one of them another.")
      }
      // Pages and files are only looked at.
      guard route.method == .get else { continue }
      for page in pages
      where Self.shape(of: page.path) == Self.shape(of: route.path) || route.parameters(in: page.path) != nil
      {
        throw RouteError(route, "the screen at \(page.path) has this path; give one of them another.")
      }
      if let file = filePaths.sorted().first(where: { route.parameters(in: $0) != nil }) {
        throw RouteError(route, "the public folder has a file at \(file); give one of them another name.")
      }
      if let echo, route.parameters(in: echo) != nil {
        throw RouteError(route, "--conformance-echo has this path; give it another.")
      }
    }
  }

  private static func problem(of path: String) -> String? {
    guard path.hasPrefix("/"), !path.contains("?"), !path.contains("#"), !path.contains(" ") else {
      return "a path begins with a slash, and has no spaces and no parameters: \"/cups/<id>\"."
    }
    guard path != "/live", !path.hasPrefix("/live/"), path != "/healthz", path != "/readyz" else {
      return "the server itself answers at /live/, /healthz and /readyz; take another path."
    }
    var names: Set<Substring> = []
    let last = path.split(separator: "/", omittingEmptySubsequences: false).count - 1
    for (index, segment) in path.split(separator: "/", omittingEmptySubsequences: false).enumerated()
    where segment.contains("<") || segment.contains(">") {
      var name = segment.dropFirst().dropLast()
      if name.hasSuffix("...") {
        guard index == last else {
          return "a place for all that follows is the last segment: \"/manual/<path...>\"."
        }
        name = name.dropLast(3)
      }
      guard segment.hasPrefix("<"), segment.hasSuffix(">"), !name.isEmpty, !name.contains("<"),
        !name.contains(">"), names.insert(name).inserted
      else {
        return "a place is a whole segment with a name of its own: \"/cups/<id>\"."
      }
    }
    return nil
  }

  /// The path with all places alike.
  private static func shape(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("<") && $0.hasSuffix(">") ? ($0.hasSuffix("...>") ? "<...>" : "<>") : String($0) }
      .joined(separator: "/")
  }
}

/// A mistake in a route, found when the application starts.
public struct RouteError: Error, Equatable, CustomStringConvertible {
  /// One sentence with the route.
  public let description: String

  init(_ route: Route, _ problem: String) {
    description = "Route \(route.method.rawValue) \(route.path): \(problem)"
  }
}
