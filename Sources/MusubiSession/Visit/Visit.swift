// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// One page on one connection: what waits for it, and which session it shows.
final class Visit {
  /// Where the visit is in its life.
  enum Phase {
    /// It said `resume=1`, and its first frame must be `resume`.
    case awaitingResume
    /// It serves its session.
    case open
    /// It gets its waiting frames and is closed; its messages are ignored.
    case closing
  }

  /// The page's connection, which owns the visit; nil once it has gone.
  unowned var connection: (any ConnectionHandle)?
  /// Its request; nil once it is served, so that an idle connection does not keep it.
  @Boxed private(set) var request: ConnectionRequest?
  var session: Session?
  /// Whether it follows two-way texts by edits.
  let followsEdits: Bool
  var phase: Phase
  /// Whether its page has come back to its session, and shows something already.
  var hasResumed = false
  /// Whether it is not read from for a while, because its session sent too much.
  var isThrottled = false
  /// Whether it waits in its room's queue for a share of the loop.
  var isWaiting = false
  /// Whether the connection knows that bytes wait.
  private var isWoken = false
  /// Whether what it sends waits for so long that it goes with the connection, and comes again with the next.
  var keepsHeld = false
  /// Messages that have arrived, and whose turn has not come.
  var held = HeldMessages()
  // Unchecked: the checks would be 4 % of an event.
  @exclusivity(unchecked) private var outbox = Outbox()
  private var last: [UInt8] = []
  /// The values that the page hands over; nil if it may not, because its session was there to be resumed, or has done so.
  var handOver: HandOver?
  let loop: SessionLoop
  /// When its connection asked to be let in, on the loops' monotonic clock.
  let since: Duration
  /// The bytes that wait between the page and its session; nil while they are few.
  private(set) var backlog: Backlog?
  /// The state that has to be stored before anything goes out: the session, or its new token.
  var awaited: Awaited?
  /// The frame that goes out before all others.
  private var greeting: [UInt8] = []

  /// The answer to a page when its session is stored.
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

  init(_ connection: any ConnectionHandle, _ request: ConnectionRequest, _ phase: Phase, _ loop: SessionLoop)
  {
    self.connection = connection
    self.request = request
    self.phase = phase
    self.loop = loop
    since = request.askedAt
    followsEdits = request.query["edits"] == "1"
  }

  /// It serves a session from now on.
  func serve(_ session: Session) {
    self.session = session
    phase = .open
    request = nil
    loop.sessions.charge(session)
    connection?.served()
  }

  /// Counts what waits between the page and its session; small amounts are not worth counting.
  private func countWaiting() {
    guard abs(outboxBytes + (backlog?.bytes ?? 0) - (backlog?.charge.bytes ?? 0)) >= 4_096 else { return }
    if phase != .closing { countBacklog { _ in } }
  }

  /// Changes what waits beside the outbox, and has the visitor pay for it.
  private func countBacklog(_ change: (Backlog) -> Void) {
    let backlog = backlog ?? Backlog(session?.charge.owner ?? loop.memory.owner(request?.peers ?? []))
    change(backlog)
    let bytes = outboxBytes + backlog.bytes
    backlog.charge.set(bytes)
    self.backlog = bytes < 4_096 ? nil : backlog
  }

  func buffered(_ bytes: Int) {
    guard abs(bytes - (backlog?.connectionBytes ?? 0)) >= 4_096, phase != .closing else { return }
    countBacklog { $0.connectionBytes = bytes }
  }

  /// Messages have come to wait for their turn, or have had it.
  func countHeld() {
    guard abs(held.bytes - (backlog?.heldBytes ?? 0)) >= 4_096, phase != .closing else { return }
    countBacklog { $0.heldBytes = held.bytes }
  }

  /// Values are handed over, or were taken.
  func countHanded() {
    let bytes = handOver?.heapBytes ?? 0
    guard abs(bytes - (backlog?.handedBytes ?? 0)) >= 4_096, phase != .closing else { return }
    countBacklog { $0.handedBytes = bytes }
  }

  /// Some screen has news for the page's visitor alone, which waits there.
  func hasNews() {
    let bytes = session?.members.reduce(0) { $0 + ($1.news?.heapBytes ?? 0) } ?? 0
    if abs(bytes - (backlog?.newsBytes ?? 0)) >= 4_096, phase != .closing {
      countBacklog { $0.newsBytes = bytes }
    }
    wake()
  }

  /// Queues a frame for this connection alone.
  ///
  /// - Parameters:
  ///   - member: The screen on whose turns it depends; nil if it may go out at once.
  ///   - position: The turn of that screen after which it is sent, and before the next one.
  ///   - write: Writes the frame.
  func queue(for member: Member? = nil, after position: Int = 0, _ write: (inout ByteBuffer) -> Void) {
    outbox.append(at: place(of: member, position), write)
    countWaiting()
    wake()
  }

  /// Queues a frame that goes out before all others.
  func greet(_ write: (inout ByteBuffer) -> Void) {
    greeting = [UInt8](writing: write)
    wake()
  }

  /// Queues an acknowledgement.
  func queueAck(_ number: Int, for member: Member, after position: Int) {
    outbox.appendAck(number, at: place(of: member, position))
    wake()
  }

  /// Queues the acknowledgement of an edit.
  func queueAck(_ number: Int, revision: Int, for member: Member, after position: Int) {
    outbox.appendAck(number, revision: revision, at: place(of: member, position))
    wake()
  }

  private func place(of member: Member?, _ position: Int) -> Outbox.Place {
    let gate = if let member { member.session.saving?.gate } else { session?.saving?.gate }
    return Outbox.Place(screen: member?.screen ?? 0, after: position, gate: gate ?? 0)
  }

  /// Tells the connection, once until the bytes are fetched.
  func wake() {
    guard !isWoken else { return }
    isWoken = true
    connection?.wake()
  }

  /// Queues a frame that goes out when everything else has: an answer to it knows all that was there before.
  func queueLast(_ write: (inout ByteBuffer) -> Void) {
    last = last + [UInt8](writing: write)
    wake()
  }

  /// The bytes that wait for this connection alone.
  var outboxBytes: Int { outbox.bytes + last.count }

  /// Ends the connection after what waits.
  func close(_ end: ConnectionEnd) {
    guard phase != .closing else { return }
    phase = .closing
    forgetBacklog()
    connection?.close(end)
  }

  /// It ends, and what waits goes with it.
  func forgetBacklog() { backlog = nil }

  /// Hands out what waits: frames of its own and turns, in the order in which they came to be.
  ///
  /// - Parameters:
  ///   - sink: Who takes them.
  ///   - limit: No further frame is started once this many bytes were handed out.
  /// - Returns: Whether more waits.
  func write(into sink: inout some FrameSink & ~Copyable, limit: Int) -> Bool {
    loop.finishTurns()
    isWoken = false
    guard awaited == nil else { return false }
    defer { countWaiting() }
    let session = session
    let end = sink.count + limit
    if !greeting.isEmpty {
      sink.append(own: greeting)
      greeting = []
    }
    var isHeld = false
    while let next = outbox.next {
      if next.gate > 0, session.map({ $0.saving?.isOpen(next.gate) == false }) ?? true {
        isHeld = true
        break
      }
      // Its screen's earlier turns go first. An answer from before a snapshot is part of it, and needs no
      // turns.
      if let member = session?.member(showing: next.screen), !member.isBehind(followsEdits) {
        guard takeTurns(of: member, through: next.after, until: end, into: &sink) else { return pause() }
      }
      guard sink.count < end else { return pause() }
      outbox.takeNext(into: &sink)
    }
    var isWaiting = false
    for member in session?.members ?? [] {
      if member.isBehind(followsEdits) {
        // A snapshot holds all there is, so all has to be saved; and it comes after what tells of its screen.
        guard !isHeld, !hasResumed || !member.room.awaitsModels, member.room.released == member.room.sequence,
          !member.room.isHeldBack
        else {
          isWaiting = true
          continue
        }
        guard sink.count < end else { return pause() }
        member.news?.write(through: .max, screen: member.screen, into: &sink)
        member.takeSnapshot(followsEdits, into: &sink)
      }
      // While an effect holds acknowledgements, a page is not told its own edits as if they were somebody else's.
      let last = isHeld ? outbox.lastBeforeEdit(of: member.screen) ?? .max : .max
      guard takeTurns(of: member, through: last, until: end, into: &sink) else { return pause() }
      if let carets = member.room.carets, member.position == member.room.sequence, !member.room.isHeldBack {
        guard sink.count < end else { return pause() }
        carets.write(for: member, into: &sink)
      }
      guard let news = member.news, news.waits else { continue }
      guard sink.count < end else { return pause() }
      news.write(through: member.position, screen: member.screen, into: &sink)
    }
    if !last.isEmpty, !isWaiting {
      sink.append(own: last)
      last = []
    }
    return false
  }

  /// The page's one screen, if many show it and the page has all that there is for it.
  var levelMember: Member? {
    guard let session, session.members.count == 1, let member = session.members.first,
      member.room.members.count >= member.room.configuration.leastCrowd
    else { return nil }
    guard phase == .open, awaited == nil, !isWoken, greeting.isEmpty, last.isEmpty, outbox.next == nil,
      !member.isBehind(followsEdits), member.position == member.room.released,
      !member.room.isHeldBack, member.news?.waits != true, member.room.carets?.isTold(member) ?? true
    else { return nil }
    return member
  }

  /// More waits, and the connection will come back for it without being woken.
  private func pause() -> Bool {
    isWoken = true
    return true
  }

  /// Hands out the turns up to a position.
  ///
  /// - Returns: Whether all of them fitted.
  private func takeTurns(
    of member: Member, through position: Int, until end: Int, into sink: inout some FrameSink & ~Copyable
  ) -> Bool {
    let room = member.room
    let last = min(position, room.released)
    while member.position < last {
      guard sink.count < end else { return false }
      member.position = room.takeTurns(
        after: member.position, through: last, as: member.encoding(followsEdits), limit: end - sink.count,
        into: &sink)
    }
    return true
  }
}

/// The bytes that wait between a page and its session, and who pays for them.
final class Backlog {
  var charge: Charge
  /// What the connection holds.
  var connectionBytes = 0
  /// Messages whose turn has not come.
  var heldBytes = 0
  /// Values that the page hands over.
  var handedBytes = 0
  /// What screens show for the visitor alone.
  var newsBytes = 0

  init(_ owner: Owner) { charge = Charge(owner) }

  /// What waits beside the outbox.
  var bytes: Int { connectionBytes + heldBytes + handedBytes + newsBytes }
}
