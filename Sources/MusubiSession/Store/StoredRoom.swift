// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiWire

/// Everything of a room that survives the server's process.
package struct StoredRoom: Codable, Equatable, Sendable {
  /// A two-way text.
  package struct Text: Codable, Equatable, Sendable {
    /// Its name, or, in a row, the key that it has on the wire.
    package let name: String
    package let text: String
    package let revision: Int
  }

  /// Something that happened once, for a page that has not confirmed it.
  package struct Event: Codable, Equatable, Sendable {
    /// The turn that told it.
    package let sequence: Int
    package let name: String
    package let value: Value?
  }

  package let key: RoomKey
  /// The address of the page that shows it.
  package let path: String
  /// What else its factory got.
  package let query: [String: String]
  package let visitor: Visitor
  /// Where its stream of turns was.
  package let position: StreamPosition
  /// Tells whether a restored screen shows the same.
  package let outputs: UInt64
  package let state: Value
  package let texts: [Text]
  package let events: [Event]
  /// The number of the next page that shows it.
  package let nextMember: Int
  /// When the last page left, in seconds since 1970; nil while somebody was there.
  package let left: Double?
  /// The revision with which the next document of a row begins; nil if there never was one.
  package var nextRowRevision: Int?
  /// Whether the state may have other texts of rows, which no page knows; nil for no.
  package var rowsFollow: Bool?
  /// The streams that it descends from; nil if it was stored by a program that did not know.
  package var lineage: [StreamPosition]?
  /// The last inputs that its sessions have taken, as far as their own records do not tell; nil if there is none.
  package var taken: [TakenInput]?
  /// The build that has stored it, as `LoopEnvironment.build`; nil if one server has the store for itself.
  package var build: Int?
  /// Whose it is; stored beside it, and not in it.
  package var label = RecordLabel(slot: 0)

  private enum CodingKeys: CodingKey {
    case key, path, query, visitor, position, outputs, state, texts, events, nextMember, left
    case nextRowRevision, rowsFollow, lineage, taken, build
  }
}

/// Everything of a session that survives the server's process.
package struct StoredSession: Codable, Equatable, Sendable {
  /// One screen of its stack.
  package struct View: Codable, Equatable, Sendable {
    package let room: RoomKey
    package let screen: Int
    package let member: Int
    package let dialog: Dialog?
  }

  /// An open dialog.
  package struct Dialog: Codable, Equatable, Sendable {
    package let name: String
    package let value: Value?
  }

  package let id: String
  /// The hash of the token that the page was last given, and of those before while they are valid.
  package let token: String
  package let previousToken: String?
  package var otherToken: String?
  package let visitor: Visitor
  /// The path of the page that began it; nil if it was stored by a program that did not know.
  package var address: String?
  /// The number of the last input that was taken; a room of it may know of a later one.
  package internal(set) var taken: Int
  package let nextScreen: Int
  /// The stack of screens, the first one at the bottom.
  package let views: [View]
  /// When its page left, in seconds since 1970; nil while it was connected.
  package let left: Double?
  /// The last sign-out of a cluster that was known when it began; nil if there was none.
  package var signOuts: Int?
  /// The last loss of its slot after which it has taken an input, as the slot's generation; nil if there was none.
  package var lostSince: UInt32?
  /// Whose it is; stored beside it, and not in it.
  package var label = RecordLabel(slot: 0)
  /// Whether it has taken something of its page's; stored beside it, too.
  package var isUsed = true

  /// The shared room that it shows; its further screens are its own.
  package var sharedRoom: RoomKey? { views.first.flatMap { $0.room.isPrivate ? nil : $0.room } }

  private enum CodingKeys: CodingKey {
    case id, token, previousToken, otherToken, visitor, address, taken, nextScreen, views, left, signOuts,
      lostSince
  }
}
