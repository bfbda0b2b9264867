// SPDX-License-Identifier: Apache-2.0

/// Names a room within a server.
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
}
