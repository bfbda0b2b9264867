// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Counts what the server has refused, by reason, and says which of it the log tells; may be used from any thread.
///
/// A refusal of one kind and peer is told once a second, with how many there were: a flood must not fill the disk.
package final class Refusals: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var newest: [Told] = []
    var told: [Kind: (since: Duration, untold: Int)] = [:]
  }

  /// A refusal that the log has told of.
  package struct Told: Equatable, Sendable {
    package let time: Duration
    package let reason: String
    package let peer: String
    package let count: Int
  }

  private struct Kind: Hashable {
    let reason: String
    let peer: String
  }

  private let state = Mutex(State())
  private static let silence: Duration = .seconds(1)
  /// With so many kinds, all are told again: what is remembered is bounded.
  private static let maxKinds = 4_096

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
      if state.newest.count >= 20 { state.newest.removeFirst() }
      state.newest.append(Told(time: now, reason: reason, peer: peer, count: count))
      return count
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
    if state.told.count >= Self.maxKinds {
      state.told = state.told.filter { now - $1.since < Self.silence }
    }
    if state.told.count >= Self.maxKinds { state.told = [:] }
    state.told[kind] = (now, 0)
    return untold + 1
  }
}
