// SPDX-License-Identifier: Apache-2.0

/// Thrown by an `identifyVisitors` hook to refuse somebody with a sentence that the page shows.
///
/// ```swift
/// application.identifyVisitors { request in
///   let visitor = try await logins.visitor(of: request.cookies["login"])
///   guard request.room.map(visitor.mayEnter) ?? true else { throw Denied("This room is not yours.") }
///   return visitor
/// }
/// ```
public struct Denied: Error, Equatable {
  /// What the page shows; for people, in their language.
  public let message: String

  /// A refusal.
  ///
  /// - Parameter message: What the page shows; for people, in their language.
  public init(_ message: String) { self.message = message }
}
