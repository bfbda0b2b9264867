// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// One visitor's tab: the screens that it shows, and which of its inputs were taken.
///
/// It outlives its connections.
final class Session {
  let id: String
  let visitor: Visitor
  /// The hash of the token that the page was last given; the token itself is the page's secret.
  private(set) var token: String
  /// The hash of the token before, valid until the page has shown that it received the newer one.
  private(set) var previousToken: String?
  /// The number of the last input that was taken.
  @exclusivity(unchecked) var taken: Int = 0
  /// The stack of screens, the first one at the bottom.
  @exclusivity(unchecked) var members: [Member] = []
  /// The number of the next screen; a number is never used again.
  var nextScreen = 1
  /// The connection that serves the session now.
  ///
  /// Both hold each other until one of them lets go: at the connection's end, or when another one takes over.
  @exclusivity(unchecked) var connection: Connection?
  /// When the last connection was lost; nil while there is one.
  var waitingSince: Duration?
  /// What it may send, on whichever connection; nil before its first message.
  var bucket: TokenBucket?

  /// How far what is stored of it is behind; nil if nothing is, and no effect is open.
  var saving: Saving?
  /// Whether more of it has changed than the number of the last input since a commit took it along.
  var hasNewRecord = true
  /// Whether inputs were taken that no commit has taken along.
  var hasUnsavedInputs = false

  init(id: String, token: String, visitor: Visitor) {
    self.id = id
    self.token = SHA256.hash(token)
    self.visitor = visitor
  }

  /// A session as it was stored.
  init(_ stored: StoredSession) {
    id = stored.id
    token = stored.token
    previousToken = stored.previousToken
    visitor = stored.visitor
    taken = stored.taken
    nextScreen = stored.nextScreen
  }

  /// Whether it outlives the process: as its first screen does.
  var isStored: Bool { members.first?.room.keeping != nil }

  /// Whether a page may continue the session with this token.
  func accepts(_ candidate: String) -> Bool {
    Self.accepts(candidate, token, previousToken)
  }

  /// Whether a token has one of two hashes.
  static func accepts(_ candidate: String, _ token: String, _ previousToken: String?) -> Bool {
    let candidate = SHA256.hash(candidate)
    // Both comparisons always run and look at every byte, so that time tells nothing about the token.
    let isCurrent = equal(candidate, token)
    let isPrevious = equal(candidate, previousToken ?? "")
    return isCurrent || (isPrevious && previousToken != nil)
  }

  /// Replaces the token; the old one stays valid until `confirmToken`.
  func rotate(to newToken: String, from used: String) {
    previousToken = SHA256.hash(used)
    token = SHA256.hash(newToken)
  }

  /// The page has shown that it received the newest token.
  ///
  /// - Returns: Whether it had not before.
  func confirmToken() -> Bool {
    guard previousToken != nil else { return false }
    previousToken = nil
    return true
  }

  /// The screen of a number; nil if it has been left.
  func member(showing screen: Int) -> Member? {
    if let first = members.first, first.screen == screen { return first }
    return members.first { $0.screen == screen }
  }

  /// The stack as a frame tells it.
  var screens: [ServerFrame.Screen] {
    members.map { member in
      ServerFrame.Screen(
        number: member.screen, name: member.room.key.screen, path: member.room.path, dialog: member.dialog)
    }
  }

  /// Has the connection, if there is one, fetch what is new.
  func wake() { connection?.wake() }

  private static func equal(_ left: String, _ right: String) -> Bool {
    var difference = UInt8(left.utf8.count == right.utf8.count ? 0 : 1)
    for (one, other) in zip(left.utf8, right.utf8) { difference |= one ^ other }
    return difference == 0
  }
}
