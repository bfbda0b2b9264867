// SPDX-License-Identifier: Apache-2.0

/// Something worth a line in a log.
package enum Notice {
  /// A page sent an input. `detail` makes its value or edit as JSON, which costs an encoding.
  case input(screen: String, room: String, session: String, name: String, detail: () -> String)
  /// A room has changed; `frame` is the payload of its frame.
  case turn(screen: String, room: String, frame: String)
  /// An input or frame was refused.
  case refused(session: String, code: String, message: String)
  /// The store refuses changes; pages wait for their acknowledgements until it takes them again.
  case storeFailed(message: String)
  /// The store takes changes again.
  case storeRecovered
  /// A session sent too much, and is read from more slowly for a while.
  case slowedDown(session: String)
  /// The application's hook could not tell whether somebody may enter.
  case authorizationFailed(screen: String, message: String)
  /// A screen could not be made.
  case failed(screen: String, message: String)
}
