// SPDX-License-Identifier: Apache-2.0
import MusubiText

/// Names a room within a server.
///
/// Names are the same if their bytes are, as they are for a store: Swift finds `é` and `e` with an accent equal.
package struct RoomKey: Hashable, Codable, Sendable {
  /// The screen's name.
  package let screen: String
  /// The room's name; in session scope the session's id.
  package let name: String
  /// Whether the room belongs to one session.
  package let isPrivate: Bool

  /// Names a room.
  package init(screen: String, name: String, isPrivate: Bool) {
    self.screen = screen
    self.name = name
    self.isPrivate = isPrivate
  }

  package static func == (left: RoomKey, right: RoomKey) -> Bool {
    left.isPrivate == right.isPrivate && left.name.hasSameBytes(as: right.name)
      && left.screen.hasSameBytes(as: right.screen)
  }

  /// Equal texts have equal hashes, and so have those with the same bytes.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(screen)
    hasher.combine(name)
    hasher.combine(isPrivate)
  }
}
