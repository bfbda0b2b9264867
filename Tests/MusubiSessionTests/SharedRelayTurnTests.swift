// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Synchronization
import Testing

@testable import MusubiBinding

/// The relays that all screens share, and the order in which they hear of them.
private final class Board: Sendable {
  let total = SharedRelay(value: 0)
  let news = SharedRelay<Int>()
  let heard = Mutex<[String]>([])

  func note(_ word: String) { heard.withLock { $0.append(word) } }
}

private struct Question: DialogContent {
  let total: Int
}

/// Adds to what is shared, and follows it in several ways.
private final class FollowerViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    let add: Signal<Int>
    let echo: Signal<Void>
  }

  struct Outputs: Encodable {
    let total: Driver<Int>
    let rested: Driver<Int>
    let news: Driver<[Int]>
    let senders: Driver<[String]>
    let effects: Driver<Int>
    let taken: Driver<Int>
    let askBig: Signal<Question>
  }

  private let board: Board
  private let context: ScreenContext
  private let name: String
  private let taken: BehaviorRelay<Int>
  private let effects = BehaviorRelay(value: 0)
  private let bag = DisposeBag()

  var state: Int { taken.value }

  init(_ board: Board, _ context: ScreenContext, _ name: String) throws {
    (self.board, self.context, self.name) = (board, context, name)
    taken = BehaviorRelay(value: try context.restored() ?? 0)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [unowned self] number in
      board.note("\(name) adds \(number)")
      board.total.update { $0 += number }
      for half in [number, -number] { board.news.accept(half) }
      taken.accept(taken.value + number)
      board.note("\(name) has added \(number)")
    }).disposed(by: bag)
    // Answers every change with another one.
    inputs.echo.emit(onNext: { [unowned self] in
      board.total.asObservable().skip(1).filter { $0 < 100 }
        .subscribe(onNext: { [board] _ in board.total.update { $0 += 1 } }).disposed(by: bag)
    }).disposed(by: bag)
    let total = board.total.asObservable().do(onNext: { [unowned self] in board.note("\(name) hears \($0)") })
    let later = board.total.asObservable().skip(1)
    later.subscribe(onNext: { [unowned self] _ in
      effects.accept(context.beginEffect().key.contains("/") ? effects.value + 1 : effects.value)
    }).disposed(by: bag)
    return Outputs(
      total: total.asDriver(onErrorJustReturn: 0),
      rested: later.debounce(.seconds(2), scheduler: MainScheduler.instance).asDriver(onErrorJustReturn: -1),
      news: board.news.asObservable().scan([]) { $0 + [$1] }.asDriver(onErrorJustReturn: []),
      senders: later.map { _ in Visitor.acting.id ?? "nobody" }.scan([]) { $0 + [$1] }
        .asDriver(onErrorJustReturn: []),
      effects: effects.asDriver(), taken: taken.asDriver(),
      askBig: later.filter { $0 > 10 }.map(Question.init(total:)).asSignal(onErrorSignalWith: .empty()))
  }
}

@Suite(.timeLimit(.minutes(2))) struct `A change of a shared relay` {
  private final class Stage {
    let board = Board()
    let store: SimulatedStore?
    let network: SimulatedNetwork

    init(loops: Int = 1, store: SimulatedStore? = nil) {
      self.store = store
      let door = Doorkeeper()
      let routes = [("one", Scope.session), ("other", .session), ("hall", .room(default: "lobby"))]
      network = SimulatedNetwork(
        seed: 3, loops: loops, store: store,
        routes: routes.map { [board] name, scope in
          ScreenRoute(name: name, scope: scope) { context in
            InputOutputScreen(try FollowerViewModel(board, context, name), name: name)
          }
        }, authorize: { try door.visitor(of: $0) })
    }

    func settle(_ time: Duration = .milliseconds(500)) { network.run(until: network.now + time) }

    func open(_ screen: String, as visitor: String) -> RawPage {
      let page = RawPage(network, screen, as: visitor)
      settle()
      return page
    }

    /// How many turns a page gets of what a body does.
    func turns(of page: RawPage, _ body: () -> Void) -> Int {
      page.mark()
      body()
      settle()
      return page.new.count { $0["patch"] != nil }
    }
  }

  @Test func `comes to its own screen at once, and to others behind its turn, in order`() {
    let stage = Stage()
    let one = stage.open("one", as: "ann")
    let other = stage.open("other", as: "bob")
    stage.board.heard.withLock { $0 = [] }

    one.send(#"{"input":1,"name":"add","value":3}"#)
    one.send(#"{"input":2,"name":"add","value":4}"#)
    stage.settle()

    #expect(
      stage.board.heard.withLock { $0 } == [
        "one adds 3", "one hears 3", "one has added 3", "other hears 3",
        "one adds 4", "one hears 7", "one has added 4", "other hears 7",
      ])
    #expect(one.state["total"] == 7 && other.state["total"] == 7)
    #expect(one.last("ack") == 2)
    #expect(other.state["news"] == [3, -3, 4, -4])
  }

  @Test func `is one turn for each screen, in the same iteration`() {
    let stage = Stage()
    let one = stage.open("one", as: "ann")
    let other = stage.open("other", as: "bob")
    var arrivals: [Duration] = []

    let turns = stage.turns(of: other) {
      one.send(#"{"input":1,"name":"add","value":3}"#)
      while other.state["total"] != 3, arrivals.count < 100 {
        stage.settle(.milliseconds(1))
        arrivals.append(stage.network.now)
      }
    }

    #expect(turns == 1)
    // As long as one way to the server and one from it.
    #expect(arrivals.count == 20 && one.state["total"] == 3)
  }

  @Test(arguments: [1, 3]) func `has no sender, effect or page of the input that made it`(loops: Int) {
    let stage = Stage(loops: loops)
    let one = stage.open("one", as: "ann")
    let other = stage.open("other", as: "bob")
    let halls = ["cleo", "dan"].map { stage.open("hall", as: $0) }

    one.send(#"{"input":1,"name":"add","value":30}"#)
    stage.settle()

    #expect(one.state["senders"] == ["ann"] && one.state["effects"] == 1)
    #expect(other.state["senders"] == ["bob"] && other.state["effects"] == 0)
    for page in halls { #expect(page.state["senders"] == ["nobody"] && page.state["effects"] == 0) }
    #expect(other.last("screens")?[0]?["dialog"]?["value"] == ["total": 30])
    #expect(halls.allSatisfy { $0.last("screens") == nil })
    #expect(one.last("ack") == 1)
  }

  @Test func `lets each screen plan timers of its own, which outlive the screen that made it`() {
    let stage = Stage()
    let one = stage.open("one", as: "ann")
    let other = stage.open("other", as: "bob")

    one.send(#"{"input":1,"name":"add","value":3}"#)
    stage.settle(.milliseconds(50))
    let loop = stage.network.services.first as? SessionLoop
    stage.network.schedule(stage.network.now) { loop?.endSessions(of: SignedOut("ann")) { _ in } }
    stage.settle(.seconds(5))

    #expect(other.state["rested"] == 3)
  }

  @Test func `ends though two screens keep answering each other`() {
    let stage = Stage()
    let one = stage.open("one", as: "ann")
    let other = stage.open("other", as: "bob")
    for page in [one, other] { page.send(#"{"input":1,"name":"echo"}"#) }
    stage.settle()

    one.send(#"{"input":2,"name":"add","value":1}"#)
    stage.settle()

    #expect(one.last("ack") == 2)
    #expect(one.state["total"] == 100 && other.state["total"] == 100)
  }

  @Test func `counts once though the server is killed after each step`() {
    var ends = 0
    for step in 1...40 {
      let stage = Stage(store: SimulatedStore())
      let one = stage.open("one", as: "ann")
      let other = stage.open("other", as: "bob")
      var steps = 0
      stage.network.onStep = { [unowned network = stage.network] _ in
        steps += 1
        if steps == step { network.restartServer() }
      }
      one.send(#"{"input":1,"name":"add","value":3}"#)
      stage.settle()
      stage.network.onStep = nil
      guard steps >= step else { break }
      ends += 1
      if !one.isUp { one.resume() }
      if !other.isUp { other.resume() }
      one.send(#"{"input":1,"name":"add","value":3}"#)
      stage.settle()

      #expect(one.state["taken"] == 3 && other.state["taken"] == 0, "killed after step \(step)")
      #expect(other.state["total"] == one.state["total"])
    }
    #expect(ends > 3)
  }
}
