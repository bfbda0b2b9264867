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

  /// Appends what waits: frames of its own and turns, in the order in which they came to be.
  ///
  /// - Parameters:
  ///   - limit: No further frame is started once this many bytes were appended.
  ///   - bytes: Where to append.
  /// - Returns: Whether more waits.
  func takeBytes(limit: Int, into bytes: inout [UInt8]) -> Bool {
    isWoken = false
    let end = bytes.count + limit
    guard let session else { return outbox.take(through: .max, until: end, into: &bytes) }
    for member in session.members {
      if takeBytes(of: member, until: end, into: &bytes) {
        isWoken = true
        return true
      }
    }
    return false
  }

  private func takeBytes(of member: Member, until end: Int, into bytes: inout [UInt8]) -> Bool {
    let room = member.room
    if !member.needsSnapshot, !room.log.reaches(back: member.position) { member.needsSnapshot = true }
    if member.needsSnapshot {
      // What was answered before the snapshot is part of it, so the answers come first.
      if outbox.take(through: .max, until: end, into: &bytes) { return true }
      member.needsSnapshot = false
      member.position = room.sequence
      for index in room.texts.indices { member.bridges[index].restart(at: room.texts[index].revision) }
      var writer = FrameWriter(capacity: 256)
      writer.snapshot(room.snapshot, screen: member.screen)
      bytes += writer.bytes
    }
    while true {
      if outbox.take(through: member.position, until: end, into: &bytes) { return true }
      guard let turn = room.log.turn(after: member.position) else { return false }
      guard bytes.count < end else { return true }
      turn.append(followingEdits: followsEdits, screen: member.screen, to: &bytes)
      member.position = turn.sequence
    }
  }
}
