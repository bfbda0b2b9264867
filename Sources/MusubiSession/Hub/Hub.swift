// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx
import MusubiWire

/// The rooms, sessions and connections of one event loop.
///
/// A state machine without sockets, clock or threads: the shell (an event loop, or a simulated network) calls the
/// methods of `ConnectionService`, the hub answers through its `Transport`. Confined to its loop.
package final class Hub {
  let configuration: SessionConfiguration
  let environment: HubEnvironment
  // `unsafe`: whoever holds the sockets outlives the hub.
  unowned(unsafe) let transport: any Transport
  let routes: [String: ScreenRoute]
  private(set) var rooms = KeyedTable<Room>()
  var sessions = KeyedTable<Session>()
  @exclusivity(unchecked) var connections = KeyedTable<Connection>()
  private var timers = DeadlineQueue<RoomTimer>()
  var waitingSessions: ExpiryQueue<String>
  private var waitingCount = 0
  var emptyRooms: ExpiryQueue<RoomKey>
  private var expectedResumes: ExpiryQueue<ConnectionID>
  @exclusivity(unchecked) private var writtenOutside: [Room] = []
  let scratch: TurnScratch
  private let schedulers: RoomScheduler.Loop
  /// Whoever sends is answered, and often sends again.
  @exclusivity(unchecked) var recent = RecentConnections()
  /// The name of the text that was edited last: it is made once, and found again in the messages that follow.
  @exclusivity(unchecked) var recentName = ""
  let keeper: Keeper
  /// What was stored, and nobody has asked for since the process began.
  var stored: StoredState
  /// Sees to it that no room keeps the loop from the others.
  @exclusivity(unchecked) var shares: LoopShares
  // `unsafe`: the gateway takes itself out before it goes. A weak reference would make each other one to it slower.
  /// Knows which rooms are at home here; nil if there is no other loop.
  unowned(unsafe) var placement: (any Placement)?

  /// A hub without sessions.
  ///
  /// - Parameters:
  ///   - routes: The screens by name.
  ///   - configuration: The limits.
  ///   - environment: Time, chance and authorization.
  ///   - transport: Who holds the sockets; outlives the hub.
  package init(
    routes: [ScreenRoute], configuration: SessionConfiguration, environment: HubEnvironment,
    transport: any Transport
  ) {
    self.routes = Dictionary(uniqueKeysWithValues: routes.map { ($0.name, $0) })
    self.configuration = configuration
    self.environment = environment
    self.transport = transport
    keeper = Keeper(environment.store, environment)
    stored = environment.restored
    waitingSessions = ExpiryQueue(lifetime: configuration.sessionLifetime)
    emptyRooms = ExpiryQueue(lifetime: configuration.roomLifetime)
    expectedResumes = ExpiryQueue(lifetime: configuration.resumeDeadline)
    shares = LoopShares(clock: environment.clock, share: configuration.roomShare)
    scratch = TurnScratch(configuration)
    schedulers = RoomScheduler.Loop(
      clock: environment.clock, wallClock: environment.wallClock, isOnLoop: environment.isOnLoop,
      enqueue: environment.enqueue)
    schedulers.onForeignWork = { [unowned self] in settle() }
    schedulers.plan = { [unowned self] scheduler, timer, deadline in
      timers.insert(RoomTimer(scheduler: scheduler, number: timer), at: deadline)
    }
    scratch.hub = self
    if environment.observesTraffic { scratch.observe = environment.observe }
    keeper.onSaved = { [unowned self] session in wasSaved(session) }
    keepStored()
  }

  deinit {
    // Ends the circles of sessions and connections.
    for connection in connections.values { connection.session = nil }
    scratch.openRooms = []
    // Who outlives the hub asks it for nothing any more.
    scratch.hub = nil
    schedulers.onForeignWork = nil
    schedulers.plan = nil
    keeper.onSaved = nil
  }

  // MARK: - Rooms

  /// The room that a connection asks for; made if it does not exist yet.
  func room(for route: ScreenRoute, _ request: ConnectionRequest, session: Session) throws -> Room {
    let key: RoomKey
    switch route.scope {
    case .session:
      key = RoomKey(screen: route.name, name: session.id, isPrivate: true)
    case .room(let defaultName):
      let name = request.query["room"] ?? defaultName
      key = RoomKey(screen: route.name, name: name, isPrivate: false)
    }
    if let room = rooms[key] ?? restoreRoom(key) { return room }
    guard rooms.count < configuration.maxRooms else { throw HubError.noSpaceForRoom(configuration.maxRooms) }
    let path = request.query["path"] ?? route.path
    let query = request.query.filter { !Self.ownParameters.contains($0.key) }
    return try makeRoom(key, route, path: path, query: query, visitor: session.visitor)
  }

  /// Makes a room by its route's factory.
  func makeRoom(
    _ key: RoomKey, _ route: ScreenRoute, path: String, query: [String: String], visitor: Visitor,
    restoring stored: StoredRoom? = nil
  ) throws -> Room {
    let scheduler = makeScheduler()
    var context = ScreenContext(
      screen: route.name, room: key.isPrivate ? nil : key.name, path: path,
      parameters: route.parameters(in: path) ?? [:], query: query, visitor: visitor, clock: scheduler,
      random: RandomSource(seed: randomSeed()))
    context.stored = stored?.state
    let room = try makeRoom(key, path: path, scheduler, restoring: stored) {
      try ScreenInstance(route, context: context)
    }
    keep(room, query: query, visitor: visitor, restoring: stored)
    return room
  }

  /// Has a room stored, if there is a store and its screen has a state.
  func keep(_ room: Room, query: [String: String], visitor: Visitor, restoring stored: StoredRoom? = nil) {
    guard keeper.keepsState, let restorable = room.instance.restorable else { return }
    room.keep(restorable, query: query, visitor: visitor, restoring: stored)
    keeper.touch(room)
  }

  func makeScheduler() -> RoomScheduler { RoomScheduler(schedulers) }

  func makeRoom(
    _ key: RoomKey, path: String, _ scheduler: RoomScheduler, restoring stored: StoredRoom? = nil,
    _ make: () throws -> ScreenInstance
  ) throws -> Room {
    let room = try Room(
      key: key, epoch: randomName(bytes: 6), path: path, scheduler: scheduler, scratch: scratch,
      restoring: stored, make: make)
    rooms[key] = room
    return room
  }

  /// A room's outputs were written outside of a turn.
  func wroteOutside(_ room: Room) { writtenOutside.append(room) }

  /// Makes one turn of what has happened to each room in this turn of the loop.
  package func finishTurns() {
    guard !scratch.openRooms.isEmpty || !writtenOutside.isEmpty else { return }
    settle()
    for room in scratch.openRooms { room.finishTurn() }
    scratch.openRooms.removeAll(keepingCapacity: scratch.openRooms.count < 1_024)
  }

  /// The author's code made something that cannot cross the wire.
  func tell(_ problem: String, of room: Room) {
    environment.observe?(.failed(screen: room.key.screen, message: problem))
  }

  /// Ends a session for good: its views leave their rooms.
  func end(_ session: Session) {
    sessions[session.id] = nil
    if session.isStored { keeper.end(session.id) }
    stopWaiting(session)
    for member in session.members { leave(member) }
    session.members = []
  }

  /// Takes a session's view out of its room.
  func leave(_ member: Member) {
    let room = member.room
    room.handle(.leave(member: member.number))
    guard room.members.isEmpty else { return }
    if room.key.isPrivate {
      rooms[room.key] = nil
      keeper.end(room)
    } else {
      let now = environment.clock()
      room.emptySince = now
      room.keeping?.left = environment.wallClock()
      emptyRooms.enter(room.key, at: now, isCurrent: isEmpty)
    }
  }

  /// Lets rooms whose outputs were written by somebody else's turn have a turn of their own.
  func settle() {
    // A turn may write into further rooms; the bound ends two models that keep feeding each other.
    for _ in 0..<64 {
      guard !writtenOutside.isEmpty else { return }
      let rooms = writtenOutside
      writtenOutside.removeAll(keepingCapacity: true)
      for room in rooms { room.handle(.outside) }
    }
  }

  // MARK: - Waiting

  /// A session has lost its connection: keep it for its page to return.
  func keep(_ session: Session) {
    let now = environment.clock()
    session.connection = nil
    session.waitingSince = now
    waitingCount += 1
    waitingSessions.enter(session.id, at: now, isCurrent: isWaiting)
    keeper.touch(session)
    limitWaitingSessions(at: now)
  }

  /// Ends the oldest sessions without a connection that are too many.
  func limitWaitingSessions(at now: Duration) {
    while waitingCount + stored.sessions.count > configuration.maxWaitingSessions {
      guard let entry = waitingSessions.next(at: now, force: true) else { return }
      expire(entry)
    }
  }

  /// Whether a session waits for its page since then, or is stored and was not asked for yet.
  func isWaiting(_ id: String, since: Duration) -> Bool {
    stored.sessions[id] != nil || sessions[id]?.waitingSince == since
  }

  /// Whether nobody shows a room since then, or it is stored and was not asked for yet.
  func isEmpty(_ key: RoomKey, since: Duration) -> Bool {
    stored.rooms[key] != nil || rooms[key]?.emptySince == since
  }

  /// Forgets a room that nobody has entered.
  func drop(_ room: Room) { rooms[room.key] = nil }
  /// A session's page has returned, or will not.
  func stopWaiting(_ session: Session) {
    guard session.waitingSince != nil else { return }
    session.waitingSince = nil
    waitingCount -= 1
  }

  /// A connection promised a `resume` frame.
  func expectResume(on connection: ConnectionID) {
    expectedResumes.enter(connection, at: environment.clock()) { id, _ in
      connections[id]?.state == .awaitingResume
    }
  }

  /// When `advance` has something to do.
  package var nextDeadline: Duration? {
    let written = writtenOutside.isEmpty ? nil : environment.clock()
    let expiry = Duration.earlier(waitingSessions.nextDeadline, emptyRooms.nextDeadline)
    let waiting = Duration.earlier(expectedResumes.nextDeadline, keeper.nextDeadline)
    let next = Duration.earlier(.earlier(written, timers.nextDeadline), shares.nextDeadline)
    return .earlier(next, .earlier(expiry, waiting))
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
    while let entry = expectedResumes.next(at: now) {
      guard let connection = connections[entry.key], connection.state == .awaitingResume else { continue }
      connection.close(ConnectionEnd(.resumeTimeout, "no resume frame came"))
    }
    while let entry = waitingSessions.next(at: now) { expire(entry) }
    while let entry = emptyRooms.next(at: now) {
      guard let room = rooms[entry.key] else {
        forgetStored(entry.key)
        continue
      }
      guard room.emptySince == entry.since else { continue }
      rooms[entry.key] = nil
      keeper.end(room)
    }
    settle()
  }

  /// The loop's turn is over: what has changed is stored, and each room has a new share.
  package func endTurn() {
    finishTurns()
    keeper.commit()
    shares.endTurn()
  }

  /// The server is about to restart; its pages are sent away by the transport.
  package func drain() {}

  /// Has every open page load itself anew; for authors.
  package func reloadPages() {
    for connection in connections.values { connection.queue { $0.reload("files") } }
  }

  private func expire(_ entry: (key: String, since: Duration)) {
    guard let session = sessions[entry.key] else { return forgetStored(entry.key) }
    guard session.waitingSince == entry.since else { return }
    end(session)
  }

  // MARK: - Chance

  /// A new session's name: its first letter tells the loop, so that any loop finds the way to it.
  ///
  /// Fifteen bytes, which a `String` holds in itself; 84 bits of chance are plenty for what is no secret.
  func sessionName() -> String {
    String(Unicode.Scalar(Self.alphabet[placement?.loop ?? 0])) + randomName(bytes: 12).prefix(14)
  }

  /// The loop where a session of this name would live; nil for a name that no loop gives.
  package static func loop(ofSession name: String) -> Int? {
    name.utf8.first.flatMap { alphabet.firstIndex(of: $0) }
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// A name that nobody guesses: base64url of random bytes (RFC 4648 section 5), without padding.
  func randomName(bytes count: Int) -> String {
    let bytes = environment.entropy(count)
    return String(unsafeUninitializedCapacity: (count * 8 + 5) / 6) { characters in
      var length = 0
      var buffer: UInt32 = 0
      var bits = 0
      for byte in bytes {
        buffer = (buffer << 8) | UInt32(byte)
        bits += 8
        while bits >= 6 {
          bits -= 6
          characters[length] = Self.alphabet[Int((buffer >> UInt32(bits)) & 63)]
          length += 1
        }
      }
      if bits > 0 {
        characters[length] = Self.alphabet[Int((buffer << UInt32(6 - bits)) & 63)]
        length += 1
      }
      return length
    }
  }

  private func randomSeed() -> UInt64 { environment.entropy(8).reduce(0) { ($0 << 8) | UInt64($1) } }

  private static let ownParameters: Set<String> = ["room", "edits", "resume", "path"]
}

/// A timer of a room.
///
/// A cancelled one stays until it is due: the room no longer knows its number then.
private struct RoomTimer {
  /// The room's scheduler; the room may have gone meanwhile.
  weak var scheduler: RoomScheduler?
  let number: Int
}

/// Knows which loop serves what.
protocol Placement: AnyObject {
  /// Which of the loops this is.
  var loop: Int { get }
  /// Gives a connection away whose room is at home on another loop.
  ///
  /// - Parameters:
  ///   - id: The connection; if it moves, the hub forgets it.
  ///   - request: What it asks for.
  ///   - refusal: Why it begins a session instead of resuming one.
  /// - Returns: Whether it moves.
  func moves(_ id: ConnectionID, _ request: ConnectionRequest, _ refusal: ResumeRefusal) -> Bool
}

/// Why a hub cannot do what it is asked to.
enum HubError: Error, CustomStringConvertible {
  case noSpaceForRoom(Int)
  case noLongerStored

  var description: String {
    switch self {
    case .noSpaceForRoom(let limit):
      "the event loop has \(limit) rooms already; raise maxRooms, or lower roomLifetime"
    case .noLongerStored: "its screen is no longer Restorable, or no longer there"
    }
  }
}
