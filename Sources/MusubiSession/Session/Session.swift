// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// One visitor's tab: the screens that it shows, and which of its inputs were taken.
///
/// It outlives its connections.
final class Session {
  let id: String
  /// Who it is; nil for somebody of whom nothing is known.
  @Boxed private var knownVisitor: Visitor?
  /// The path of the page that began it, if the first room was opened by another one.
  @Boxed var address: String?
  /// The hash of the token that the page was last given; the token itself is the page's secret.
  private(set) var token: TokenHash
  /// The hashes of tokens before, valid until the page has shown that it received the newest one.
  var formerTokens: FormerTokens? { former.wrappedValue }
  private var former = Boxed<FormerTokens>(wrappedValue: nil)
  /// The number of the last input that was taken.
  var taken: Int = 0 {
    didSet { if oldValue == 0 { for member in members { member.room.keeping?.noteTaker(member) } } }
  }
  /// Whether it began with values that its page had handed over.
  var hasHandedValues = false
  /// Whether it has taken something of its page's: it is kept longer then.
  var isUsed: Bool { taken > 0 || hasHandedValues }
  /// The stack of screens, the first one at the bottom.
  ///
  /// To be replaced, not changed in place: looking at it then needs no checks.
  var members: [Member] = []
  /// The number of the next screen; a number is never used again.
  var nextScreen = 1
  /// The visit that shows the session now; it takes itself out before it goes.
  unowned var visit: Visit?
  /// When the last connection was lost; nil while there is one.
  @Boxed var waitingSince: Duration?
  /// Its budget of messages, on whichever connection; nil before its first message.
  var bucket: Bucket?

  /// An object of its own, because an idle session has none.
  final class Bucket {
    var tokens: TokenBucket

    init(_ tokens: TokenBucket) { self.tokens = tokens }
  }

  /// Whose its record is; nil if it is not stored.
  @Boxed var label: RecordLabel?
  /// How far its stored state is behind; nil if it is not, and no effect is open.
  var saving: Saving?
  /// The bytes of its record.
  var recordBytes = 0
  /// Whether the commit under way writes its record.
  var isWritten = false
  /// Whether more of it has changed than the number of the last input since a commit took it along.
  var hasNewRecord = true
  /// Whether inputs were taken that no commit has taken along.
  var hasUnsavedInputs = false
  /// Whether its page has said that it goes, and was not lost.
  var saidFarewell = false
  /// The last sign-out of a cluster that was known when its visitor was asked about: later ones end the session.
  var signOuts = 0
  /// The last loss of its slot after which it has taken an input, as the slot's generation; 0 if there was none.
  var lostSince: UInt32 = 0
  /// What is to be found out about it, because its slot was lost since; nil if nothing is.
  @Boxed var probation: Probation?
  /// Whether its next input may be what ended the owner of its slot.
  var isUntried: Bool { !_probation.isEmpty }
  /// The later a session began on the loop, the higher.
  var number: UInt32 = 0
  /// The bytes that it takes with its connection, without its rooms; and who pays for it and for what it makes.
  var charge: Charge

  init(id: String, token: TokenHash, visitor: Visitor, owner: Owner) {
    self.id = id
    charge = Charge(owner)
    self.token = token
    knownVisitor = visitor == .anonymous ? nil : visitor
  }

  /// A session as it was stored, of a visitor as it is now.
  init(_ stored: StoredSession, visitor: Visitor, owner: Owner) {
    id = stored.id
    charge = Charge(owner)
    token = TokenHash(hexadecimal: stored.token)
    former = Boxed(wrappedValue: FormerTokens(stored))
    knownVisitor = visitor == .anonymous ? nil : visitor
    address = stored.address
    label = stored.label
    taken = stored.taken
    hasHandedValues = stored.isUsed && stored.taken == 0
    nextScreen = stored.nextScreen
    signOuts = stored.signOuts ?? 0
    lostSince = stored.lostSince ?? 0
  }

  /// Who it is, as the newest handshake told.
  var visitor: Visitor {
    get { knownVisitor ?? .anonymous }
    set { knownVisitor = newValue == .anonymous ? nil : newValue }
  }

  /// Whether it outlives the process: as its first screen does.
  var isStored: Bool { members.first?.room.keeping != nil }

  /// Whether a page may continue the session with the token of this hash.
  func accepts(_ candidate: TokenHash) -> Bool {
    Self.accepts(candidate, token, formerTokens)
  }

  /// Whether the hash of a token is one of some.
  static func accepts(_ candidate: TokenHash, _ token: TokenHash, _ former: FormerTokens?) -> Bool {
    // All comparisons always run and look at every bit, so that time tells nothing about the token.
    let isCurrent = candidate == token
    let isUsed = candidate == former?.used ?? token
    let isNewest = candidate == former?.newest ?? token
    return isCurrent || isUsed || isNewest
  }

  /// Replaces the token; the old ones stay valid until `confirmToken`.
  ///
  /// - Parameters:
  ///   - newToken: The hash of what the page is given.
  ///   - used: The hash of what it has come with.
  func rotate(to newToken: TokenHash, from used: TokenHash) {
    former = Boxed(wrappedValue: FormerTokens(used: used, newest: used == token ? nil : token))
    token = newToken
  }

  /// The page has shown that it received the newest token.
  ///
  /// - Returns: Whether it had not before.
  func confirmToken() -> Bool {
    guard !former.isEmpty else { return false }
    former = Boxed(wrappedValue: nil)
    return true
  }

  /// The screen of a number; nil if it has been left.
  func member(showing screen: Int) -> Member? { members.first { $0.screen == screen } }

  /// The stack as a frame tells it.
  var screens: [ServerFrame.Screen] {
    members.map { member in
      ServerFrame.Screen(
        number: member.screen, name: member.room.key.screen, path: member.room.path, dialog: member.dialog)
    }
  }

  /// Has the page's connection, if there is one, fetch new frames.
  func wake() { visit?.wake() }
}

/// The hashes of tokens that a page may have, because the newest one may not have reached it.
struct FormerTokens {
  /// What its last connection has come with.
  let used: TokenHash
  /// What was the newest one then, if that is another one: the connection may have been an older one than the one that got it, whose
  /// request was on its way for long.
  let newest: TokenHash?

  init(used: TokenHash, newest: TokenHash?) { (self.used, self.newest) = (used, newest) }

  /// As they were stored; nil if there is none.
  init?(_ stored: StoredSession) {
    guard let used = stored.previousToken else { return nil }
    self.init(
      used: TokenHash(hexadecimal: used), newest: stored.otherToken.map(TokenHash.init(hexadecimal:)))
  }
}
