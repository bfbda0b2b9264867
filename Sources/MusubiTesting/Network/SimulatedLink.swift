// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
package import MusubiSession
import MusubiWire

/// One connection of a `SimulatedNetwork`, as the page holds it.
package final class SimulatedLink {
  /// Names the connection.
  package let id: Int
  /// Who serves it at the server; nil before its handshake is answered, and after its end.
  package internal(set) var handler: (any ConnectionHandler)?
  /// Whether the page has stopped reading: the server can then fetch no more than it has sent.
  package var isStalled = false {
    didSet { if !isStalled { network?.flush(self) } }
  }
  /// After how many bytes in a direction the connection is cut; nil for never.
  ///
  /// A frame that is cut does not arrive.
  package var cut: (toServer: Int?, toPage: Int?)
  /// How much later bytes that were on their way at the cut still reach the server, which notices the loss
  /// later still; nil if they are lost.
  package var linger: Duration?
  /// After how many bytes each frame in a direction was whole.
  package private(set) var frameEnds: (toServer: [Int], toPage: [Int]) = ([], [])
  /// How many bytes have been sent in each direction.
  package private(set) var sent = (toServer: 0, toPage: 0)
  /// Whether the server reads from it, and the messages since it stopped.
  var isRead = true
  package internal(set) var unread: [[UInt8]] = []
  package weak var peer: (any SimulatedPeer)?
  let latency: SimulatedNetwork.Latency
  /// The server that it comes to.
  package let node: Int
  /// The server's loop that accepts it.
  package let loop: Int
  var isUp = true
  /// Whether the connection is up.
  package var isOpen: Bool { isUp }
  var closeCode: UInt16?
  /// What the server said when it closed the connection; nil if it did not.
  package private(set) var closeReason: String?
  /// Whether the server has said that its page came back to a session.
  package private(set) var hasReturned = false
  private weak var network: SimulatedNetwork?
  private var lastArrival: [Bool: Duration] = [:]

  init(
    id: Int, peer: any SimulatedPeer, latency: SimulatedNetwork.Latency, node: Int, loop: Int,
    network: SimulatedNetwork
  ) {
    self.id = id
    self.peer = peer
    self.latency = latency
    self.node = node
    self.loop = loop
    self.network = network
  }

  /// Sends a text frame to the server.
  package func send(_ payload: [UInt8]) { network?.send(payload, on: self) }

  /// Whether the page has said that it is being left.
  private var hasLeft = false

  /// The page is being left, and says so.
  package func leave() {
    hasLeft = true
    drop()
  }

  /// Loses the connection with all that travels.
  package func drop() { network?.drop(self) }

  /// Counts the bytes of a frame, header and mask included.
  ///
  /// - Returns: Whether all of them get through before the cut.
  func passes(_ payload: [UInt8], toServer: Bool) -> Bool {
    let header = (payload.count < 126 ? 2 : payload.count < 65_536 ? 4 : 10) + (toServer ? 4 : 0)
    if toServer {
      sent.toServer += header + payload.count
      frameEnds.toServer.append(sent.toServer)
    } else {
      sent.toPage += header + payload.count
      frameEnds.toPage.append(sent.toPage)
    }
    guard let limit = toServer ? cut.toServer : cut.toPage else { return true }
    return (toServer ? sent.toServer : sent.toPage) <= limit
  }

  /// When a message that leaves now arrives; never before one that left earlier in the same direction.
  func arrival(toServer: Bool) -> Duration {
    guard let network else { return .zero }
    let spread = latency.most - latency.least
    let part = Double(network.random.next() >> 11) / Double(1 << 53)
    var arrival = max(network.now + latency.least + spread * part, lastArrival[toServer] ?? .zero)
    if toServer, network.loopPause > .zero {
      arrival = network.loopPause * Int((arrival / network.loopPause).rounded(.up))
    }
    lastArrival[toServer] = arrival
    return arrival
  }
}

// MARK: - The server's end

extension SimulatedLink: ConnectionHandle {
  package func wake() { network?.flushSoon(self) }

  package func close(_ end: ConnectionEnd) {
    closeCode = end.code.rawValue
    closeReason = end.reason
    network?.flushSoon(self)
  }

  package func returned() { hasReturned = true }

  package func setReading(_ isReading: Bool) {
    isRead = isReading
    if isReading, !unread.isEmpty { network?.takeUnreadSoon(self) }
  }

  /// The server notices the connection's end.
  func end() {
    handler?.closed(saidFarewell: hasLeft)
    handler = nil
  }
}
