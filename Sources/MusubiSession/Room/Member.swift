// SPDX-License-Identifier: Apache-2.0

/// A session's view of one room: where it stands in the room's stream, and what it has not seen of the texts.
final class Member {
  /// The member's number in the room; never given twice.
  let number: Int
  let room: Room
  unowned let session: Session
  /// The screen's number on the session's connections; 0 for the first.
  let screen: Int
  /// One bridge for each text of the room.
  var bridges: [TextBridge]
  /// The last turn that was handed to the connection.
  var position: Int = 0
  /// Whether the connection gets the whole state next, instead of turns.
  var needsSnapshot = true

  init(number: Int, room: Room, session: Session, screen: Int, texts: Int) {
    self.number = number
    self.room = room
    self.session = session
    self.screen = screen
    bridges = Array(repeating: TextBridge(), count: texts)
  }
}
