// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// A loop's memory of how long visitors are trusted, and of who was signed out.
struct TrustLedger {
  /// A visit whose visitor has to be identified again.
  struct Term {
    let visit: Weak<Visit>
    /// When nobody knows any more who it is.
    let end: Duration
    /// Whether its page was asked to come back.
    var isAsked = false
  }

  /// The visits, by the time at which something is to be done.
  private var terms = DeadlineQueue<Term>()
  private var maxTerms = 1_024
  /// Who was signed out, by identities: a handshake of before does not count.
  private var signedOut: [String: [SignedOut: End]] = [:]
  private var maxSignedOut = 64
  /// For how long a handshake can be under way.
  private let memory: Duration
  /// The last sign-out of a cluster that is known here, by its number.
  private(set) var lastSignOut = 0
  /// Of the sign-outs up to this number nobody knows any more whose they were.
  private var forgotten = 0

  /// When somebody was signed out.
  private struct End {
    /// When that was noted, on the loop's clock.
    var noted: Duration
    /// Its number in a cluster, where handshakes come from other clocks; nil if it was here alone.
    let number: Int?

    /// Whether the application was asked about somebody before.
    func isAfter(_ request: ConnectionRequest) -> Bool {
      number.map { request.signOuts < $0 } ?? (request.askedAt <= noted)
    }
  }

  init(memory: Duration) { self.memory = memory }

  /// How many visits are noted.
  var count: Int { terms.count }

  /// When `take` has something.
  var nextDeadline: Duration? { terms.nextDeadline }

  /// Notes when to look at a visit.
  mutating func enter(_ term: Term, at time: Duration) {
    if terms.count >= maxTerms {
      terms.removeAll { $0.visit.object == nil }
      maxTerms = max(1_024, 2 * terms.count)
    }
    terms.insert(term, at: time)
  }

  /// Takes out a visit whose time has come.
  mutating func take(at now: Duration) -> Term? { terms.take(at: now) }

  /// Notes who was signed out.
  mutating func end(_ who: SignedOut, _ number: Int?, at now: Duration) {
    lastSignOut = max(lastSignOut, number ?? 0)
    if signedOut.count >= maxSignedOut {
      for identity in Array(signedOut.keys) { forgetOld(identity, at: now) }
      maxSignedOut = max(64, 2 * signedOut.count)
    }
    forgetOld(who.identity, at: now)
    let old = signedOut[who.identity, default: [:]].updateValue(End(noted: now, number: number), forKey: who)
    if number == nil { forgotten = max(forgotten, old?.number ?? 0) }
  }

  private mutating func forgetOld(_ identity: String, at now: Duration) {
    let old = signedOut[identity]?.filter { $0.value.noted + memory <= now } ?? [:]
    guard !old.isEmpty else { return }
    for (who, end) in old {
      signedOut[identity]?[who] = nil
      forgotten = max(forgotten, end.number ?? 0)
    }
    if signedOut[identity]?.isEmpty == true { signedOut[identity] = nil }
  }

  /// Whose the sign-outs of a cluster up to this number were is not known here.
  mutating func forget(upTo number: Int) {
    lastSignOut = max(lastSignOut, number)
    forgotten = max(forgotten, number)
  }

  /// Whether a visitor was signed out, or may have been, after the application was asked who it is.
  func hasEnded(_ request: ConnectionRequest) -> Bool {
    guard let visitor = request.visitor, let identity = visitor.id else { return false }
    if request.signOuts < forgotten { return true }
    return signedOut[identity]?.contains { who, end in who.includes(visitor) && end.isAfter(request) }
      ?? false
  }
}
