// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession

/// Slows down who guesses, by network addresses: some attempts are free, then each waits twice as long as the one before.
///
/// For routes where few answers are right, such as short codes:
///
/// ```swift
/// let attempts = RequestThrottle()
/// application.post("/join") { request in
///   if let seconds = attempts.admit(request) { throw HTTPError(429, "Please wait.", retryAfter: seconds) }
///   guard let room = codes.room(of: try request.form["code"] ?? "") else { throw HTTPError(404, "No such code.") }
///   attempts.giveBack(request)
///   return try .redirect(to: "/quiz?room=\(room)")
/// }
/// ```
///
/// An attempt counts when it begins, so that a thousand at once are no better than one after another. An IPv6 address counts
/// as its /64, and eight times as patiently as its /48. At most 50,000 addresses are remembered, for an hour each.
/// A loopback address counts, too: behind a proxy of the same machine that `--trust-proxy` does not name all people share its attempts.
public final class RequestThrottle: Sendable {
  private let throttle: Throttle<Peer>

  /// A throttle, for one route or for several together.
  ///
  /// - Parameter free: The attempts of an address without a wait; then the waits grow from 1 to 300 seconds.
  public init(free: Int = 20) {
    throttle = Throttle { peer in
      if case .network = peer { ThrottleLimits(free: 8 * free) } else { ThrottleLimits(free: free) }
    }
  }

  /// Counts an attempt, or says how long its sender has to wait.
  ///
  /// - Parameter request: The attempt.
  /// - Returns: The wait in whole seconds, at least 1; nil if the attempt may go on.
  public func admit(_ request: Request) -> Int? {
    throttle.admit(Self.peers(of: request), at: MonotonicTime.now)
  }

  /// Gives an attempt back that was a success.
  ///
  /// - Parameter request: The attempt.
  public func giveBack(_ request: Request) {
    for peer in Self.peers(of: request) { throttle.giveBack(peer) }
  }

  private static func peers(of request: Request) -> [Peer] {
    IPAddress(request.remoteAddress)?.peers ?? [.address(request.remoteAddress)]
  }
}
