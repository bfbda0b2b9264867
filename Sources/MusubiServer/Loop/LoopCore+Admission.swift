// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// The decision about a handshake.
enum HandshakeVerdict {
  case accepted(any ConnectionService, ConnectionRequest)
  case refused(HTTPRefusal)
}

extension LoopCore {
  /// The request that a socket has made.
  func request(of socket: LWSSocket, _ connection: Connection) -> HTTPRequest {
    socket.request(remoteAddress: connection.remoteAddress, maxHeaderBytes: configuration.maxHeaderBytes)
  }

  /// Decides about a handshake; an accepted one counts as a connection from now on.
  ///
  /// - Parameters:
  ///   - request: The handshake.
  ///   - decide: Called once with the decision; today before this returns.
  func admit(_ request: HTTPRequest, then decide: @escaping (HandshakeVerdict) -> Void) {
    if let refusal = handshake.refusal(of: request) { return decide(.refused(refusal)) }
    guard let (service, connectionRequest) = target(of: request) else {
      return decide(.refused(.notFound))
    }
    service.admit(connectionRequest) { [shared] admission in
      switch admission {
      case .refused(let status, let code, let message):
        decide(.refused(HTTPRefusal(status: status, code: code, message: message)))
      case .accepted(let admitted):
        decide(shared.admitConnection() ? .accepted(service, admitted) : .refused(.full))
      }
    }
  }

  /// The answer to a plain request that is malformed, or that goes to a WebSocket's address: why the
  /// handshake would fail, or to make one.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - answer: Called once, today before this returns; with nil if the address is none of a WebSocket.
  func refuseWithoutHandshake(_ request: HTTPRequest, then answer: @escaping (HTTPRefusal?) -> Void) {
    if let defect = request.defect { return answer(.badRequest(defect)) }
    guard request.isAddressUTF8 else { return answer(.notUTF8) }
    guard request.method != .other, let (service, connectionRequest) = target(of: request) else {
      return answer(nil)
    }
    if let refusal = handshake.originRefusal(of: request) { return answer(refusal) }
    if isDraining { return answer(.restarting) }
    service.admit(connectionRequest) { [shared] admission in
      switch admission {
      case .refused(let status, let code, let message):
        answer(HTTPRefusal(status: status, code: code, message: message))
      case .accepted: answer(shared.isFull ? .full : .upgradeRequired)
      }
    }
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
}
