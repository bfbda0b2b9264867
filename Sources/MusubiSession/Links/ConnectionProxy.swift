// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Stands for a connection that another loop has accepted: hands what its visit has for it to the link.
///
/// Hands out frames only as far as the window allows; the other loop tells what the socket has taken.
final class ConnectionProxy {
  private let number: Int
  private unowned let link: LoopLink
  private unowned let gateway: Gateway
  /// Who serves the connection here; nil while it begins, and when it has gone.
  private(set) var visit: Visit?
  /// Bytes that were handed out and not yet fetched by the socket.
  private var bytesUnderWay = 0
  /// How it ends; nil while it does not.
  private var end: ConnectionEnd?
  /// Whether it was told so.
  private var hasEnded = false
  private var isAwake = false
  /// The audience in which it gets the turns of its screen; nil if it gets them alone.
  private var seat: (audience: Audience, member: Member)?
  /// Whether its socket has not taken what it got in an audience.
  private var isLagging = false

  /// How many bytes may be under way.
  static let windowBytes = 65_536

  init(_ number: Int, _ link: LoopLink, _ gateway: Gateway) {
    self.number = number
    self.link = link
    self.gateway = gateway
  }

  /// The connection has opened.
  func open(_ request: ConnectionRequest, _ refusal: ResumeRefusal?) {
    visit = gateway.sessions.visit(request, self, instead: refusal)
  }

  /// So many bytes were handed to the socket.
  func fetched(_ bytes: Int) {
    bytesUnderWay -= bytes
    if seat == nil { wake() }
  }

  /// Its socket does not take all that waits for it, or has taken it.
  func lags(_ isLagging: Bool) {
    self.isLagging = isLagging
    wake()
  }

  /// The connection has gone.
  func closed(saidFarewell: Bool) {
    leaveAudience()
    // Its visit handles what was held back, and tells it of the answers.
    visit?.closed(saidFarewell: saidFarewell)
    visit = nil
  }

  /// Puts what waits into the batch.
  func handOut() {
    isAwake = false
    guard let visit, !hasEnded else { return }
    // Its last bytes go out whatever the window is, since the close frame waits behind them.
    let limit = end == nil ? Self.windowBytes - bytesUnderWay : Self.windowBytes
    guard limit > 0 else { return }
    var sink = LinkSink(link, number)
    _ = visit.write(into: &sink, limit: limit)
    bytesUnderWay += sink.count
    guard let end else { return applyForSeat() }
    hasEnded = true
    link.batch.items.append(.close(number, end))
  }

  // MARK: - Audiences

  private func applyForSeat() {
    guard Place.isRemote(link.other), !isLagging, let visit, let member = visit.levelMember else { return }
    link.apply(self, for: member.room.audience(on: link, member.encoding(visit.followsEdits)))
  }

  /// Joins an audience, if it has all that its members have.
  func enter(_ audience: Audience) {
    guard seat == nil, let member = visit?.levelMember, member.join(audience) else { return }
    seat = (audience, member)
    link.batch.items.append(.seat(number, audience: audience.number))
  }

  /// Gets the turns of its screen alone from now on.
  func leaveAudience() {
    guard let (audience, member) = seat else { return }
    seat = nil
    link.batch.items.append(.unseat(number, audience: audience.number))
    // Its session may have another connection by now, or have gone.
    if member.audience === audience { member.leaveAudience() }
  }
}

extension ConnectionProxy: ConnectionHandle {
  func wake() {
    guard !isAwake else { return }
    isAwake = true
    link.awake.append(self)
  }

  func close(_ end: ConnectionEnd) {
    // Behind a link that stands still a page has not heard yet why it is to go, and cannot be late.
    guard self.end == nil || hasEnded else { return }
    self.end = end
    // One that has not gone although it was told to is told again.
    hasEnded = false
    wake()
  }

  func setReading(_ isReading: Bool) { link.batch.items.append(.reading(number, isReading)) }

  func returned() { link.batch.items.append(.returned(number)) }

  func beginsElsewhere(_ request: ConnectionRequest, _ refusal: ResumeRefusal) -> Bool {
    // A screen of one visitor begins where its page is, if it can.
    guard !gateway.isHome(of: request) else { return false }
    link.connections[number] = nil
    link.batch.items.append(.moved(number, refusal))
    return true
  }
}

/// The frames that a connection of another loop gets, on their way into the batch.
private struct LinkSink: FrameSink {
  static let shares = true

  private unowned let link: LoopLink
  private let number: Int
  private(set) var count = 0
  /// The last item that concerns this connection; what follows must not come before it.
  private var lastItem = -1

  init(_ link: LoopLink, _ number: Int) {
    self.link = link
    self.number = number
  }

  mutating func write(_ body: (inout ByteBuffer) -> Void) {
    var frames = ByteBuffer()
    body(&frames)
    append(own: frames.bytes)
  }

  mutating func append(own frames: UnsafeBufferPointer<UInt8>) {
    let begin = link.batch.bytes.count
    link.batch.bytes.append(contentsOf: frames)
    let end = link.batch.bytes.count
    count += end - begin
    let newest = link.batch.items.count - 1
    if lastItem >= 0, lastItem == newest, case .own(_, let range) = link.batch.items[newest] {
      link.batch.items[newest] = .own(number, range.lowerBound..<end)
      return
    }
    link.batch.items.append(.own(number, begin..<end))
    lastItem = newest + 1
  }

  mutating func append(_ frames: SharedFrames) {
    count += frames.bytes.count
    lastItem = link.batch.add(number, to: frames, after: lastItem)
  }
}
