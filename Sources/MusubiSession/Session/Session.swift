// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// One visitor's tab: the screens that it shows, and which of its inputs were taken.
///
/// It outlives its connections.
final class Session {
  let id: String
  /// Who it is; nil for somebody of whom nothing is known.
  @Rare private var knownVisitor: Visitor?
  /// What its page has said of itself when it gave texts back; nil if it has not.
  @Rare private var returned: Returned?
  /// The hash of the token that the page was last given; the token itself is the page's secret.
  private(set) var token: SHA256
  /// The hash of the token before, valid until the page has shown that it received the newer one.
  var previousToken: SHA256? { previous.wrappedValue }
  @exclusivity(unchecked) private var previous = Rare<SHA256>(wrappedValue: nil)
  /// The number of the last input that was taken.
  @exclusivity(unchecked) var taken: Int = 0
  /// The stack of screens, the first one at the bottom.
  @exclusivity(unchecked) var members: MemberList = []
  /// The number of the next screen; a number is never used again.
  var nextScreen = 1
  /// The connection that serves the session now.
  ///
  /// Both hold each other until one of them lets go: at the connection's end, or when another one takes over.
  @exclusivity(unchecked) var connection: Connection?
  /// When the last connection was lost; nil while there is one.
  @Rare var waitingSince: Duration?
  /// What it may send, on whichever connection; nil before its first message.
  @exclusivity(unchecked) var bucket: Bucket?

  /// An object of its own, because an idle session has none.
  final class Bucket {
    @exclusivity(unchecked) var tokens: TokenBucket

    init(_ tokens: TokenBucket) { self.tokens = tokens }
  }

  /// How far what is stored of it is behind; nil if nothing is, and no effect is open.
  @exclusivity(unchecked) var saving: Saving?
  /// Whether more of it has changed than the number of the last input since a commit took it along.
  var hasNewRecord = true
  /// Whether inputs were taken that no commit has taken along.
  @exclusivity(unchecked) var hasUnsavedInputs = false

  /// Its name among those who edit texts: that of the page's first session, which outlives this one; pages know the rule.
  ///
  /// Kept, because every edit tells it.
  @exclusivity(unchecked) private(set) var author: String

  init(id: String, token: String, visitor: Visitor) {
    self.id = id
    author = String(id.prefix(8))
    self.token = SHA256(of: token)
    knownVisitor = visitor == .anonymous ? nil : visitor
  }

  /// A session as it was stored.
  init(_ stored: StoredSession) {
    id = stored.id
    token = SHA256(hexadecimal: stored.token)
    previous.wrappedValue = stored.previousToken.map(SHA256.init(hexadecimal:))
    knownVisitor = stored.visitor == .anonymous ? nil : stored.visitor
    returned = stored.author.map { Returned(author: $0, last: 0) }
    author = stored.author ?? String(stored.id.prefix(8))
    taken = stored.taken
    nextScreen = stored.nextScreen
  }

  var visitor: Visitor { knownVisitor ?? .anonymous }

  /// A page that has lost its session before.
  private struct Returned {
    let author: String
    let last: Int
  }

  /// The number of the last input that the page had made when it began: up to there some may be in a text already.
  var lastBefore: Int { returned?.last ?? 0 }

  /// Its author's name, if that does not follow from its id.
  var storedAuthor: String? { returned?.author }

  /// The page says who it was.
  func take(author: String, last: Int) {
    returned = Returned(author: author, last: last)
    self.author = author
  }

  /// Whether it outlives the process: as its first screen does.
  var isStored: Bool { members.first?.room.keeping != nil }

  /// Whether a page may continue the session with this token.
  func accepts(_ candidate: String) -> Bool {
    Self.accepts(candidate, token, previousToken)
  }

  /// Whether a token has one of two hashes.
  static func accepts(_ candidate: String, _ token: SHA256, _ previousToken: SHA256?) -> Bool {
    let candidate = SHA256(of: candidate)
    // Both comparisons always run and look at every bit, so that time tells nothing about the token.
    let isCurrent = candidate == token
    let isPrevious = candidate == previousToken ?? token
    return isCurrent || (isPrevious && previousToken != nil)
  }

  /// Replaces the token; the old one stays valid until `confirmToken`.
  func rotate(to newToken: String, from used: String) {
    previous.wrappedValue = SHA256(of: used)
    token = SHA256(of: newToken)
  }

  /// The page has shown that it received the newest token.
  ///
  /// - Returns: Whether it had not before.
  func confirmToken() -> Bool {
    guard !previous.isEmpty else { return false }
    previous.wrappedValue = nil
    return true
  }

  /// The screen of a number; nil if it has been left.
  func member(showing screen: Int) -> Member? { members.member(showing: screen) }

  /// The stack as a frame tells it.
  var screens: [ServerFrame.Screen] {
    members.map { member in
      ServerFrame.Screen(
        number: member.screen, name: member.room.key.screen, path: member.room.path, dialog: member.dialog)
    }
  }

  /// Has the connection, if there is one, fetch what is new.
  func wake() { connection?.wake() }
}
