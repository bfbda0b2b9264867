// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// One WebSocket as the hub sees it: what waits for it, and whose session it serves.
final class Connection {
  /// Where the connection is in its life.
  enum State {
    /// It said `resume=1`, and its first frame must be `resume`.
    case awaitingResume
    /// It serves its session.
    case open
    /// It gets what waits and is closed; what it sends is ignored.
    case closing
  }

  let id: ConnectionID
  /// What it asked for; nil once it is served, so that an idle connection does not keep it.
  private(set) var request: ConnectionRequest?
  /// Whether it follows two-way texts by edits.
  let followsEdits: Bool
  @exclusivity(unchecked) var state: State
  @exclusivity(unchecked) var session: Session?
  @exclusivity(unchecked) private var outbox = Outbox()
  @exclusivity(unchecked) private var last: [UInt8] = []
  private unowned let transport: any Transport
  private let pool: Outbox.Pool
  @exclusivity(unchecked) private var isWoken = false

  init(
    id: ConnectionID, request: ConnectionRequest, state: State, transport: any Transport, pool: Outbox.Pool
  ) {
    self.id = id
    self.request = request
    self.state = state
    self.transport = transport
    self.pool = pool
    followsEdits = request.query["edits"] == "1"
  }

  /// It serves a session from now on.
  func serve(_ session: Session) {
    self.session = session
    state = .open
    request = nil
  }

  /// Queues a frame for this connection alone.
  ///
  /// - Parameters:
  ///   - member: The screen on whose turns it depends; nil if it may go out at once.
  ///   - position: The turn of that screen after which it is sent, and before the next one.
  ///   - write: Writes the frame.
  func queue(for member: Member? = nil, after position: Int = 0, _ write: (inout FrameWriter) -> Void) {
    outbox.append(screen: member?.screen ?? 0, after: position, from: pool, write)
    wake()
  }

  /// Queues an acknowledgement.
  func queueAck(_ number: Int, for member: Member, after position: Int) {
    outbox.appendAck(number, screen: member.screen, after: position, from: pool)
    wake()
  }

  /// Tells the transport, once until the bytes are fetched.
  func wake() {
    guard !isWoken else { return }
    isWoken = true
    transport.wake(id)
  }

  /// Queues a frame that goes out when everything else has: an answer to it knows all that was there before.
  func queueLast(_ write: (inout FrameWriter) -> Void) {
    var writer = FrameWriter()
    write(&writer)
    last += writer.takeBytes()
    wake()
  }

  /// The bytes that wait for this connection alone.
  var outboxBytes: Int { outbox.bytes + last.count }

  /// Ends the connection after what waits.
  func close(_ end: ConnectionEnd) {
    guard state != .closing else { return }
    state = .closing
    transport.close(id, end)
  }

  /// Hands out what waits: frames of its own and turns, in the order in which they came to be.
  ///
  /// - Parameters:
  ///   - limit: No further frame is started once this many bytes were handed out.
  ///   - sink: Who takes them.
  /// - Returns: Whether more waits.
  func take(limit: Int, into sink: inout some FrameSink) -> Bool {
    isWoken = false
    let end = sink.count + limit
    while let next = outbox.first {
      // Its screen's earlier turns go first. What was answered before a snapshot is part of it, and needs no turns.
      if let member = session?.member(showing: next.screen), !member.isBehind(followsEdits) {
        guard takeTurns(of: member, through: next.after, until: end, into: &sink) else { return pause() }
      }
      guard sink.count < end else { return pause() }
      outbox.takeFirst(into: &sink, returningRoomTo: pool)
    }
    for member in session?.members ?? [] {
      if member.isBehind(followsEdits) {
        guard sink.count < end else { return pause() }
        member.takeSnapshot(followsEdits, into: &sink)
      }
      guard takeTurns(of: member, through: .max, until: end, into: &sink) else { return pause() }
    }
    if !last.isEmpty {
      sink.append(own: last)
      last = []
    }
    return false
  }

  /// More waits, and the transport will come back for it without being woken.
  private func pause() -> Bool {
    isWoken = true
    return true
  }

  /// Hands out the turns up to a position.
  ///
  /// - Returns: Whether all of them fitted.
  private func takeTurns(
    of member: Member, through position: Int, until end: Int, into sink: inout some FrameSink
  ) -> Bool {
    let last = min(position, member.room.sequence)
    while member.position < last {
      guard sink.count < end else { return false }
      member.position = member.room.takeTurns(
        after: member.position, through: last, as: member.encoding(followsEdits), limit: end - sink.count,
        into: &sink)
    }
    return true
  }
}
