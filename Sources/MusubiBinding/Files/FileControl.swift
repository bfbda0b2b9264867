// SPDX-License-Identifier: Apache-2.0

/// A control that takes files, of one visitor: whose upload goes there, and nowhere else.
package struct FileControl: Codable, Equatable, Sendable {
  /// The screen's name.
  package let screen: String
  /// The shared room; nil for a screen in session scope, which another session of the visitor continues after a restart.
  package let room: String?
  /// The name of the control.
  package let input: String
  /// The visitor's id; nil if nobody knows it.
  package let visitor: String?

  /// A control.
  package init(screen: String, room: String?, input: String, visitor: String?) {
    (self.screen, self.room, self.input, self.visitor) = (screen, room, input, visitor)
  }
}
