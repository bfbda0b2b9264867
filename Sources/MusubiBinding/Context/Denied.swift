// SPDX-License-Identifier: Apache-2.0

/// Thrown by an `authorize` hook to refuse somebody with a sentence that the page shows.
///
/// ```swift
/// application.authorize { request in
///   guard let name = accounts.name(ofCookie: request.headers["cookie"]) else {
///     throw Denied("Please sign in first.")
///   }
///   return Visitor(id: name, validFor: .seconds(3_600))
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
