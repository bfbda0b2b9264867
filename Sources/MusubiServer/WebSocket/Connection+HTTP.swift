// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// How much of a response is written at once.
private let responsePieceBytes = 65_536
/// How long a browser may take for one piece.
private let responsePieceSeconds: Int32 = 30

// MARK: - Plain requests and handshakes

extension Connection {
  /// A plain request has arrived.
  func requested(_ socket: LWSSocket) -> LWSVerdict {
    self.socket = socket
    hasRequested = true
    let request = core.request(of: socket, self)
    var response = response(to: request)
    core.statistics.requests += 1
    core.log(
      .debug, "request",
      ["path": request.path, "status": "\(response.status)", "address": request.remoteAddress])
    if request.defect != nil || !request.isHTTP11 || request.list("connection").contains("close")
      || core.isDraining
    {
      response.closes = true
    }
    return send(response, to: request, socket)
  }

  private func response(to request: HTTPRequest) -> HTTPResponse {
    let passage = core.passage(of: request)
    if case .refused(let refusal) = passage {
      logRefusal(refusal, of: request, event: "refused")
      var response = refusal.response
      response.closes = true
      return response
    }
    var refusal: HTTPRefusal?
    core.refuseWithoutHandshake(request) { refusal = $0 }
    var response = refusal?.response ?? core.site.response(to: request, isDraining: core.isDraining)
    if case .remembered(let header) = passage { response.headers.append(header) }
    return response
  }

  /// A request wants to become a WebSocket.
  ///
  /// - Returns: Whether the library answers the handshake, or closes the socket.
  func upgradeRequested(_ socket: LWSSocket) -> LWSVerdict {
    self.socket = socket
    hasRequested = true
    let request = core.request(of: socket, self)
    // The library wants to know at once.
    var verdict: HandshakeVerdict?
    core.admit(request) { verdict = $0 }
    switch verdict {
    case .accepted(let service, let connectionRequest)?:
      isEcho = service === core.echo
      remoteAddress = connectionRequest.remoteAddress
      peers = connectionRequest.peers
      phase = .opening(service, connectionRequest)
      return .keep
    case .refused(let refusal)?:
      _ = answer(request, by: refusal).withUnsafeBytes { socket.write($0) }
      return .close
    case .dropped?:
      core.refused("closed-unanswered", of: peerName(of: request), [("address", request.remoteAddress)])
      return .close
    case nil: return .close
    }
  }

  private func answer(_ request: HTTPRequest, by refusal: HTTPRefusal) -> [UInt8] {
    logRefusal(refusal, of: request)
    var response = refusal.response
    response.closes = true
    if refusal.code == "bad-request" {
      response.headers.append((name: "Sec-WebSocket-Version", value: "13"))
    }
    return head(of: response, to: request) + response.body
  }

  private func head(of response: HTTPResponse, to request: HTTPRequest) -> [UInt8] {
    response.head(host: request.headers["host"], isSecure: core.configuration.certificateFiles != nil)
  }

  private func logRefusal(
    _ refusal: HTTPRefusal, of request: HTTPRequest, event: String = "handshake refused"
  ) {
    let peer = refusal.peer?.text ?? peerName(of: request)
    let place = [("path", request.path), ("address", request.remoteAddress)]
    let reason = refusal.reason ?? refusal.code
    guard refusal.code == "origin-not-allowed" else {
      return core.refused(reason, event: event, of: peer, [("code", refusal.code)] + place)
    }
    let origin = request.headers["origin"].map { [("origin", $0), ("allow-with", "--allow-origin \($0)")] }
    core.refused(
      reason, .warning, event: "origin refused", of: peer,
      (origin ?? []) + [("message", refusal.message)] + place)
  }

  private func peerName(of request: HTTPRequest) -> String {
    request.addresses.first?.text ?? request.remoteAddress
  }

  private func send(_ response: HTTPResponse, to request: HTTPRequest, _ socket: LWSSocket) -> LWSVerdict {
    let head = head(of: response, to: request)
    let body = request.method == .head ? [] : response.body
    let first = body.prefix(responsePieceBytes)
    guard (head + first).withUnsafeBytes({ socket.write($0) }) else { return .close }
    let pending = PendingResponse(body: body, sentBytes: first.count, closes: response.closes)
    return finishOrContinue(pending, socket)
  }

  func continueResponse(_ socket: LWSSocket) -> LWSVerdict {
    guard var pending = response else { return .keep }
    if !socket.hasUnsentBytes {
      let end = min(pending.body.count, pending.sentBytes + responsePieceBytes)
      let isWritten = pending.body.withUnsafeBytes {
        socket.write(UnsafeRawBufferPointer(rebasing: $0[pending.sentBytes..<end]))
      }
      guard isWritten else { return .close }
      pending.sentBytes = end
    }
    return finishOrContinue(pending, socket)
  }

  private func finishOrContinue(_ pending: PendingResponse, _ socket: LWSSocket) -> LWSVerdict {
    guard pending.sentBytes < pending.body.count else {
      response = nil
      // The library sends what the kernel has not taken yet before it closes.
      return pending.closes || core.isDraining ? .close : socket.completeResponse()
    }
    response = pending
    socket.extendResponseTimeout(seconds: responsePieceSeconds)
    socket.askWritable()
    return .keep
  }
}
