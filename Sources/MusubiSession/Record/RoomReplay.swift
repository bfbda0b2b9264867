// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiRx
import MusubiText
import MusubiWire
import Synchronization

/// A record that cannot be replayed.
package struct ReplayError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Runs the record of a room against today's screen, in the record's own time, and compares what it shows.
package final class RoomReplay {
  /// How a replay has ended.
  package enum End: Equatable, Sendable {
    /// Today's program shows what the record has, to its last turn.
    case same
    /// A turn is another one today.
    case differs(Difference)
    /// Something came from elsewhere, and no record has its value.
    case cameFromOutside(turn: Int, at: Duration, outputs: [String])
  }

  /// The first turn that is another one today.
  package struct Difference: Equatable, Sendable {
    /// One name whose change is another one.
    package struct Output: Equatable, Sendable {
      /// The name of the output.
      package let name: String
      /// The change in the record; nil if there is none.
      package let recorded: String?
      /// The change today; nil if there is none.
      package let today: String?
    }

    /// The turn's place among those of the record, from 1; 0 for what the screen showed before the first event.
    package let turn: Int
    /// When, since the room was made.
    package let at: Duration
    /// The events of the turn, as the record has them.
    package let events: [String]
    /// The outputs, in the order of their names.
    package let outputs: [Output]
  }

  /// What a replay has found.
  package struct Report: Equatable, Sendable {
    package let end: End
    /// The turns that were compared.
    package let turns: Int
    /// The events that were run.
    package let events: Int
    /// The inputs that the record leaves out, because a rule says so.
    package let leftOut: [String]
    /// So many events came from elsewhere without showing anything.
    package let silent: Int
    /// The names of values from elsewhere that today's program asks for, and the record does not have.
    package let missing: [String]
    /// Whether the record ends because it is as long as it may be.
    package let isFull: Bool
    /// The name of the author's type.
    package let content: String
  }

  private let header: RecordHeader
  private let lines: [RecordLine]
  private let time = ReplayTime()
  private let host = ReplayHost()
  /// What today's program has noted, and nobody has compared.
  private var today: [RecordLine] = []
  /// Parts of the room's tasks that can go on.
  private let jobs = ReplayJobs()
  private var sessions: [Int: Session] = [:]
  private let memory = MemoryLedger(limit: nil)
  /// Whether the caller is on the thread that replays.
  private let isHere: @Sendable () -> Bool

  private var recording: RoomRecording?
  private var turns = 0
  private var events = 0
  private var leftOut: [String] = []
  private var silent = 0

  /// Reads a record.
  ///
  /// - Parameters:
  ///   - record: The lines of the file.
  ///   - isHere: Whether the caller is on the thread that replays.
  /// - Throws: `ReplayError` with the line that cannot be read.
  package init(record: String, isHere: @escaping @Sendable () -> Bool = { true }) throws(ReplayError) {
    self.isHere = isHere
    var texts = record.split(separator: "\n")
    guard !texts.isEmpty else { throw ReplayError("the record is empty") }
    // A crash may have cut the last line.
    if !record.hasSuffix("\n"), texts.count > 1 { texts.removeLast() }
    let version = (try? Value(json: String(texts[0])))?["version"]?.intValue
    guard let version else { throw ReplayError("the first line is no head of a record") }
    guard version == RecordHeader.currentVersion else {
      throw ReplayError(
        "the record has version \(version), and this program reads \(RecordHeader.currentVersion)")
    }
    func read<Line: Decodable>(_ index: Int, as type: Line.Type) throws(ReplayError) -> Line {
      do {
        return try Line(recorded: Value(json: String(texts[index])))
      } catch {
        throw ReplayError("line \(index + 1) cannot be read: \(error)")
      }
    }
    header = try read(0, as: RecordHeader.self)
    var lines: [RecordLine] = []
    for index in texts.indices.dropFirst() {
      let line = try read(index, as: RecordLine.self)
      guard line.hasUsableNumbers else {
        throw ReplayError("line \(index + 1) has a number that no room gives")
      }
      lines.append(line)
    }
    self.lines = lines
  }

  /// The screen whose room it is.
  package var screen: String { header.key.screen }

  /// When the room was made, in seconds since 1970.
  package var made: Double { header.made }

  /// The route of the record's screen.
  ///
  /// - Parameter routes: The screens and the shared models.
  /// - Returns: The route.
  /// - Throws: `ReplayError` if there is none.
  package func route(among routes: [ScreenRoute]) throws(ReplayError) -> ScreenRoute {
    guard let route = routes.first(where: { $0.name == screen }) else {
      let known = routes.map(\.name).joined(separator: ", ")
      throw ReplayError("the program has no screen \"\(screen)\"; it has \(known)")
    }
    return route
  }

  /// Runs the record.
  ///
  /// - Parameters:
  ///   - configuration: The limits.
  ///   - models: The shared models for which screens ask.
  ///   - content: Makes the record's screen, or its shared model.
  /// - Returns: What it has found.
  /// - Throws: `ReplayError` if the record's screen cannot be made; what `content` throws.
  package func run(
    _ configuration: SessionConfiguration, models: ModelProbe,
    _ content: (ScreenContext) throws -> any ScreenContent
  ) throws -> Report {
    guard !header.isPresented else {
      throw ReplayError(
        "another screen has presented this \"\(screen)\", and no record has what it was given; only screens that were "
          + "opened by their address can be replayed")
    }
    let room = try make(models, configuration, content)
    let end = try compareStart() ?? run(room)
    return Report(
      end: end, turns: turns, events: events, leftOut: Array(Set(leftOut)).sorted(), silent: silent,
      missing: recording?.missing.sorted() ?? [], isFull: lines.last?.isFull == true,
      content: room.instance.contentName)
  }

  private func make(
    _ models: ModelProbe, _ configuration: SessionConfiguration,
    _ content: (ScreenContext) throws -> any ScreenContent
  ) throws -> Room {
    let loop = RoomScheduler.Loop(
      clock: { [time] in .nanoseconds(time.now) },
      wallClock: { [time, made = header.made] in made + Double(time.now) / 1e9 }, isOnLoop: isHere,
      // What comes from another thread is in the record, if anywhere.
      enqueue: { [jobs, isHere] job in if isHere() { jobs.work.withLock { $0.append(job) } } },
      presence: PresenceTracker.Limits(
        idleAfter: configuration.idleAfter, maxPeople: configuration.maxListedPeople))
    // The record says when timers ring.
    loop.plan = { _, _, _ in }
    let scheduler = RoomScheduler(loop)
    let key = header.key
    var context = ScreenContext(
      screen: screen, room: key.isPrivate ? nil : key.name, path: header.path,
      parameters: header.parameters, query: header.query, visitor: header.visitor,
      clock: scheduler, random: RandomSource(seed: UInt64(bitPattern: header.seed)))
    context.stored = header.restored?.state
    context.source = scheduler
    context.models = models
    // The record has what it told.
    context.arriving = RoomArrivals(arrivals: FileArrivals(), room: key.arrivals)
    let recording = RoomRecording(
      clock: { [time] in .nanoseconds(time.now) }, wallClock: header.made, isReplaying: true,
      begin: { _ in }, emit: { [unowned self] in today.append($0) })
    recording.give(Array(lines.prefix { $0.start == nil }))
    self.recording = recording
    return try Room(
      key: key, epoch: header.epoch, path: header.path, scheduler: scheduler,
      resources: RoomResources(configuration, memory: memory), host: host, restoring: header.restored,
      recording: recording
    ) { try ScreenInstance(screen) { try content(context) } }
  }

  private func compareStart() -> End? {
    let made = today
    today = []
    guard let recorded = lines.first(where: { $0.start != nil })?.start,
      let shown = made.first(where: { $0.start != nil })?.start, recorded != shown
    else { return nil }
    let names = Set((recorded.objectValue ?? .init()).map(\.key) + (shown.objectValue ?? .init()).map(\.key))
    return .differs(
      Difference(
        turn: 0, at: .zero, events: [],
        outputs: names.sorted().filter { recorded[$0] != shown[$0] }.map { name in
          .init(name: name, recorded: recorded[name]?.description, today: shown[name]?.description)
        }))
  }

  private func run(_ room: Room) throws -> End {
    /// The events of the turn that is open.
    var open: [RecordLine] = []
    for (index, line) in lines.enumerated() {
      time.now = line.at
      if let guest = line.guest {
        take(guest, room)
      } else if let name = line.leftOut {
        leftOut.append(name)
      } else if let event = line.event {
        recording?.give(values(behind: index))
        if event.isForeign || room.takesFile(event) {
          if takeForeign(event, values(behind: index), room) {
            open.append(line)
            events += 1
          } else if let end = pass(line, index) {
            return end
          }
        } else {
          open.append(line)
          events += 1
          room.handle(event)
        }
      } else if let turn = line.turn {
        turns += 1
        if let end = compare(turn, open, at: line.at, room) { return end }
        open = []
      } else if let again = line.again {
        room.tellAgain(room.keptEvents.filter { again.contains($0.sequence) })
      }
    }
    return .same
  }

  private func take(_ guest: RecordLine.Guest, _ room: Room) {
    if let session = sessions[guest.number] {
      session.visitor = guest.visitor
      return
    }
    let session = Session(
      id: guest.session, token: TokenHash(Array(repeating: 0, count: 32)), visitor: guest.visitor,
      owner: memory.owner([]))
    sessions[guest.number] = session
    session.members.append(room.admit(session, screen: guest.screen, as: guest.number))
  }

  /// The values that came in the event of a line.
  private func values(behind index: Int) -> [RecordLine] {
    lines[(index + 1)...].prefix { $0.event == nil && $0.leftOut == nil }
      .filter { $0.name != nil || $0.isOvertaken == true }
  }

  /// Runs an event whose work came from elsewhere, if the record has its value.
  ///
  /// - Returns: Whether it did.
  private func takeForeign(_ event: RoomEvent, _ values: [RecordLine], _ room: Room) -> Bool {
    guard case .timer(let timer) = event, let recording else { return false }
    // What was overtaken changes nothing, and is no part of a task.
    if values.contains(where: { $0.isOvertaken == true }) { return true }
    let isExpected = values.contains { recording.expects($0.name) }
    guard isExpected || jobs.work.withLock({ !$0.isEmpty }) else { return false }
    room.scheduler.give(timer) { recording.push() }
    room.handle(event)
    // Each part of a task is an event of its own.
    while let job = jobs.work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
    return true
  }

  /// Goes on behind an event whose work no record has, if it has shown nothing.
  private func pass(_ line: RecordLine, _ index: Int) -> End? {
    let turn = lines[index...].first { $0.turn != nil }?.turn
    let names = turn.map(Self.changes)?.keys.sorted() ?? []
    guard names.isEmpty else {
      return .cameFromOutside(turn: turns + 1, at: .nanoseconds(line.at), outputs: names)
    }
    silent += 1
    return nil
  }

  private func compare(_ recorded: Value, _ open: [RecordLine], at time: Int64, _ room: Room) -> End? {
    // Many steps of texts end a turn before its events have all come.
    if !today.contains(where: { $0.turn != nil }) { room.finishTurn() }
    today.removeAll { $0.turn == nil }
    let before = Self.changes(of: recorded)
    let now = Self.changes(of: today.isEmpty ? [:] : today.removeFirst().turn ?? [:])
    // Turns that only had what the record leaves out count, too.
    if let sequence = recorded["sequence"]?.intValue { room.skipTurns(to: sequence) }
    guard before != now else { return nil }
    let names = Set(before.keys).union(now.keys).sorted().filter { before[$0] != now[$0] }
    return .differs(
      Difference(
        turn: turns, at: .nanoseconds(time),
        events: open.compactMap { line in line.event.map { Self.description(of: $0) } },
        outputs: names.map { .init(name: $0, recorded: before[$0], today: now[$0]) }))
  }
}

// MARK: - For people

extension RoomReplay {
  /// The changes of a turn by the names of outputs, as text.
  private static func changes(of turn: Value) -> [String: String] {
    var changes: [String: String] = [:]
    func add(_ text: String, to name: String) {
      changes[name] = changes[name].map { "\($0), \(text)" } ?? text
    }
    for operation in turn["patch"]?.arrayValue ?? [] {
      let path = operation["path"]?.stringValue ?? ""
      let name = path.dropFirst().split(separator: "/").first.map(String.init) ?? ""
      let isWhole = path.dropFirst().count == name.count
      add(isWhole ? operation["value"].map(\.description) ?? "\(operation)" : "\(operation)", to: name)
    }
    for edit in turn["edits"]?.objectValue ?? .init() {
      let name = edit.key.split(separator: "/").first.map(String.init) ?? edit.key
      add("edits \(edit.value)", to: name)
    }
    for event in turn["events"]?.arrayValue ?? [] {
      add("event \(event["value"] ?? .null)", to: event["name"]?.stringValue ?? "")
    }
    return changes
  }

  private static func description(of event: RoomEvent) -> String {
    switch event {
    case .input(let member, _, let name, let row, let value):
      let place = row.isEmpty ? "" : " in row \(row.joined(separator: "/"))"
      return "page \(member) sends \(name)\(place)\(value.map { " \($0)" } ?? "")"
    case .edit(let member, _, let name, _, let edit):
      return "page \(member) edits \(name): \(description(of: edit))"
    case .rowEdit(let member, _, let name, let row, _, let edit):
      return "page \(member) edits \(name) in row \(row.joined(separator: "/")): \(description(of: edit))"
    case .beginEditing(let member, let name, let row):
      return "page \(member) begins to edit \(name) in row \(row.joined(separator: "/"))"
    case .join(let member): return "page \(member) joins"
    case .leave(let member): return "page \(member) leaves"
    case .connection(let member, let isConnected):
      return "page \(member) is \(isConnected ? "connected" : "not connected")"
    case .timer(let id): return "timer \(id)"
    default: return "\(event)"
    }
  }

  private static func description(of edit: TextEdit) -> String {
    "\((try? ValueEncoder.encode(edit)) ?? .null)"
  }
}

// MARK: - What stands for the server

/// The time of the line that is run, in nanoseconds.
private final class ReplayTime {
  var now: Int64 = 0
}

/// What the replay's own thread has put off.
private final class ReplayJobs: Sendable {
  let work = Mutex<[@Sendable () -> Void]>([])
}

/// Nobody takes requests, and nothing is stored.
private final class ReplayHost: RoomHost {
  func opened(_ room: Room) {}
  func wroteOutside(_ room: Room) {}
  func follow(_ turn: Int, of room: Room) {}
  func changed(_ room: Room) {}
  func perform(_ requests: [ScreenRequest], of room: Room, for cause: PageCause?) {}
  func report(_ notice: Notice) {}
  func effectBegan(of room: Room, for session: Session) {}
  func effectsEnded(of room: Room) {}
}

extension Room {
  /// Whether an event brings a file, of which a record has the name alone.
  fileprivate func takesFile(_ event: RoomEvent) -> Bool {
    guard case .input(_, _, let name, _, _) = event else { return false }
    return sharedSchema.files[name] != nil
  }
}
