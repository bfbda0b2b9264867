// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// Floods from one address are slowed by not reading: the peers' own send buffers fill, and nothing is lost.
///
/// Floods of one session are the affair of `SessionLoop`: a session outlives its connections.
extension LoopCore {
  /// Counts a message, and stops reading for a while if there were too many.
  func count(_ connection: Connection) {
    guard !connection.addressBuckets.isEmpty else { return }
    var longest: Duration?
    for bucket in connection.addressBuckets {
      // The time of the iteration: a system call for each message would cost more than the message.
      if let wait = bucket.take(at: iterationTime) { longest = max(longest ?? wait, wait) }
    }
    guard let wait = longest, !connection.isThrottled else { return }
    connection.isThrottled = true
    connection.applyReading()
    statistics.throttled += 1
    log(
      .debug, "slowed down", ["connection": "\(connection.id)", "address": connection.remoteAddress])
    throttled.insert(connection, at: iterationTime + wait)
  }

  /// Gives a connection its share of its address's messages.
  func joinAddress(_ connection: Connection) {
    guard !connection.peers.isEmpty, let rate = configuration.messageRatePerAddress else { return }
    connection.addressBuckets = shared.join(connection.peers, rate, at: iterationTime)
  }

  /// Forgets the address when its last connection has gone.
  func leaveAddress(_ connection: Connection) {
    guard !connection.addressBuckets.isEmpty else { return }
    shared.leave(connection.addressBuckets)
    connection.addressBuckets = []
  }

  /// Reads again from those that have waited long enough.
  func releaseThrottled() {
    guard let deadline = throttled.nextDeadline, deadline <= loop.now else { return }
    while let connection = throttled.take(at: loop.now) {
      guard connection.isThrottled else { continue }
      connection.isThrottled = false
      connection.applyReading()
    }
  }
}
