// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// The decision about a handshake.
enum HandshakeVerdict {
  case accepted(any ConnectionService, ConnectionRequest)
  case refused(Refusal)
}

extension LoopCore {
  /// The request that a socket has made.
  func request(of socket: LWSSocket, _ connection: Connection) -> HTTPRequest {
    socket.request(remoteAddress: connection.remoteAddress, maxHeaderBytes: configuration.maxHeaderBytes)
  }

  /// Decides about a handshake; an accepted one counts as a connection from now on.
  func admission(of request: HTTPRequest) -> HandshakeVerdict {
    if let refusal = handshake.refusal(of: request) { return .refused(refusal) }
    guard case (let service, var connectionRequest)? = target(of: request) else {
      return .refused(.notFound)
    }
    if let refusal = Self.refusal(by: service, of: &connectionRequest) { return .refused(refusal) }
    guard shared.admitConnection() else { return .refused(.full) }
    return .accepted(service, connectionRequest)
  }

  /// What a plain request to a WebSocket's address hears: why the handshake would fail, or to make one.
  ///
  /// - Returns: nil if the address is none of a WebSocket.
  func refusalWithoutHandshake(of request: HTTPRequest) -> Refusal? {
    guard request.isAddressUTF8 else { return .notUTF8 }
    guard request.method != .other, case (let service, var connectionRequest)? = target(of: request) else {
      return nil
    }
    if let refusal = handshake.originRefusal(of: request) { return refusal }
    if isDraining { return .restarting }
    if let refusal = Self.refusal(by: service, of: &connectionRequest) { return refusal }
    return shared.isFull ? .full : .upgradeRequired
  }

  private func target(of request: HTTPRequest) -> (any ConnectionService, ConnectionRequest)? {
    if let echo, request.path == configuration.conformanceEcho {
      return (echo, request.connectionRequest(screen: ""))
    }
    let prefix = "/live/"
    guard let service, request.path.hasPrefix(prefix) else { return nil }
    let screen = String(request.path.dropFirst(prefix.count))
    return (service, request.connectionRequest(screen: screen))
  }

  private static func refusal(
    by service: any ConnectionService, of request: inout ConnectionRequest
  ) -> Refusal? {
    guard case .refused(let status, let code, let message) = service.admission(of: &request) else {
      return nil
    }
    return Refusal(status: status, code: code, message: message)
  }
}
