// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiText
import MusubiWire

@testable import MusubiSession

/// A shared room on a clock of its own, and its record.
final class RecordedRoom: RoomHost {
  private final class File: RecordFile {
    let limit: Int
    var text = ""

    init(limit: Int) { self.limit = limit }

    func write(_ lines: [UInt8]) -> Bool {
      text += String(decoding: lines, as: UTF8.self)
      return true
    }
  }

  private final class Place: @unchecked Sendable {
    // Unchecked: a test has one thread.
    var isOnLoop = true
    /// The work that waits for the loop, while it is busy.
    var waiting: [@Sendable () -> Void]?
  }

  private var now = Duration.milliseconds(5_000)
  private var due: [(time: Duration, timer: Int)] = []
  private let place = Place()
  private let file: File
  /// What is on its way to the room's controls.
  let arrivals = FileArrivals()
  private var room: Room?
  private var sessions: [Session] = []
  /// Whether something was written while no event ran.
  private(set) var isWrittenOutside = false

  /// The lines so far.
  var text: String { file.text }

  init(_ route: ScreenRoute, limit: Int = 1 << 20) throws {
    file = File(limit: limit)
    let writer = RecordWriter(file)
    let loop = RoomScheduler.Loop(
      clock: { [unowned self] in now }, wallClock: { [unowned self] in 1_000 + now / .seconds(1) },
      isOnLoop: { [place] in place.isOnLoop },
      enqueue: { [place] work in
        guard place.waiting == nil else { return place.waiting?.append(work) ?? () }
        let before = place.isOnLoop
        place.isOnLoop = true
        work()
        place.isOnLoop = before
      })
    loop.plan = { [unowned self] in due.append(($2, $1)) }
    let scheduler = RoomScheduler(loop)
    let header = RecordHeader(
      key: RoomKey(screen: route.name, name: "a", isPrivate: false), epoch: "e", path: "/", query: [:],
      visitor: .anonymous, seed: 7, made: 1_005)
    let recording = RoomRecording(clock: { [unowned self] in now }, wallClock: header.made) { _ in
      writer.write(header)
    } emit: {
      writer.write($0)
    }
    var context = ScreenContext(
      screen: route.name, room: "a", path: "/", clock: scheduler, random: RandomSource(seed: 7))
    context.source = scheduler
    context.arriving = RoomArrivals(arrivals: arrivals, room: header.key.arrivals)
    room = try Room(
      key: header.key, epoch: "e", path: "/", scheduler: scheduler,
      resources: RoomResources(SessionConfiguration(), arrivals: arrivals), host: self, recording: recording
    ) { try ScreenInstance(route, context: context) }
  }

  /// A page begins to show the room.
  func join(_ member: Int, at milliseconds: Int) {
    guard let room else { return }
    let session = Session(
      id: "session-\(member)", token: TokenHash(testHash([])), visitor: Visitor(id: "visitor-\(member)"),
      owner: MemoryLedger(limit: nil).owner([]))
    sessions.append(session)
    session.members = [room.admit(session, screen: 0)]
    run(at: milliseconds, .join(member: member))
  }

  /// Runs the timers that are due, and then events, as one turn.
  func run(at milliseconds: Int, _ events: RoomEvent...) {
    now = .milliseconds(5_000 + milliseconds)
    let ringing = due.filter { $0.time <= now }
    due.removeAll { $0.time <= now }
    for (_, timer) in ringing { room?.scheduler.ring(timer) }
    for event in events { room?.handle(event) }
    room?.finishTurn()
  }

  /// A page tells where its visitor is in a text.
  func place(_ member: Int, in text: String, at place: Int) {
    guard let member = room?.member(member) else { return }
    _ = room?.take(ClientFrame.Caret(text: text, revision: 0, selection: place..<place), of: member)
  }

  /// Runs a body as another thread would, and ends the turn that it brings about.
  func elsewhere(at milliseconds: Int, _ body: () -> Void) {
    now = .milliseconds(5_000 + milliseconds)
    place.isOnLoop = false
    body()
    place.isOnLoop = true
    room?.finishTurn()
  }

  /// Runs a body as another thread would while the loop is busy; its work comes afterwards, in one turn.
  func meanwhile(at milliseconds: Int, _ body: () -> Void) {
    elsewhere(at: milliseconds) {
      place.waiting = []
      body()
      let works = place.waiting ?? []
      place.waiting = nil
      place.isOnLoop = true
      for work in works { work() }
    }
  }

  func wroteOutside(_ room: Room) { isWrittenOutside = true }
  func opened(_ room: Room) {}
  func follow(_ turn: Int, of room: Room) {}
  func changed(_ room: Room) {}
  func perform(_ requests: [ScreenRequest], of room: Room, for cause: PageCause?) {}
  func report(_ notice: Notice) {}
  func effectBegan(of room: Room, for session: Session) {}
  func effectsEnded(of room: Room) {}
}

extension RoomEvent {
  /// A tap.
  static func tap(_ name: String, _ member: Int, _ number: Int) -> RoomEvent {
    .input(member: member, number: number, name: name, row: [], value: nil)
  }

  /// A text that is put in front of a field's.
  static func typed(_ name: String, _ member: Int, _ number: Int, _ text: String) -> RoomEvent {
    .edit(
      member: member, number: number, name: name, revision: 0,
      edit: TextEdit(position: 0, deleted: 0, inserted: text))
  }
}
