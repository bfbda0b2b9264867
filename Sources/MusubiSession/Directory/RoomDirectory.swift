// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire

/// The rooms of one event loop: makes them, restores them, and lets them go.
final class RoomDirectory {
  /// The screens by name.
  let routes: [String: ScreenRoute]
  /// The shared models by the names of their rooms' screens; pages cannot ask for them.
  private let models: [String: ScreenRoute]
  /// The desk that screens ask for shared models; nil if there are none.
  weak var desk: ModelDesk?
  /// Tells other nodes who is in rooms; nil if there are none.
  weak var presenceDesk: PresenceDesk?
  /// The host that rooms ask; outlives none of them by much.
  weak var host: (any RoomHost)?
  let schedulers: RoomScheduler.Loop
  /// The stored state that nobody has asked for since the process began.
  let stored: StoredIndex
  /// The records of the session that was asked for last, until the iteration ends.
  var recent: RecentRecords?
  private var rooms: [RoomKey: Room] = [:]
  private var emptyRooms: ExpiryQueue<RoomKey>
  /// Shared models that nobody uses: they last longer, and rooms that emptied later must not wait behind them.
  private var unusedModels: ExpiryQueue<RoomKey>
  /// Whose pages wait for values of shared models.
  var awaiting: [AwaitedModels] = []
  private let resources: RoomResources
  private let configuration: SessionConfiguration
  let environment: LoopEnvironment
  let committer: Committer
  /// Where the slots are at home.
  let slots: SlotTable
  /// When the loop began.
  private let start: Duration

  init(
    _ routes: [ScreenRoute], _ models: [ScreenRoute], _ configuration: SessionConfiguration,
    _ environment: LoopEnvironment, _ committer: Committer, _ memory: MemoryLedger, _ slots: SlotTable,
    _ running: RunningEvent?
  ) {
    self.routes = Dictionary(uniqueKeysWithValues: routes.map { ($0.name, $0) })
    self.models = Dictionary(uniqueKeysWithValues: models.map { ($0.name, $0) })
    self.configuration = configuration
    self.environment = environment
    self.committer = committer
    self.slots = slots
    resources = RoomResources(
      configuration, running, memory: memory, store: committer.budget, screenBytes: environment.screenBytes,
      observesTraffic: environment.observesTraffic, namesCommands: committer.keepsState && !models.isEmpty,
      files: environment.files, arrivals: environment.arrivals)
    stored = StoredIndex(environment.restored, memory, environment.ledger, clock: environment.clock)
    for entry in stored.rooms.values { committer.budget.change(from: nil, to: entry.bytes, of: entry.label) }
    for entry in stored.sessions.values {
      committer.budget.change(from: nil, to: entry.bytes, of: entry.label)
    }
    start = environment.clock()
    emptyRooms = ExpiryQueue(lifetime: configuration.roomLifetime)
    unusedModels = ExpiryQueue(lifetime: configuration.roomLifetime)
    schedulers = RoomScheduler.Loop(
      clock: environment.clock, wallClock: environment.wallClock, isOnLoop: environment.isOnLoop,
      enqueue: environment.enqueue,
      presence: PresenceTracker.Limits(
        idleAfter: configuration.idleAfter, maxPeople: configuration.maxListedPeople),
      presenceExchange: environment.presence)
    keepStored(stored.rooms)
  }

  /// The counts of each screen's rooms.
  var counts: [ScreenTotals] { resources.counts }

  /// The rooms, in no order.
  var all: some Sequence<Room> { rooms.values }

  /// The room of a key; nil if there is none.
  subscript(key: RoomKey) -> Room? { rooms[key] }

  /// Whether there is a room of a key, in memory or stored.
  func isThere(_ key: RoomKey) -> Bool { rooms[key] != nil || stored.rooms[key] != nil }

  /// Whether there may be no more rooms.
  var isFull: Bool { count >= configuration.maxRooms }

  /// How many rooms are in memory.
  var count: Int { rooms.count }

  /// How many rooms stay when some have to go; all if there may be more.
  var targetCount: Int { isFull ? count - max(1, count / 8) : .max }

  /// Nobody shows something of somebody's any more: if there was no space, there may be some before the next newcomer
  /// asks.
  func noteLeft(by owner: Owner) {
    resources.memory.noteLeft(by: owner)
    if isFull { resources.memory.lookAgain() }
    committer.budget.noteLeft(by: owner.peers)
  }

  // MARK: - Making

  /// The room that a page asks for; made if it does not exist yet.
  ///
  /// - Throws: What the screen's factory throws, that there is no space, or that the store does not answer.
  func room(for route: ScreenRoute, _ request: ConnectionRequest, session: Session) throws -> Room {
    let shared = route.room(of: request)
    let key = RoomKey(screen: route.name, name: shared ?? session.id, isPrivate: shared == nil)
    if let room = rooms[key] { return room }
    do throws(RecordError) {
      if let room = try restore(key, for: session.asker) { return room }
    } catch {
      if case .refused(let refusal) = error { throw refusal.error }
      throw error
    }
    let path = request.query["path"] ?? route.path
    // Whoever opens a shared room first does not decide by a link what everybody finds in it.
    var query = shared == nil ? request.pageQuery : [:]
    // Where no room is shared its name is a parameter like others.
    if shared == nil, let name = request.query["room"], name.utf8.count <= 64 { query["room"] = name }
    let label = label(of: key, of: session, request.peers)
    return try counting(for: session.charge.owner) {
      try make(key, route, path: path, query: query, for: session.asker, label)
    }
  }

  /// The room of a shared model, for screens of somebody with these peers; made if it does not exist yet.
  ///
  /// - Throws: What the model's factory throws, that there is no space, or that the store does not answer.
  func model(_ key: RoomKey, for peers: [Peer]) throws -> Room {
    guard let route = models[key.screen] else { throw RoomError.noLongerStored }
    let asker = Asker(owner: resources.memory.owner(peers), visitor: .anonymous, session: "")
    if let room = try rooms[key] ?? restore(key, for: asker) {
      room.emptySince = nil
      room.keeping?.left = nil
      committer.touch(room)
      return room
    }
    let label = RecordLabel(slot: key.slot, peers: peers, made: environment.wallClock())
    return try counting(for: asker.owner) { try make(key, route, path: "", query: [:], for: asker, label) }
  }

  /// No screen uses a shared model any more.
  ///
  /// A session that is not in memory may come back to it, so it lasts as long as those.
  func noteUnused(_ room: Room) {
    guard rooms[room.key] === room else { return }
    noteEmpty(room, for: extraLifetime(of: room.key))
    committer.touch(room)
  }

  /// By how much a shared model outlasts a room without pages.
  private func extraLifetime(of key: RoomKey) -> Duration {
    guard models[key.screen] != nil else { return .zero }
    return max(.zero, configuration.sessionLifetime - configuration.roomLifetime)
  }

  /// Makes a room that counts against the limits of its owner's peers, until it ends.
  private func counting(for owner: Owner, _ make: () throws -> Room) throws -> Room {
    guard !isFull else { throw RoomRefusal.full(maxRooms: configuration.maxRooms) }
    guard resources.memory.admits(owner) else { throw RoomRefusal.memory }
    guard environment.ledger.takeRoom(for: owner.peers, at: environment.clock()) else {
      throw RoomRefusal.peer(.rooms)
    }
    do {
      let room = try make()
      room.isCounted = true
      return room
    } catch {
      environment.ledger.releaseRoom(of: owner.peers)
      throw error
    }
  }

  /// Makes a room by its route's factory.
  private func make(
    _ key: RoomKey, _ route: ScreenRoute, path: String, query: [String: String], for asker: Asker,
    _ label: RecordLabel, restoring stored: StoredRoom? = nil
  ) throws -> Room {
    let scheduler = RoomScheduler(schedulers)
    let seed = environment.randomSeed()
    var context = ScreenContext(
      screen: route.name, room: key.isPrivate ? nil : key.name, path: path,
      parameters: route.parameters(in: path) ?? [:], query: query, visitor: asker.visitor, clock: scheduler,
      random: RandomSource(seed: seed))
    context.stored = stored?.state
    context.source = scheduler
    context.arriving = RoomArrivals(arrivals: environment.arrivals, room: key.arrivals)
    let owner = stored == nil ? asker.owner : owner(of: label, askedForBy: asker.owner)
    context.models = desk?.source(for: owner)
    context.network = owner.peers.last?.network
    let epoch = environment.randomName(bytes: 6)
    let recording = record(
      RecordHeader(
        key: key, epoch: epoch, path: path, parameters: context.parameters, query: query,
        visitor: asker.visitor, seed: Int64(bitPattern: seed), made: environment.wallClock(), restored: stored
      ))
    let room = try make(key, epoch, path: path, scheduler, owner, restoring: stored, recording) {
      try ScreenInstance(route, context: context)
    }
    scheduler.suspendsRepeating = key.isPrivate && !route.keepsRunning
    keep(room, query: query, visitor: asker.visitor, label, restoring: stored)
    if stored != nil, let models = context.models { awaitValues(of: models, in: room) }
    return room
  }

  /// Makes the room of a screen that another one presents.
  func make(_ presentation: Presentation, as route: ScreenRoute, _ key: RoomKey, for session: Session) throws
    -> Room
  {
    let scheduler = RoomScheduler(schedulers)
    let room = try counting(for: session.charge.owner) {
      let made = try LoopContext.with(scheduler) {
        try ScreenInstance.presented(presentation, as: route.name)
      }
      let path = route.address.map { $0(made.subject) } ?? route.path
      let epoch = environment.randomName(bytes: 6)
      let recording = record(
        RecordHeader(
          key: key, epoch: epoch, path: path, query: [:], visitor: session.visitor, seed: 0,
          made: environment.wallClock(), isPresented: true))
      return try make(key, epoch, path: path, scheduler, session.charge.owner, recording) { made.instance }
    }
    scheduler.suspendsRepeating = !route.keepsRunning
    if let label = session.label {
      var own = label
      own.made = environment.wallClock()
      keep(room, query: [:], visitor: session.visitor, own)
    }
    return room
  }

  /// Who pays for a room that was stored: whoever made it.
  private func owner(of label: RecordLabel, askedForBy owner: Owner) -> Owner {
    let peers = label.peers
    guard let first = peers.first else { return owner }
    // An older program has stored the first peer alone: the others are those that it comes with.
    if peers.count == 1, owner.peers.contains(first) { return owner }
    return resources.memory.owner(peers)
  }

  /// The label of a room that a session makes.
  private func label(of key: RoomKey, of session: Session, _ peers: [Peer]) -> RecordLabel {
    RecordLabel(
      slot: key.isPrivate ? SessionName.slot(of: session.id) ?? session.label?.slot ?? 0 : key.slot,
      peers: peers,
      made: environment.wallClock())
  }

  private func make(
    _ key: RoomKey, _ epoch: String, path: String, _ scheduler: RoomScheduler, _ owner: Owner,
    restoring stored: StoredRoom? = nil, _ recording: RoomRecording?, _ make: () throws -> ScreenInstance
  ) throws -> Room {
    let room: Room
    do {
      room = try Room(
        key: key, epoch: epoch, path: path, scheduler: scheduler, resources: resources, owner: owner,
        host: host, restoring: stored, recording: recording, make: make)
    } catch {
      scheduler.endTasks()
      throw error
    }
    rooms[key] = room
    tellPresence(of: room)
    if isFull { resources.memory.lookNow() }
    let now = environment.clock()
    // Pages may come back: what they hand over comes before inputs.
    if stored == nil, routes[key.screen] != nil, !key.isPrivate,
      now < (slots.arrival(of: key.slot) ?? start) + configuration.handOverWindow
    {
      room.handOversEnd = now + configuration.handOverWindow
    }
    return room
  }

  /// Has a new room written down, if somebody has asked for it.
  private func record(_ header: @autoclosure () -> RecordHeader) -> RoomRecording? {
    guard !environment.records.isEmpty else { return nil }
    let header = header()
    let files = environment.records.compactMap { $0.file(ofScreen: header.key.screen) }
    let writers = files.map(RecordWriter.init)
    guard !writers.isEmpty else { return nil }
    return RoomRecording(clock: environment.clock, wallClock: header.made) { redacted in
      var header = header
      header.restored = header.restored?.redacting(redacted)
      for writer in writers { writer.write(header) }
    } emit: { line in
      for writer in writers { writer.write(line) }
    } number: {
      writers.lazy.map(\.number).first { $0 > 0 } ?? 0
    }
  }

  /// Has a room tell who is in it, if screens elsewhere follow it.
  func tellPresence(of room: Room) {
    let key = room.key
    guard !key.isPrivate else { return }
    let relay = environment.presence.relay(of: PresenceExchange.Place(screen: key.screen, room: key.name))
    let desk = presenceDesk.flatMap { $0.isFollowed(key) ? $0 : nil }
    guard relay != nil || desk != nil else { return }
    let onward = desk.map { desk in { [weak desk] in desk?.tell($0, in: key) } as (Presence) -> Void }
    room.scheduler.presenceTracker(now: room.scheduler)?.tell(relay, onward: onward)
  }

  /// Lets go of a room's memory; its record stays.
  func drop(_ room: Room) {
    // Nobody hears of later writes from outside.
    room.keeping?.hasEnded = true
    rooms[room.key] = nil
    if room.isCounted { environment.ledger.releaseRoom(of: room.charge.owner.peers) }
    room.charge.set(0)
    recent = nil
  }

  /// Has a room stored, if there is a store and its screen has a state.
  private func keep(
    _ room: Room, query: [String: String], visitor: Visitor, _ label: RecordLabel,
    restoring stored: StoredRoom? = nil
  ) {
    guard committer.keepsState, let state = room.instance.state else { return }
    room.keep(state, query: query, visitor: visitor, label: label, restoring: stored)
    room.keeping?.build = environment.build
    for input in stored?.taken ?? [] where self.stored.sessions[input.session] != nil {
      room.keeping?.absent[input.session] = input.number
    }
    committer.touch(room)
  }

  // MARK: - Restoring

  /// Takes what is stored in a slot that comes here.
  func adopt(_ state: StoredState) {
    for (key, entry) in state.rooms { stored.add(key, entry) }
    for entry in state.rooms.values { committer.budget.change(from: nil, to: entry.bytes, of: entry.label) }
    keepStored(state.rooms)
  }

  /// Has stored rooms expire as if their pages had left when they did, or now if they were there to the end.
  private func keepStored(_ rooms: [RoomKey: StoredEntry]) {
    let since = environment.monotonicTime()
    let abandoned = rooms.filter { stored.isAbandoned($0.key) }
    // A room of a session that is no longer stored has nobody who could come back to it.
    for key in abandoned.keys where key.isPrivate { forgetStored(key) }
    let rooms = abandoned.filter { !$0.key.isPrivate }
      .map { ($0.key, since($0.value.left) + extraLifetime(of: $0.key)) }
      .sorted { ($0.1, $0.0.name) < ($1.1, $1.0.name) }
    for (key, since) in rooms {
      stored.note(since, of: key)
      enterEmpty(key, at: since)
    }
  }

  /// Restores a stored room for somebody who asks for it.
  ///
  /// - Returns: The room; nil if it was not stored, or cannot be restored.
  /// - Throws: `RecordError` if the store does not answer, if it has the state of a newer build that cannot
  ///   be used, if the screen's factory fails, or if it refuses the asker a room that others share; the room
  ///   stays stored.
  func restore(_ key: RoomKey, for asker: Asker) throws(RecordError) -> Room? {
    guard stored.rooms[key] != nil else { return nil }
    let isOutermost = resources.running?.begin(.restore, room: key.digest) ?? false
    defer { if isOutermost { resources.running?.end() } }
    guard let record = try read(key), let entry = stored.takeRoom(key) else { return nil }
    recent?.rooms[key] = nil
    do {
      guard let route = routes[key.screen] ?? models[key.screen] else { throw RoomError.noLongerStored }
      let room = try make(
        key, route, path: record.path, query: record.query, for: asker, entry.label, restoring: record)
      guard room.keeping != nil else {
        rooms[key] = nil
        throw RoomError.noLongerStored
      }
      room.keeping?.bytes = entry.bytes
      environment.ledger.addRoom(of: room.charge.owner.peers, at: environment.clock())
      room.isCounted = true
      return room
    } catch {
      if let build = environment.build, let newer = record.build, newer > build {
        stored.add(key, entry)
        throw .newer("\(error)")
      }
      guard Self.isOfRecord(error) else {
        stored.add(key, entry)
        throw .failed("\(error)")
      }
      guard key.isPrivate || !(error is Denied || error is LogInRequired) else {
        stored.add(key, entry)
        throw .refused(FactoryRefusal(error: error))
      }
      committer.end(key, entry)
      reportBroken(key, error, for: asker)
      return nil
    }
  }

  /// Whether what restoring a room has thrown says that its record is of no use.
  ///
  /// That is said by a state of another type, by a screen that is no longer stored, and by factories that
  /// refuse on purpose: nothing is at the address, or the visitor may not have it. Whatever else a factory
  /// throws may pass, as a full disk does, or is a mistake that the next build does not have.
  private static func isOfRecord(_ error: any Error) -> Bool {
    switch error {
    case is DecodingError, is RoomError, is ScreenNotFound, is Denied, is LogInRequired: true
    default: false
    }
  }

  func reportBroken(_ key: RoomKey, _ error: any Error, for asker: Asker? = nil) {
    environment.observe?(
      .failed(
        Notice.Failed(
          screen: key.screen, message: "its stored state cannot be used, and it begins again: \(error)",
          room: key.name, session: asker?.session ?? "", peer: asker?.owner.peers.first)))
  }

  // MARK: - Letting go

  /// Takes a session's view out of its room.
  func leave(_ member: Member) {
    let room = member.room
    room.handle(.leave(member: member.number))
    if room.members.isEmpty, room.key.isPrivate { return remove(room) }
    suspendIfUnshown(room)
    if room.members.isEmpty { noteEmpty(room) }
  }

  /// The last session in memory that shows a room has left it.
  private func noteEmpty(_ room: Room, for longer: Duration = .zero) {
    // Looked at once: the queue's entry holds only while it says the same.
    let now = environment.clock() + longer
    room.emptySince = now
    room.measure()
    room.keeping?.left = environment.wallClock()
    enterEmpty(room.key, at: now)
    noteLeft(by: room.charge.owner)
  }

  /// A room that was stored is shown by one session less.
  func leaveStored(_ key: RoomKey) {
    if let room = rooms[key], room.members.isEmpty, !stored.isShown(key) {
      noteEmpty(room)
      committer.touch(room)
    }
    guard stored.isAbandoned(key) else { return }
    guard !key.isPrivate else { return forgetStored(key) }
    let now = environment.clock()
    stored.note(now, of: key)
    enterEmpty(key, at: now)
  }

  /// A stored room has expired, unless a session has come that shows it.
  func forgetStored(_ key: RoomKey) {
    guard stored.isAbandoned(key), let entry = stored.takeRoom(key) else { return }
    recent?.rooms[key] = nil
    committer.end(key, entry)
  }

  private func enterEmpty(_ key: RoomKey, at now: Duration) {
    if models[key.screen] == nil {
      emptyRooms.enter(key, at: now, isCurrent: isEmpty)
    } else {
      unusedModels.enter(key, at: now, isCurrent: isEmpty)
    }
  }

  /// Whether nobody shows a room since then, or it is stored and was not asked for yet.
  private func isEmpty(_ key: RoomKey, since: Duration) -> Bool {
    if let entry = stored.rooms[key] { return entry.since == nil || entry.since == since }
    return rooms[key]?.emptySince == since
  }

  /// The shared rooms that nobody shows, since when, and then models that nobody uses; the oldest of each first.
  var unshown: some Sequence<(Room, Duration)> {
    [emptyRooms.all, unusedModels.all].lazy.joined().compactMap { [rooms] entry in
      rooms[entry.key].flatMap { $0.emptySince == entry.since ? ($0, entry.since) : nil }
    }
  }

  /// Ends a room that nobody shows since then, because its memory is needed.
  ///
  /// - Returns: Whether it did; somebody may have come.
  func letGo(_ room: Room, since: Duration) -> Bool {
    guard room.emptySince == since, rooms[room.key] === room, !stored.isShown(room.key) else { return false }
    remove(room)
    return true
  }

  /// Ends a room; its bytes are free now, although its last turn may still hold it.
  func remove(_ room: Room) {
    rooms[room.key] = nil
    if room.isCounted { environment.ledger.releaseRoom(of: room.charge.owner.peers) }
    committer.end(room)
    room.charge.set(0)
  }

  /// When `expire` has something to do.
  var nextDeadline: Duration? { .earlier(emptyRooms.nextDeadline, unusedModels.nextDeadline) }

  /// Lets go of the rooms that nobody has shown for too long.
  func expire(at now: Duration) {
    while let entry = emptyRooms.next(at: now) ?? unusedModels.next(at: now) {
      guard let room = rooms[entry.key] else {
        if isEmpty(entry.key, since: entry.since) { forgetStored(entry.key) }
        continue
      }
      guard room.emptySince == entry.since else { continue }
      // Sessions that are not in memory show it: there is nobody here who needs it in memory.
      if stored.isShown(entry.key) {
        if !unload(room) { noteEmpty(room) }
      } else {
        _ = letGo(room, since: entry.since)
      }
    }
  }
}

/// Who asks for a room.
struct Asker {
  /// Who pays for it, if it is made.
  let owner: Owner
  let visitor: Visitor
  /// The session's id; empty if it is none.
  let session: String
}

extension Session {
  /// The session, as it asks for rooms.
  var asker: Asker { Asker(owner: charge.owner, visitor: visitor, session: id) }
}

/// Why a room cannot be made.
private enum RoomError: Error, CustomStringConvertible {
  case noLongerStored

  var description: String { "its screen is no longer Restorable, or no longer there" }
}

extension RoomDirectory {
  /// Whether a visitor may open the screen, and enter the room, that a request names.
  func admits(_ visitor: Visitor, to request: ConnectionRequest) -> Bool {
    guard let route = routes[request.screen], route.permission?.isGranted(to: visitor) ?? true else {
      return false
    }
    guard let room = request.room else { return true }
    return environment.allowsRoom?(visitor, request.screen, room) ?? true
  }
}
