// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Date

/// Who is in a room: the people who are listed, and how many there are.
///
/// ```swift
/// Outputs(people: presence.map(\.people), count: presence.map(\.count))
/// ```
///
/// `ScreenContext.presence` tells it; a ViewModel's unit test makes its own.
public struct Presence: Equatable, Sendable {
  /// Somebody who is in the room with one page or several.
  ///
  /// A visitor with an id is one person, however many pages are open. An anonymous visitor is one person for each page: nobody
  /// knows more.
  public struct Person: Identifiable, Encodable, Equatable, Sendable {
    /// Names the person in this room, and is no secret: the number of the page by which the person has come.
    ///
    /// It stays the same while the person is here; an anonymous visitor's also over a reload and a return. To know
    /// a visitor with an id again, use `visitor.id`.
    public var id: String
    /// Who it is, as the newest handshake told.
    ///
    /// It stays on the server: pages do not get it.
    public var visitor: Visitor
    /// Since when the person is here.
    public var since: Date
    /// Whether nothing was sent from the person's pages for `SessionConfiguration.idleAfter`.
    public var isIdle: Bool
    /// The name of the two-way text that the person has typed into in the last three to four seconds; nil if there is none.
    public var typing: String?

    /// A person.
    ///
    /// - Parameters:
    ///   - id: Names the person in the room.
    ///   - visitor: Who it is.
    ///   - since: Since when the person is here.
    ///   - isIdle: Whether nothing was sent from the person's pages for a while.
    ///   - typing: The name of the text that the person types into.
    public init(
      id: String, visitor: Visitor = .anonymous, since: Date = .distantPast, isIdle: Bool = false,
      typing: String? = nil
    ) {
      self.id = id
      self.visitor = visitor
      self.since = since
      self.isIdle = isIdle
      self.typing = typing
    }

    /// The visitor's name for other people; nil if the application knows none.
    public var name: String? { visitor.displayName }

    private enum CodingKeys: CodingKey {
      case id, name, since, isIdle, typing
    }

    /// Writes what pages may know: id, name, since, isIdle and typing.
    ///
    /// - Parameter encoder: Where it goes.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(name, forKey: .name)
      try container.encode(since, forKey: .since)
      try container.encode(isIdle, forKey: .isIdle)
      try container.encode(typing, forKey: .typing)
    }
  }

  /// Those who came first, in the order in which they came; at most `SessionConfiguration.maxListedPeople`.
  public let people: [Person]
  /// How many people are in the room, with those who are not listed.
  public let count: Int

  /// The people of a room.
  ///
  /// - Parameters:
  ///   - people: Those who are listed.
  ///   - count: How many there are; if left out, as many as are listed.
  public init(_ people: [Person], count: Int? = nil) {
    self.people = people
    self.count = count ?? people.count
  }

  /// Nobody.
  public static let nobody = Presence([])
}
