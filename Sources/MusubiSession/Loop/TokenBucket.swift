// SPDX-License-Identifier: Apache-2.0

/// How many messages may come: a steady rate, and as many at once as were saved up.
package struct MessageRate: Equatable, Sendable {
  /// Messages per second in the long run, at least 1.
  package var perSecond: Int
  /// Messages that may come at once after a pause, at least 1.
  package var burst: Int

  /// A rate.
  package init(perSecond: Int, burst: Int) {
    self.perSecond = max(1, perSecond)
    self.burst = max(1, burst)
  }
}

/// Counts messages against a rate; a value that knows no clock.
package struct TokenBucket {
  /// The rest of the burst; below zero if more was taken than was left.
  private var tokens: Double
  private var refilled: Duration

  /// A full bucket.
  package init(_ rate: MessageRate, at now: Duration) {
    tokens = Double(rate.burst)
    refilled = now
  }

  /// Takes a token, if there is a whole one.
  package mutating func admit(_ rate: MessageRate, at now: Duration) -> Bool {
    guard has(rate, at: now) else { return false }
    tokens -= 1
    return true
  }

  /// Whether there is a whole token.
  package mutating func has(_ rate: MessageRate, at now: Duration) -> Bool {
    refill(rate, at: now)
    return tokens >= 1
  }

  /// Gives a token back.
  package mutating func giveBack(_ rate: MessageRate) { tokens = min(Double(rate.burst), tokens + 1) }

  /// The seconds until there is a whole token, as of the last look, rounded up.
  package func secondsUntilOne(_ rate: MessageRate) -> Int {
    Int(((1 - tokens) / Double(rate.perSecond)).rounded(.up))
  }

  /// Whether all that was taken has come back.
  package func isFull(_ rate: MessageRate, at now: Duration) -> Bool {
    var bucket = self
    bucket.refill(rate, at: now)
    return bucket.tokens >= Double(rate.burst)
  }

  private mutating func refill(_ rate: MessageRate, at now: Duration) {
    guard now > refilled else { return }
    tokens = min(Double(rate.burst), tokens + (now - refilled) / .seconds(1) * Double(rate.perSecond))
    refilled = now
  }

  /// Takes a message, which was read already and is never lost.
  ///
  /// - Returns: How long to wait before more is read; nil if there is no need.
  package mutating func take(_ rate: MessageRate, at now: Duration) -> Duration? {
    // Tokens that have not been filled in yet are not lost; the division is worth a message's time.
    if now - refilled >= .milliseconds(50) || tokens < 1 { refill(rate, at: now) }
    tokens -= 1
    guard tokens < 0 else { return nil }
    // Not less than a tenth of a second, so that a flood costs ten wake-ups a second and no more.
    return .seconds(max(0.1, -tokens / Double(rate.perSecond)))
  }
}
