// SPDX-License-Identifier: Apache-2.0

/// Thrown by a route to answer with a status and a sentence.
///
/// ```swift
/// guard let order = await orders.find(request.parameters["id"]) else {
///   throw HTTPError(404, "There is no such order.")
/// }
/// ```
public struct HTTPError: Error, Equatable, Sendable {
  /// The status (RFC 9110, section 15), 400 to 599.
  public let status: Int
  /// What the answer says; for people.
  public let message: String
  /// After how many seconds it may be worth while to come back; nil if that does not help.
  public let retryAfter: Int?

  /// An answer that is no success.
  ///
  /// - Parameters:
  ///   - status: The status, 400 to 599; any other becomes 500.
  ///   - message: What the answer says; for people, and without secrets.
  ///   - retryAfter: After how many seconds it may be worth while to come back.
  public init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
    self.status = (400...599).contains(status) ? status : 500
    self.message = message
    self.retryAfter = retryAfter
  }
}
