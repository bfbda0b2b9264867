// SPDX-License-Identifier: Apache-2.0

/// Who opens a screen, as the application's `authorize` hook tells.
///
/// A session is its visitor's: only the same `identity` can resume it. The rest may change from one handshake to the next.
///
/// ```swift
/// Visitor(identity: "ada", rights: ["edit"], locales: ["ja", "en"], validFor: .seconds(3_600))
/// ```
public struct Visitor: Equatable, Codable, Sendable {
  /// Names the visitor among all; nil if anonymous.
  public var identity: String?
  /// What the visitor may do, in the application's own words; Musubi does not read them.
  public var rights: Set<String>
  /// The preferred languages, BCP 47 tags, best first.
  public var locales: [String]
  /// How long the server trusts this after the handshake; nil for as long as the session lasts.
  ///
  /// Before it is over the page is asked to come back, and the hook is asked again.
  public var validFor: Duration?

  /// A visitor.
  ///
  /// - Parameters:
  ///   - identity: Names the visitor among all; nil if anonymous.
  ///   - rights: What the visitor may do, in the application's own words.
  ///   - locales: The preferred languages, BCP 47 tags, best first.
  ///   - validFor: How long the server trusts this after the handshake; nil for as long as the session lasts.
  public init(
    identity: String? = nil, rights: Set<String> = [], locales: [String] = [], validFor: Duration? = nil
  ) {
    self.identity = identity
    self.rights = rights
    self.locales = locales
    self.validFor = validFor
  }

  /// Reads a stored visitor; one that was stored before there were rights has none.
  ///
  /// - Parameter decoder: Holds what `encode(to:)` has stored.
  /// - Throws: `DecodingError` if the stored value is no visitor.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    identity = try container.decodeIfPresent(String.self, forKey: .identity)
    rights = try container.decodeIfPresent(Set<String>.self, forKey: .rights) ?? []
    locales = try container.decode([String].self, forKey: .locales)
    validFor = try container.decodeIfPresent(Duration.self, forKey: .validFor)
  }

  /// Somebody of whom nothing is known.
  public static let anonymous = Visitor()
}
