// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx
import MusubiWire

/// The session work of one event loop: the work at the end of each iteration, and the work of deadlines.
///
/// A state machine without sockets, clock or threads: the shell (an event loop, or a simulated network) calls the
/// methods of `ConnectionService`, visits answer through their `ConnectionHandle`. Confined to its loop.
package final class SessionLoop {
  let configuration: SessionConfiguration
  let environment: LoopEnvironment
  let rooms: RoomDirectory
  let sessions: SessionDirectory
  let committer: Committer
  /// Who takes how much memory.
  let memory: MemoryLedger
  /// Its shared models; nil if the application has none.
  let models: ModelDesk?
  /// Who runs inputs that may have ended other processes.
  private(set) lazy var trials = TrialDesk(self)
  /// Where the slots are at home.
  let slots: SlotTable
  /// The slots that go elsewhere, until they have gone.
  var releases: [SlotRelease] = []
  private let shedding: Shedding
  private let recordShedding: RecordShedding
  /// What the loop runs at the moment; nil if nobody wants to know.
  let running: RunningEvent?
  /// The turns that are followed until pages have them.
  private var followed: [FollowedTurn] = []
  /// When the message came that is being handled, if it had to wait; nil for one of this iteration.
  var heldSince: Duration?
  /// The rooms that have had turns since the last report, and how many they had had before; nil before the first.
  var busyRooms: [(key: RoomKey, sequence: Int)]?
  /// When that was.
  var reportedAt: Duration = .zero
  /// Sees to it that no room keeps the loop from the others.
  let shares: LoopShares
  /// When visitors have to be identified again, and who was signed out lately.
  var trust: TrustLedger
  /// Told which slots the store does not take any more, when nothing of them is here; on the loop's thread.
  package var onSlotsLost: ((_ slots: Set<Int>) -> Void)?
  /// The name of the text that was edited last: it is made once, and found again in the messages that follow.
  var recentName = ""
  /// Whether some room has taken hand-overs before inputs.
  var holdsInputs = false
  private(set) var expectedResumes: ExpiryQueue<Weak<Visit>>
  /// Until when what is due does not end, because the loop stood still; in the past if it did not.
  private var expiryPause: Duration = .zero
  private var timers = DeadlineQueue<RoomTimer>()
  /// The rooms with a turn that is not finished, some of them twice.
  // Unchecked, and what follows: the checks would be 5 % of an event.
  @exclusivity(unchecked) private var openRooms: [Room] = []
  @exclusivity(unchecked) private var writtenOutside: [Room] = []
  /// The rooms whose open turns wait, by when they need no longer.
  @exclusivity(unchecked) private var heldBack = DeadlineQueue<Weak<Room>>()

  /// A loop without sessions.
  ///
  /// - Parameters:
  ///   - routes: The screens by name.
  ///   - models: The shared models.
  ///   - configuration: The limits.
  ///   - environment: Time, chance and authorization.
  package init(
    routes: [ScreenRoute], models: [ScreenRoute] = [], configuration: SessionConfiguration,
    environment: LoopEnvironment
  ) {
    self.configuration = configuration
    self.environment = environment
    running = environment.record.map(RunningEvent.init)
    committer = Committer(environment.store, environment, configuration)
    memory = MemoryLedger(
      limit: configuration.maxMemoryBytes, peerShare: configuration.peerShare,
      connectionBytes: environment.connectionBytes)
    slots = SlotTable(
      loop: environment.loop, of: environment.loops, isClustered: environment.isClustered)
    rooms = RoomDirectory(routes, models, configuration, environment, committer, memory, slots, running)
    self.models = models.isEmpty ? nil : ModelDesk(models, rooms, environment, committer, slots, running)
    sessions = SessionDirectory(rooms, configuration, environment, committer, memory)
    shedding = Shedding(sessions)
    recordShedding = RecordShedding(sessions)
    expectedResumes = ExpiryQueue(lifetime: configuration.resumeDeadline)
    trust = TrustLedger(memory: configuration.resumeDeadline * 4)
    shares = LoopShares(clock: environment.clock, share: configuration.roomShare)
    rooms.host = self
    rooms.desk = self.models
    let me = Carried(Weak(self))
    environment.presence.tell { [enqueue = environment.enqueue] place in
      enqueue { me.element.object?.tellPresence(of: place) }
    }
    committer.onTaken = { [weak self] room in self?.releaseInputs(of: room) }
    committer.onLost = { [weak self] slots in
      self?.lose(slots)
      self?.onSlotsLost?(slots)
    }
    shedding.strangers = { [weak self] in
      self?.expectedResumes.keys.compactMap(\.object).filter { $0.phase == .awaitingResume } ?? []
    }
    rooms.schedulers.onForeignWork = { [weak self] in self?.settle() }
    rooms.schedulers.plan = { [weak self] scheduler, timer, deadline in
      self?.timers.insert(RoomTimer(scheduler: scheduler, number: timer), at: deadline)
    }
  }

  /// A screen of some loop follows the people of a room from now on.
  private func tellPresence(of place: PresenceExchange.Place) {
    let key = RoomKey(screen: place.screen, name: place.room, isPrivate: false)
    if let room = rooms[key] { rooms.tellPresence(of: room) }
    settle()
  }

  // MARK: - Turns

  /// Makes one turn of the changes of each room in this iteration.
  package func finishTurns() {
    settle()
    if heldBack.count > 0 { finishHeldBack() }
    for room in openRooms where !holdsBack(room) { room.finishTurn() }
    openRooms.removeAll(keepingCapacity: openRooms.count < 1_024)
    if !rooms.awaiting.isEmpty { rooms.endAwaiting() }
  }

  /// Whether a turn of a crowd has to wait, because there was one shortly before.
  private func holdsBack(_ room: Room) -> Bool {
    guard room.hasCrowd, room.turn != nil, let crowd = room.crowd else { return false }
    guard !crowd.isHeldBack else { return true }
    guard crowd.nextTurn > environment.clock() else { return false }
    crowd.isHeldBack = true
    heldBack.insert(Weak(room), at: crowd.nextTurn)
    return true
  }

  /// Finishes the turns that have waited long enough.
  private func finishHeldBack() {
    let now = environment.clock()
    while let room = heldBack.take(at: now) {
      if let room = room.object, room.isHeldBack { room.finishTurn() }
    }
  }

  /// Whether `settle` has something to do.
  private var isUnsettled: Bool {
    !writtenOutside.isEmpty || rooms.schedulers.hasLeft || models?.hasWork ?? false
  }

  /// Lets rooms that somebody else's turn has left something to have a turn of their own.
  func settle() {
    // A turn may leave something to further rooms; the bound ends two models that keep feeding each other.
    for _ in 0..<64 {
      guard isUnsettled else { return }
      if let models, models.hasWork { models.flush() }
      if rooms.schedulers.hasLeft { rooms.schedulers.takeLeft() }
      let rooms = writtenOutside
      writtenOutside.removeAll(keepingCapacity: true)
      for room in rooms { room.handle(.outside) }
    }
  }

  // MARK: - Visits

  /// Begins a visit.
  ///
  /// - Parameters:
  ///   - request: What the page asks for.
  ///   - connection: The page's connection.
  ///   - refusal: Why it begins a session here instead of resuming one elsewhere.
  /// - Returns: The visit; the connection owns it.
  func visit(
    _ request: ConnectionRequest, _ connection: any ConnectionHandle, instead refusal: ResumeRefusal? = nil
  ) -> Visit {
    let resumes = request.resumes && refusal == nil
    let visit = Visit(connection, request, resumes ? .awaitingResume : .open, self)
    noteTerm(of: visit, request)
    if resumes {
      expectedResumes.enter(Weak(visit), at: environment.clock()) { entry, _ in
        entry.object?.phase == .awaitingResume
      }
    } else if let refusal {
      visit.begin(instead: refusal)
    } else {
      visit.begin()
    }
    settle()
    return visit
  }

  /// Has every open page reload itself; for authors.
  package func reloadPages() {
    let resuming = expectedResumes.keys.compactMap(\.object).filter { $0.session == nil }
    for visit in sessions.visits + resuming { visit.queue { $0.reload("files") } }
  }
}

extension SessionLoop: ConnectionService {
  package func connect(
    _ request: ConnectionRequest, _ connection: any ConnectionHandle
  ) -> any ConnectionHandler {
    visit(request, connection)
  }

  /// When `advance` has something to do.
  package var nextDeadline: Duration? {
    let written =
      isUnsettled
      ? environment.clock() : Duration.earlier(heldBack.nextDeadline, rooms.awaitedUntil)
    let expiry = nextExpiry.map { max($0, expiryPause) }
    let next = Duration.earlier(.earlier(written, timers.nextDeadline), shares.nextDeadline)
    let space = Duration.earlier(shedding.nextDeadline, recordShedding.nextDeadline)
    let store = Duration.earlier(committer.nextDeadline, space)
    return .earlier(.earlier(next, trust.nextDeadline), .earlier(expiry, store))
  }

  /// Runs the timers and deadlines that are due.
  package func advance(to now: Duration) {
    // A timer that plans a timer for this very moment is run in the next round, so that the loop stays alive.
    var budget = 10_000
    while budget > 0, let timer = timers.take(at: now) {
      timer.scheduler?.ring(timer.number)
      budget -= 1
    }
    releaseThrottled(at: now)
    serveWaiting()
    endTrust(at: now)
    expire(at: now)
    settle()
  }

  /// When the first thing ends to which nobody has come back.
  private var nextExpiry: Duration? {
    .earlier(.earlier(sessions.nextDeadline, rooms.nextDeadline), expectedResumes.nextDeadline)
  }

  /// Ends the things to which nobody has come back in time.
  ///
  /// A loop that stood still looks late: pages that came in time may wait at its door, and get some seconds to say what they
  /// come back to. It is never later than by a minute, however often it stands still.
  private func expire(at now: Duration) {
    guard let due = nextExpiry, due <= now else { return }
    if now - max(due, expiryPause) >= Self.lateness, now < due + .seconds(60) {
      expiryPause = now + .seconds(5)
    }
    guard now >= expiryPause else { return }
    while let entry = expectedResumes.next(at: now) {
      guard let visit = entry.key.object, visit.phase == .awaitingResume else { continue }
      visit.close(ConnectionEnd(.resumeTimeout, "no resume frame came"))
    }
    sessions.expire(at: now)
    rooms.expire(at: now)
  }

  /// Whoever looks later than that has stood still.
  private static let lateness: Duration = .milliseconds(100)

  /// The iteration is over: changes are stored, and each room has a new share.
  package func endIteration() {
    finishTurns()
    if !followed.isEmpty { endFollowing() }
    if let due = shedding.nextDeadline, due <= environment.clock() { shedding.run() }
    if let due = recordShedding.nextDeadline, due <= environment.clock() { recordShedding.run() }
    if !releases.isEmpty { goOnReleasing() }
    committer.commit()
    if rooms.recent != nil { rooms.recent = nil }
    shares.endIteration()
  }

  package func suspectIteration() { shares.suspect() }

  /// The bytes that its sessions and rooms take, as they are counted.
  package var countedBytes: Int { memory.total }

  package func end() { committer.giveUp() }

  package var ledger: MemoryLedger? { memory }

  /// Has sessions and rooms go that nobody shows, until a part of all bytes is free: the process has hardly any left.
  package func freeMemory(part: Double) { shedding.free(Int(Double(memory.total) * part)) }
}

extension SessionLoop: RoomHost {
  func opened(_ room: Room) {
    openRooms.append(room)
    if busyRooms != nil, !room.isNoted { note(room) }
  }

  func follow(_ turn: Int, of room: Room) {
    // While the store fails nothing more is learnt.
    guard followed.count < 64 else { return }
    followed.append(FollowedTurn(room: room, number: turn, arrival: heldSince ?? environment.arrival()))
  }

  private func endFollowing() {
    let now = environment.clock()
    followed.removeAll { $0.isOver(at: now) }
  }

  func wroteOutside(_ room: Room) { writtenOutside.append(room) }

  func changed(_ room: Room) { committer.touch(room) }

  func perform(_ requests: [ScreenRequest], of room: Room, for cause: PageCause?) {
    sessions.perform(requests, of: room, for: cause)
  }

  func report(_ notice: Notice) { environment.observe?(notice) }

  func effectBegan(of room: Room, for session: Session) {
    committer.beginEffect(of: room, for: session)
    holdInputs(of: room)
  }

  func effectsEnded(of room: Room) { committer.endEffects(of: room) }
}

/// A timer of a room.
///
/// A cancelled one stays until it is due: the room no longer knows its number then.
private struct RoomTimer {
  /// The room's scheduler; the room may have gone meanwhile.
  weak var scheduler: RoomScheduler?
  let number: Int
}
