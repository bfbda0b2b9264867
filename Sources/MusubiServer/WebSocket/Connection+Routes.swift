// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// How long a browser may take for one piece of a response.
private let stallLimit: Duration = .seconds(30)

// MARK: - Requests that the program answers

extension Connection {
  /// A request's head has arrived, and the program has a route for it.
  func begin(_ route: HTTPRoute, _ request: HTTPRequest, _ socket: LWSSocket) -> LWSVerdict {
    let length = request.contentLength ?? 0
    let bytes = route.keptBytes(of: length)
    let place: RequestPlace
    switch core.place(for: request, route) {
    case .success(let taken): place = taken
    case .failure(let refusal): return refuse(request, by: refusal, route)
    }
    guard hasSpace(for: bytes) else {
      return refuse(request, by: .memory(of: request.addresses.first), route)
    }
    let exchange = core.exchange(of: self, route, request, place)
    exchange.charge = charge.map { SocketCharge($0.owner) }
    exchange.charge?.set(bytes)
    guard bytes > 0 else {
      core.bodyArrived(self)
      return .keep
    }
    if route.readsWhileArriving { read(exchange) } else { exchange.request.body.reserveCapacity(bytes) }
    if request.headers["expect"]?.lowercased() == "100-continue" {
      let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
      return goOn.withUnsafeBytes { socket.write($0) } ? .keep : .close
    }
    return .keep
  }

  /// Asks the program before the body has arrived.
  private func read(_ exchange: RouteExchange) {
    exchange.arriving = ArrivingBody()
    exchange.request.arriving = HTTPBody(loop: core.loop, connection: id, exchange: exchange.number)
    ask(exchange)
  }

  /// The program wants the next bytes of a body.
  func readBody(_ reader: CheckedContinuation<[UInt8]?, any Error>) {
    guard let arriving = exchange?.arriving else { return reader.resume(throwing: BrowserHasGone()) }
    // Behind the last byte the next request waits.
    if arriving.take(reader), !arriving.isComplete, stream == nil { socket?.resumeReading() }
  }

  /// A part of a body has arrived.
  func received(body bytes: UnsafeRawBufferPointer) -> LWSVerdict {
    // No other request with a body is answered by anything but an error, which closes.
    guard let exchange else { return .close }
    guard case .receiving = exchange.phase else { return .keep }
    if let arriving = exchange.arriving {
      if arriving.add(bytes) { core.extend(exchange, by: exchange.route.timeLimit) }
      if arriving.isFull { socket?.stopReading() }
      return .keep
    }
    // The library counts, too.
    guard exchange.request.body.count + bytes.count <= exchange.route.maxBodyBytes else { return .close }
    exchange.request.body.append(contentsOf: bytes)
    return .keep
  }

  /// The whole body has arrived.
  func bodyCompleted() -> LWSVerdict {
    guard let exchange else { return .close }
    guard case .receiving = exchange.phase else { return .keep }
    exchange.arriving?.finish()
    core.bodyArrived(self)
    return .keep
  }

  /// Answers a request without asking the program; what may come of its body is dropped.
  private func refuse(
    _ request: HTTPRequest, by refusal: HTTPRefusal, _ route: HTTPRoute
  ) -> LWSVerdict {
    core.refused(
      refusal.reason ?? refusal.code, event: "request refused", of: refusal.peer?.text ?? remoteAddress,
      [("code", refusal.code), ("path", request.loggedPath), ("address", request.remoteAddress)])
    let exchange = core.exchange(of: self, route, request, nil)
    exchange.phase = .answering
    exchange.closes = request.contentLength != 0 && !(request.isLooking && request.contentLength == nil)
    exchange.refusal = refusal.textResponse
    core.bodyArrived(self)
    return .keep
  }

  /// Takes the socket over from the library, and asks the program; not within one of the library's callbacks.
  func askProgram() {
    // The library may report the end of an empty body, too.
    guard let exchange, stream == nil, takeSocketOver() else { return }
    if let refusal = exchange.refusal {
      exchange.refusal = nil
      return answer(refusal)
    }
    core.extend(exchange, by: exchange.route.timeLimit)
    if exchange.arriving == nil { ask(exchange) }
  }

  /// Reads and writes instead of the library; not within one of its callbacks.
  ///
  /// - Returns: Whether the connection goes on.
  private func takeSocketOver() -> Bool {
    guard let exchange, let socket, let libev = core.libev else { return false }
    socket.stopReading()
    socket.clearTimeout()
    stream = socket.makeStream(on: libev, for: self)
    guard stream != nil else {
      kill()
      return false
    }
    isReading = true
    exchange.phase = .answering
    return true
  }

  private func ask(_ exchange: RouteExchange) {
    let (loop, id, number, place) = (core.loop, id, exchange.number, exchange.place)
    var request = exchange.request
    request.place = place
    let (route, asked) = (exchange.route, request)
    exchange.request.body = []
    core.works[number] = exchange
    exchange.task = Task.detached {
      let response = await route.answer(asked)
      loop.command { core in
        core.works[number] = nil
        core.connection(id, in: number)?.answered(response)
      }
      withExtendedLifetime(place) {}
    }
  }

  /// The program has answered, maybe without waiting for the rest of the body: then nothing follows the response.
  private func answered(_ response: HTTPResponse) {
    guard let exchange else { return }
    if case .receiving = exchange.phase {
      exchange.closes = exchange.closes || exchange.arriving?.isComplete == false
      guard takeSocketOver() else { return }
    }
    answer(response)
  }

  /// Begins to send a response.
  func answer(_ response: HTTPResponse) {
    guard let exchange, case .answering = exchange.phase else { return }
    let request = exchange.request
    exchange.charge = nil
    exchange.afterwards = response.afterwards
    var response = response
    // A short answer may be with the kernel at once.
    if response.body.count > Self.responsePieceBytes, !hasSpace(for: response.body.count) {
      let refusal = HTTPRefusal.memory(of: request.addresses.first)
      core.refused(
        HTTPRefusal.memoryReason, event: "answer refused", of: peerName, [("path", request.loggedPath)])
      response = refusal.textResponse
      response.closes = true
    }
    if !request.isHTTP11 || request.list("connection").contains("close") || core.isDraining {
      response.closes = true
    }
    exchange.closes = exchange.closes || response.closes
    response.closes = exchange.closes
    let hasBody = request.method != .head && response.status != 204 && response.status != 304
    if hasBody, let stream = response.stream, stream.length == nil {
      exchange.isChunked = request.isHTTP11
      // Without pieces that say how long they are the end of the connection is the end.
      if !request.isHTTP11 { exchange.closes = true }
    }
    core.log(
      .debug, "request",
      ["path": request.loggedPath, "status": "\(response.status)", "address": request.remoteAddress])
    let head = head(of: response, to: request)
    exchange.phase = .sending
    core.extend(exchange, by: hasBody && response.stream != nil ? exchange.route.timeLimit : stallLimit)
    if hasBody, let stream = response.stream {
      exchange.isStreaming = true
      exchange.streamBytesLeft = stream.length
      run(stream, of: exchange)
    } else if hasBody {
      exchange.rest = response.body[...]
      exchange.restBytes = response.body.count
    }
    head.withUnsafeBytes { write($0) }
    continueExchange()
    closeIfTooMuchWaits()
  }

  /// Ends an answer that nobody reads, if its peer holds as much of the memory as it may.
  func closeIfTooMuchWaits() {
    guard let exchange, exchange.waitingBytes + unsent.count > 0, charge?.owner.allowance == 0 else { return }
    core.refused(
      HTTPRefusal.memoryReason, event: "answer ended", of: peerName, [("path", exchange.request.loggedPath)])
    kill()
  }

  /// Sends what the kernel takes.
  func continueExchange() {
    guard let exchange, case .sending = exchange.phase else { return }
    defer { recharge() }
    while stream != nil, unsent.isEmpty {
      if !exchange.rest.isEmpty {
        let piece = exchange.rest.prefix(Self.responsePieceBytes)
        exchange.rest = exchange.rest.dropFirst(Self.responsePieceBytes)
        core.extend(exchange, by: stallLimit)
        piece.withUnsafeBytes { write($0) }
      } else if !exchange.pieces.isEmpty {
        let (bytes, written) = exchange.pieces.removeFirst()
        core.extend(exchange, by: exchange.route.timeLimit)
        exchange.framed(bytes).withUnsafeBytes { write($0) }
        // The next piece waits until the kernel has taken this one.
        written.resume()
      } else {
        if exchange.isStreaming { waitToWrite(false) } else { finishExchange() }
        return
      }
    }
  }

  /// All of the response is with the kernel.
  private func finishExchange() {
    guard let exchange, let socket else { return }
    exchange.afterwards = nil
    waitToWrite(false)
    guard exchange.closes || core.isDraining else {
      self.exchange = nil
      exchange.end()
      releaseStream()
      isReading = true
      pay(as: socketPeers)
      noteAnswer()
      socket.resumeReading()
      if socket.completeResponse() == .close { kill() }
      return
    }
    exchange.phase = .lingering
    exchange.task = nil
    core.extend(exchange, by: core.configuration.closeTimeout)
    isReading = true
    stream?.sendEnd()
    stream?.watch(reading: true, writing: false)
  }

  // MARK: - What happens to the socket meanwhile

  /// Something has arrived, or the browser has gone.
  func exchangeReadable() {
    guard let exchange, let stream else { return }
    if case .lingering = exchange.phase {
      // Whoever goes on sending is cut off by the deadline.
      if stream.receive(into: core.receiveBuffer) == 0 { kill() }
      return
    }
    guard !stream.hasEnded else { return kill() }
    // The next request: the library reads it when this one is answered.
    isReading = false
    stream.watch(reading: false, writing: isWaitingToWrite)
  }

  /// The time of an exchange is over.
  func exchangeExpired() {
    guard let exchange else { return }
    switch exchange.phase {
    case .receiving:
      exchange.closes = true
      exchange.task?.cancel()
      exchange.arriving?.end()
      exchange.refusal = .text(408, "The request did not arrive in time.")
      askProgram()
    case .answering:
      exchange.task?.cancel()
      var response = HTTPResponse.text(503, "The answer took too long; try again in a moment.")
      response.headers.append((name: "Retry-After", value: "10"))
      core.refused(
        "route-timeout", .warning, event: "answer too late", of: peerName,
        [("path", exchange.request.loggedPath)])
      answer(response)
    case .sending, .lingering: kill()
    }
  }

  /// The socket is gone, and with it whoever waited.
  func endExchange() {
    guard let exchange else { return }
    self.exchange = nil
    exchange.end()
  }
}
