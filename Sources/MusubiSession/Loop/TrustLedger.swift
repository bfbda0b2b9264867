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
  /// When visitors were signed out, by their identities: a handshake of before does not count.
  private var signedOut: [String: [SignedOut: Duration]] = [:]
  private var maxSignedOut = 64
  /// For how long a handshake can be under way.
  private let memory: Duration

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
  mutating func end(_ who: SignedOut, at now: Duration) {
    if signedOut.count >= maxSignedOut {
      signedOut = signedOut.filter { _, ends in ends.values.contains { $0 + memory > now } }
      maxSignedOut = max(64, 2 * signedOut.count)
    }
    let recent = signedOut[who.identity]?.filter { $0.value + memory > now } ?? [:]
    signedOut[who.identity] = recent.merging([who: now]) { _, new in new }
  }

  /// Whether a visitor was signed out after the application was asked who it is.
  func hasEnded(_ visitor: Visitor, askedAt: Duration) -> Bool {
    guard let identity = visitor.id, let ends = signedOut[identity] else { return false }
    return ends.contains { askedAt <= $0.value && $0.key.includes(visitor) }
  }
}
