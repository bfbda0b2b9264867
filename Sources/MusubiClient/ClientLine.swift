// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// A direction of a connection that a test can slow down or cut.
///
/// Time comes from the caller, so that a simulated clock can drive it, too.
struct ClientLine<Instant: InstantProtocol> where Instant.Duration == Duration {
  private var waiting: [(due: Instant, bytes: [UInt8])] = []
  /// How long bytes are held back that are put in together.
  var conditions = LineConditions()
  /// What decides where the conditions leave it to chance.
  var dice = SplitMix64(seed: 0)
  /// How many more bytes pass before the connection is cut; nil if it is not to be cut.
  var bytesUntilCut: Int?

  /// Bytes that passed the line, and whether it has to be cut behind them.
  typealias Passage = (bytes: [UInt8], isCut: Bool)

  /// When the next bytes are due; nil if none wait.
  var nextDue: Instant? { waiting.first?.due }

  /// Puts bytes into the line.
  mutating func put(_ bytes: [UInt8], now: Instant) {
    guard !bytes.isEmpty else { return }
    // Later bytes never overtake earlier ones, be the delay shortened, or the earlier ones lost: so it is in TCP.
    let due = max(now.advanced(by: travelTime()), waiting.last?.due ?? now)
    waiting.append((due, bytes))
  }

  private mutating func travelTime() -> Duration {
    var dice = dice
    defer { self.dice = dice }
    return conditions.travelTime { .random(in: 0..<$0, using: &dice) }
  }

  /// Takes the bytes that are due.
  mutating func take(now: Instant) -> Passage {
    let count = waiting.prefix { $0.due <= now }.count
    guard count > 0 else { return ([], bytesUntilCut == 0) }
    var bytes = waiting[..<count].flatMap(\.bytes)
    waiting.removeFirst(count)
    guard let limit = bytesUntilCut else { return (bytes, false) }
    if bytes.count > limit { bytes.removeSubrange(limit...) }
    bytesUntilCut = limit - bytes.count
    return (bytes, bytesUntilCut == 0)
  }

  /// Forgets what waits, for a new connection; a cut belongs to the old one.
  mutating func reset() {
    waiting = []
    bytesUntilCut = nil
  }
}
