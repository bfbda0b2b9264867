// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

/// When the loop looks for peers that have fallen silent: in rounds, so that a connection costs a count and no timer.
struct LookOut {
  /// The time between two rounds: a quarter of what has to be told apart.
  let interval: Duration
  /// After how many silent rounds a ping is sent.
  let pingRounds: UInt16
  /// After how many the peer counts as gone.
  let hangUpRounds: UInt16
  /// After how many rounds without a first byte a socket is given up.
  let requestRounds: UInt16
  /// When the next round is; nil while there is no connection but the library's.
  var deadline: Duration?

  /// A peer counts as gone at the last round that is no later than `hangUpAfter`.
  init(_ configuration: ServerConfiguration) {
    let patience = min(
      configuration.pingAfter, configuration.hangUpAfter - configuration.pingAfter,
      configuration.handshakeTimeout)
    interval = max(.milliseconds(50), patience / 4)
    requestRounds = max(1, Self.rounds(configuration.handshakeTimeout, interval))
    pingRounds = max(1, Self.rounds(configuration.pingAfter, interval))
    hangUpRounds = max(pingRounds + 1, Self.rounds(configuration.hangUpAfter, interval))
  }

  private static func rounds(_ time: Duration, _ interval: Duration) -> UInt16 {
    UInt16(clamping: min(60_000, Int(time / interval)))
  }
}

extension LoopCore {
  /// Has the look-out begin, if nobody was there to look for.
  func beginLookOut() {
    if lookOut.deadline == nil { lookOut.deadline = turnTime + lookOut.interval }
  }

  /// Pings those who have been silent for a while, and hangs up on those who do not answer.
  func lookAround() {
    var gone: [Connection] = []
    var count = 0
    for connection in connections.values where connection.stream != nil {
      count += 1
      // Nobody is silent who is not listened to.
      guard connection.isReading, !connection.isThrottled else { continue }
      connection.silentRounds += 1
      if !connection.hasRequested {
        if connection.silentRounds > lookOut.requestRounds { gone.append(connection) }
      } else if connection.silentRounds == lookOut.pingRounds {
        WebSocketFrame.appendUnmasked(.ping, [], to: &connection.controlFrames)
        wake(connection.id)
      } else if connection.silentRounds >= lookOut.hangUpRounds {
        gone.append(connection)
      }
    }
    for connection in gone {
      log(.debug, "silent", ["connection": "\(connection.id.rawValue)"])
      connection.kill()
    }
    lookOut.deadline = count > gone.count ? turnTime + lookOut.interval : nil
  }

  /// Takes over the bytes of those whose handshake the library has answered in this turn.
  func takeNewcomers() {
    guard !newcomers.isEmpty, let libev else { return }
    for id in newcomers {
      guard let connection = connections[id], connection.service != nil, let socket = connection.socket
      else { continue }
      connection.stream = socket.makeStream(on: libev, for: connection)
      if connection.stream == nil { connection.kill() }
    }
    newcomers.removeAll(keepingCapacity: newcomers.capacity <= 256)
    beginLookOut()
  }

  /// Has the bytes taken that arrived before reading stopped; in this turn or at once in the next.
  func takeUnreadSoon(_ connection: Connection) {
    if resumed.isEmpty { loop.enqueue {} }
    resumed.append(connection.id)
  }

  func takeResumed() {
    guard !resumed.isEmpty else { return }
    let batch = resumed
    resumed.removeAll(keepingCapacity: true)
    for id in batch { connections[id]?.takeUnread() }
  }

  /// Cuts a connection off after a while if its end does not come.
  func expectEnd(of connection: Connection) {
    endings.append((loop.now + configuration.closeTimeout, connection.id))
  }
}
