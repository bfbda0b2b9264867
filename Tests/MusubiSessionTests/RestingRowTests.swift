// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiClient
import MusubiRx
import MusubiTesting
import MusubiWire
import Synchronization
import Testing

@testable import MusubiSession

/// What reaches a list from outside, and how often its rows were encoded.
private final class Source: Sendable {
  let notes = SharedRelay<Int>()
  let count = Mutex(0)

  var encodings: Int { count.withLock { $0 } }
}

private struct Line: Encodable, Identifiable, Equatable {
  let id: Int
  let title: String
  let source: Source

  static func == (left: Line, right: Line) -> Bool { left.id == right.id && left.title == right.title }

  func encode(to encoder: any Encoder) throws {
    source.count.withLock { $0 += 1 }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
    try container.encode(title, forKey: .title)
  }

  private enum Key: CodingKey { case id, title }
}

/// Two rows that people type into; what happens outside is noted at the end of the first, or turns the list around.
private final class LinesView: View, Restorable {
  struct State: Codable {
    var ids = [1, 2]
    var titles = [1: "", 2: "two"]
    var count = 0
  }

  /// The way in which the list is told, and when.
  enum Kind: CaseIterable { case whole, changes, late }

  private(set) var state: State
  private let list = List<Line>("rows")
  private let (source, kind): (Source, Kind)
  private let bag = DisposeBag()

  init(_ source: Source, _ kind: Kind, _ context: ScreenContext) throws {
    (self.source, self.kind) = (source, kind)
    state = try context.restored() ?? State()
  }

  override func viewDidLoad() {
    list.items = state.ids.map(line)
    let typed = list.rx.text("title")
    let shown =
      kind == .late ? typed.delay(.seconds(1), scheduler: MainScheduler.instance) : typed.asObservable()
    shown.subscribe(onNext: { [unowned self] typed in show(typed.text, in: typed.id) }).disposed(by: bag)
    source.notes.asObservable().subscribe(onNext: { [unowned self] number in
      guard number > 0 else { return turnAround() }
      state.count += 1
      show((state.titles[1] ?? "") + "\(state.count).", in: 1)
    }).disposed(by: bag)
  }

  private func line(_ id: Int) -> Line { Line(id: id, title: state.titles[id] ?? "", source: source) }

  private func show(_ title: String, in id: Int) {
    state.titles[id] = title
    guard kind == .changes, let place = state.ids.firstIndex(of: id) else {
      list.items = state.ids.map(line)
      return
    }
    list.apply(.update(line(id), at: place))
  }

  private func turnAround() {
    state.ids.reverse()
    if kind == .changes { list.apply(.move(from: 0, to: 1)) } else { list.items = state.ids.map(line) }
  }
}

extension ScreenRoute {
  fileprivate static func lines(_ source: Source, _ kind: LinesView.Kind) -> ScreenRoute {
    ScreenRoute(name: "lines", scope: .session, keepsRunning: true) { context in
      try LinesView(source, kind, context)
    }
  }
}

@Suite(.timeLimit(.minutes(60))) struct `A row that was typed into, on a screen without a page` {
  private final class Stage {
    let source = Source()
    let store = SimulatedStore()
    let network: SimulatedNetwork
    let page: RawPage

    init(_ kind: LinesView.Kind) {
      network = SimulatedNetwork(seed: 7, store: store, routes: [.lines(source, kind)])
      page = RawPage(network, "lines", query: ["edits": "1"])
      settle()
      page.send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[0,0,"ab"]]}"#)
    }

    func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

    func lose() {
      page.link?.drop()
      settle(.milliseconds(100))
    }

    func comeBack() {
      page.mark()
      page.resume(["edits": "1"])
      settle()
    }

    func note(_ numbers: some Sequence<Int>) {
      for number in numbers {
        source.notes.accept(number)
        settle(.milliseconds(10))
      }
    }

    var stored: StoredRoom.Text? { store.storedRooms.first?.texts.first { $0.name == "/rows/1/title" } }
  }

  @Test(arguments: [false, true]) func `is encoded once, when its page is back`(isToldByChanges: Bool) {
    let stage = Stage(isToldByChanges ? .changes : .whole)
    stage.settle()
    stage.lose()
    let before = stage.source.encodings
    stage.note(1...20)
    stage.note([0])
    #expect(stage.source.encodings == before)

    stage.comeBack()
    #expect(stage.source.encodings == before + 1)
    let change = stage.page.last("edits")?["/rows/1/title"]
    #expect(change?["revision"] == 2 && change?["steps"]?.arrayValue?.count == 1)
    let notes = (1...20).map { "\($0)." }.joined()
    #expect(stage.page.state["rows"]?[1]?["title"] == .string("ab" + notes))
    #expect(stage.stored?.text == "ab" + notes && stage.stored?.revision == 2)
    #expect(stage.store.storedRooms.first?.rowsFollow == nil && stage.store.misfits == [])
  }

  @Test(arguments: [false, true]) func `is not encoded for a record, and what was made of it survives a kill`(
    isRested: Bool
  ) {
    let stage = Stage(.whole)
    // After a minute it keeps nothing but its revision.
    stage.settle(isRested ? .seconds(200) : .seconds(1))
    stage.lose()
    let before = stage.source.encodings
    stage.note(1...3)
    stage.settle()
    #expect(stage.source.encodings == before)
    #expect(stage.stored?.text == "ab" && stage.store.storedRooms.first?.rowsFollow == true)
    stage.network.restartServer()
    stage.settle()

    stage.comeBack()
    let row = stage.page.state["rows"]?[0]
    #expect(row?["title"] == "ab1.2.3." && row?["title.field"] == "ab1.2.3.")
    #expect(stage.page.values.last { $0["revisions"] != nil }?["revisions"] == ["/rows/1/title": 2])
    #expect(stage.stored?.text == "ab1.2.3." && stage.stored?.revision == 2)
  }

  @Test func `is compared as ever until a late answer to it has come, and rests then`() {
    let stage = Stage(.late)
    stage.settle(.milliseconds(500))
    stage.lose()
    let before = stage.source.encodings
    stage.settle(.seconds(2))
    #expect(stage.source.encodings == before + 1, "The answer.")
    stage.note(1...3)
    #expect(stage.source.encodings == before + 1)

    stage.comeBack()
    #expect(stage.page.state["rows"]?[0]?["title"] == "ab1.2.3.")
    #expect(stage.stored?.text == "ab1.2.3." && stage.stored?.revision == 2)
  }
}

/// A page that somebody types into, also without a connection.
private final class LinesPage: SimulatedPeer {
  private(set) var session = ClientSession()
  private var problems: [String] = []
  private var typed = 0
  private var isWanted = true
  private let network: SimulatedNetwork
  private var link: SimulatedLink?

  init(_ network: SimulatedNetwork) {
    self.network = network
    connect()
  }

  private func connect() {
    var query = ["edits": "1"]
    if session.identifier != nil { query["resume"] = "1" }
    link = network.connect(self, screen: "lines", query: query)
  }

  func lose() {
    isWanted = false
    link?.drop()
  }

  func comeBack() {
    isWanted = true
    if link == nil { connect() }
  }

  /// Types one more letter into the first row.
  func type() throws {
    try session.type(String(UnicodeScalar(UInt8(ascii: "a") + UInt8(typed % 26))), into: "title", row: ["1"])
    typed += 1
    send()
  }

  private func send() {
    guard session.phase != .offline else { return }
    for frame in session.takeFrames() { link?.send(frame) }
  }

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    session.connectionOpened()
    send()
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    do {
      for case .error(let code, let message, _) in try session.receive(payload) {
        problems.append("\(code): \(message)")
      }
    } catch {
      problems.append("\(error)")
    }
    send()
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    session.connectionLost()
    network.schedule(network.now + .milliseconds(7)) { [weak self] in
      if let self, isWanted, self.link == nil { connect() }
    }
  }

  /// What is wrong with the end of a run; nil if nothing is.
  func problem(_ record: StoredRoom) -> String? {
    guard problems.isEmpty, session.phase == .live, session.unconfirmed.isEmpty else { return "\(problems)" }
    let text = session.text(of: "title", row: ["1"]) ?? ""
    let shown = session.state["rows"]?.arrayValue?.first { $0["id"] == 1 }?["title"]?.stringValue
    let stored = record.texts.first { $0.name == "/rows/1/title" }?.text
    guard text == shown, text == stored else {
      return "the field is \(text), the list shows \(shown ?? "nothing"), stored is \(stored ?? "nothing")"
    }
    let notes = (0..<(record.state["count"]?.intValue ?? 0)).map { "\($0 + 1)." }.joined()
    guard text.filter({ !$0.isLetter }) == notes else { return "\(text) has not all notes" }
    let letters = (0..<typed).map { Character(UnicodeScalar(UInt8(ascii: "a") + UInt8($0 % 26))) }
    return text.filter(\.isLetter) == String(letters) ? nil : "\(text) has not all letters"
  }
}

/// `MUSUBI_LONG=1` plays 5,000 times instead of a sample.
@Suite(.serialized, .timeLimit(.minutes(60))) struct `A stored list without a page, killed at any time` {
  private static let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  /// Leaves a list and comes back again and again; meanwhile rows change, somebody types, the server is killed.
  private func play(_ seed: UInt64, falsify: ((StoreChanges) -> StoreChanges)? = nil) throws -> String? {
    var random = RandomSource(seed: seed)
    let (source, store) = (Source(), SimulatedStore())
    store.falsify = falsify
    store.delay = .milliseconds(Int.random(in: 1...30, using: &random))
    let kind: LinesView.Kind = Bool.random(using: &random) ? .whole : .changes
    let network = SimulatedNetwork(seed: seed, store: store, routes: [.lines(source, kind)])
    defer { network.end() }
    func settle(_ milliseconds: Int) { network.run(until: network.now + .milliseconds(milliseconds)) }
    let page = LinesPage(network)
    settle(500)
    try page.type()
    settle(500)
    for _ in 0..<6 {
      page.lose()
      settle([100, 100, 100, 150_000][Int.random(in: 0..<4, using: &random)])
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try page.type()
        case 1: network.restartServer()
        case 2...4: settle(Int.random(in: 1...60, using: &random))
        default: source.notes.accept(Int.random(in: 0...4, using: &random))
        }
      }
      page.comeBack()
      settle(2_000)
    }
    let record = try #require(store.storedRooms.first)
    return page.problem(record) ?? store.misfits.first
  }

  @Test func `has in its rows all that was typed and noted meanwhile`() throws {
    for seed in 0..<(Self.isLong ? 5_000 : 300) as Range<UInt64> {
      guard let problem = try play(seed) else { continue }
      Issue.record("seed \(seed): \(problem)")
      return
    }
  }

  @Test func `shows a mistake of its records`() throws {
    let falsify = { (changes: StoreChanges) in
      var changes = changes
      for index in changes.rooms.indices { changes.rooms[index].rowsFollow = nil }
      for index in changes.roomSteps.indices { changes.roomSteps[index].rowsFollow = nil }
      return changes
    }
    #expect(try (0..<100 as Range<UInt64>).contains { try play($0, falsify: falsify) != nil })
  }
}
