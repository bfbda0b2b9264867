// SPDX-License-Identifier: Apache-2.0

/// Thrown by an `identifyVisitors` hook: the page goes to the place where one logs in, and comes back.
///
/// ```swift
/// application.identifyVisitors { request in
///   guard let token = request.cookies["login"], let visitor = try await logins.visitor(of: token) else {
///     throw LogInRequired(at: "/login")
///   }
///   return visitor
/// }
/// ```
///
/// The page adds its own path and parameters as the parameter `next`: `/login?next=%2Fquiz%3Froom%3D7`. Once somebody has
/// logged in, the application redirects there. A page that was open leaves out what it has written into its address, because
/// somebody else may log in.
public struct LogInRequired: Error, Equatable {
  /// The path of the place, and its parameters: `/login`.
  public let place: String
  /// The sentence of a client that is no page; for people, in their language.
  public let message: String

  /// A refusal that a log-in ends.
  ///
  /// - Parameters:
  ///   - place: The path of the place, and its parameters: of this server, so that it begins with one slash.
  ///   - message: The sentence of a client that is no page; for people, in their language.
  public init(at place: String, message: String = "Please log in.") {
    self.place = place
    self.message = message
  }

  /// Why no page may be sent to the place; nil if it may.
  ///
  /// Browsers read `//host` and `/\host` as another server's address, and leave tabs and line ends out before.
  package var problem: String? {
    let isOwn = place.hasPrefix("/") && !place.hasPrefix("//") && !place.contains("\\")
    let isPlain = place.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    guard isOwn, isPlain, place.utf8.count <= 1_024 else {
      return
        "LogInRequired(at:) takes a path of this server, such as \"/login\", percent-encoded, without # and backslash, "
        + "of at most 1024 bytes; \"\(place.prefix(80))\" came."
    }
    return nil
  }
}
