// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Simulation
import Testing

@testable import MusubiSession

@Suite struct `A slot that moves to another loop` {
  private let store = SimulatedStore()
  private let outside = Outside()
  private let network: SimulatedNetwork
  private let slot = RoomKey(screen: "counter", name: "tea", isPrivate: false).slot
  private let room = ["room": "tea", "edits": "1"]
  /// The loop where the slot is at first, and two others.
  private var home: Int { slot % 3 }
  private var other: Int { (slot + 1) % 3 }
  private var third: Int { (slot + 2) % 3 }

  init() {
    network = SimulatedNetwork(
      seed: 5, loops: 3, store: store,
      routes: [
        .counter(outside, scope: .room), .ticking, .forgetful,
        ScreenRoute(name: "own", scope: .session) { InputOutputScreen(try Note($0), name: "own") },
      ])
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  @Test func `takes its room, its sessions and what was typed along`() {
    let pages = (0..<6).map { _ in RawPage(network, "counter", query: room) }
    settle()
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    pages[0].send(#"{"input":2,"name":"text","revision":0,"edits":[[0,0,"結び"]]}"#)
    settle()

    network.move(slot, to: other)
    settle()

    for page in pages { #expect(page.closeCode == 4_002) }
    let seen = pages.map(\.frames.count)
    for page in pages { page.resume(room) }
    settle()
    for (page, seen) in zip(pages, seen) {
      // Its session goes on, and it has missed nothing.
      let new = page.values[seen...]
      #expect(new.first?["resumed"]?["session"]?.stringValue == page.session)
      #expect(new.first?["resumed"]?["turns"] == 0)
      #expect(!new.contains { $0["snapshot"] != nil || $0["hello"] != nil || $0["error"] != nil })
      page.send(#"{"input":3,"name":"tap"}"#)
    }
    settle()
    for page in pages { #expect(page.state["sum"] == "12" && page.state["echo"] == "結び") }
    let late = RawPage(network, "counter", query: room)
    settle()
    #expect(late.last("snapshot")?["sum"] == "12")
  }

  @Test func `goes on to a third one, and comes back`() {
    let page = RawPage(network, "counter", query: room)
    settle()
    for (number, loop) in [other, third, home, other].enumerated() {
      page.send(#"{"input":\#(number + 1),"name":"tap"}"#)
      settle()
      network.move(slot, to: loop)
      settle()
      #expect(page.closeCode == 4_002)
      page.resume(room)
      settle()
    }

    #expect(page.state["sum"] == "4")
    #expect(page.last("resumed")?["ack"] == 4)
    #expect(store.misfits.isEmpty)
  }

  @Test func `is told to pages that come while it is on its way`() {
    let page = RawPage(network, "counter", query: room)
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    store.delay = .seconds(2)
    settle(.milliseconds(100))

    network.move(slot, to: other)
    settle(.milliseconds(500))
    page.resume(room)
    let late = RawPage(network, "counter", query: room)
    settle(.milliseconds(500))
    #expect(page.closeCode == 4_002 && late.closeCode == 4_002)
    #expect(late.frames.isEmpty, "Nobody begins anew where something is.")
    settle(.seconds(10))
    page.resume(room)
    late.connect(room)
    settle(.seconds(10))

    #expect(page.last("resumed")?["ack"] == 1)
    #expect(late.state["sum"] == "1")
  }

  @Test func `waits for an effect that is under way`() {
    let page = RawPage(network, "counter", query: room)
    settle()
    page.send(#"{"input":1,"name":"ask"}"#)
    settle()

    network.move(slot, to: other)
    settle(.seconds(3))
    page.resume(room)
    settle()
    #expect(page.closeCode == 4_002, "It is still on its way.")
    outside.happen()
    network.schedule(network.now) { [outside] in outside.tell() }
    settle()
    page.resume(room)
    settle()

    #expect(page.last("resumed")?["ack"] == 1)
    #expect(outside.posts == ["\(page.session)/1"])
  }

  @Test func `goes although its room has a timer that never rests`() {
    let slot = RoomKey(screen: "ticking", name: "tea", isPrivate: false).slot
    let page = RawPage(network, "ticking", query: room)
    store.delay = .milliseconds(30)
    settle()
    #expect(page.state["count"] != nil)

    network.move(slot, to: (slot + 1) % 3)
    settle()
    let before = store.storedRooms.first { $0.key.screen == "ticking" }?.state.intValue ?? 0
    #expect(page.closeCode == 4_002)
    page.resume(room)
    settle()

    #expect(before > 20)
    #expect((page.state["count"]?.stringValue.flatMap(Int.init) ?? 0) > before, "It counts on.")
  }

  @Test func `ends what is not stored, and its pages begin again`() {
    let slot = RoomKey(screen: "forgetful", name: "tea", isPrivate: false).slot
    let page = RawPage(network, "forgetful", query: room)
    settle()
    page.send(#"{"input":1,"name":"write","value":"gone"}"#)
    settle()
    #expect(page.state["text"] == "gone")

    network.move(slot, to: (slot + 1) % 3)
    settle()
    #expect(page.closeCode == 4_002)
    page.resume(room)
    settle()

    #expect(page.last("error")?["code"]?.stringValue == "session-unknown")
    #expect(page.state["text"] == "")
  }

  @Test func `takes the screens of one visitor along, and new ones begin in slots that are here`() {
    let page = RawPage(network, "own")
    settle()
    page.send(#"{"input":1,"name":"write","value":"kept"}"#)
    settle()
    let slot = SessionName.slot(of: page.session) ?? 0

    for loop in [slot + 1, slot + 2] {
      network.move(slot, to: loop % 3)
      settle()
      page.resume()
      settle()
    }

    #expect(page.last("resumed")?["ack"] == 1 && page.state["text"] == "kept")
    for _ in 0..<20 {
      let new = RawPage(network, "own")
      settle()
      #expect(new.state["text"] == "")
    }
  }

  @Test func `is believed to be where it went last, whatever arrives late`() {
    network.loopLatency = .init(.zero, .milliseconds(400))
    let page = RawPage(network, "counter", query: room)
    settle()
    for loop in [other, third, home, other, third] {
      network.move(slot, to: loop)
      settle(.milliseconds(450))
    }
    settle(.seconds(3))

    let pages = (0..<9).map { _ in RawPage(network, "counter", query: room) }
    settle(.seconds(3))
    page.resume(room)
    settle(.seconds(3))
    for page in pages + [page] { #expect(page.isUp && page.state["sum"] == "0") }
  }

  @Test func `expires with all that is in it if nobody comes back`() {
    let pages = (0..<3).map { _ in RawPage(network, "counter", query: room) }
    settle()
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    settle()
    #expect(store.storedSessions.count == 3 && store.storedRooms.count == 1)

    network.move(slot, to: other)
    settle(.seconds(60))
    network.move(slot, to: third)
    settle(.seconds(172_800))

    #expect(store.storedSessions.isEmpty && store.storedRooms.isEmpty)
  }

  @Test
  func
    `has time for its pages to come back, whatever the other server's clock said, and however many they are`()
    throws
  {
    var configuration = SessionConfiguration()
    configuration.maxWaitingSessions = 2
    let network = SimulatedNetwork(
      seed: 5, loops: 3, configuration: configuration, store: store, routes: [.counter(outside, scope: .room)]
    )
    var sessions: [String: StoredEntry] = [:]
    for index in 0..<9 {
      var entry = StoredEntry(label: RecordLabel(slot: slot), bytes: 100, left: -1_000_000)
      entry.isUsed = index.isMultiple(of: 2)
      sessions[SessionName.make(slot: slot, random: Array("page \(index)...".utf8)[...])] = entry
    }
    let loop = try #require(network.services[other] as? Gateway).sessions

    #expect(
      loop.adopt(slot, StoredState(rooms: [:], sessions: sessions), SlotMove(generation: 9, lostSince: 0)))

    network.run(until: .seconds(9))
    #expect(loop.sessions.rooms.stored.sessions.count == 9)
    network.run(until: .seconds(20))
    #expect(loop.sessions.rooms.stored.sessions.isEmpty)
  }

  @Test func `goes with few commits, however many pages its room has`() {
    let pages = (0..<40).map { _ in RawPage(network, "counter", query: room) }
    settle()
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    settle()
    let before = store.commits

    network.move(slot, to: other)
    settle()

    #expect(store.commits - before < 8)
    for page in pages { page.resume(room) }
    settle()
    for page in pages { #expect(page.isUp && page.state["sum"] == "40") }
  }

  // MARK: - Taken

  @Test func `that somebody takes has lost nothing that was acknowledged`() {
    let page = RawPage(network, "counter", query: room)
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    #expect(page.last("ack") == 1)
    // Its owner hears of nothing but what the store says.
    network.loopLatency = .init(.seconds(60), .seconds(60))
    network.take(slot, by: other)
    page.send(#"{"input":2,"name":"tap"}"#)
    settle()

    #expect(store.fenced > 0, "The owner went on.")
    #expect(page.last("ack") == 1, "It cannot say that it has taken what nobody will know.")
    #expect(page.closeCode == 4_002)
    settle(.seconds(120))
    network.loopLatency = .init(.zero, .zero)
    page.resume(room)
    settle(.seconds(5))
    #expect(page.last("resumed")?["ack"] == 1)
    page.send(#"{"input":2,"name":"tap"}"#)
    settle()
    #expect(page.last("ack") == 2 && page.state["sum"] == "2")
  }

  @Test func `that somebody takes and gives back is not lost by an answer of the store to its first life`() {
    let page = RawPage(network, "counter", query: room)
    settle()
    store.delay = .seconds(1)
    page.send(#"{"input":1,"name":"tap"}"#)
    settle(.milliseconds(100))
    network.take(slot, by: other)
    settle(.milliseconds(100))
    network.take(slot, by: home)
    settle(.seconds(3))

    page.resume(room)
    settle(.seconds(3))
    #expect(page.isUp && page.last("resumed")?["ack"] == 0)
    page.send(#"{"input":1,"name":"tap"}"#)
    settle(.seconds(3))
    #expect(page.last("ack") == 1 && page.state["sum"] == "1")
  }
}

@Suite struct `Slots that move at every step or at some` {
  @Test func `lose nothing, and have each command carried out once`() {
    let moves = SlotMoves()
    let failures = [
      RowSimulation(moves: moves).firstFailure(seeds: 0..<150),
      ModelSimulation(moves: moves).firstFailure(seeds: 0..<250),
    ]

    for failure in failures.compactMap({ $0 }) { Issue.record("\(failure)") }
    #expect(moves.given > 5_000 && moves.taken > 2_000)
    #expect(moves.refused > 100, "Former owners have gone on.")
  }

  /// Two copies of a command of which its home forgot the first, answers of the store to an earlier life, screens that
  /// followed an earlier home, and an edit of a row that had gone while its page was away.
  @Test(arguments: [9, 15, 31, 89, 147, 279, 313, 1_027, 13_324, 42_380, 46_787] as [UInt64])
  func `do so in schedules that have shown a mistake`(seed: UInt64) {
    let seeds = seed..<(seed + 1)
    let failures = [
      RowSimulation(moves: SlotMoves()).firstFailure(seeds: seeds),
      ModelSimulation(moves: SlotMoves()).firstFailure(seeds: seeds),
    ]

    for failure in failures.compactMap({ $0 }) { Issue.record("\(failure)") }
  }

  @Test func `show it if the store does not ask whose they are`() {
    #expect(ModelSimulation(moves: SlotMoves(fault: .noFence)).firstFailure(seeds: 0..<500) != nil)
  }
}

/// Counts a hundred times a second.
private final class Ticking: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {}

  struct Outputs: Encodable {
    let count: Driver<String>
  }

  private let count: BehaviorRelay<Int>
  private let clock: any SchedulerType
  private let bag = DisposeBag()

  var state: Int { count.value }

  init(_ context: ScreenContext) throws {
    count = BehaviorRelay(value: try context.restored() ?? 0)
    clock = context.clock
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Observable<Int>.interval(.milliseconds(10), scheduler: clock)
      .subscribe(onNext: { [count] _ in count.accept(count.value + 1) }).disposed(by: bag)
    return Outputs(count: count.asDriver().map(String.init))
  }
}

/// Keeps a text.
private final class Note: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var write: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let text: Driver<String>
  }

  private(set) var state: String

  init(_ context: ScreenContext) throws { state = try context.restored() ?? "" }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      text: inputs.write.do(onNext: { [unowned self] in state = $0 }).asDriver(onErrorJustReturn: "")
        .startWith(state))
  }
}

extension ScreenRoute {
  fileprivate static let ticking = ScreenRoute(name: "ticking", scope: .room) {
    InputOutputScreen(try Ticking($0), name: "ticking")
  }

  /// Keeps a text in memory only.
  fileprivate static let forgetful = ScreenRoute(name: "forgetful", scope: .room) { _ in
    InputOutputScreen(Forgetful(), name: "forgetful")
  }
}

private final class Forgetful: InputOutputViewModel {
  struct Inputs: Decodable {
    var write: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let text: Driver<String>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(text: inputs.write.asDriver(onErrorJustReturn: "").startWith(""))
  }
}
