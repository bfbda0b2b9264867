// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// One of several loops of a server: it serves the rooms that are at home here, and passes the others' connections on.
///
/// A room is at home on one loop, by its name; a screen in session scope is where its first connection is. A
/// connection stays on the loop that accepted it. Where the two differ, a `VisitProxy` serves the connection there, a
/// `ConnectionProxy` stands for it at home, and a `LoopBatch` per iteration and direction goes between them. Home keeps a
/// position for it, as for connections of its own. Confined to its loop.
package final class Gateway {
  /// Which of the loops this is.
  package let loop: Int
  /// The sessions and rooms that are at home here.
  package let sessions: SessionLoop
  /// The ways to the other loops, in the order of their numbers; nil for this one.
  let links: [LoopLink?]
  /// The slots of sessions whose names do not tell them, since an older program has given these.
  private let unnamed: [String: Int]
  private let post: (LoopBatch, Int) -> Void
  private var lastNumber = 0

  /// A gateway of a loop.
  ///
  /// - Parameters:
  ///   - loop: Which of the loops this is, from 0.
  ///   - loops: How many there are, at most 64.
  ///   - unnamed: The slots of sessions whose names do not tell them.
  ///   - sessions: The sessions and rooms that are at home here.
  ///   - post: Has another loop's gateway `take` a batch, in order.
  package init(
    loop: Int, of loops: Int, unnamed: [String: Int] = [:], sessions: SessionLoop,
    post: @escaping (LoopBatch, Int) -> Void
  ) {
    self.loop = loop
    self.sessions = sessions
    self.unnamed = unnamed
    self.post = post
    links = (0..<loops).map { $0 == loop ? nil : LoopLink(from: loop, to: $0) }
    sessions.models?.post = { [unowned self] message, other in
      link(to: other)?.batch.items.append(.model(message))
    }
  }

  /// Takes what another loop has handed over.
  package func take(_ batch: LoopBatch) {
    guard let link = link(to: batch.sender) else { return }
    for item in batch.items { take(item, of: batch, link) }
    if batch.handledBytes > 0 { link.handled(batch.handledBytes) }
  }

  private func take(_ item: LoopBatch.Item, of batch: LoopBatch, _ link: LoopLink) {
    switch item {
    case .opened(let number, let request, let refusal):
      let connection = ConnectionProxy(number, link, self)
      link.connections[number] = connection
      connection.open(request, refusal)
    case .message(let number, let range, let isText):
      link.batch.handledBytes += range.count
      guard let visit = link.connections[number]?.visit else { return }
      batch.bytes.withUnsafeBytes { visit.receive(.init(rebasing: $0[range]), isText: isText) }
    case .closed(let number, let saidFarewell):
      guard let connection = link.connections.removeValue(forKey: number) else { return }
      // Its visit handles what was held back, and tells it of the answers.
      withExtendedLifetime(connection) { connection.visit?.closed(saidFarewell: saidFarewell) }
    case .fetched(let number, let bytes): link.connections[number]?.fetched(bytes)
    case .buffered(let number, let bytes): link.connections[number]?.visit?.buffered(bytes)
    case .own(let number, let range): link.visits[number]?.arrived(.own(Array(batch.bytes[range])))
    case .shared(let frames, let numbers):
      for number in numbers { link.visits[number]?.arrived(.shared(frames)) }
    case .close(let number, let end): link.visits[number]?.close(end)
    case .reading(let number, let isReading): link.visits[number]?.setReading(isReading)
    case .moved(let number, let refusal): link.visits[number]?.move(refusal)
    case .model(let message): sessions.models?.take(message, from: batch.sender)
    case .adopt(let slot, let state, let move): adopt(slot, state, move)
    case .adopted(let slot, let move): sessions.note(slot, home: batch.sender, move)
    }
  }

  /// Gives a slot that is here to another loop, once all of it is stored.
  ///
  /// - Parameters:
  ///   - slot: The slot; nothing happens if it is not here.
  ///   - other: The loop.
  ///   - isMine: Asked when all is stored: whether nobody else has taken the slot meanwhile.
  package func move(_ slot: Int, to other: Int, if isMine: @escaping (SlotMove) -> Bool = { _ in true }) {
    guard let link = link(to: other) else { return }
    sessions.release(slot) { [sessions] state in
      let slots = sessions.slots
      let move = SlotMove(generation: slots.generation(of: slot) + 1, lostSince: slots.lostSince(slot))
      // Whoever has it tells.
      guard isMine(move) else { return }
      link.batch.items.append(.adopt(slot: slot, state, move))
      // Nothing that comes later may be before what waited here.
      link.batch.items += (sessions.models?.takeHeld(slot) ?? []).map { .model($0) }
      sessions.note(slot, home: other, move)
    }
  }

  /// Takes a slot over, and tells the other loops; pages find their way from then on.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - state: The index of what is stored in it.
  ///   - move: How often it has moved; what is told of an older move is not believed.
  package func adopt(_ slot: Int, _ state: StoredState, _ move: SlotMove) {
    guard sessions.adopt(slot, state, move) else { return }
    for case let link? in links { link.batch.items.append(.adopted(slot: slot, move)) }
  }

  /// How often a slot has moved, as far as is known here.
  package func generation(of slot: Int) -> UInt32 { sessions.slots.generation(of: slot) }

  /// The way to a loop; nil if it is this one, or there is none of that number.
  func link(to loop: Int) -> LoopLink? { links.indices.contains(loop) ? links[loop] : nil }

  /// The loop where a connection that begins a session is served.
  ///
  /// - Parameters:
  ///   - request: Its request.
  ///   - origin: The loop that accepted it.
  /// - Returns: The loop, from 0.
  func home(of request: ConnectionRequest, from origin: Int) -> Int {
    guard let room = sessions.rooms.routes[request.screen]?.room(of: request) else { return origin }
    // While nobody knows, this loop has the page come back in a moment.
    return sessions.slots.home(of: RoomKey(screen: request.screen, name: room, isPrivate: false).slot)
      ?? origin
  }

  /// The way to the loop of a session that a `resume` frame names; nil if it is this one, or the frame is no such frame.
  func link(ofResume message: UnsafeRawBufferPointer) -> LoopLink? {
    do throws(WireError) {
      guard case .resume(let resume) = try ClientFrame(json: message) else { return nil }
      let slot = SessionName.slot(of: resume.session) ?? unnamed[resume.session]
      return slot.flatMap(sessions.slots.home).flatMap(link(to:))
    } catch {
      // The visit reads it again, and tells the page the mistake.
      return nil
    }
  }
}

extension Gateway: ConnectionService {
  package func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void) {
    sessions.admit(request, then: decide)
  }

  package func connect(
    _ request: ConnectionRequest, _ connection: any ConnectionHandle
  ) -> any ConnectionHandler {
    let link = link(to: home(of: request, from: loop))
    guard request.resumes || link != nil else { return sessions.visit(request, connection) }
    lastNumber += 1
    let proxy = VisitProxy(lastNumber, self, connection)
    if request.resumes {
      proxy.openUndecided(request)
    } else if let link {
      proxy.open(request, to: link)
    }
    return proxy
  }

  package var nextDeadline: Duration? { sessions.nextDeadline }

  package func advance(to now: Duration) { sessions.advance(to: now) }

  package func finishTurns() { sessions.finishTurns() }

  package func endIteration() {
    sessions.endIteration()
    for case let link? in links {
      let batch = link.takeBatch()
      if !batch.isEmpty { post(batch, link.other) }
    }
  }

  package func suspectIteration() { sessions.suspectIteration() }

  package func end() { sessions.end() }

  package var ledger: MemoryLedger? { sessions.ledger }
}
