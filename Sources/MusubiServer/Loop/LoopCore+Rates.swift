// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// Floods from one address are slowed by not reading: the peers' own send buffers fill, and nothing is lost.
///
/// Floods of one session are the affair of `SessionLoop`: a session outlives its connections.
extension LoopCore {
  /// Counts a message, and stops reading for a while if there were too many.
  func count(_ connection: Connection) {
    guard let rate = configuration.messageRatePerAddress, let shared = connection.addressBucket,
      // The time of the iteration: a system call for each message would cost more than the message.
      let wait = shared.take(rate, at: iterationTime), !connection.isThrottled
    else { return }
    connection.isThrottled = true
    connection.applyReading()
    statistics.throttled += 1
    log(
      .debug, "slowed down", ["connection": "\(connection.id)", "address": connection.remoteAddress])
    throttled.insert(connection, at: iterationTime + wait)
  }

  /// Gives a connection its share of its address's messages.
  func joinAddress(_ connection: Connection) {
    guard connection.countsTowardsAddress, let rate = configuration.messageRatePerAddress else { return }
    connection.addressBucket = shared.join(connection.remoteAddress, rate, at: iterationTime)
  }

  /// Forgets the address when its last connection has gone.
  func leaveAddress(_ connection: Connection) {
    guard let bucket = connection.addressBucket else { return }
    connection.addressBucket = nil
    shared.leave(bucket)
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
