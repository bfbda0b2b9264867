// SPDX-License-Identifier: Apache-2.0

/// Something worth a line in a log.
package enum Notice {
  /// A page sent an input; `row` is the way to its row by ids. `detail` makes its value or edit as JSON, which costs an encoding.
  case input(
    screen: String, room: String, session: String, name: String, row: [String], detail: () -> String)
  /// A room has changed; `frame` is the payload of its frame.
  case turn(screen: String, room: String, frame: String)
  /// An input or frame was refused.
  case refused(Refused)
  /// An input kept its loop for so long that others felt it.
  case longTurn(LongTurn)
  /// The store refuses changes; pages wait for their acknowledgements until it takes them again.
  case storeFailed(message: String)
  /// Records that nobody shows have ended, because the store's budget is used up; so many bytes are left of them all.
  case recordsEnded(count: Int, bytes: Int)
  /// The store takes changes again.
  case storeRecovered
  /// A session sent too much, and is read from more slowly for a while.
  case slowedDown(session: String, peer: Peer?)
  /// So many sessions and rooms that nobody showed had to go, or were closed; the others take so many bytes.
  case shed(count: Int, bytes: Int)
  /// The application's hook could not tell whether somebody may enter.
  case authorizationFailed(screen: String, peer: Peer?, message: String)
  /// A screen has failed, or could not be made.
  case failed(Failed)
}

extension Notice {
  /// Something that was refused.
  package struct Refused: Equatable {
    /// A fixed word.
    package var reason: String
    /// A sentence.
    package var message: String
    /// Whose page it was; empty if it has no session.
    package var session = ""
    /// Whose limits it counts against; nil if nobody's.
    package var peer: Peer?
  }

  /// A screen that has failed.
  package struct Failed: Equatable {
    package var screen: String
    package var message: String
    package var room = ""
    /// Whose page it was; empty if nobody's, or it has no session.
    package var session = ""
    /// Who has made the room, or sent the input.
    package var peer: Peer?
  }

  /// An input that took long.
  package struct LongTurn: Equatable {
    package var screen: String
    package var room: String
    package var session: String
    package var peer: Peer?
    /// The input's name, and its number; the name is empty where its frame has none.
    package var input: String
    package var number: Int
    package var duration: Duration
  }
}
