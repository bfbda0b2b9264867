// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// One accepted socket, from its first request to its end; belongs to a `LoopCore` and its thread.
final class Connection {
  let id: ConnectionID
  let remoteAddress: String
  /// Whether the address counts towards the limit per address.
  let countsTowardsAddress: Bool

  /// Where in its life the connection is.
  enum Phase {
    /// It makes plain requests.
    case http
    /// Its handshake has been allowed, and is being answered.
    case upgrading(any ConnectionService, ConnectionRequest)
    /// The service serves it.
    case open(any ConnectionService)
    /// The service still has bytes for it; then comes the close frame.
    case ending(any ConnectionService, ConnectionEnd)
    /// The close frame is on its way; the service hears that it is gone when it is.
    case closing(any ConnectionService)
    /// It is gone, or was never more than a failed handshake.
    case gone
  }

  var phase = Phase.http
  /// The library's socket; nil before the first callback and after the last.
  var socket: LWSSocket?
  /// Whether the loop will fetch bytes for it at the end of the turn.
  var isAwake = false
  /// Whether the service wants to read from it.
  var isReading = true
  /// Whether it is not read from for a while, because it sent too much.
  var isThrottled = false
  /// Whether its messages are counted; the echo for conformance suites counts none.
  var isRateLimited = false
  /// What it may send; nil before its first message.
  var bucket: TokenBucket?
  /// What its address may send; nil if that is not limited.
  var addressBucket: AddressBucket?
  /// The pieces of a message that is not complete.
  var partialMessage: [UInt8] = []
  var isPartialText = false
  /// The longest message that it may send.
  var maxMessageBytes = 0
  /// What is left of a plain response.
  var response: PendingResponse?

  private(set) lazy var box = LWSHandlerBox(self)
  unowned let core: LoopCore

  init(id: ConnectionID, remoteAddress: String, countsTowardsAddress: Bool, core: LoopCore) {
    self.id = id
    self.remoteAddress = remoteAddress
    self.countsTowardsAddress = countsTowardsAddress
    self.core = core
  }

  /// Reads if both the service and the rates allow it.
  func applyReading() { socket?.setReading(isReading && !isThrottled) }

  /// The service that serves it, if it is or was a WebSocket.
  var service: (any ConnectionService)? {
    switch phase {
    case .open(let service), .ending(let service, _), .closing(let service): service
    case .http, .upgrading, .gone: nil
    }
  }
}

/// A plain response of which a part has been sent.
struct PendingResponse {
  var body: [UInt8]
  var sentBytes: Int
  var closes: Bool
}

// MARK: - WebSocket

extension Connection: LWSHandler {
  func isUpgradeAllowed() -> Bool {
    if case .upgrading = phase { true } else { false }
  }

  func opened(_ socket: LWSSocket) {
    guard case .upgrading(let service, let request) = phase else { return }
    self.socket = socket
    phase = .open(service)
    core.opened(self)
    service.connect(id, request)
  }

  func received(_ piece: LWSPiece, _ socket: LWSSocket) -> LWSVerdict {
    // What still arrives after the end was asked for is nobody's any more.
    guard case .open(let service) = phase else { return .keep }
    if piece.isFirst, piece.isLast, piece.bytes.count <= maxMessageBytes {
      core.received(self)
      service.receive(piece.bytes, isText: !piece.isBinary, from: id)
      return .keep
    }
    if piece.isFirst { isPartialText = !piece.isBinary }
    let length = partialMessage.count + piece.bytes.count
    guard length + piece.remainingBytes <= maxMessageBytes else {
      partialMessage = []
      core.log(.info, "message too long", ["connection": "\(id.rawValue)", "limit": "\(maxMessageBytes)"])
      socket.setCloseReason(code: 1009, reason: "A message is longer than \(maxMessageBytes) bytes.")
      phase = .closing(service)
      return .close
    }
    partialMessage.append(contentsOf: piece.bytes)
    guard piece.isLast else { return .keep }
    let message = partialMessage
    partialMessage = []
    core.received(self)
    message.withUnsafeBytes { service.receive($0, isText: isPartialText, from: id) }
    return .keep
  }

  func writable(_ socket: LWSSocket) -> LWSVerdict {
    if response != nil { return continueResponse(socket) }
    return core.flush(self, canClose: true)
  }

  func closed() {
    guard let service else { return }
    phase = .gone
    core.closed(self)
    service.disconnect(id)
  }

  func peerCloses() {
    guard let service else { return }
    phase = .closing(service)
  }

  func destroyed() {
    closed()
    // Allowed, but it never came to the handshake's end.
    if case .upgrading = phase { core.shared.releaseConnection() }
    phase = .gone
    socket = nil
    core.destroyed(self)
  }
}
