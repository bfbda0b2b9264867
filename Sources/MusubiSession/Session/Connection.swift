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
  @Rare private(set) var request: ConnectionRequest?
  @exclusivity(unchecked) var session: Session?
  /// Whether it follows two-way texts by edits.
  let followsEdits: Bool
  @exclusivity(unchecked) var state: State
  /// Whether it is not read from for a while, because its session sent too much.
  @exclusivity(unchecked) var isThrottled = false
  /// Whether it waits in its room's queue for a share of the loop.
  @exclusivity(unchecked) var isWaiting = false
  /// Whether the transport knows that bytes wait.
  @exclusivity(unchecked) private var isWoken = false
  /// Messages that have arrived, and whose turn has not come.
  var held = HeldMessages()
  @exclusivity(unchecked) private var outbox = Outbox()
  @exclusivity(unchecked) private var last: [UInt8] = []
  /// Nil if the page may not tell of its texts, because its session was there to be resumed.
  var restoring: Restoring?
  // Not counted: the hub owns its connections.
  private let hub: Unmanaged<Hub>
  /// What has to be stored before anything goes out: the session, or its new token.
  @exclusivity(unchecked) var awaited: Awaited?
  /// The frame that goes out before all others.
  @exclusivity(unchecked) private var greeting: [UInt8] = []

  /// What a page tells whose session could not be resumed.
  final class Restoring {
    /// What it has told of its texts so far.
    var texts: [ClientFrame.Restore] = []
    /// The token of the session that began here, for its second `hello`.
    var token: String?
  }

  /// What a page is told when its session is stored.
  final class Awaited {
    /// The frame that is answered then; nil if the session is a new one.
    let resume: ClientFrame.Resume?
    /// The session's new token.
    let token: String

    init(resume: ClientFrame.Resume? = nil, token: String = "") {
      self.resume = resume
      self.token = token
    }
  }

  init(id: ConnectionID, request: ConnectionRequest, state: State, hub: Hub) {
    self.id = id
    self.request = request
    self.state = state
    self.hub = .passUnretained(hub)
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
    outbox.append(at: place(of: member, position), from: pool, write)
    wake()
  }

  /// Queues a frame that goes out before all others.
  func greet(_ write: (inout FrameWriter) -> Void) {
    var writer = FrameWriter()
    write(&writer)
    greeting = writer.takeBytes()
    wake()
  }

  /// Queues an acknowledgement.
  func queueAck(_ number: Int, for member: Member, after position: Int) {
    outbox.appendAck(number, at: place(of: member, position), from: pool)
    wake()
  }

  /// Queues the acknowledgement of an edit.
  func queueAck(_ number: Int, revision: Int, for member: Member, after position: Int) {
    outbox.appendAck(number, revision: revision, at: place(of: member, position), from: pool)
    wake()
  }

  private var pool: Outbox.Pool { hub._withUnsafeGuaranteedRef { $0.scratch.outboxes } }

  private func place(of member: Member?, _ position: Int) -> Outbox.Place {
    let gate = if let member { member.withSession { $0.saving?.gate } } else { session?.saving?.gate }
    return Outbox.Place(screen: member?.screen ?? 0, after: position, gate: gate ?? 0)
  }

  /// Tells the transport, once until the bytes are fetched.
  func wake() {
    guard !isWoken else { return }
    isWoken = true
    hub._withUnsafeGuaranteedRef { $0.transport.wake(id) }
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
    hub._withUnsafeGuaranteedRef { $0.transport.close(id, end) }
  }

  /// Hands out what waits: frames of its own and turns, in the order in which they came to be.
  ///
  /// - Parameters:
  ///   - limit: No further frame is started once this many bytes were handed out.
  ///   - sink: Who takes them.
  /// - Returns: Whether more waits.
  func take(limit: Int, into sink: inout some FrameSink) -> Bool {
    isWoken = false
    guard awaited == nil else { return false }
    let session = session
    let end = sink.count + limit
    if !greeting.isEmpty {
      sink.append(own: greeting)
      greeting = []
    }
    var isHeld = false
    while let next = outbox.first {
      if next.gate > 0, session.map({ $0.saving?.isOpen(next.gate) == false }) ?? true {
        isHeld = true
        break
      }
      // Its screen's earlier turns go first. What was answered before a snapshot is part of it, and needs no turns.
      if let member = session?.member(showing: next.screen), !member.isBehind(followsEdits) {
        guard takeTurns(of: member, through: next.after, until: end, into: &sink) else { return pause() }
      }
      guard sink.count < end else { return pause() }
      outbox.takeFirst(into: &sink, returningRoomTo: pool)
    }
    var isWaiting = false
    var index = 0
    while let session, let member = session.members.at(index) {
      index += 1
      if member.isBehind(followsEdits) {
        // A snapshot holds all there is, so all has to be saved; and it comes after what tells of its screen.
        guard !isHeld, member.room.released == member.room.sequence else {
          isWaiting = true
          continue
        }
        guard sink.count < end else { return pause() }
        member.takeSnapshot(followsEdits, into: &sink)
      }
      guard takeTurns(of: member, through: .max, until: end, into: &sink) else { return pause() }
    }
    if !last.isEmpty, !isWaiting {
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
    let last = min(position, member.room.released)
    while member.position < last {
      guard sink.count < end else { return false }
      member.position = member.room.takeTurns(
        after: member.position, through: last, as: member.encoding(followsEdits), limit: end - sink.count,
        into: &sink)
    }
    return true
  }
}
