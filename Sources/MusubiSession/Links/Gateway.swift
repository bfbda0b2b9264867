// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// One of several loops of a server, or of several servers: it serves the rooms that are at home here, and passes the others'
/// connections on.
///
/// A room is at home on one loop, by its name; a screen in session scope is where its first connection is, if it can. A
/// connection stays on the loop that accepted it. Where the two differ, a `VisitProxy` serves the connection there, a
/// `ConnectionProxy` stands for it at home, and a `LoopBatch` per iteration and direction goes between them. Home keeps a
/// position for it, as for connections of its own. Confined to its loop.
package final class Gateway {
  /// Which of the loops this is.
  package let loop: Int
  /// The sessions and rooms that are at home here.
  package let sessions: SessionLoop
  /// The ways to the other loops of this process, in the order of their numbers; nil for this one.
  let links: [LoopLink?]
  /// The ways to loops of other nodes, in the order of their places.
  private(set) var remoteLinks: [LoopLink] = []
  private var remoteLinksByPlace: [Int: LoopLink] = [:]
  private var waiting = WaitingPages()
  /// The slots of sessions whose names do not tell them, since an older program has given these.
  private let unnamed: [String: Int]
  private let post: (LoopBatch, Int) -> Void
  /// Tells other nodes who is in rooms; nil if there are none.
  private var presence: PresenceDesk?
  /// Told when another node says that the directory has a new sign-out.
  package var onSignOut: (() -> Void)?
  /// Told of each slot of which another node says that it has it, or gives it away.
  package var onOwner: ((_ slot: Int, _ generation: Int, _ place: Int) -> Void)?
  private var lastNumber = 0

  /// A gateway of a loop.
  ///
  /// - Parameters:
  ///   - loop: Which of the loops this is, from 0.
  ///   - loops: How many there are, at most 64.
  ///   - unnamed: The slots of sessions whose names do not tell them.
  ///   - sessions: The sessions and rooms that are at home here.
  ///   - post: Has another loop's gateway `take` a batch, in order; to a remote place it goes as bytes.
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
      guard let link = link(to: other) else { return false }
      link.batch.add(message)
      return true
    }
    if sessions.environment.isClustered {
      let presence = PresenceDesk(self)
      self.presence = presence
      sessions.rooms.presenceDesk = presence
    }
    sessions.models?.takesMore = { [unowned self] in link(to: $0)?.takesModels ?? false }
  }

  /// Takes what a loop of another node has handed over.
  ///
  /// - Parameters:
  ///   - bytes: What `LoopBatch.encoded(at:)` has made there.
  ///   - place: The loop.
  /// - Throws: `LinkError` if they are not understood; nothing of them is done then.
  package func take(_ bytes: UnsafeRawBufferPointer, from place: Int) throws(LinkError) {
    take(try LoopBatch(encoded: bytes, from: place, at: sessions.environment.clock()))
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
      link.connections.updateValue(connection, forKey: number)?.closed(saidFarewell: false)
      connection.open(request, refusal)
    case .message(let number, let range, let isText):
      link.batch.handledBytes += range.count
      guard let visit = link.connections[number]?.visit else { return }
      batch.bytes.withUnsafeBytes { visit.receive(.init(rebasing: $0[range]), isText: isText) }
    case .closed(let number, let saidFarewell):
      link.connections.removeValue(forKey: number)?.closed(saidFarewell: saidFarewell)
    case .fetched(let number, let bytes): link.connections[number]?.fetched(bytes)
    case .buffered(let number, let bytes): link.connections[number]?.visit?.buffered(bytes)
    case .own(let number, let range): link.visits[number]?.arrived(.own(Array(batch.bytes[range])))
    case .shared(let frames, let numbers):
      for number in numbers { link.visits[number]?.arrived(.shared(frames)) }
    case .seat(let number, let audience): link.seat(number, in: audience)
    case .unseat(let number, let audience): link.unseat(number, from: audience)
    case .turns(let frames, let audience):
      for visit in link.seats[audience]?.visits ?? [] { visit.arrived(.turns(frames)) }
    case .lags(let number, let isLagging): link.connections[number]?.lags(isLagging)
    case .close(let number, let end): link.visits[number]?.close(end)
    case .reading(let number, let isReading): link.visits[number]?.setReading(isReading)
    case .returned(let number): link.visits[number]?.returned()
    case .moved(let number, let refusal): link.visits[number]?.move(refusal)
    case .model(let message): sessions.models?.take(message, from: batch.sender)
    case .adopt(let slot, let state, let move): adopt(slot, state, move)
    case .left(let slot, let move):
      tellOwner(slot, batch.sender, move)
      note(slot, home: nil, move)
    case .signedOut: onSignOut?()
    case .follow(let key, let isFollowed): presence?.note(batch.sender, follows: key, isFollowed)
    case .presence(let key, let presence): self.presence?.arrived(presence, in: key, from: batch.sender)
    case .adopted(let slot, let move): noteAdopted(slot, by: batch.sender, move)
    }
  }

  /// Gives slots away, to whomever; the other loops are told, so that pages which they have sent away, and which come back at once,
  /// wait for the next owner.
  ///
  /// - Parameters:
  ///   - wanted: The slots; nothing happens to one that is not here.
  ///   - done: Called for each when nothing of the slot is here any more; see `SessionLoop.release(_:then:)`.
  package func release(_ wanted: Set<Int>, then done: @escaping (_ slot: Int, StoredState) -> Void) {
    let slots = sessions.slots
    for slot in wanted.sorted() where slots.isOpen(slot) {
      let move = SlotMove(generation: slots.generation(of: slot), lostSince: slots.lostSince(slot))
      for link in links.compactMap({ $0 }) + remoteLinks { link.batch.items.append(.left(slot: slot, move)) }
    }
    sessions.release(wanted, then: done)
  }

  /// Gives a slot that is here to another loop, once all of it is stored.
  ///
  /// - Parameters:
  ///   - slot: The slot; nothing happens if it is not here.
  ///   - other: A loop of this process.
  ///   - isMine: Asked when all is stored: whether nobody else has taken the slot meanwhile.
  package func move(_ slot: Int, to other: Int, if isMine: @escaping (SlotMove) -> Bool = { _ in true }) {
    guard !Place.isRemote(other), let link = link(to: other) else { return }
    sessions.release([slot]) { [weak self] _, state in
      guard let self else { return }
      let slots = sessions.slots
      let move = SlotMove(generation: slots.generation(of: slot) + 1, lostSince: slots.lostSince(slot))
      // Whoever has it tells.
      guard isMine(move) else { return }
      link.batch.items.append(.adopt(slot: slot, state, move))
      // Nothing that comes later may be before what waited here.
      link.batch.items += (sessions.models?.takeHeld(slot) ?? []).map { .model($0) }
      note(slot, home: other, move)
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
    for link in remoteLinks { link.batch.items.append(.adopted(slot: slot, move)) }
    waiting.hasNews = true
    presence?.hasNews = true
  }

  /// Somebody tells where a slot is at home; an older generation than the one that is known is not believed.
  ///
  /// A slot that is here is dropped: who tells so knows that it is not.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - home: The place of its loop; nil if nobody has it. Nothing happens if it is this loop, which adopts its slots.
  ///   - move: How often it has moved.
  package func note(_ slot: Int, home: Int?, _ move: SlotMove) {
    note(slot, home: home, move, byItself: false)
  }

  private func note(_ slot: Int, home: Int?, _ move: SlotMove, byItself: Bool) {
    sessions.note(slot, home: home, move, byItself: byItself)
    waiting.hasNews = true
    presence?.hasNews = true
  }

  /// Tells other nodes that the directory has a new sign-out.
  package func tellSignOut() { for link in remoteLinks { link.batch.items.append(.signedOut) } }

  /// A loop tells that it has a slot now.
  private func noteAdopted(_ slot: Int, by place: Int, _ move: SlotMove) {
    let slots = sessions.slots
    let isKnown = slots.home(of: slot) == place && slots.generation(of: slot) == move.generation
    note(slot, home: place, move, byItself: true)
    tellOwner(slot, place, move)
    // The directory has told so before it was true: what it was asked meanwhile it has not heard.
    if isKnown { sessions.models?.moved(slot) }
  }

  private func tellOwner(_ slot: Int, _ place: Int, _ move: SlotMove) {
    if Place.isRemote(place) { onOwner?(slot, Int(move.generation), place) }
  }

  /// How often a slot has moved, as far as is known here.
  package func generation(of slot: Int) -> UInt32 { sessions.slots.generation(of: slot) }

  /// The way to a loop; nil if it is this one, or there is none.
  func link(to place: Int) -> LoopLink? {
    links.indices.contains(place) ? links[place] : remoteLinksByPlace[place]
  }
}

// MARK: - Links to other nodes

extension Gateway {
  /// A link to a loop of another node has opened; one that was there is replaced.
  package func open(_ place: Int) {
    precondition(Place.isRemote(place), "Loops of this process are there from the start.")
    end(place)
    remoteLinksByPlace[place] = LoopLink(from: loop, to: place)
    sortLinks()
    sessions.models?.opened(place)
    waiting.hasNews = true
    presence?.hasNews = true
  }

  /// A link to a loop of another node has ended: pages that it served come back, and guests from there have gone.
  package func end(_ place: Int) {
    guard let link = remoteLinksByPlace.removeValue(forKey: place) else { return }
    sortLinks()
    link.end()
    presence?.ended(place)
    sessions.models?.ended(place)
  }

  private func sortLinks() { remoteLinks = remoteLinksByPlace.values.sorted { $0.other < $1.other } }

  /// The socket of a link takes bytes, or has enough of them: then frames wait with those who have made them.
  package func setFlowing(_ place: Int, _ isFlowing: Bool) {
    remoteLinksByPlace[place]?.isFlowing = isFlowing
    sessions.models?.goOn(place)
  }
}

// MARK: - Where pages are at home

extension Gateway {
  /// The way to a slot's home.
  enum Way {
    case here
    case link(LoopLink)
    /// Nobody here knows it, or there is no link.
    case unknown
  }

  /// The way to the home of a slot; nil for one of those that are here, or else any.
  func way(to slot: Int?) -> Way {
    let slots = sessions.slots
    if slot == nil, slots.hasOpen { return .here }
    let home =
      if let slot {
        slots.home(of: slot)
      } else {
        slots.home(near: chance(below: RecordLabel.slots)) { link(to: $0) != nil }
      }
    guard let home else { return .unknown }
    guard home == loop else { return link(to: home).map(Way.link) ?? .unknown }
    // Whoever gets a slot that leaves tells.
    return slot.map(slots.isOpen) ?? true ? .here : .unknown
  }

  /// The slot of the shared room that a request asks for; nil for a screen of one visitor.
  func slot(of request: ConnectionRequest) -> Int? {
    sessions.rooms.routes[request.screen]?.room(of: request).map {
      RoomKey(screen: request.screen, name: $0, isPrivate: false).slot
    }
  }

  /// Whether the shared room that a request asks for is at home here.
  func isHome(of request: ConnectionRequest) -> Bool {
    slot(of: request).map { sessions.slots.home(of: $0) == loop } ?? false
  }

  /// The slot of the session that a `resume` frame names; nil if nobody knows it, or the frame is no such frame.
  func slot(ofResume message: UnsafeRawBufferPointer) -> Int? {
    do throws(WireError) {
      guard case .resume(let resume) = try ClientFrame(json: message) else { return nil }
      return SessionName.slot(of: resume.session) ?? unnamed[resume.session]
    } catch {
      // The visit reads it again, and tells the page the mistake.
      return nil
    }
  }

  /// Has a page wait until somebody knows where it is at home.
  func delay(_ page: VisitProxy) {
    let configuration = sessions.configuration
    guard waiting.count < configuration.maxPagesWithoutHome else {
      return page.close(.withoutHome(after: 1 + chance(below: 1_000)))
    }
    waiting.add(page, until: sessions.environment.clock() + configuration.homeWait)
  }

  /// A page that waits has gone.
  func stopDelaying(_ page: VisitProxy) { waiting.remove(page.number) }

  private func chance(below bound: Int) -> Int {
    sessions.environment.entropy(2).reduce(0) { $0 << 8 | Int($1) } % bound
  }

  /// Has those pages go on of which it is known where.
  private func goOn() {
    waiting.hasNews = false
    // Asked once, since it looks at all slots if none is known.
    var isAnyKnown = true
    if case .unknown = way(to: nil) { isAnyKnown = false }
    for page in waiting.all where (isAnyKnown || !page.waitsForAny) && page.goOn() {
      waiting.remove(page.number)
    }
  }
}

extension ConnectionEnd {
  /// Nobody knows where the page is at home.
  fileprivate static func withoutHome(after milliseconds: Int) -> Self {
    Self(.serverRestarting, "\(milliseconds) ms, then come back: nobody has the room at the moment")
  }
}

extension Gateway: ConnectionService {
  package func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void) {
    sessions.admit(request, then: decide)
  }

  package func connect(
    _ request: ConnectionRequest, _ connection: any ConnectionHandle
  ) -> any ConnectionHandler {
    if !request.resumes, case .here = way(to: slot(of: request)) {
      return sessions.visit(request, connection)
    }
    lastNumber += 1
    let proxy = VisitProxy(lastNumber, self, connection)
    if request.resumes { proxy.openUndecided(request) } else { proxy.begin(request) }
    return proxy
  }

  package var nextDeadline: Duration? {
    let next = Duration.earlier(sessions.nextDeadline, waiting.nextDeadline)
    let isLate = waiting.isDue || presence?.isDue == true || remoteLinks.contains(where: \.hasMore)
    return isLate ? sessions.environment.clock() : next
  }

  package func advance(to now: Duration) {
    sessions.advance(to: now)
    while let page = waiting.take(at: now) { page.close(.withoutHome(after: 1_000)) }
  }

  package func finishTurns() {
    if waiting.isDue { goOn() }
    sessions.finishTurns()
  }

  package func endIteration() {
    sessions.endIteration()
    presence?.askAgain()
    for case let link? in links { post(from: link) }
    for link in remoteLinks {
      post(from: link)
      sessions.models?.goOn(link.other)
    }
  }

  private func post(from link: LoopLink) {
    if let batch = link.takeBatch() { post(batch, link.other) }
  }

  package func suspectIteration() { sessions.suspectIteration() }

  package func end() { sessions.end() }

  package var ledger: MemoryLedger? { sessions.ledger }
}
