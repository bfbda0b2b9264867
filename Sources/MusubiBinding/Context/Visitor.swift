// SPDX-License-Identifier: Apache-2.0

/// Who opens a screen, as the application's `authorize` hook tells.
public struct Visitor: Equatable, Codable, Sendable {
  /// Names the visitor among all; nil if anonymous.
  public var identity: String?
  /// The preferred languages, BCP 47 tags, best first.
  public var locales: [String]
  /// How long the server trusts this; nil for as long as the session lasts.
  public var validFor: Duration?

  /// A visitor.
  ///
  /// - Parameters:
  ///   - identity: Names the visitor among all; nil if anonymous.
  ///   - locales: The preferred languages, BCP 47 tags, best first.
  ///   - validFor: How long the server trusts this; nil for as long as the session lasts.
  public init(identity: String? = nil, locales: [String] = [], validFor: Duration? = nil) {
    self.identity = identity
    self.locales = locales
    self.validFor = validFor
  }

  /// Somebody of whom nothing is known.
  public static let anonymous = Visitor()
}
