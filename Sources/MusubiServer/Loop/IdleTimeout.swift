// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

/// When the loop looks for idle connections: in rounds, so that a connection costs a count and no timer.
struct IdleTimeout {
  /// The time between two rounds: a quarter of the time to tell apart.
  let interval: Duration
  /// After how many silent rounds a ping is sent.
  let pingRounds: UInt16
  /// After how many the peer counts as gone.
  let hangUpRounds: UInt16
  /// When the next round is; nil while there is no open WebSocket.
  var deadline: Duration?

  /// A peer counts as gone at the last round that is no later than `hangUpAfter`.
  init(_ configuration: ServerConfiguration) {
    let shortest = min(configuration.pingAfter, configuration.hangUpAfter - configuration.pingAfter)
    interval = max(.milliseconds(50), shortest / 4)
    pingRounds = max(1, Self.rounds(configuration.pingAfter, interval))
    hangUpRounds = max(pingRounds + 1, Self.rounds(configuration.hangUpAfter, interval))
  }

  private static func rounds(_ time: Duration, _ interval: Duration) -> UInt16 {
    UInt16(clamping: min(60_000, Int(time / interval)))
  }
}

extension LoopCore {
  /// Has the rounds begin, if there was no connection to look at.
  func beginIdleRounds() {
    if idleTimeout.deadline == nil { idleTimeout.deadline = iterationTime + idleTimeout.interval }
  }

  /// Pings those who have been silent for a while, and hangs up on those who do not answer.
  func checkIdle() {
    var gone: [Connection] = []
    var count = 0
    for connection in connections.values where connection.stream != nil && connection.isWebSocket {
      count += 1
      // Nobody is silent who is not listened to.
      guard connection.isReading, !connection.isThrottled else { continue }
      connection.silentRounds += 1
      if connection.silentRounds == idleTimeout.pingRounds {
        connection.controlFrames += WebSocketFrame.bytes(.ping, [])
        connection.wake()
      } else if connection.silentRounds >= idleTimeout.hangUpRounds {
        gone.append(connection)
      }
    }
    for connection in gone {
      log(.debug, "silent", ["connection": "\(connection.id)"])
      connection.kill()
    }
    idleTimeout.deadline = count > gone.count ? iterationTime + idleTimeout.interval : nil
  }

  /// Opens those whose handshake was answered in the iteration before, and stops the library's reading of those whose
  /// handshake was answered in this one.
  ///
  /// One iteration lies between the two because it tells of bytes that the library has read behind a handshake. It
  /// follows at once: the library asks for it after each of its own events.
  func takeOpenings() {
    guard !openings.isEmpty, let libev else { return }
    for connection in openings[..<quietOpenings] { connection.open(on: libev) }
    openings.removeFirst(quietOpenings)
    for connection in openings { connection.socket?.stopReading() }
    quietOpenings = openings.count
    beginIdleRounds()
  }

  /// Has the bytes taken that arrived before reading stopped; in this iteration or at once in the next.
  func takeUnreadSoon(_ connection: Connection) {
    if resumed.isEmpty { loop.enqueue {} }
    resumed.append(connection)
  }

  func takeResumed() {
    guard !resumed.isEmpty else { return }
    let batch = resumed
    resumed.removeAll(keepingCapacity: true)
    for connection in batch { connection.takeUnread() }
  }

  /// Cuts a connection off after a while if its end does not come.
  func expectEnd(of connection: Connection) { ending.append(connection) }
}
