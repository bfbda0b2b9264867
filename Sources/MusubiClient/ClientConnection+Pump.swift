// SPDX-License-Identifier: Apache-2.0
import Glibc

extension ClientConnection {
  /// Moves the bytes of several connections while a condition holds, and no longer than to a deadline.
  ///
  /// - Parameters:
  ///   - connections: The connections, all of this thread.
  ///   - deadline: When to give up.
  ///   - condition: Checked before the first wait and after each event.
  /// - Returns: Whether the condition ended the wait; false if the deadline did.
  public static func pump(
    _ connections: [ClientConnection], until deadline: ContinuousClock.Instant, while condition: () -> Bool
  ) -> Bool {
    while condition() {
      guard ContinuousClock.now < deadline else { return false }
      turn(connections, until: deadline)
    }
    return true
  }

  /// Waits once for an event of the connections or of further descriptors, and handles it.
  ///
  /// - Parameters:
  ///   - connections: The connections.
  ///   - readable: Further descriptors to wait for.
  ///   - deadline: When to return at the latest.
  /// - Returns: The further descriptors that have something to read.
  @discardableResult
  package static func turn(
    _ connections: [ClientConnection], readable: [Int32] = [], until deadline: ContinuousClock.Instant
  ) -> [Int32] {
    let dues = connections.compactMap(\.nextDue)
    let end = dues.reduce(deadline, min)
    let active = connections.filter { $0.interest != nil }
    var descriptors = active.compactMap(\.interest)
    descriptors += readable.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let wait = ContinuousClock.now.duration(to: end)
    // Rounded up, so that a wait for the last microseconds does not spin.
    let milliseconds = max(0, min(wait / .milliseconds(1) + 0.999, 60_000))
    let count = poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
    let now = ContinuousClock.now
    for (index, connection) in active.enumerated() {
      connection.move(count > 0 ? descriptors[index].revents : 0, now: now)
    }
    guard count > 0 else { return [] }
    return descriptors[active.count...].filter { $0.revents != 0 }.map(\.fd)
  }
}
