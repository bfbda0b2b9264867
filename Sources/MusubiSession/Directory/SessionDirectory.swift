// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// The sessions of one event loop: who they are, which of them wait for their pages, and when they end.
final class SessionDirectory {
  let rooms: RoomDirectory
  let configuration: SessionConfiguration
  let environment: LoopEnvironment
  let committer: Committer
  let memory: MemoryLedger
  /// The inputs that are not run, because they have ended the process too often.
  private(set) var refusedInputs: Set<InputID>
  /// The sessions that have ended with the stored state of a room that had ended the process too often.
  private(set) var brokenSessions: Set<String>
  private var sessions: [String: Session] = [:]
  private var waiting: ExpiryQueue<String>
  /// Those that never took an input.
  private var unused: ExpiryQueue<String>
  private var waitingCount = 0
  /// Until when nobody who waits is too much, and no record: so many pages are on their way back.
  private(set) var unlimited: Duration = .zero
  /// How long the pages of a slot have that has moved here, whatever the other server's clock says.
  private static let moveTime: Duration = .seconds(10)
  private var lastNumber: UInt32 = 0

  init(
    _ rooms: RoomDirectory, _ configuration: SessionConfiguration, _ environment: LoopEnvironment,
    _ committer: Committer, _ memory: MemoryLedger
  ) {
    self.memory = memory
    self.rooms = rooms
    self.configuration = configuration
    self.environment = environment
    self.committer = committer
    refusedInputs = environment.restored.refusedInputs
    brokenSessions = environment.restored.brokenSessions
    waiting = ExpiryQueue(lifetime: configuration.sessionLifetime)
    unused = ExpiryQueue(lifetime: min(configuration.unusedSessionLifetime, configuration.sessionLifetime))
    keepStored(rooms.stored.sessions)
  }

  /// Takes over what is refused in a slot that comes here.
  func refuse(_ state: StoredState) {
    refusedInputs.formUnion(state.refusedInputs)
    brokenSessions.formUnion(state.brokenSessions)
  }

  /// The sessions, in no order.
  var all: some Sequence<Session> { sessions.values }

  /// How many there are with a page, and without.
  var counts: (connected: Int, waiting: Int) { (sessions.count - waitingCount, waitingCount) }

  /// What pages show at the moment.
  var visits: [Visit] { sessions.values.compactMap(\.visit) }

  /// The session of a name; nil if there is none, or it is stored and was not asked for yet.
  subscript(id: String) -> Session? { sessions[id] }

  /// The number of the last input that a session took, also if it is stored; 0 if nobody knows the session.
  func taken(by id: String) -> Int { sessions[id]?.taken ?? storedSession(id)?.taken ?? 0 }

  // MARK: - Beginning

  /// Begins a session, which shows the screen that a page asks for; the member joins its room afterwards.
  ///
  /// - Throws: What the screen's factory throws, that there is no space, or `SlotElsewhere`.
  func begin(_ request: ConnectionRequest, _ route: ScreenRoute, token: String) throws -> Session {
    let shared = route.room(of: request).map { RoomKey(screen: route.name, name: $0, isPrivate: false) }
    guard let name = environment.sessionName(in: shared, rooms.slots) else { throw SlotElsewhere() }
    let session = Session(
      id: name, token: environment.hash(token),
      visitor: request.visitor ?? .anonymous,
      owner: memory.owner(request.peers))
    session.signOuts = request.signOuts
    guard committer.budget.admits(request.peers) else { throw RoomRefusal.storeFull }
    let room = try rooms.room(for: route, request, session: session)
    if !request.path.isEmpty, room.path != request.path { session.address = request.path }
    session.members = [room.admit(session, screen: 0)]
    if let label = room.keeping?.label {
      session.label = RecordLabel(slot: label.slot, peers: request.peers, made: environment.wallClock())
      session.lostSince = rooms.slots.lostSince(label.slot)
    }
    enter(session)
    return session
  }

  /// A session is no longer in memory.
  func forget(_ session: Session) {
    sessions[session.id] = nil
    session.charge.set(0)
  }

  /// A session begins, or was stored and is there again.
  func enter(_ session: Session) {
    lastNumber &+= 1
    session.number = lastNumber
    sessions[session.id] = session
    charge(session)
  }

  /// Counts the bytes of a session and of its connection; what waits between them its visit counts.
  func charge(_ session: Session) {
    var bytes = Self.sessionBytes + session.members.count * Self.memberBytes
    if session.visit != nil { bytes += environment.connectionBytes + Self.visitBytes }
    session.charge.set(bytes)
  }

  /// The bytes of a session's own objects, of each of its screens', and of a visit's: `musubi-bench heap` compares the sum
  /// with the allocator's.
  private static let (sessionBytes, memberBytes, visitBytes) = (448, 224, 256)

  // MARK: - Waiting

  /// A session has lost its connection: keep it for its page to return.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - limits: Whether others that wait may have to end for it.
  func keep(_ session: Session, limits: Bool = true) {
    let now = environment.clock()
    session.visit = nil
    session.waitingSince = now
    waitingCount += 1
    charge(session)
    for member in session.members {
      member.news = nil
      if member.room.key.isPrivate { member.room.measure() }
    }
    enter(session.id, isUsed: session.isUsed, at: now)
    committer.touch(session)
    if limits { limitWaiting() }
    rooms.noteLeft(by: session.charge.owner)
  }

  private func enter(_ id: String, isUsed: Bool, at since: Duration) {
    if isUsed {
      waiting.enter(id, at: since, isCurrent: isWaiting)
    } else {
      unused.enter(id, at: since, isCurrent: isWaiting)
    }
  }

  /// A session's page has returned, or will not.
  func stopWaiting(_ session: Session) {
    guard session.waitingSince != nil else { return }
    session.waitingSince = nil
    waitingCount -= 1
  }

  /// Has stored sessions expire as if their pages had left when they did, or now if they were there to the
  /// end.
  ///
  /// - Parameters:
  ///   - sessions: The sessions.
  ///   - isMove: Whether they come from another server, so that most of their pages are on their way.
  func keepStored(_ sessions: [String: StoredEntry], isMove: Bool = false) {
    let (time, now) = (environment.monotonicTime(), environment.clock())
    if isMove { unlimited = now + Self.moveTime }
    func since(_ entry: StoredEntry) -> Duration {
      let left = time(entry.left)
      guard isMove else { return left }
      return min(now, max(left, now + Self.moveTime - (entry.isUsed ? waiting : unused).lifetime))
    }
    let left = sessions.map { ($0.key, since($0.value), $0.value.isUsed) }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    for (id, since, isUsed) in left {
      // The queue's entry holds only while the index says the same.
      rooms.stored.note(since, of: id)
      enter(id, isUsed: isUsed, at: since)
    }
    limitWaiting()
  }

  /// Ends sessions without a connection that are too many, and some more, so that all are looked at only now and then.
  private func limitWaiting() {
    let excess = waitingCount + rooms.stored.sessions.count - configuration.maxWaitingSessions
    guard excess > 0, unlimited <= environment.clock() else { return }
    var line = WaitingLine()
    for (id, since) in (waiting.all + unused.all).sorted(by: { $0.since < $1.since })
    where isWaiting(id, since: since) {
      if let session = sessions[id] {
        line.add(id, of: session.charge.owner.peers, isNeeded: session.isUsed && !session.saidFarewell)
      } else if let entry = rooms.stored.sessions[id] {
        line.add(id, of: entry.label.peers, isNeeded: entry.isUsed)
      }
    }
    for id in line.take(excess + configuration.maxWaitingSessions / 64) {
      if let session = sessions[id] { end(session) } else { forgetStored(id) }
    }
  }

  /// Whether a session waits for its page since then, or is stored and was not asked for yet.
  private func isWaiting(_ id: String, since: Duration) -> Bool {
    if let entry = rooms.stored.sessions[id] { return entry.since == nil || entry.since == since }
    return sessions[id]?.waitingSince == since
  }

  /// When `expire` has something to do.
  var nextDeadline: Duration? { .earlier(unused.nextDeadline, waiting.nextDeadline) }

  /// Ends the sessions whose pages have not returned in time.
  func expire(at now: Duration) {
    while let entry = unused.next(at: now) ?? waiting.next(at: now) { expire(entry) }
  }

  private func expire(_ entry: (key: String, since: Duration)) {
    guard let session = sessions[entry.key] else {
      if isWaiting(entry.key, since: entry.since) { forgetStored(entry.key) }
      return
    }
    guard session.waitingSince == entry.since else { return }
    end(session)
  }

  // MARK: - Memory

  /// The sessions without a page, since when; oldest first, and behind them those that never took an input.
  var unshown: some Sequence<(Session, Duration)> {
    [waiting.all, unused.all].joined().lazy.compactMap { [sessions] entry in
      sessions[entry.key].flatMap { $0.waitingSince == entry.since ? ($0, entry.since) : nil }
    }
  }

  /// Ends a session that nobody shows since then, because its memory is needed.
  ///
  /// - Returns: Whether it did; its page may have come back.
  func letGo(_ session: Session, since: Duration) -> Bool {
    guard session.waitingSince == since, sessions[session.id] === session else { return false }
    end(session)
    return true
  }

  /// Closes a session's page, because its visitor's pages take too much; what is stored waits for it, and else it ends.
  func turnAway(_ session: Session) {
    detach(session, .overBudget)
    guard session.isStored else { return end(session) }
    session.saidFarewell = false
    keep(session)
    for member in session.members { rooms.tell(member, isConnected: false) }
  }

  // MARK: - Ending

  /// Ends a session for good: its views leave their rooms.
  func end(_ session: Session) {
    sessions[session.id] = nil
    if session.isStored { committer.end(session) }
    stopWaiting(session)
    let members = session.members
    session.members = []
    session.charge.set(0)
    for member in members { rooms.leave(member) }
  }

  /// A stored session has expired.
  func forgetStored(_ id: String) {
    guard let session = rooms.stored.takeSession(id) else { return }
    committer.end(id, session)
    for key in session.rooms {
      rooms[key]?.keeping?.absent[id] = nil
      rooms.leaveStored(key)
    }
  }

  /// Ends a session, and its page's visit for good.
  private func signOut(_ session: Session) {
    detach(session, .whoNow)
    end(session)
  }

  /// Ends the visit of a session for good.
  func detach(_ session: Session, _ reason: ConnectionEnd) {
    guard let visit = session.visit else { return }
    session.visit = nil
    visit.session = nil
    visit.close(reason)
  }

  /// Ends a session that its own page may no longer see.
  func revoke(_ id: String) {
    guard let session = sessions[id] else { return forgetStored(id) }
    signOut(session)
  }

  /// Ends all sessions of a visitor: open, waiting and stored; of one log-in those that are in memory.
  ///
  /// Those stay that began when a sign-out of this number was known already.
  func revokeAll(of who: SignedOut, before number: Int) {
    for session in Array(sessions.values) where who.includes(session.visitor) && session.signOuts < number {
      signOut(session)
    }
    guard who.logIn == nil else { return }
    let peer = Peer.identity(who.identity).text
    for (id, _) in rooms.stored.sessions.filter({ $0.value.label.peer == peer }) { forgetStored(id) }
  }
}
