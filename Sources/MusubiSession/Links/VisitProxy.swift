// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Serves a connection that was accepted here and may be at home on another loop: passes on what goes in and out.
///
/// The `resume` frame of a page that comes back tells where its session lives; until it comes, a visit of this loop waits
/// for it. While nobody knows where a slot is at home, what is to begin there is `delayed`, and not read from.
final class VisitProxy {
  /// Names the connection to other loops.
  let number: Int
  private unowned let gateway: Gateway
  /// The page's connection, which owns the proxy; nil once it has gone.
  private unowned var connection: (any ConnectionHandle)?
  /// Serves the connection while it is at home here, or not known to be at home elsewhere.
  private(set) var visit: Visit?
  /// The way to its home, if that is another loop.
  private var link: LoopLink?
  /// Its request; kept while it may have to begin somewhere else.
  private(set) var request: ConnectionRequest?
  /// Whether its first frame will tell where it is at home.
  private var isUndecided = false
  /// What it serves as soon as somebody knows where; nil unless it waits for that.
  private var delayed: Start?
  /// What has come, while it is open which loop answers it; nil once that is known.
  private var held: [(bytes: [UInt8], isText: Bool)]?
  /// Whether home wants its messages.
  private var isWanted = true
  /// Whether home has to catch up with its messages.
  private var isPaused = false
  /// What of its messages is on the way there.
  private var window = LinkWindow()
  /// Fetched bytes that home was not yet told of.
  private var untoldBytes = 0
  /// What the connection holds, what waits for it here, and how much of that home was told of.
  private var (connectionBytes, waitingBytes, toldBytes) = (0, 0, 0)
  private var waiting: [Piece] = []
  private var start = 0

  /// With whom it gets turns, and its place among them; nil if home counts what it gets.
  var seats: Seats?
  var seat = 0
  /// The bytes of such turns that wait for the socket, and whether home was told that they are many.
  private var turnBytes = 0
  private var isLagging = false
  /// With more of them than this it gets its turns from home alone.
  private static let maxTurnBytes = 32_768

  /// What a connection wants to begin.
  private struct Start {
    let request: ConnectionRequest
    /// Why it begins a session instead of resuming one.
    let refusal: ResumeRefusal?
    /// Where: in this slot, or in any.
    let slot: Int?

    /// Whether it begins with a `resume` frame, which has come already.
    var resumes: Bool { request.resumes && refusal == nil }
  }

  /// Frames from home.
  enum Piece {
    case own([UInt8])
    case shared(SharedFrames)
    /// Turns for an audience, which home does not count.
    case turns(SharedFrames)

    /// The bytes that are there for this connection alone.
    fileprivate var ownBytes: Int { if case .own(let bytes) = self { bytes.count } else { 0 } }

    fileprivate var bytes: [UInt8] {
      switch self {
      case .own(let bytes): bytes
      case .shared(let frames), .turns(let frames): frames.bytes
      }
    }
  }

  init(_ number: Int, _ gateway: Gateway, _ connection: any ConnectionHandle) {
    self.number = number
    self.gateway = gateway
    self.connection = connection
  }

  /// The connection begins a session where its room is at home.
  ///
  /// - Parameters:
  ///   - request: Its request.
  ///   - refusal: Why it begins a session instead of resuming one.
  func begin(_ request: ConnectionRequest, _ refusal: ResumeRefusal? = nil) {
    serve(Start(request: request, refusal: refusal, slot: gateway.slot(of: request)))
  }

  /// The connection has opened, and its first frame will tell which session it resumes.
  func openUndecided(_ request: ConnectionRequest) {
    isUndecided = true
    visit = gateway.sessions.visit(request, self)
  }

  /// Has the connection served where a slot is at home, and waits if nobody knows where that is.
  private func serve(_ start: Start) {
    // It may have waited for long, and what comes to another node by then does not know of it.
    guard !gateway.sessions.isSignedOut(start.request) else {
      held = nil
      return close(.whoNow)
    }
    switch gateway.way(to: start.slot) {
    case .here:
      visit = gateway.sessions.visit(start.request, self, instead: start.refusal)
      release()
    case .link(let link):
      open(start.request, to: link, start.refusal)
      if start.resumes { passResume(start.request) } else { release() }
    case .unknown:
      delayed = start
      if held == nil { held = [] }
      applyReading()
      gateway.delay(self)
    }
  }

  private func open(_ request: ConnectionRequest, to link: LoopLink, _ refusal: ResumeRefusal?) {
    self.link = link
    link.visits[number] = self
    link.batch.items.append(.opened(number, request, refusal: refusal))
    served()
  }

  /// Passes the `resume` frame on, and waits for the answer with what came behind it.
  private func passResume(_ request: ConnectionRequest) {
    self.request = request.withoutHeaders
    // Until it is known who answers, only messages that have arrived together with the frame are read.
    if let frame = held?.removeFirst() { frame.bytes.withUnsafeBytes { send($0, isText: true) } }
    applyReading()
  }

  /// Whether it begins in any slot, as soon as one is known.
  var waitsForAny: Bool { delayed.map { $0.slot == nil } ?? false }

  /// Somebody may know by now where the connection is at home.
  ///
  /// - Returns: Whether it goes on.
  func goOn() -> Bool {
    guard let start = delayed else { return true }
    if case .unknown = gateway.way(to: start.slot) { return false }
    delayed = nil
    serve(start)
    return true
  }

  /// Reads if home wants it, and can keep up.
  private func applyReading() { connection?.setReading(held == nil && isWanted && !isPaused) }
}

// MARK: - From the connection

extension VisitProxy: ConnectionHandler {
  func receive(_ message: UnsafeRawBufferPointer, isText: Bool) {
    if isUndecided {
      isUndecided = false
      if resumesElsewhere(message, isText: isText) { return }
    }
    if held != nil {
      held?.append((Array(message), isText))
      tellBuffered()
    } else if let visit {
      visit.receive(message, isText: isText)
    } else {
      send(message, isText: isText)
    }
  }

  /// Passes a `resume` frame on, if it is one of a session that does not live here.
  private func resumesElsewhere(_ message: UnsafeRawBufferPointer, isText: Bool) -> Bool {
    guard isText, let slot = gateway.slot(ofResume: message), let request = visit?.request else {
      return false
    }
    if case .here = gateway.way(to: slot) { return false }
    visit?.closed(saidFarewell: false)
    visit = nil
    held = [(Array(message), true)]
    serve(Start(request: request, refusal: nil, slot: slot))
    return true
  }

  private func send(_ message: UnsafeRawBufferPointer, isText: Bool) {
    guard let link, link.send(message, isText: isText, from: self, &window), !isPaused else { return }
    isPaused = true
    applyReading()
  }

  func write(into bytes: inout ByteBuffer, limit: Int) -> Bool {
    if let visit { return visit.write(into: &bytes, limit: limit) }
    let before = bytes.count
    let turnBytesBefore = turnBytes
    while start < waiting.count, bytes.count - before < limit {
      bytes.append(contentsOf: waiting[start].bytes)
      waitingBytes -= waiting[start].ownBytes
      if case .turns(let frames) = waiting[start] { turnBytes -= frames.bytes.count }
      start += 1
    }
    tellBuffered()
    untoldBytes += bytes.count - before - (turnBytesBefore - turnBytes)
    if untoldBytes >= ConnectionProxy.windowBytes / 2 {
      link?.batch.items.append(.fetched(number, bytes: untoldBytes))
      untoldBytes = 0
    }
    guard start == waiting.count else { return true }
    waiting.removeAll(keepingCapacity: waiting.capacity <= 4)
    start = 0
    if isLagging { tellLagging(false) }
    return false
  }

  func buffered(_ bytes: Int) {
    connectionBytes = bytes
    if let visit { visit.buffered(bytes) } else { tellBuffered() }
  }

  /// Tells home how much waits here, so that it counts as the visitor's.
  private func tellBuffered() {
    let bytes = connectionBytes + waitingBytes + (held ?? []).reduce(0) { $0 + $1.bytes.count }
    guard abs(bytes - toldBytes) >= 4_096, let link else { return }
    toldBytes = bytes
    link.batch.items.append(.buffered(number, bytes: bytes))
  }

  private func tellLagging(_ isLagging: Bool) {
    self.isLagging = isLagging
    link?.batch.items.append(.lags(number, isLagging))
  }

  func closed(saidFarewell: Bool) {
    seats?.remove(self)
    connection = nil
    visit?.closed(saidFarewell: saidFarewell)
    visit = nil
    if delayed != nil { gateway.stopDelaying(self) }
    (delayed, held) = (nil, nil)
    guard let link else { return }
    link.visits[number] = nil
    link.batch.items.append(.closed(number, saidFarewell: saidFarewell))
    self.link = nil
  }
}

// MARK: - From home

extension VisitProxy {
  /// Home has frames for the connection.
  func arrived(_ piece: Piece) {
    waiting.append(piece)
    waitingBytes += piece.ownBytes
    if case .turns(let frames) = piece {
      turnBytes += frames.bytes.count
      if turnBytes > Self.maxTurnBytes, !isLagging { tellLagging(true) }
    }
    tellBuffered()
    release()
    connection?.wake()
  }

  /// The way home has ended: the page comes back, and finds another one.
  func linkEnded() {
    seats?.remove(self)
    link = nil
    (held, request) = (nil, nil)
    close(.moved)
  }

  /// Home ends the connection.
  func close(_ end: ConnectionEnd) { connection?.close(end) }

  /// Home says whether it wants messages.
  func setReading(_ isReading: Bool) {
    isWanted = isReading
    applyReading()
  }

  /// Home has to catch up with others.
  ///
  /// - Returns: Whether the connection waits for that from now on; false if it did before.
  func pause() -> Bool {
    guard !isPaused else { return false }
    isPaused = true
    applyReading()
    return true
  }

  /// Home has handled what the connection had to wait for.
  func caughtUp(_ link: LoopLink) {
    guard self.link === link else { return }
    isPaused = false
    applyReading()
  }

  /// The session that the page wanted to resume does not exist: it begins one where its room is.
  func move(_ refusal: ResumeRefusal) {
    seats?.remove(self)
    link?.visits[number] = nil
    link = nil
    // Nobody moves twice: two loops may disagree for a moment, and the page comes back when they do not.
    guard let request else { return close(.moved) }
    self.request = nil
    (isWanted, isPaused) = (true, false)
    toldBytes = 0
    window = LinkWindow()
    begin(request, refusal)
  }

  /// It is known who serves the connection: the held messages go there.
  private func release() {
    guard let held else { return }
    self.held = nil
    request = nil
    applyReading()
    for message in held { message.bytes.withUnsafeBytes { receive($0, isText: message.isText) } }
  }
}

// MARK: - From a visit here

extension VisitProxy: ConnectionHandle {
  func wake() { connection?.wake() }

  func served() { connection?.served() }

  func returned() { connection?.returned() }

  func beginsElsewhere(_ request: ConnectionRequest, _ refusal: ResumeRefusal) -> Bool {
    if case .here = gateway.way(to: gateway.slot(of: request)) { return false }
    // What came while it was asked which screens the page may see.
    let held = visit?.held.all ?? []
    visit = nil
    begin(request, refusal)
    for message in held { message.bytes.withUnsafeBytes { receive($0, isText: message.isText) } }
    return true
  }
}
