// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import MusubiWire

/// Who opens a screen, as the application tells.
///
/// A session is its visitor's: only the same `id` can resume it. The rest may change from one handshake to the next.
///
/// ```swift
/// Visitor(id: "ada", displayName: "Ada", roles: ["editor"], locales: ["ja", "en"], validFor: .seconds(3_600))
/// ```
///
/// Copies share what they hold, so that a visitor takes one word in each place that keeps it.
public struct Visitor: Equatable, Codable, Sendable {
  private var box: Box

  /// A visitor.
  ///
  /// - Parameters:
  ///   - id: Names the visitor among all; nil if anonymous.
  ///   - displayName: The visitor's name for other people.
  ///   - roles: The visitor's roles, in the application's own words.
  ///   - locales: The preferred languages, BCP 47 tags, best first.
  ///   - timeZone: Where the visitor's days begin; nil if nobody knows.
  ///   - validFor: How long the server trusts this after the handshake; nil for as long as the session lasts.
  ///   - logIn: Which of the visitor's log-ins it is; nil if they are not told apart.
  public init(
    id: String? = nil, displayName: String? = nil, roles: Set<Role> = [], locales: [String] = [],
    timeZone: TimeZone? = nil, validFor: Duration? = nil, logIn: String? = nil
  ) {
    let content = Content(
      id: id, displayName: displayName, roles: roles, locales: locales, timeZone: timeZone,
      validFor: validFor, logIn: logIn)
    box = content == Content() ? Visitor.anonymous.box : Box(content)
  }

  private init(_ box: Box) { self.box = box }

  /// Somebody of whom nothing is known.
  public static let anonymous = Visitor(Box(Content()))

  /// Names the visitor among all; nil if anonymous.
  public var id: String? {
    get { box.content.id }
    set { change { $0.id = newValue } }
  }

  /// The visitor's name for other people; nil if there is none.
  public var displayName: String? {
    get { box.content.displayName }
    set { change { $0.displayName = newValue } }
  }

  /// The visitor's roles, in the application's own words.
  public var roles: Set<Role> {
    get { box.content.roles }
    set { change { $0.roles = newValue } }
  }

  /// The preferred languages, BCP 47 tags, best first.
  public var locales: [String] {
    get { box.content.locales }
    set { change { $0.locales = newValue } }
  }

  /// Where the visitor's days begin; nil if nobody knows.
  public var timeZone: TimeZone? {
    get { box.content.timeZone }
    set { change { $0.timeZone = newValue } }
  }

  /// How long the server trusts this after the handshake; nil for as long as the session lasts.
  ///
  /// Before it is over the page is asked to come back, and the application is asked again.
  public var validFor: Duration? {
    get { box.content.validFor }
    set { change { $0.validFor = newValue } }
  }

  /// Which of the visitor's log-ins it is, such as a hash of the browser's cookie; nil if they are not told apart.
  ///
  /// `endSessions(of:logIn:)` ends the pages of one. It stays on the server: it is neither encoded nor stored.
  public var logIn: String? {
    get { box.content.logIn }
    set { change { $0.logIn = newValue } }
  }

  /// What else the application knows of the visitor, in a type of its own.
  ///
  /// ```swift
  /// let team = try context.visitor.claims(as: Membership.self)?.team
  /// ```
  ///
  /// - Parameter type: The type that was given to `setClaims(_:)`.
  /// - Returns: The claims; nil if there are none.
  /// - Throws: `DecodingError` if the claims are of another type.
  public func claims<Claims: Decodable>(as type: Claims.Type) throws -> Claims? {
    try box.content.claims.map { try ValueDecoder.decode(type, as: Claims.self, from: $0) }
  }

  /// Says what else the application knows of the visitor.
  ///
  /// - Parameter claims: Anything that can be stored beside the session.
  /// - Throws: `EncodingError` if it cannot.
  public mutating func setClaims(_ claims: some Encodable) throws {
    let value = try ValueEncoder.encode(claims)
    change { $0.claims = value }
  }

  /// The claims as they are stored; nil if there are none.
  package var claims: Value? {
    get { box.content.claims }
    set { change { $0.claims = newValue } }
  }

  private mutating func change(_ body: (inout Content) -> Void) {
    var content = box.content
    body(&content)
    box = Box(content)
  }

  /// Whether all is the same.
  ///
  /// - Parameters:
  ///   - one: A visitor.
  ///   - other: Another one.
  /// - Returns: Whether they have the same id, name, roles, locales, time zone, trust, log-in and claims.
  public static func == (one: Visitor, other: Visitor) -> Bool {
    one.box === other.box || one.box.content == other.box.content
  }

  private struct Content: Equatable, Sendable {
    var id: String?
    var displayName: String?
    var roles: Set<Role> = []
    var locales: [String] = []
    var timeZone: TimeZone?
    var validFor: Duration?
    var logIn: String?
    var claims: Value?
  }

  private final class Box: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
  }
}

extension Visitor {
  private enum Key: String, CodingKey {
    case id, displayName, roles, locales, timeZone, validFor, claims
    /// The names in records of earlier versions.
    case identity, rights
  }

  /// Reads a stored visitor.
  ///
  /// - Parameter decoder: Holds what `encode(to:)` has stored, also by an earlier version.
  /// - Throws: `DecodingError` if the stored value is no visitor.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let former = try container.decodeIfPresent(String.self, forKey: .identity)
    let rights = try container.decodeIfPresent(Set<Role>.self, forKey: .rights)
    let timeZone = try container.decodeIfPresent(String.self, forKey: .timeZone)
    self.init(
      id: try container.decodeIfPresent(String.self, forKey: .id) ?? former,
      displayName: try container.decodeIfPresent(String.self, forKey: .displayName),
      roles: try container.decodeIfPresent(Set<Role>.self, forKey: .roles) ?? rights ?? [],
      locales: try container.decode([String].self, forKey: .locales),
      timeZone: timeZone.flatMap { TimeZone(identifier: $0) },
      validFor: try container.decodeIfPresent(Duration.self, forKey: .validFor))
    if let claims = try container.decodeIfPresent(Value.self, forKey: .claims) {
      change { $0.claims = claims }
    }
  }

  /// Writes the visitor to be stored.
  ///
  /// - Parameter encoder: Takes it.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeIfPresent(id, forKey: .id)
    try container.encodeIfPresent(displayName, forKey: .displayName)
    if !roles.isEmpty { try container.encode(roles.sorted(), forKey: .roles) }
    try container.encode(locales, forKey: .locales)
    try container.encodeIfPresent(timeZone?.identifier, forKey: .timeZone)
    try container.encodeIfPresent(validFor, forKey: .validFor)
    try container.encodeIfPresent(box.content.claims, forKey: .claims)
  }
}

/// A part that a visitor has in an application: `host`, `editor`; a word of its own.
///
/// ```swift
/// extension Role { static let host: Role = "host" }
/// guard context.visitor.roles.contains(.host) else { return }
/// ```
public struct Role: RawRepresentable, Hashable, Comparable, Codable, Sendable, ExpressibleByStringLiteral {
  /// The word.
  public let rawValue: String

  /// A role of a word.
  ///
  /// - Parameter rawValue: The word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A role of a word.
  ///
  /// - Parameter word: The word.
  public init(_ word: String) { rawValue = word }

  /// A role that the program names.
  ///
  /// - Parameter value: The word.
  public init(stringLiteral value: String) { rawValue = value }

  /// The order of the words, for lists.
  ///
  /// - Parameters:
  ///   - one: A role.
  ///   - other: Another one.
  /// - Returns: Whether the first one's word comes first.
  public static func < (one: Role, other: Role) -> Bool { one.rawValue < other.rawValue }
}

// MARK: - Names of before

extension Visitor {
  /// The visitor's id.
  @available(*, deprecated, renamed: "id")
  public var identity: String? {
    get { id }
    set { id = newValue }
  }

  /// The words of the visitor's roles.
  @available(*, deprecated, message: "Use roles: rights.contains(\"edit\") is roles.contains(\"edit\").")
  public var rights: Set<String> {
    get { Set(roles.map(\.rawValue)) }
    set { roles = Set(newValue.map(Role.init(rawValue:))) }
  }

  /// A visitor.
  ///
  /// - Parameters:
  ///   - identity: Names the visitor among all; nil if anonymous.
  ///   - rights: The words of the visitor's roles.
  ///   - locales: The preferred languages, BCP 47 tags, best first.
  ///   - validFor: How long the server trusts this after the handshake; nil for as long as the session lasts.
  @available(*, deprecated, renamed: "init(id:displayName:roles:locales:timeZone:validFor:logIn:)")
  public init(
    identity: String?, rights: Set<String> = [], locales: [String] = [], validFor: Duration? = nil
  ) {
    self.init(
      id: identity, roles: Set(rights.map(Role.init(rawValue:))), locales: locales, validFor: validFor)
  }
}
