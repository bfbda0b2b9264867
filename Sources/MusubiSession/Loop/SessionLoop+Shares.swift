// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Overload: sessions that send too much are read from more slowly, and no room keeps the loop from the others.
///
/// A message whose turn has not come is held, and its connection is not read from until it has: the rest waits where it
/// comes from. Within a room connections are served in rotation, one message each; between rooms each iteration
/// gives everybody a share.
extension SessionLoop {
  /// Whether a message of a visit has to wait.
  func mustWait(_ visit: Visit) -> Bool {
    if visit.isThrottled || visit.isWaiting { return true }
    guard shares.isCrowded, let room = visit.account else { return false }
    return shares.isSpent(room) || !room.share.waiting.isEmpty
  }

  /// Keeps a message until its turn comes.
  func hold(_ message: UnsafeRawBufferPointer, isText: Bool, of visit: Visit) {
    visit.held.append(message, isText: isText, at: environment.arrival())
    visit.countHeld()
    // Asked for again with each message: another loop may have begun to read meanwhile.
    if visit.held.areMany { visit.connection?.setReading(false) }
    if !visit.isThrottled, !visit.isWaiting { enqueue(visit) }
  }

  /// A message has been handled: counts it, and the time that it took.
  func charge(_ visit: Visit, for message: UnsafeRawBufferPointer) {
    if shares.isDue(), let room = visit.account {
      let spent = shares.charge(room)
      if spent >= Self.longTurn { tellLongTurn(of: visit, message, spent) }
    }
    guard let rate = configuration.messageRate, let session = visit.session else { return }
    let now = shares.iterationTime
    if session.bucket == nil { session.bucket = Session.Bucket(TokenBucket(rate, at: now)) }
    guard let wait = session.bucket?.tokens.take(rate, at: now), !visit.isThrottled else { return }
    visit.isThrottled = true
    visit.connection?.setReading(false)
    shares.throttled.insert(Weak(visit), at: now + wait)
    environment.observe?(.slowedDown(session: session.id, peer: session.charge.owner.peers.first))
  }

  /// Others feel an input that takes longer.
  static let longTurn: Duration = .milliseconds(100)

  private func tellLongTurn(of visit: Visit, _ message: UnsafeRawBufferPointer, _ spent: Duration) {
    guard let observe = environment.observe, let session = visit.session else { return }
    var (number, name, screen) = (session.taken, "", 0)
    do throws(WireError) {
      if case .input(let input) = try ClientFrame(json: message) {
        (number, name, screen) = (input.number, input.name, input.screen)
      }
    } catch {
      name = "a frame that cannot be read"
    }
    let room = (session.member(showing: screen) ?? session.members[0]).room
    observe(
      .longTurn(
        Notice.LongTurn(
          screen: room.key.screen, room: room.key.name, session: session.id,
          peer: session.charge.owner.peers.first,
          input: name, number: number, duration: spent)))
  }

  /// Reads again from those that have waited long enough.
  func releaseThrottled(at now: Duration) {
    while let entry = shares.throttled.take(at: now) {
      if let visit = entry.object { release(visit) }
    }
  }

  /// Reads again from a visit: what it holds has its turn in the next iteration.
  func release(_ visit: Visit) {
    visit.isThrottled = false
    visit.keepsHeld = false
    if visit.held.isEmpty {
      readAgain(visit)
    } else if !visit.isWaiting {
      enqueue(visit)
    }
  }

  /// Serves the rooms whose connections wait, each up to its share of the iteration.
  func serveWaiting() {
    guard !shares.waitingRooms.isEmpty else { return }
    let rooms = shares.waitingRooms
    shares.waitingRooms = []
    for room in rooms {
      while !room.share.waiting.isEmpty, !shares.isSpent(room) { serveOne(of: room) }
      room.share.isQueued = !room.share.waiting.isEmpty
      if room.share.isQueued { shares.waitingRooms.append(room) }
    }
  }

  /// Handles one message of the visit that has waited longest; if it has more, it waits behind the others.
  private func serveOne(of room: Room) {
    let first = room.share.waiting[0]
    room.share = room.share.withoutFirst
    guard let visit = first.object else { return }
    visit.isWaiting = false
    guard visit.phase != .closing, !visit.held.isEmpty else { return }
    handleFirst(of: visit)
    guard !visit.isThrottled else { return }
    if visit.held.isEmpty { readAgain(visit) } else { enqueue(visit) }
  }

  /// Handles at once the messages that a page has sent before it went; the page sends those again that wait
  /// for hand-overs, or for who it is.
  func handleHeld(of visit: Visit) {
    while visit.phase != .closing, !visit.keepsHeld, !visit.held.isEmpty { handleFirst(of: visit) }
  }

  /// Handles the first message that a visit holds, which has waited for something else than its turn; the others follow in turn.
  func goOn(_ visit: Visit) {
    if !visit.held.isEmpty { handleFirst(of: visit) }
    guard !visit.isThrottled else { return }
    if visit.held.isEmpty { readAgain(visit) } else { enqueue(visit) }
  }

  private func handleFirst(of visit: Visit) {
    let message = visit.held.removeFirst()
    visit.countHeld()
    heldSince = message.arrival
    message.bytes.withUnsafeBytes { visit.handle($0, isText: message.isText) }
    heldSince = nil
  }

  private func enqueue(_ visit: Visit) {
    // A visit without a room sends one frame, and is not held up.
    guard let room = visit.account else { return handleHeld(of: visit) }
    visit.isWaiting = true
    room.share = room.share.with(visit)
    guard !room.share.isQueued else { return }
    room.share.isQueued = true
    shares.waitingRooms.append(room)
  }

  private func readAgain(_ visit: Visit) {
    guard visit.phase != .closing else { return }
    visit.connection?.setReading(true)
  }
}

extension Visit {
  /// The room whose share of the loop the page's messages count towards.
  var account: Room? { session?.members.first?.room }
}
