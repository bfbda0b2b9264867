// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

// MARK: - Reading

extension Connection {
  /// Bytes have arrived: all of them are read by one call, and the messages in them are taken where they lie.
  func readable() {
    guard let stream else { return }
    guard answering == nil else { return exchangeReadable() }
    let buffer = core.receiveBuffer
    let count = stream.receive(into: buffer)
    guard count > 0 else {
      if count == 0 { kill() }
      return
    }
    silentRounds = 0
    let arrived = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    guard unread.isEmpty else {
      unread.append(contentsOf: arrived)
      takeUnread()
      return
    }
    let taken = take(arrived)
    guard taken < count, self.stream != nil else { return }
    unread = Array(arrived[taken...])
    tellBuffered()
  }

  /// Tells the handler how many bytes wait here.
  private func tellBuffered() {
    handler?.buffered(unread.capacity + unsent.capacity + reader.keptBytes)
    if answering != nil { recharge() }
  }

  /// Takes the bytes that were held while nothing was read from the connection.
  func takeUnread() {
    guard !unread.isEmpty else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &unread)
    defer { tellBuffered() }
    let taken = bytes.withUnsafeMutableBytes { take($0) }
    guard taken < bytes.count, stream != nil else { return }
    bytes.removeFirst(taken)
    unread = bytes
  }

  /// Takes whole frames.
  ///
  /// - Returns: How many bytes they have.
  private func take(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    var offset = 0
    while offset < bytes.count, isReading, !isThrottled {
      guard !isIgnored, stream != nil else { return bytes.count }
      do throws(WireError) {
        guard let event = try reader.next(in: bytes, at: &offset, maxMessageBytes: maxMessageBytes)
        else { return offset }
        take(event)
      } catch {
        refuse(error.closeCode, error.description)
      }
    }
    return offset
  }

  private func take(_ event: WebSocketReader.Event) {
    switch event {
    case .message(let bytes, let isText): take(message: bytes, isText: isText)
    case .joined(let bytes, let isText):
      bytes.withUnsafeBytes { take(message: $0, isText: isText) }
      tellBuffered()
    case .ping(let payload):
      // Whoever asks without reading the answers gets no more of them.
      guard case .open = phase, controlFrames.count < 4_096 else { return }
      controlFrames += WebSocketFrame.bytes(.pong, payload)
      wake()
    case .close(let code, _): peerCloses(code)
    case .fragment: tellBuffered()
    case .pong: break
    }
  }

  func take(message: UnsafeRawBufferPointer, isText: Bool) {
    // Nobody takes bytes that arrive after the end was asked for.
    guard case .open = phase else { return }
    core.received(self)
    handler?.receive(message, isText: isText)
  }

  /// Reads if both the service and the rates allow it.
  func applyReading() {
    let reads = isReading && !isThrottled
    stream?.watch(reading: reads, writing: isWaitingToWrite)
    if reads, !unread.isEmpty { core.takeUnreadSoon(self) }
  }
}

// MARK: - Ending

extension Connection {
  /// The bytes are no WebSocket's: says why, and waits only for the peer's end.
  func refuse(_ code: CloseCode, _ message: String) {
    core.refused(
      "broken-frame", event: "broken frame", of: peerName, [("connection", "\(id)"), ("message", message)])
    isIgnored = true
    guard isWebSocket else { return }
    if case .closing = phase { return kill() }
    phase = .closing
    core.expectEnd(of: self)
    let frame = WebSocketFrame.bytes(.close, WebSocketFrame.closePayload(code, message))
    frame.withUnsafeBytes { write($0) }
    if unsent.isEmpty { stream?.sendEnd() }
  }

  /// The peer has sent its close frame.
  private func peerCloses(_ code: CloseCode?) {
    guard isWebSocket else { return }
    isIgnored = true
    isLeaving = true
    saidFarewell = code == .goingAway
    if case .closing = phase {
      // It answers ours.
      if unsent.isEmpty { kill() }
      return
    }
    phase = .closing
    let frame = WebSocketFrame.bytes(.close, code.map { WebSocketFrame.closePayload($0) } ?? [])
    frame.withUnsafeBytes { write($0) }
    if unsent.isEmpty { kill() } else { core.expectEnd(of: self) }
  }

  /// Ends the connection at once; not from within one of the library's callbacks for it.
  func kill() {
    // The peer of TLS hears that this is the end, and nobody has cut it off.
    if let stream, stream.isSecure { stream.sendEnd() }
    releaseStream()
    socket?.kill()
  }

  /// Ends the watching of a socket that the library closes.
  func releaseStream() {
    stream?.release()
    stream = nil
  }
}

// MARK: - Writing

extension Connection {
  /// The kernel takes bytes again.
  func writable() {
    guard stream != nil else { return }
    if !unsent.isEmpty {
      var bytes: [UInt8] = []
      swap(&bytes, &unsent)
      bytes.withUnsafeBytes { write($0) }
      tellBuffered()
    }
    guard unsent.isEmpty, stream != nil else { return }
    guard answering == nil else { return continueExchange() }
    if isLeaving { return kill() }
    if isIgnored { stream?.sendEnd() }
    waitToWrite(false)
    // What arrives in this iteration goes out with it.
    wake()
  }

  /// Sends bytes; what the kernel does not take now is kept, and goes first.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard let stream, !bytes.isEmpty else { return }
    guard unsent.isEmpty else {
      unsent.append(contentsOf: bytes)
      return
    }
    let sent = stream.send(bytes)
    guard sent >= 0 else { return kill() }
    guard sent < bytes.count else { return }
    unsent = Array(bytes[sent...])
    tellBuffered()
    waitToWrite(true)
  }

  /// Says whether `writable` is to be called.
  func waitToWrite(_ waits: Bool) {
    guard waits != isWaitingToWrite else { return }
    isWaitingToWrite = waits
    stream?.watch(reading: isReading && !isThrottled, writing: waits)
  }
}
