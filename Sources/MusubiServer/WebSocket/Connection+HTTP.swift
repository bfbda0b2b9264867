// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// How long a browser may take for one piece.
private let responsePieceSeconds: Int32 = 30

// MARK: - Plain requests and handshakes

extension Connection {
  /// A plain request has arrived.
  func requested(_ socket: LWSSocket) -> LWSVerdict {
    self.socket = socket
    hasRequested = true
    let request = core.request(of: socket, self)
    pay(as: request.addresses)
    let match = core.match(of: request)
    let isTrap = request.bringsBody && mayHaveReadAhead(socket)
    if case .route(let route) = match, !isTrap {
      core.statistics.requests += 1
      return begin(route, request, socket)
    }
    if request.defect == nil, isTrap || request.isLooking && request.bringsBody {
      let refusal =
        isTrap ? HTTPRefusal.pipelinedBody : .badRequest("A request that only looks brings no body.")
      var response = refusal.textResponse
      response.closes = true
      note(response, to: request)
      return send(response, to: request, socket)
    }
    var response: HTTPResponse
    switch plainAnswer(to: request) {
    case .now(let answer): response = answer
    case .later: return .keep
    case .dropped: return .close
    }
    if case .otherMethod(let allow) = match, [404, 405].contains(response.status) {
      response = .text(405, "This address does not take this method.")
      response.headers.append((name: "Allow", value: allow))
      response.closes = !request.isLooking
    }
    if request.method != .head, !hasSpace(for: min(response.body.count, Self.responsePieceBytes)) {
      let refusal = HTTPRefusal.memory(of: request.addresses.first)
      logRefusal(refusal, of: request, event: "request refused")
      response = refusal.textResponse
      response.closes = true
    }
    note(response, to: request)
    if request.defect != nil || !request.isHTTP11 || request.list("connection").contains("close")
      || core.isDraining
    {
      response.closes = true
    }
    return send(response, to: request, socket)
  }

  /// Whether the library may have read the body together with an earlier request.
  ///
  /// It would look for the body at the wrong place then, and never return (<doc:LibraryWeaknesses>). The first request of a
  /// connection is never read so, nor one that comes later than what was read ahead is looked at.
  private func mayHaveReadAhead(_ socket: LWSSocket) -> Bool {
    hasAnswered && socket.hasReadAhead ?? (currentSecond &- answeredSecond <= 1)
  }

  /// Notes that a request is answered, and that the library may read the next one.
  func noteAnswer() {
    hasAnswered = true
    answeredSecond = currentSecond
  }

  private var currentSecond: UInt16 { UInt16(truncatingIfNeeded: core.loop.now.components.seconds) }

  private func note(_ response: HTTPResponse, to request: HTTPRequest) {
    core.statistics.requests += 1
    core.log(
      .debug, "request",
      ["path": request.loggedPath, "status": "\(response.status)", "address": request.remoteAddress])
  }

  /// What becomes of a plain request.
  private enum PlainAnswer {
    case now(HTTPResponse)
    case later
    /// Its peer was refused too often: the socket is closed.
    case dropped
  }

  private func plainAnswer(to request: HTTPRequest) -> PlainAnswer {
    guard let passage = core.passage(of: request) else { return .dropped }
    if case .refused(let refusal) = passage {
      logRefusal(refusal, of: request, event: "refused")
      var response = refusal.response
      response.closes = true
      return .now(response)
    }
    var verdict: HandshakeVerdict??
    core.refuseWithoutHandshake(request) { [self] decision in
      if case .answering = phase {
        decided(decision ?? .refused(.upgradeRequired), about: request)
      } else {
        verdict = .some(decision)
      }
    }
    var response: HTTPResponse
    switch verdict {
    case .refused(let refusal)??:
      logPlainRefusal(refusal, of: request)
      response = refusal.response
    case .dropped??:
      countDropped(request)
      return .dropped
    case .accepted??, .some(nil):
      response = core.site.response(
        to: request, readiness: core.isDraining ? .restarting : core.readiness)
    case nil:
      phase = .answering
      core.awaitDecision(about: request, of: self)
      return .later
    }
    if case .remembered(let header) = passage { response.headers.append(header) }
    return .now(response)
  }

  /// It is known now why the handshake of a plain request would fail, or that it would not.
  private func answerLate(_ request: HTTPRequest, by refusal: HTTPRefusal) {
    logPlainRefusal(refusal, of: request)
    var response = refusal.response
    response.closes = true
    note(response, to: request)
    phase = .http
    let body = request.method == .head ? [] : response.body
    self.response = PendingResponse(body: head(of: response, to: request) + body, sentBytes: 0, closes: true)
    socket?.askWritable()
  }

  /// A request wants to become a WebSocket.
  ///
  /// - Returns: Whether the library answers the handshake, or closes the socket.
  func upgradeRequested(_ socket: LWSSocket) -> LWSVerdict {
    self.socket = socket
    hasRequested = true
    let request = core.request(of: socket, self)
    pay(as: request.addresses)
    var verdict: HandshakeVerdict?
    core.admit(request) { [self] decision in
      // Later it is a matter of frames: the library wants its answer at once.
      if case .http = phase { verdict = decision } else { decided(decision, about: request) }
    }
    switch verdict {
    case .accepted(_, let admitted)?:
      if let refused = core.takePlace(for: admitted.peers) { verdict = refused }
    // Whoever has to wait counts already.
    case nil: verdict = core.takePlace(for: request.addresses)
    case .refused, .dropped: break
    }
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
      countDropped(request)
      return .close
    case nil:
      remoteAddress = request.remoteAddress
      peers = request.addresses
      phase = .asking
      core.awaitDecision(about: request, of: self)
      return .keep
    }
  }

  /// It is known who it is, or that nobody will know, and the handshake is answered already.
  ///
  /// - Parameters:
  ///   - verdict: The decision; it has no effect on a connection that has ended, or been told another one.
  ///   - request: The handshake, for the log.
  func decided(_ verdict: HandshakeVerdict, about request: HTTPRequest) {
    let isOpen: Bool
    switch phase {
    case .asking: isOpen = false
    case .deciding: isOpen = true
    case .answering:
      switch verdict {
      case .accepted: break
      case .refused(let refusal): answerLate(request, by: refusal)
      case .dropped: drop(request)
      }
      return
    default: return
    }
    var verdict = verdict
    if case .accepted(_, let admitted) = verdict, let refused = core.count(self, as: admitted.peers) {
      verdict = refused
    }
    switch verdict {
    case .accepted(let service, let request):
      if isOpen { begin(service, request) } else { phase = .opening(service, request) }
    case .refused(let refusal):
      logRefusal(refusal, of: request)
      if isOpen { tell(refusal) } else { phase = .refused(refusal) }
    case .dropped: drop(request)
    }
  }

  /// Tells an open connection that it may not stay, and closes it.
  func tell(_ refusal: HTTPRefusal) {
    controlFrames += refusal.frame
    close(refusal.end)
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

  func head(of response: HTTPResponse, to request: HTTPRequest) -> [UInt8] {
    let configuration = core.configuration
    return response.head(
      host: request.headers["host"], security: configuration.securityHeaders,
      isSecure: configuration.certificateFiles != nil, isHTTP11: request.isHTTP11)
  }

  private func logRefusal(
    _ refusal: HTTPRefusal, of request: HTTPRequest, event: String = "handshake refused"
  ) {
    let peer = refusal.peer?.text ?? peerName(of: request)
    let place = [("path", request.loggedPath), ("address", request.remoteAddress)]
    let reason = refusal.reason ?? refusal.code
    guard refusal.code == "origin-not-allowed" else {
      return core.refused(reason, event: event, of: peer, [("code", refusal.code)] + place)
    }
    let origin = request.headers["origin"].map { [("origin", $0), ("allow-with", "--allow-origin \($0)")] }
    core.refused(
      reason, .warning, event: "origin refused", of: peer,
      (origin ?? []) + [("message", refusal.sentence)] + place)
  }

  /// Whoever is told how to connect is refused nothing.
  private func logPlainRefusal(_ refusal: HTTPRefusal, of request: HTTPRequest) {
    if refusal != .upgradeRequired { logRefusal(refusal, of: request, event: "request refused") }
  }

  private func countDropped(_ request: HTTPRequest) {
    core.refused("closed-unanswered", of: peerName(of: request), [("address", request.remoteAddress)])
  }

  private func drop(_ request: HTTPRequest) {
    countDropped(request)
    kill()
  }

  private func peerName(of request: HTTPRequest) -> String {
    request.addresses.first?.text ?? request.remoteAddress
  }

  private func send(_ response: HTTPResponse, to request: HTTPRequest, _ socket: LWSSocket) -> LWSVerdict {
    let head = head(of: response, to: request)
    let body = request.method == .head ? [] : response.body
    let first = body.prefix(Self.responsePieceBytes)
    guard (head + first).withUnsafeBytes({ socket.write($0) }) else { return .close }
    let pending = PendingResponse(body: body, sentBytes: first.count, closes: response.closes)
    return finishOrContinue(pending, socket)
  }

  func continueResponse(_ socket: LWSSocket) -> LWSVerdict {
    guard var pending = response else { return .keep }
    if !socket.hasUnsentBytes {
      let end = min(pending.body.count, pending.sentBytes + Self.responsePieceBytes)
      let isWritten = pending.body.withUnsafeBytes {
        socket.write(UnsafeRawBufferPointer(rebasing: $0[pending.sentBytes..<end]))
      }
      guard isWritten else { return .close }
      pending.sentBytes = end
    }
    return finishOrContinue(pending, socket)
  }

  private func finishOrContinue(_ pending: PendingResponse, _ socket: LWSSocket) -> LWSVerdict {
    // The library's copy counts until the kernel has taken it.
    guard pending.sentBytes < pending.body.count || socket.hasUnsentBytes else {
      response = nil
      pay(as: socketPeers)
      noteAnswer()
      return pending.closes || core.isDraining ? .close : socket.completeResponse()
    }
    response = pending
    socket.extendResponseTimeout(seconds: responsePieceSeconds)
    socket.askWritable()
    return .keep
  }
}
