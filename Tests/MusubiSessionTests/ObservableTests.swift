// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Observation
import Synchronization
import Testing

@testable import MusubiSession

/// What actions wait for.
private final class Desk: Sendable {
  struct Waiting: Sendable {
    let key: String?
    let answer: CheckedContinuation<Int, any Error>
  }

  let waiting = Mutex<[Waiting]>([])
  let cancelled = Mutex(0)

  func ask() async throws -> Int {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0.append(Waiting(key: Effect.currentKey, answer: continuation)) }
      }
    } onCancel: {
      cancelled.withLock { $0 += 1 }
    }
  }

  func answer(_ number: Int) { waiting.withLock { $0.removeFirst() }.answer.resume(returning: number) }

  var keys: [String?] { waiting.withLock { $0.map(\.key) } }
}

@Observable private final class Board {
  var title = "" { didSet { if title != title.uppercased() { title = title.uppercased() } } }
  var count = 0
  var double: Int { count * 2 }
  var isAsking = false
  var answers: [Int] = []
  private let desk: Desk

  init(desk: Desk = Desk(), count: Int = 0) {
    self.desk = desk
    self.count = count
  }

  func ask() async throws {
    isAsking = true
    defer { isAsking = false }
    answers.append(try await desk.ask())
  }
}

extension Board: ObservableViewModel {
  static var bindings: [PageBinding<Board>] {
    [
      .field("title", \.title), .output("count", \.count), .output("double", \.double),
      .output("isAsking", \.isAsking), .output("answers", \.answers),
      .action("twice") { board in
        board.count += 1
        board.count += 1
      },
      .action("ask") { try await $0.ask() },
    ]
  }
}

extension Board: Restorable {
  var state: Int { count }
}

@Suite(.timeLimit(.minutes(5))) struct `An observable model on a loop` {
  private let desk = Desk()
  private let store = SimulatedStore()

  private func network(_ scope: Scope = .room, store: SimulatedStore? = nil) -> SimulatedNetwork {
    SimulatedNetwork(
      seed: 3, store: store,
      routes: [
        ScreenRoute(name: "board", scope: scope) { [desk] context in
          ObservableScreen(Board(desk: desk, count: try context.restored() ?? 0), name: "board")
        }
      ])
  }

  private func settle(_ network: SimulatedNetwork) { network.run(until: network.now + .seconds(1)) }

  @Test func `sends two changes of an action as one turn, each output once`() {
    let network = network()
    let page = RawPage(network, "board")
    settle(network)
    let before = page.frames.count

    page.send(#"{"input":1,"name":"twice"}"#)
    settle(network)

    #expect(page.frames.count == before + 2)
    #expect(page.state["count"] == 2)
    #expect(page.state["double"] == 4)
  }

  @Test func `merges what two people type, and shows both what the model makes of it`() {
    let network = network()
    let one = RawPage(network, "board")
    let other = RawPage(network, "board")
    settle(network)

    one.send(#"{"input":1,"name":"title","revision":0,"edits":[[0,0,"ab"]]}"#)
    other.send(#"{"input":1,"name":"title","revision":0,"edits":[[0,0,"xy"]]}"#)
    settle(network)

    #expect(one.state["title.field"] == other.state["title.field"])
    #expect(["ABXY", "XYAB"].contains(one.state["title.field"]))
  }

  @Test(arguments: [true, false]) func `acknowledges an async action when it has ended`(isStored: Bool) {
    let network = network(.session, store: isStored ? store : nil)
    let page = RawPage(network, "board")
    settle(network)

    page.send(#"{"input":1,"name":"ask"}"#)
    page.send(#"{"input":2,"name":"twice"}"#)
    settle(network)
    #expect(page.state["isAsking"] == true)
    #expect(page.state["count"] == 2)
    #expect(page.last("ack") == nil)
    #expect(desk.keys == ["\(page.session)/1"])

    network.schedule(network.now) { [desk] in desk.answer(7) }
    settle(network)
    #expect(page.state["isAsking"] == false)
    #expect(page.state["answers"] == [7])
    #expect(page.last("ack") == 2)
  }

  @Test(arguments: [true, false])
  func `tells a page of its own typing after the acknowledgement, also while an action waits`(isStored: Bool)
  {
    let network = network(.session, store: isStored ? store : nil)
    let page = RawPage(network, "board", query: ["edits": "1"])
    settle(network)
    page.send(#"{"input":1,"name":"ask"}"#)
    settle(network)
    #expect(page.values.contains { $0["patch"]?[0]?["path"] == "/isAsking" })
    page.send(#"{"input":2,"name":"title","revision":0,"edits":[[0,0,"ab"]]}"#)
    settle(network)
    #expect(!page.values.contains { $0["edits"] != nil })

    network.schedule(network.now) { [desk] in desk.answer(7) }
    settle(network)
    let acknowledged = page.values.firstIndex { $0["ack"] == 2 && $0["revision"] == 1 }
    let told = page.values.firstIndex { $0["edits"] != nil }
    #expect((acknowledged ?? .max) < (told ?? -1))
  }

  @Test func `cancels its actions when the screen goes`() {
    let network = network(.session)
    let page = RawPage(network, "board")
    settle(network)
    page.send(#"{"input":1,"name":"ask"}"#)
    settle(network)
    #expect(desk.cancelled.withLock { $0 } == 0)

    network.restartServer()
    settle(network)

    #expect(desk.cancelled.withLock { $0 } == 1)
    desk.answer(1)
  }

  @Test func `runs an action again that a kill has ended, with the same key`() {
    let network = network(.session, store: store)
    let page = RawPage(network, "board")
    settle(network)
    page.send(#"{"input":1,"name":"ask"}"#)
    settle(network)
    let key = "\(page.session)/1"
    #expect(desk.keys == [key] && page.state["isAsking"] == true)

    network.restartServer()
    settle(network)
    page.resume()
    settle(network)
    #expect(page.last("resumed")?["ack"] == 0)
    #expect(page.state["isAsking"] == false, "The screen is as it was before the action.")
    page.send(#"{"input":1,"name":"ask"}"#)
    settle(network)
    #expect(desk.keys == [key, key])

    // The first one is answered, too: nobody hears of it.
    for number in [6, 7] { network.schedule(network.now) { [desk] in desk.answer(number) } }
    settle(network)
    #expect(page.state["answers"] == [7])
    #expect(page.last("ack") == 1)
  }

  @Test func `has its state after a restart`() {
    let network = network(.room, store: store)
    let page = RawPage(network, "board")
    settle(network)
    page.send(#"{"input":1,"name":"twice"}"#)
    settle(network)
    network.restartServer()

    let late = RawPage(network, "board")
    settle(network)

    #expect(late.state["double"] == 4)
  }

  @Test func `is told once when another thread changes it`() throws {
    let isElsewhere = Mutex(false)
    let posted = Mutex<[@Sendable () -> Void]>([])
    let scheduler = RoomScheduler(
      clock: { .zero }, wallClock: { 0 }, isOnLoop: { !isElsewhere.withLock { $0 } },
      enqueue: { work in posted.withLock { $0.append(work) } })
    let board = Board()
    let context = ScreenContext(screen: "board", clock: scheduler, random: RandomSource(seed: 1))
    let carried = Carried(board)
    let route = ScreenRoute(name: "board", scope: .session) { _ in
      ObservableScreen(carried.element, name: "board")
    }
    let instance = try LoopContext.with(scheduler) { try ScreenInstance(route, context: context) }
    instance.board.begin()

    isElsewhere.withLock { $0 = true }
    board.count = 4
    isElsewhere.withLock { $0 = false }
    for work in posted.withLock({ $0 }) { work() }

    #expect(instance.board.takeProblems().filter { $0.contains("another thread") }.count == 1)
    var changed: Set<String> = []
    instance.board.takeChanges { slot, _, _ in changed.insert(slot.name) }
    #expect(changed == ["count", "double"])
    board.count = 5
    #expect(instance.board.takeProblems().isEmpty)
  }
}
