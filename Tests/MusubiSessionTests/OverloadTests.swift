// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `When inputs come faster than they can be handled` {
  private let world = BusyLoop()

  @Test func `a room that burns time gets its share of each turn, and the others theirs`() {
    let hog = world.open("burn", room: "hog")
    let calm = world.open("burn", room: "calm")

    for number in 1...10 { world.send(number, "4", on: hog) }
    world.send(1, "0", on: calm)

    // Three of 4 ms, then the share of 10 ms is over; what comes after is held, and not read for.
    #expect(world.burnt == ["hog 4", "hog 4", "hog 4", "calm 0"])
    #expect(world.unread == [hog])
    world.turn()
    #expect(world.burnt.count == 7)
    for _ in 0..<3 { world.turn() }
    #expect(world.burnt.count { $0 == "hog 4" } == 10)
    #expect(world.unread == [])
  }

  @Test func `the connections of one room are served in rotation`() {
    let first = world.open("burn", room: "hog")
    let second = world.open("burn", room: "hog")

    for number in 1...6 { world.send(number, "10", on: first) }
    for number in 1...6 { world.send(number, "11", on: second) }
    for _ in 0..<11 { world.turn() }

    let rotation = Array(repeating: ["hog 11", "hog 10"], count: 4).joined()
    #expect(world.burnt == ["hog 10", "hog 10"] + rotation + ["hog 11", "hog 11"])
  }

  @Test func `inputs of a page that has gone take effect`() {
    let hog = world.open("burn", room: "hog")

    for number in 1...4 { world.send(number, "20", on: hog) }
    world.close(hog)

    #expect(world.burnt.count == 4)
  }

  @Test func `inputs of a page that has gone from another loop take effect`() throws {
    let world = BusyLoop(isHomeElsewhere: true)
    let hog = world.open("burn", room: try world.roomElsewhere())

    for number in 1...6 { world.send(number, "20", on: hog) }
    world.turn()
    world.turn()
    #expect(world.burnt.count < 6)
    world.close(hog)
    world.turn()

    #expect(world.burnt.count == 6)
  }

  @Test func `a session that sends too much is read from more slowly, on whichever connection`() {
    world.limit(MessageRate(perSecond: 10, burst: 5))
    let first = world.open("burn", room: "calm")
    for number in 1...6 { world.send(number, "0", on: first) }
    #expect(world.unread == [first])

    world.close(first)
    let second = world.resume(first)
    world.send(7, "0", on: second)

    #expect(world.unread == [second])
    world.pass(.seconds(1))
    #expect(world.unread == [])
    #expect(world.burnt.count == 7)
  }

  @Test func `nobody saves up more than a burst, however long the pause was`() {
    let rate = MessageRate(perSecond: 10, burst: 5)
    var bucket = TokenBucket(rate, at: .zero)
    for _ in 0..<5 { #expect(bucket.take(rate, at: .zero) == nil) }

    let waits = (0..<6).map { _ in bucket.take(rate, at: .seconds(3_600)) }

    #expect(waits.map { $0 == nil } == [true, true, true, true, true, false])
  }

  @Test func `held messages of a connection that was replaced feed nobody`() {
    let older = world.open("burn", room: "hog")
    for number in 1...3 { world.send(number, "20", on: older) }
    #expect(world.burnt.count == 1)

    let newer = world.resume(older)
    for number in 2...3 { world.send(number, "21", on: newer) }
    for _ in 0..<4 { world.turn() }

    // The second was handled while the newer one was on its way, and is dropped when it comes again.
    #expect(world.burnt == ["hog 20", "hog 20", "hog 21"])
  }

  @Test func `a connection that was replaced neither closes nor feeds the newer one, while it lives`() {
    world.closesLate = true
    let older = world.open("burn", room: "calm")
    let newer = world.resume(older)

    world.send(1, "1", on: older)
    world.close(older)
    world.send(1, "2", on: newer)

    #expect(world.burnt == ["calm 2"])
  }

  @Test func `are told by screen, room, session and input when one of them takes long`() {
    let world = BusyLoop()
    let page = world.open("burn", room: "hog")

    world.send(1, "99", on: page)
    world.turn()
    world.send(2, "100", on: page)
    world.turn()

    #expect(world.longTurns.map(\.screen) == ["burn"])
    #expect(world.longTurns.map(\.room) == ["hog"])
    #expect(world.longTurns.map { .string($0.session) } == [page.identity?["session"]])
    #expect(world.longTurns.map(\.input) == ["burn"])
    #expect(world.longTurns.map(\.number) == [2])
    #expect(world.longTurns.map(\.duration) == [.milliseconds(100)])
  }

  @Test func `count from their arrival, and not from their turn, until pages have what came of them`() {
    let page = world.open("burn", room: "hog")

    // One of 64 is followed. Each takes a millisecond and changes the text; the share of an iteration is ten.
    for number in 1...64 { world.send(number, number.isMultiple(of: 2) ? "1" : "01", on: page) }
    while world.burnt.count < 64 { world.turn() }
    world.turn()

    #expect(world.handOver?.count == 2)
    // The 64th arrived when the share was spent for the first time.
    #expect(abs((world.handOver?.sum ?? 0) - 0.064) < 0.001, "10 ms for the first, 54 for the last.")
  }

  @Test func `are measured one by one again after an iteration that took long`() {
    let world = BusyLoop()
    world.limit(nil)
    let page = world.open("burn", room: "hog")
    // So many cheap ones that every eighth is measured.
    for number in 1...2_000 { world.send(number, "0", on: page) }
    world.turn()

    world.send(2_001, "100", on: page)
    world.turn()
    #expect(world.longTurns.isEmpty)
    world.tellOfLongIteration()
    world.send(2_002, "100", on: page)

    #expect(world.longTurns.map(\.number) == [2_002])
  }
}

/// A hub whose iterations and time a test makes, and screens that take time.
///
/// `@unchecked Sendable`: one test uses it, on one thread; its route's factory wants to be sendable.
private final class BusyLoop: @unchecked Sendable {
  private(set) var burnt: [String] = []
  private(set) var longTurns: [Notice.LongTurn] = []
  /// Whether a connection outlives the wish to close it.
  var closesLate = false
  private var now: Duration = .zero
  private var hub: SessionLoop?
  /// The loop that accepts connections, if rooms are at home on another one; and what the two have for each other.
  private var front: Gateway?
  private var home: Gateway?
  private var mail: (home: [LoopBatch], front: [LoopBatch]) = ([], [])
  private var pages: [BusyPage] = []
  private var entropy: UInt8 = 0

  init(isHomeElsewhere: Bool = false) {
    limit(nil)
    guard isHomeElsewhere, let home = hub else { return }
    limit(nil)
    guard let front = hub else { return }
    self.home = Gateway(loop: 1, of: 2, sessions: home) { [unowned self] batch, _ in mail.front.append(batch)
    }
    self.front = Gateway(loop: 0, of: 2, sessions: front) { [unowned self] batch, _ in mail.home.append(batch)
    }
  }

  /// A room of the other loop.
  func roomElsewhere() throws -> String {
    try #require(
      ["tea", "oolong", "sencha", "hojicha", "matcha", "genmaicha"].first {
        RoomKey(screen: "burn", name: $0, isPrivate: false).slot % 2 == 1
      })
  }

  /// The connections that are not read from.
  var unread: [BusyPage] { pages.filter { !$0.isRead } }

  func limit(_ rate: MessageRate?) {
    var configuration = SessionConfiguration()
    configuration.messageRate = rate
    let route = ScreenRoute(name: "burn", scope: .room) { [unowned self] context in
      BurningView { [unowned self] milliseconds in
        now += .milliseconds(Int(milliseconds) ?? 0)
        burnt.append("\(context.room ?? "") \(milliseconds)")
      }
    }
    hub = SessionLoop(
      routes: [route], configuration: configuration,
      environment: LoopEnvironment(
        clock: { [unowned self] in now }, wallClock: { 0 },
        entropy: { [unowned self] count in
          entropy += 1
          return Array(repeating: entropy, count: count)
        }, sha256: testHash,
        observe: { [unowned self] notice in
          if case .longTurn(let turn) = notice { longTurns.append(turn) }
        }))
  }

  /// What the loop tells of the way from an input to the pages.
  var handOver: DurationHistogram? { hub?.report().screens.first?.handOver }

  func tellOfLongIteration() { hub?.suspectIteration() }

  func open(_ screen: String, room: String) -> BusyPage {
    connect(ConnectionRequest(screen: screen, query: ["room": room]), room)
  }

  /// Another connection takes over the session of an earlier one.
  func resume(_ older: BusyPage) -> BusyPage {
    let page = connect(
      ConnectionRequest(screen: "burn", query: ["room": older.room, "resume": "1"]), older.room)
    let (session, token) = (older.identity?["session"] ?? .null, older.identity?["token"] ?? .null)
    receive(["resume": ["session": session, "token": token, "position": ["", 0]]], on: page)
    turn()
    return page
  }

  private func connect(_ request: ConnectionRequest, _ room: String) -> BusyPage {
    let page = BusyPage(room: room, closesLate: closesLate)
    pages.append(page)
    let service: (any ConnectionService)? = front ?? hub
    service?.admit(request) { admission in
      if case .accepted(let admitted) = admission { page.handler = service?.connect(admitted, page) }
    }
    turn()
    return page
  }

  func send(_ number: Int, _ milliseconds: String, on page: BusyPage) {
    receive(["input": .integer(Int64(number)), "name": "burn", "value": .string(milliseconds)], on: page)
  }

  private func receive(_ frame: Value, on page: BusyPage) {
    Array(frame.description.utf8).withUnsafeBytes { page.handler?.receive($0, isText: true) }
  }

  func close(_ page: BusyPage) { page.end() }

  /// The iteration ends, and the next one begins.
  func turn() {
    if let front, let home {
      front.endIteration()
      for batch in take(\.home) { home.take(batch) }
      home.endIteration()
      for batch in take(\.front) { front.take(batch) }
    }
    hub?.endIteration()
    if let deadline = hub?.nextDeadline, deadline <= now { hub?.advance(to: now) }
    for page in pages { page.fetch() }
  }

  private func take(_ box: WritableKeyPath<(home: [LoopBatch], front: [LoopBatch]), [LoopBatch]>)
    -> [LoopBatch]
  {
    defer { mail[keyPath: box] = [] }
    return mail[keyPath: box]
  }

  func pass(_ time: Duration) {
    now += time
    turn()
  }
}

/// A page of a busy loop.
private final class BusyPage: ConnectionHandle, Equatable {
  let room: String
  let closesLate: Bool
  var handler: (any ConnectionHandler)?
  private(set) var isRead = true
  /// The session and its token.
  private(set) var identity: Value?

  init(room: String, closesLate: Bool) {
    self.room = room
    self.closesLate = closesLate
  }

  static func == (left: BusyPage, right: BusyPage) -> Bool { left === right }

  func end() {
    let handler = handler
    self.handler = nil
    handler?.closed(saidFarewell: false)
    isRead = true
  }

  func fetch() {
    var bytes = ByteBuffer()
    while handler?.write(into: &bytes, limit: 65_536) == true {}
    guard bytes.count > 4, identity == nil else { return }
    let length = Int(bytes[1]) == 126 ? Int(bytes[2]) << 8 | Int(bytes[3]) : Int(bytes[1])
    let begin = Int(bytes[1]) == 126 ? 4 : 2
    do {
      let frame = try Value(json: Array(bytes.bytes[begin..<(begin + length)]))
      identity = frame["hello"] ?? frame["resumed"]
    } catch {
      Issue.record("no JSON: \(error)")
    }
  }

  func wake() {}

  func close(_ end: ConnectionEnd) { if !closesLate { self.end() } }

  func setReading(_ isReading: Bool) { isRead = isReading }
}

/// Answers typing as the test says.
private final class BurningView: View {
  private let field = TextField("burn")
  private let work: (String) -> Void

  init(work: @escaping (String) -> Void) { self.work = work }

  override func viewDidLoad() { field.onChange = { [unowned self] in work($0) } }
}
