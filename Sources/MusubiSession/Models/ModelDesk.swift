// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// The shared models of one loop: those that are at home here, and what its screens use of all of them.
///
/// ```
/// a screen's loop                                    the model's home, by its name
///   Shared ─► ModelLine ─► ModelDesk   watch, command ──►   ModelDesk ─► Room ─► ModelHost ─► the author's model
///                                   ◄── value, result
/// ```
///
/// A value crosses once for each loop and iteration, whoever follows it there. The outcome of a command goes back when the
/// model's room is stored. Confined to its loop.
final class ModelDesk {
  /// The names of the models' routes, by the types of the models.
  private let names: [ObjectIdentifier: String]
  private unowned let rooms: RoomDirectory
  let slots: SlotTable
  let environment: LoopEnvironment
  private let committer: Committer
  private let running: RunningEvent?
  /// Brings a message to another loop, and tells whether there is a way to it; nil where there is no other loop.
  var post: ((ModelMessage, _ loop: Int) -> Bool)?
  /// Whether the link to a loop of another node takes values, commands and answers at the moment.
  var takesMore: ((_ loop: Int) -> Bool)?
  /// The messages that go out, to this loop as well, when values have.
  var outbox: [(message: ModelMessage, loop: Int)] = []

  // Of screens here.
  var lines: [RoomKey: Line] = [:]
  private var lastLine = 0
  var asked: [Int: Asked] = [:]
  private var lastTicket = 0
  var unsettled: [Unsettled] = []

  // Of models here.
  var homes: [RoomKey: ModelRoom] = [:]
  var changed: [ModelRoom] = []
  /// What came for models of slots that are not open here, until it is known where they are.
  var held: [Int: [ModelMessage]] = [:]
  /// What waits until links to loops of other nodes take more.
  var stalled: [Int: StalledModels] = [:]
  /// Since which generations slots of sessions have lost what was before, as commands of their later owners tell.
  var origins: [Int: UInt32] = [:]

  init(
    _ models: [ScreenRoute], _ rooms: RoomDirectory, _ environment: LoopEnvironment, _ committer: Committer,
    _ slots: SlotTable, _ running: RunningEvent?
  ) {
    names = Dictionary(
      uniqueKeysWithValues: models.compactMap { route in route.type.map { ($0, route.name) } })
    self.rooms = rooms
    self.slots = slots
    self.environment = environment
    self.committer = committer
    self.running = running
    committer.onSaved = { [unowned self] in tellSettled() }
  }

  /// Whether something waits for `flush`.
  var hasWork: Bool { !outbox.isEmpty || !changed.isEmpty }

  /// Hands out the newest values, and then all else that waits.
  func flush() {
    let rooms = changed
    changed = []
    for room in rooms {
      for (loop, follower) in room.followers {
        for (relay, change) in follower.takeChanges() {
          switch change {
          case .value(let value): send(.value(room.key, line: follower.line, relay: relay, value), to: loop)
          case .relay(let source): send(source, relay, of: room, follower, to: loop)
          }
        }
      }
    }
    let messages = outbox
    outbox = []
    for (message, loop) in messages { send(message, to: loop) }
  }

  func send(_ message: ModelMessage, to loop: Int) {
    if loop == environment.loop {
      take(message, from: loop)
    } else if Place.isRemote(loop) {
      sendOut(message, to: loop)
    } else {
      _ = post?(message, loop)
    }
  }

  /// Takes what a loop has to say.
  func take(_ message: ModelMessage, from loop: Int) {
    if isElsewhere(message) { return }
    switch message {
    case .watch(let key, let line, let relay, let peers): watch(key, relay, peers, for: (loop, line))
    case .watchNamed(let key, let line, let relay, let name, let peers):
      watch(key, relay, name, peers, for: (loop, line))
    case .command(let order): perform(order, isDirect: order.loop == loop)
    case .settled(let key, let command):
      (homes[key]?.room ?? rooms[key])?.instance.model?.forget(command)
    case .close(let key, let line): close(key, for: (loop, line))
    case .value(let key, let line, let relay, let value):
      guard lines[key]?.number == line else { return }
      lines[key]?.hasValues = true
      rooms.schedulers.startsTurns = true
      take(key, relay, value)
      rooms.schedulers.startsTurns = false
    case .result(let ticket, let result): tell(result, to: ticket)
    case .unavailable(let key, let line, let reason):
      guard let known = lines[key], known.number == line else { return }
      if let reason { report(key, reason, known.peers) }
      known.object?.giveUp()
      // A screen that has values keeps them, and asks the model's next home.
      if !known.hasValues { lines[key] = nil }
    case .elsewhere(let ticket): bounced(ticket, from: loop)
    }
  }
}

// MARK: - For the screens of this loop

/// A loop's side of a model, while one of its screens uses it.
final class Line {
  /// Another one from each home of the model on: what an older home still tells concerns nobody.
  var number: Int
  weak var object: ModelLine?
  /// The relays that it follows.
  var relays: [ModelRelay] = []
  /// Whether it ever had a value.
  var hasValues = false
  /// The model's slot.
  let slot: Int
  /// Who pays for the model.
  let peers: [Peer]

  init(_ number: Int, _ slot: Int, _ peers: [Peer]) {
    self.number = number
    self.slot = slot
    self.peers = peers
  }
}

/// A screen that waits for what comes of a command.
struct Asked {
  var order: ModelOrder
  /// Who has caused it to be sent.
  let cause: (any WorkCause)?
  /// The screen's; nil for a command of nobody's.
  weak var scheduler: RoomScheduler?
  weak var session: Session?
  let answer: (ModelResult) -> Void
  /// The loop of another node that may have it; nil if it is in this process, or waits here.
  var place: Int?
}

/// A command whose input comes again if the process ends before its session is stored.
struct Unsettled {
  let model: RoomKey
  let command: String
  weak var session: Session?
  let gate: Int

  /// Whether it cannot come again.
  var isOver: Bool { session?.saving.map { $0.isOpen(gate) } ?? true }
}

extension ModelDesk {
  /// The source of models in a screen's context.
  func source(for owner: Owner) -> any ModelSource { AskingScreen(self, owner.peers) }

  fileprivate func line(_ type: ObjectIdentifier, room: String, _ peers: [Peer]) -> ModelLine? {
    guard let name = names[type] else { return nil }
    let key = RoomKey(screen: name, name: room, isPrivate: false)
    if let line = lines[key]?.object { return line }
    let line = Line(nextLine(), key.slot, peers)
    let object = ModelLine { [weak self] relay in
      line.relays.append(relay)
      // At home the first value is there at once.
      self?.send(.watch(key, line: line.number, relay, peers), to: self?.home(of: line.slot) ?? 0)
    } post: { [weak self] command, answer in
      self?.send(command, to: key, line, answer)
    } end: { [weak self] in
      guard let self else { return }
      if lines[key] === line { lines[key] = nil }
      outbox.append((.close(key, line: line.number), home(of: line.slot)))
    }
    line.object = object
    lines[key] = line
    return object
  }

  /// The number of a line that is new, or goes to another home.
  func nextLine() -> Int {
    lastLine += 1
    return lastLine
  }

  /// The loop that messages for a model go to; this one keeps them while nobody knows.
  func home(of slot: Int) -> Int { slots.home(of: slot) ?? environment.loop }

  private func send(
    _ command: ModelCommand, to key: RoomKey, _ line: Line, _ answer: @escaping (ModelResult) -> Void
  ) {
    lastTicket += 1
    let scheduler = LoopContext.current as? RoomScheduler
    let room = scheduler?.room
    let cause = room?.cause
    var session = room.flatMap { $0.member($0.origin.member)?.session }
    var input = session.map { InputID(session: $0.id, number: room?.origin.input ?? 0) }
    var command = command
    if command.key.isEmpty, let room, let cause, cause.input.number > 0,
      let name = cause.key(of: command.value)
    {
      // A kill may have the input come again, and what it begins then sends this once more.
      command.key = name
      command.isRecorded = true
      (session, input) = (room.member(cause.page)?.session, cause.input)
    }
    if command.key.isEmpty { command.key = environment.randomName(bytes: 8) }
    if !committer.keepsState { command.isRecorded = false }
    let order = ModelOrder(
      model: key, slot: line.slot, command: command, loop: environment.loop, line: line.number,
      ticket: lastTicket,
      input: input, origin: input.flatMap(origin), peers: line.peers,
      generation: slots.generation(of: line.slot))
    asked[lastTicket] = Asked(
      order: order, cause: cause, scheduler: scheduler, session: session, answer: answer)
    outbox.append((.command(order), home(of: line.slot)))
  }

  /// What is known here of the slot of an input's session; nil if its name tells none.
  private func origin(of input: InputID) -> SlotMove? {
    SessionName.slot(of: input.session).map {
      SlotMove(generation: slots.generation(of: $0), lostSince: slots.lostSince($0))
    }
  }

  /// Sends a command that nobody has, or of which nobody knows what came.
  ///
  /// It has another ticket then: what is still told of the one before concerns nobody.
  func sendAgain(_ ticket: Int) {
    guard var entry = asked.removeValue(forKey: ticket) else { return }
    lastTicket += 1
    let slot = entry.order.slot
    entry.place = nil
    // A home that was lost has left nothing of a model that is not stored.
    if entry.order.generation < slots.lostSince(slot) { entry.order.isAgain = false }
    entry.order.ticket = lastTicket
    entry.order.line = lines[entry.order.model]?.number
    entry.order.generation = slots.generation(of: slot)
    asked[lastTicket] = entry
    outbox.append((.command(entry.order), home(of: slot)))
  }

  private func tell(_ result: ModelResult, to ticket: Int) {
    guard let asked = asked.removeValue(forKey: ticket) else { return }
    if let scheduler = asked.scheduler {
      scheduler.run(by: asked.cause) { asked.answer(result) }
    } else {
      asked.answer(result)
    }
    guard asked.order.command.isRecorded else { return }
    let command = Unsettled(
      model: asked.order.model, command: asked.order.command.key, session: asked.session,
      gate: asked.session?.saving?.gate ?? 0)
    unsettled.append(command)
    if command.isOver { tellSettled() }
  }

  /// Sessions may have been stored.
  private func tellSettled() {
    guard !unsettled.isEmpty else { return }
    unsettled.removeAll { command in
      guard command.isOver else { return false }
      outbox.append((.settled(command.model, command: command.command), home(of: command.model.slot)))
      return true
    }
  }
}

/// A screen that asks for shared models.
private final class AskingScreen: ModelSource {
  private weak var desk: ModelDesk?
  private let peers: [Peer]
  private var lines: [Weak<ModelLine>] = []

  init(_ desk: ModelDesk, _ peers: [Peer]) {
    self.desk = desk
    self.peers = peers
  }

  func line(_ type: ObjectIdentifier, room: String) -> ModelLine? {
    let line = desk?.line(type, room: room, peers)
    guard let line, !lines.contains(where: { $0.object === line }) else { return line }
    lines.removeAll { $0.object == nil }
    lines.append(Weak(line))
    return line
  }

  var lacksValues: Bool { lines.contains { $0.object?.lacksValues == true } }
}

// MARK: - For the models of this loop

/// A shared model at its home, while screens use it.
final class ModelRoom {
  let room: Room
  /// The loops that use it.
  var followers: [Int: Follower] = [:]
  /// Who waits for the commands under way.
  var askers: [String: Asker] = [:]

  /// A loop that waits for what comes of a command; nil if its link has ended.
  typealias Asker = (loop: Int?, ticket: Int)

  init(_ room: Room) { self.room = room }

  var key: RoomKey { room.key }

  /// A loop with screens that follow relays, by a line of that loop.
  final class Follower {
    let line: Int
    let bag = DisposeBag()
    private var changes: [Int: Change] = [:]

    /// What a relay has to tell: to a loop of this process a value; to others the newest one, when it is written.
    enum Change {
      case value(any Sendable)
      case relay(any CodableRelay)
    }

    init(line: Int) { self.line = line }

    /// A relay has another value.
    ///
    /// - Returns: Whether no other had changed.
    func note(_ change: Change, of relay: Int) -> Bool {
      defer { changes[relay] = change }
      return changes.isEmpty
    }

    /// The newest values since the last time, in the order in which the relays were first followed.
    func takeChanges() -> [(Int, Change)] {
      defer { changes = [:] }
      return changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// The follower of a line; an older line of the loop has ended.
  func follower(_ loop: Int, _ line: Int) -> Follower {
    if let follower = followers[loop], follower.line >= line { return follower }
    let follower = Follower(line: line)
    followers[loop] = follower
    return follower
  }
}

extension ModelDesk {
  /// A model at home here; made or restored if nobody uses it yet.
  ///
  /// - Throws: What its factory throws, or that there is no space.
  private func home(_ key: RoomKey, _ peers: [Peer]) throws -> ModelRoom {
    if let home = homes[key] { return home }
    let room = try rooms.model(key, for: peers)
    let home = ModelRoom(room)
    homes[key] = home
    room.instance.model?.onResult = { [weak self, weak home] command, result in
      if let home { self?.ended(command, result, of: home) }
    }
    return home
  }

  /// A model that a loop follows; nil if it cannot be made, which the loop is told.
  func home(_ key: RoomKey, _ peers: [Peer], for user: (loop: Int, line: Int)) -> ModelRoom? {
    do { return try home(key, peers) } catch {
      report(key, error, peers)
      outbox.append((.unavailable(key, line: user.line, nil), user.loop))
      return nil
    }
  }

  private func watch(_ key: RoomKey, _ relay: ModelRelay, _ peers: [Peer], for user: (loop: Int, line: Int)) {
    guard let home = home(key, peers, for: user) else { return }
    let follower = home.follower(user.loop, user.line)
    var isNew = true
    LoopContext.with(home.room.scheduler) {
      home.room.instance.model?.follow(relay) { [weak self, weak home, weak follower] value in
        guard let self, let home, let follower else { return }
        // The first value is for a screen that is just being made.
        if isNew { return send(.value(key, line: user.line, relay: relay.number, value), to: user.loop) }
        if follower.note(.value(value), of: relay.number) { changed.append(home) }
      }.disposed(by: follower.bag)
    }
    isNew = false
  }

  private func perform(_ order: ModelOrder, isDirect: Bool) {
    do {
      let home = try self.home(order.model, order.peers)
      // The line of one that comes by way of another home follows this one by itself.
      if isDirect, let line = order.line { _ = home.follower(order.loop, line) }
      let key = order.command.key
      // A model that is not stored does not know what it has carried out.
      let isKnown = home.room.keeping != nil || !order.isAgain
      guard isKnown || home.askers[key] != nil else {
        return refuse(order, "a link has ended, and nobody knows what came of the command")
      }
      home.askers[key] = (order.loop, order.ticket)
      guard isKnown else { return }
      // Whoever ends the process by a command is not to do so again.
      let isOutermost =
        running?.begin(
          order.input == nil ? .timer : .input, room: home.room.keeping?.digest ?? 0,
          session: order.input?.session ?? "", number: order.input?.number ?? 0,
          record: home.room.recordNumber) ?? false
      defer { if isOutermost { running?.end() } }
      home.room.handle(.command(order.command))
    } catch {
      report(order.model, error, order.peers)
      refuse(order, (error as? RoomRefusal)?.message ?? "it could not be made")
    }
  }

  private func refuse(_ order: ModelOrder, _ reason: String) {
    let result = ModelResult.failure(SharedModelError.unavailable(reason))
    outbox.append((.result(ticket: order.ticket, result), order.loop))
  }

  private func ended(_ command: String, _ result: ModelResult, of home: ModelRoom) {
    let asker = home.askers.removeValue(forKey: command)
    committer.touch(home.room)
    home.room.whenSaved { [weak self] in
      guard let self else { return }
      if let asker, let loop = asker.loop { outbox.append((.result(ticket: asker.ticket, result), loop)) }
      letGoIfUnused(home)
    }
  }

  private func close(_ key: RoomKey, for user: (loop: Int, line: Int)) {
    // Another line may follow it meanwhile.
    guard let home = homes[key], let follower = home.followers[user.loop], follower.line <= user.line else {
      return
    }
    home.followers[user.loop] = nil
    letGoIfUnused(home)
  }

  /// Nobody may use a model any more: its room ends as one without pages does.
  func letGoIfUnused(_ home: ModelRoom) {
    guard home.followers.isEmpty, home.askers.isEmpty, homes[home.key] === home,
      home.room.instance.model?.isBusy != true
    else { return }
    homes[home.key] = nil
    home.room.instance.model?.onResult = nil
    rooms.noteUnused(home.room)
  }

  private func report(_ key: RoomKey, _ error: any Error, _ peers: [Peer]) {
    if let refusal = error as? RoomRefusal {
      environment.observe?(
        .refused(Notice.Refused(reason: refusal.reason, message: refusal.message, peer: peers.first)))
    } else {
      report(key, "the shared model could not be made: \(error)", peers)
    }
  }

  func report(_ key: RoomKey, _ message: String, _ peers: [Peer]) {
    environment.observe?(
      .failed(Notice.Failed(screen: key.screen, message: message, room: key.name, peer: peers.first)))
  }
}
