// SPDX-License-Identifier: Apache-2.0

/// The bytes that a loop's sessions, rooms and sockets take, by the peers to which they belong.
///
/// ```
/// Session ── Charge ──► Owner ──► Account of alice       each byte counts once in the total,
/// Room ───── Charge ──►       └─► Account of 203.0.113.7   and in full for each of its peers
/// socket ─── Charge ──►
/// ```
package final class MemoryLedger {
  /// The most bytes of all; `Int.max` without a budget.
  let limit: Int
  /// The most bytes of one peer.
  let peerLimit: Int
  /// The bytes of an open connection before anything is in it: measured, with TLS where there is some.
  package let connectionBytes: Int
  /// The bytes of all.
  package fileprivate(set) var total = 0
  /// Whether the total, or a peer, has gone above its limit since somebody looked.
  fileprivate(set) var isExceeded = false
  /// Whether something was refused that may have space when somebody looks.
  private(set) var isWanted = false
  /// Whether some peer is near its limit, so that what grows is looked at more closely.
  fileprivate(set) var isTight = false
  /// The total above which there is something to do; it rises when nothing more can be freed.
  fileprivate(set) var threshold: Int
  /// The bytes of no peer: visitors from addresses that are not counted have made it.
  private let nobody = Account(nil, maxBytes: .max)
  private weak var ownerOfNobodys: Owner?
  private var accounts: [Peer: Weak<Account>] = [:]
  private var maxAccounts = 1_024

  /// A ledger without entries.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of all; nil for no limit, of a peer either.
  ///   - peerShare: The per cent of them that one peer may hold.
  ///   - connectionBytes: What an open connection takes before anything is in it.
  package init(limit: Int?, peerShare: Int = 25, connectionBytes: Int = 0) {
    self.limit = limit ?? .max
    peerLimit = limit.map { $0 / 100 * peerShare } ?? .max
    self.connectionBytes = connectionBytes
    threshold = self.limit
  }

  /// Who pays for what visitors with these peers make.
  package func owner(_ peers: [Peer]) -> Owner {
    guard peers.isEmpty else { return Owner(peers.map(account), self) }
    let owner = ownerOfNobodys ?? Owner([nobody], self)
    ownerOfNobodys = owner
    return owner
  }

  /// The account of a peer; nil if it has nothing.
  func existing(_ peer: Peer) -> Account? { accounts[peer]?.object }

  private func account(of peer: Peer) -> Account {
    if let account = existing(peer) { return account }
    if accounts.count >= maxAccounts {
      accounts = accounts.filter { $0.value.object != nil }
      maxAccounts = max(1_024, 2 * accounts.count)
    }
    // A network is bounded by the whole alone: its limits are eight times as wide as an address's.
    var maxBytes = peerLimit
    if case .network = peer { maxBytes = .max }
    let account = Account(peer, maxBytes: maxBytes)
    accounts[peer] = Weak(account)
    return account
  }

  /// Whether nothing more can be freed, and new ones would take more than there is.
  var isFull: Bool { total >= limit && threshold > limit }

  /// Whether somebody may have one more thing; if not, what was left meanwhile is looked for.
  func admits(_ owner: Owner) -> Bool {
    guard !isFull else {
      lookAgain()
      return false
    }
    if owner.allowance > 0 { return true }
    makeSpace(for: owner)
    return false
  }

  /// Somebody wants to enter although it is full: things may have been left meanwhile.
  func lookAgain() { isWanted = true }

  /// There are as many rooms as there may be: what nobody shows goes before the next one is asked for.
  func lookNow() { isExceeded = true }

  /// Nobody shows something any more: where there was no space there may be some, before the next newcomer asks.
  func noteLeft(by owner: Owner) {
    if owner.allowance == 0 { makeSpace(for: owner) } else if isFull { lookAgain() }
  }

  /// Somebody wants more than one of its peers may have: what nobody shows of that one goes.
  func makeSpace(for owner: Owner, bytes: Int = 1) {
    for account in owner.accounts where account.maxBytes - account.bytes < bytes { account.isWanted = true }
    isWanted = true
  }

  /// Whether a socket of somebody's may take so many bytes more.
  ///
  /// When nothing more can be freed, sockets have a sixteenth beyond the budget, so that who is told to come back later hears
  /// it; pages are closed from an eighth on.
  package func hasSpace(for owner: Owner, bytes: Int) -> Bool {
    guard owner.allowance >= bytes else {
      makeSpace(for: owner, bytes: bytes)
      return false
    }
    guard isFull, total + bytes > limit + limit / 16 else { return true }
    lookAgain()
    return false
  }

  /// The accounts of all peers.
  var all: [Account] { [nobody] + accounts.values.compactMap(\.object) }

  /// The peers that hold more than half of what they may, each as a share of that kind; costs nothing while there is none.
  func nearLimits(_ kind: String) -> [PeerShare] {
    guard isTight else { return [] }
    return accounts.values.compactMap { entry in
      guard let account = entry.object, let peer = account.peer, account.isNearLimit else { return nil }
      return PeerShare(peer: peer, kind: kind, used: account.bytes, limit: account.maxBytes)
    }
  }

  /// Somebody looks: what comes from now on is for the next time.
  ///
  /// - Returns: The peers above their own limits, or that were refused because of them.
  func beginLook() -> [Account] {
    (isExceeded, isWanted) = (false, false)
    let crowded = all.filter { $0.bytes > $0.maxBytes || $0.isWanted }
    for account in crowded { account.isWanted = false }
    return crowded
  }

  /// Somebody has looked, and has done what can be done.
  ///
  /// - Parameter looksAgain: Whether there may be more to do.
  func settle(looksAgain: Bool) {
    if looksAgain { isExceeded = true }
    isTight = limit < .max && accounts.values.contains { $0.object?.isNearLimit ?? false }
    threshold = total < limit ? limit : total + limit / 64
  }
}

/// The bytes of one peer on a loop.
final class Account {
  /// Whose it is; nil for all who are not counted.
  let peer: Peer?
  let maxBytes: Int
  fileprivate(set) var bytes = 0
  /// Whether something was too much for it, which may have gone meanwhile, since somebody looked.
  var isWanted = false

  fileprivate init(_ peer: Peer?, maxBytes: Int) {
    self.peer = peer
    self.maxBytes = maxBytes
  }

  /// The bytes by which accounts are compared: a network may have eight times as much as an address.
  var weight: Int {
    if case .network = peer { return bytes / 8 }
    return bytes
  }

  /// Whether it is one visitor's, and not an address's, which many may share.
  var isIdentity: Bool { if case .identity = peer { true } else { false } }

  /// Whether it holds more than half of what it may.
  var isNearLimit: Bool { bytes > maxBytes / 2 }
}

/// The accounts that pay for the same things.
package final class Owner {
  /// At least one; the one that is known best first.
  let accounts: [Account]
  private let ledger: MemoryLedger

  fileprivate init(_ accounts: [Account], _ ledger: MemoryLedger) {
    self.accounts = accounts
    self.ledger = ledger
  }

  /// The peers that pay.
  package var peers: [Peer] { accounts.compactMap(\.peer) }

  /// Whether an account is among those that pay.
  func pays(_ account: Account) -> Bool { accounts.contains { $0 === account } }

  /// Whether the same peers pay.
  func isSame(as other: Owner) -> Bool {
    self === other || accounts.elementsEqual(other.accounts) { $0 === $1 }
  }

  /// By how many bytes what it owns may still grow.
  package var allowance: Int { accounts.reduce(Int.max) { min($0, max(0, $1.maxBytes - $1.bytes)) } }

  /// Something takes more bytes, or less.
  fileprivate func add(_ bytes: Int) {
    ledger.total += bytes
    // What shrinks gives nobody more to do.
    if bytes > 0, ledger.total > ledger.threshold { ledger.isExceeded = true }
    for account in accounts {
      account.bytes += bytes
      if account.isNearLimit {
        ledger.isTight = true
        if bytes > 0, account.bytes > account.maxBytes { ledger.isExceeded = true }
      }
    }
  }
}

/// The bytes that one thing takes, as its owner's accounts have them; given back when it goes.
package struct Charge: ~Copyable {
  package let owner: Owner
  package private(set) var bytes = 0

  package init(_ owner: Owner) { self.owner = owner }

  /// The thing takes so many bytes from now on.
  package mutating func set(_ newBytes: Int) {
    guard newBytes != bytes else { return }
    owner.add(newBytes - bytes)
    bytes = newBytes
  }

  deinit { if bytes != 0 { owner.add(-bytes) } }
}
