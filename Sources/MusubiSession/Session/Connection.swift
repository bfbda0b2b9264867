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
  let request: ConnectionRequest
  /// Whether it follows two-way texts by edits.
  let followsEdits: Bool
  var state: State
  var session: Session?
  private(set) var outbox = Outbox()
  private unowned let transport: any Transport
  private var isWoken = false

  init(id: ConnectionID, request: ConnectionRequest, state: State, transport: any Transport) {
    self.id = id
    self.request = request
    self.state = state
    self.transport = transport
    followsEdits = request.query["edits"] == "1"
  }

  /// Queues a frame for this connection alone.
  ///
  /// - Parameters:
  ///   - position: The turn of screen 0 after which it is sent, and before the next one.
  ///   - write: Writes the frame.
  func queue(after position: Int = 0, _ write: (inout FrameWriter) -> Void) {
    var writer = FrameWriter()
    write(&writer)
    outbox.append(writer.bytes, after: position)
    wake()
  }

  /// Queues an acknowledgement; one that waits already is replaced, since the newer one says more.
  func queueAck(_ number: Int, after position: Int) {
    outbox.appendAck(number, after: position)
    wake()
  }

  /// Tells the transport, once until the bytes are fetched.
  func wake() {
    guard !isWoken else { return }
    isWoken = true
    transport.wake(id)
  }

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
    guard let session else { return outbox.take(through: .max, until: end, into: &sink) }
    for member in session.members {
      if take(of: member, until: end, into: &sink) {
        isWoken = true
        return true
      }
    }
    return false
  }

  private func take(of member: Member, until end: Int, into sink: inout some FrameSink) -> Bool {
    let room = member.room
    if !member.needsSnapshot, !room.log.reaches(back: member.position) { member.needsSnapshot = true }
    if member.needsSnapshot {
      // What was answered before the snapshot is part of it, so the answers come first.
      if outbox.take(through: .max, until: end, into: &sink) { return true }
      member.needsSnapshot = false
      member.position = room.sequence
      var writer = FrameWriter(capacity: 256)
      writer.snapshot(room.snapshot, screen: member.screen)
      sink.append(own: writer.bytes)
    }
    while true {
      if outbox.take(through: member.position, until: end, into: &sink) { return true }
      guard member.position < room.sequence else { return false }
      guard sink.count < end else { return true }
      // An answer that waits between two turns must stay between them.
      let last = min(outbox.nextPosition ?? .max, room.sequence)
      member.position = room.takeTurns(
        after: member.position, through: last, followingEdits: followsEdits, screen: member.screen,
        until: end, into: &sink)
    }
  }
}
