// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Counts what the server has refused, by reason, and says which of it the log tells; may be used from any thread.
///
/// A refusal of one kind and peer is told once a second, with how many there were, and 20 of one kind at most: a flood must not
/// fill the disk, however many addresses it comes from.
package final class Refusals: Sendable {
  fileprivate struct State {
    var counts: [String: Int] = [:]
    var newest: [Told] = []
    var told: [Kind: (since: Duration, untold: Int)] = [:]
    /// How many lines of a reason were told in this second.
    var lines: [String: (since: Duration, count: Int)] = [:]
    /// The untold refusals of peers that are no longer remembered, by reason.
    var forgotten: [String: Int] = [:]
  }

  /// Refusals of one kind that the log tells of; the peer is empty where they are those of several.
  package struct Told: Equatable, Sendable {
    package let time: Duration
    package let reason: String
    package let peer: String
    package let count: Int
  }

  fileprivate struct Kind: Hashable {
    let reason: String
    let peer: String
  }

  private let state = Mutex(State())
  private static let silence: Duration = .seconds(1)
  /// With so many kinds, peers are forgotten, and what is untold of them is told without their names.
  private static let maxKinds = 4_096
  /// So many peers of one kind are told by name in a second, and the others together.
  private static let maxLines = 20

  package init() {}

  /// The newest that the log has told of, the oldest first; at most 20.
  package var newest: [Told] { state.withLock { $0.newest } }

  /// How often each reason was counted.
  package var counts: [String: Int] { state.withLock { $0.counts } }

  /// Counts a refusal.
  ///
  /// - Parameters:
  ///   - reason: A fixed word.
  ///   - peer: Whom it hit, as text; the reasons of peers are told apart.
  ///   - now: The loops' monotonic clock.
  /// - Returns: How many of this kind there were since the log told of one, with this one; nil if it is not to tell now.
  package func count(_ reason: String, of peer: String, at now: Duration) -> Int? {
    state.withLock { state in
      state.counts[reason, default: 0] += 1
      let count = tell(reason, of: peer, at: now, &state)
      guard let count else { return nil }
      state.note(Told(time: now, reason: reason, peer: peer, count: count))
      return count
    }
  }

  /// Takes what came while it was not to be told and nothing has followed: the last of a flood.
  ///
  /// - Parameters:
  ///   - now: The loops' monotonic clock.
  ///   - isLast: Whether all is taken, since nobody will ask again.
  /// - Returns: What to tell now, one entry for each kind and peer, in the order of their names.
  package func takeUntold(at now: Duration, isLast: Bool = false) -> [Told] {
    state.withLock { state in
      var taken = state.forgotten.map { Told(time: now, reason: $0.key, peer: "", count: $0.value) }
      state.forgotten = [:]
      for (kind, entry) in state.told where isLast || now - entry.since >= Self.silence {
        state.told[kind] = entry.untold > 0 ? (now, 0) : nil
        guard entry.untold > 0 else { continue }
        taken.append(Told(time: now, reason: kind.reason, peer: kind.peer, count: entry.untold))
      }
      taken.sort { ($0.reason, $0.peer) < ($1.reason, $1.peer) }
      for told in taken where state.counts[told.reason] != nil { state.note(told) }
      return taken
    }
  }

  /// Whether the log tells of something that is no refusal, and comes as often as somebody wants; as `count` does.
  package func tell(_ event: String, of peer: String, at now: Duration) -> Int? {
    state.withLock { tell(event, of: peer, at: now, &$0) }
  }

  private func tell(_ reason: String, of peer: String, at now: Duration, _ state: inout State) -> Int? {
    let kind = Kind(reason: reason, peer: peer)
    if let last = state.told[kind], now - last.since < Self.silence {
      state.told[kind] = (last.since, last.untold + 1)
      return nil
    }
    let untold = state.told[kind]?.untold ?? 0
    state.told[kind] = nil
    var lines = state.lines[reason] ?? (now, 0)
    if now - lines.since >= Self.silence { lines = (now, 0) }
    guard lines.count < Self.maxLines else {
      state.forgotten[reason, default: 0] += untold + 1
      return nil
    }
    state.lines[reason] = (lines.since, lines.count + 1)
    if state.told.count >= Self.maxKinds { state.forget { now - $0 >= Self.silence } }
    if state.told.count >= Self.maxKinds { state.forget { _ in true } }
    state.told[kind] = (now, 0)
    return untold + 1
  }
}

extension Refusals.State {
  /// Forgets the peers that the log was told of at such times, not how much is untold of them.
  fileprivate mutating func forget(_ isOld: (_ since: Duration) -> Bool) {
    for (kind, entry) in told where isOld(entry.since) {
      told[kind] = nil
      if entry.untold > 0 { forgotten[kind.reason, default: 0] += entry.untold }
    }
  }

  /// Remembers what the log tells of, the newest 20.
  fileprivate mutating func note(_ told: Refusals.Told) {
    if newest.count >= 20 { newest.removeFirst() }
    newest.append(told)
  }
}
