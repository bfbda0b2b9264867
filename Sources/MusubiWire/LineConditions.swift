// SPDX-License-Identifier: Apache-2.0

/// How slow a connection is to be, for who tries a screen out on a bad line.
///
/// Server and client delay their messages by the same rules: the inspector's slow line and a script's `delay` mean one
/// thing. Chance comes from the caller, so that a seed or a test decides it.
package struct LineConditions: Equatable, Sendable {
  /// How long each message is on its way, in each direction.
  package var latency: Duration
  /// How much longer it may be on its way, at random.
  package var jitter: Duration
  /// How many of 100 messages are lost, and sent again as TCP does; those behind them wait.
  package var loss: Int

  /// The most that may be lost, in per cent.
  package static let maxLoss = 90

  /// A line as any other, unless something is said of it.
  package init(latency: Duration = .zero, jitter: Duration = .zero, loss: Int = 0) {
    (self.latency, self.jitter, self.loss) = (latency, jitter, loss)
  }

  /// How long one message is on its way; the caller keeps the order.
  ///
  /// - Parameter random: A number from 0 on and below its argument; only asked where chance decides.
  /// - Returns: The time from one end to the other.
  package func travelTime(random: (Int) -> Int) -> Duration {
    var time = latency
    if jitter > .zero { time += .microseconds(random(Int(jitter / .microseconds(1)) + 1)) }
    // The shortest time after which Linux sends a segment again, and the way there and back (RFC 6298).
    while loss > 0, random(100) < loss { time += .milliseconds(200) + latency * 2 }
    return time
  }
}
