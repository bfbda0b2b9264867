// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Observation
import Synchronization
import Testing

/// The outside world that models wait for; a test answers, oldest question first.
private final class Library: Sendable {
  private let waiting = Mutex<[Carried<() -> Void>]>([])

  var count: Int { waiting.withLock(\.count) }

  func call(_ answer: @escaping () -> Void) {
    let answer = Carried(answer)
    waiting.withLock { $0.append(answer) }
  }
  func ask() async { await withCheckedContinuation { continuation in call { continuation.resume() } } }
  func answer() { waiting.withLock { $0.removeFirst() }.element() }
  /// The process that has asked is killed: nobody waits for the answers any more.
  func forget() { waiting.withLock { $0 = [] } }
}

private struct Question: DialogContent { let id: Int }

/// Asks before it deletes, and opens things: after an `await`, in each of the places where a model may wait.
@Observable private final class Shelf {
  var question: Question?
  var detail: Detail?
  private(set) var who = ""
  @ObservationIgnored private let context: ScreenContext
  @ObservationIgnored private let library: Library

  init(_ context: ScreenContext, _ library: Library) { (self.context, self.library) = (context, library) }

  func askLater(_ id: Int) async {
    await library.ask()
    await library.ask()
    who = context.visitor.id ?? "nobody"
    question = Question(id: id)
  }

  func openLater() async {
    await library.ask()
    detail = Detail()
  }

  func work(_ id: Int) { context.task { await self.askLater(id) } }

}

@Observable private final class Detail {}

extension Shelf: Restorable { var state: String { who } }

extension Shelf: ObservableViewModel {
  static var bindings: [PageBinding<Shelf>] {
    [
      .output("who", \.who), .dialog("ask", \.question), .destination("detail", \.detail),
      .action("await") { (model, id: Int) in await model.askLater(id) },
      .action("open") { await $0.openLater() },
      .action("task") { (model, id: Int) in model.work(id) },
    ]
  }
}

extension Detail: ObservableViewModel { static var bindings: [PageBinding<Detail>] { [] } }

/// The same by the reactive operators.
private final class StreamViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    let debounce: Signal<Int>
    let delay: Signal<Int>
    let effect: Signal<Int>
    let request: Signal<Int>
    let command: Signal<Int>
  }

  struct Outputs: Encodable {
    let ask: Signal<Question>
    let who: Driver<String>
  }

  private let context: ScreenContext
  private let library: Library
  var state: Int { 0 }

  init(_ context: ScreenContext, _ library: Library) { (self.context, self.library) = (context, library) }

  func bind(_ inputs: Inputs) -> Outputs {
    let (context, library) = (context, library)
    let effects = inputs.effect.flatMap { id -> Signal<Int> in
      let effect = context.beginEffect()
      return Single<Int>.create { observer in
        library.call {
          observer(.success(id))
          effect.finish()
        }
        return Disposables.create()
      }
      .observe(on: MainScheduler.instance).asSignal(onErrorSignalWith: .empty())
    }
    // One at a time: the second waits for the first one's answer.
    let requests = inputs.request.asObservable().concatMap { id in
      Observable<Int>.create { observer in
        library.call {
          observer.onNext(id)
          observer.onCompleted()
        }
        return Disposables.create()
      }
    }
    let till = context.shared(Till.self, room: "main")
    let sums = inputs.command.flatMap { till.send(.add($0)).asSignal(onErrorSignalWith: .empty()) }
    let beats = Observable<Int>.interval(.seconds(10), scheduler: context.clock).map { _ in 9 }
    let ids = Signal.merge(
      inputs.debounce.debounce(.milliseconds(300)), inputs.delay.delay(.milliseconds(300)), effects,
      requests.asSignal(onErrorSignalWith: .empty()), sums, beats.asSignal(onErrorSignalWith: .empty()))
    return Outputs(
      ask: ids.map { Question(id: $0) },
      who: ids.map { _ in context.visitor.id ?? "nobody" }.asDriver(onErrorJustReturn: ""))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A dialog or screen that is asked for later` {
  private final class Stage {
    let library = Library()
    let network: SimulatedNetwork
    var ann: RawPage { pages[0] }
    var bob: RawPage { pages[1] }
    private(set) var pages: [RawPage] = []
    private let name: String

    init(_ name: String, _ scope: Scope = .room, visitors: [String] = ["ann", "bob"]) {
      self.name = name
      let door = Doorkeeper()
      network = SimulatedNetwork(
        seed: 3, store: SimulatedStore(),
        routes: [
          ScreenRoute(name: "shelf", scope: scope) { [library] in
            ObservableScreen(Shelf($0, library), name: "shelf")
          },
          ScreenRoute(name: "stream", scope: scope) { [library] in
            InputOutputScreen(StreamViewModel($0, library), name: "stream")
          },
          ScreenRoute(
            name: "detail", scope: .session, path: "/detail", type: ObjectIdentifier(Detail.self),
            address: { _ in "/detail" }, make: { _ in ObservableScreen(Detail(), name: "detail") }),
        ],
        models: [.model("till") { try Till($0) }], authorize: { try door.visitor(of: $0) })
      pages = visitors.map { RawPage(network, name, as: $0) }
      settle()
    }

    deinit { network.end() }

    func settle(_ time: Duration = .milliseconds(100)) { network.run(until: network.now + time) }

    func send(_ number: Int, _ input: String, _ value: Int, on page: RawPage) {
      page.send(#"{"input":\#(number),"name":"\#(input)","value":\#(value)}"#)
      settle()
    }

    func answer(_ count: Int = 1) {
      for _ in 0..<count {
        network.schedule(network.now) { [library] in library.answer() }
        settle()
      }
    }

    func dialog(of page: RawPage) -> Value? { page.last("screens")?[0]?["dialog"]?["value"]?["id"] }
  }

  @Test(arguments: ["await", "task"]) func `after an await is shown by the page whose input began it`(
    way: String
  ) {
    let stage = Stage("shelf")
    stage.send(1, way, 4, on: stage.bob)
    stage.send(1, way, 5, on: stage.ann)
    #expect(stage.dialog(of: stage.bob) == nil)

    // Both have asked once; each asks again behind the other.
    stage.answer(4)

    #expect(stage.dialog(of: stage.bob) == 4)
    #expect(stage.dialog(of: stage.ann) == 5)
    #expect(stage.ann.state["who"] == "ann", "Ann's was the last one.")
    #expect(stage.network.failures == [])
  }

  @Test func `after an await opens its screen on that page alone`() {
    let stage = Stage("shelf")
    stage.bob.send(#"{"input":1,"name":"open"}"#)
    stage.settle()
    stage.answer()

    #expect(stage.bob.last("screens")?.arrayValue?.count == 2)
    #expect(stage.ann.last("screens")?.arrayValue?.count != 2)
  }

  @Test(arguments: ["debounce", "delay"])
  func `behind an operator of time is shown by the page of its element`(
    way: String
  ) {
    let stage = Stage("stream")
    stage.send(1, way, 4, on: stage.ann)
    stage.send(1, way, 5, on: stage.bob)
    stage.settle(.seconds(1))

    #expect(stage.dialog(of: stage.bob) == 5)
    #expect(stage.dialog(of: stage.ann) == (way == "delay" ? 4 : nil))
    #expect(stage.ann.state["who"] == "bob")
    #expect(stage.network.failures == [])
  }

  @Test(arguments: ["effect", "request"]) func `by an answer from outside is shown by the page that asked`(
    way: String
  ) {
    let stage = Stage("stream")
    stage.send(1, way, 4, on: stage.ann)
    stage.send(1, way, 5, on: stage.bob)
    stage.answer(2)

    #expect(stage.dialog(of: stage.ann) == 4)
    #expect(stage.dialog(of: stage.bob) == 5)
    #expect(stage.network.failures == [])
  }

  @Test func `by a shared model's answer is shown by the page whose input sent the command`() {
    let stage = Stage("stream")
    stage.send(1, "command", 4, on: stage.ann)
    stage.send(1, "command", 1, on: stage.bob)

    #expect(stage.dialog(of: stage.ann) == 4)
    #expect(stage.dialog(of: stage.bob) == 5)
    #expect(stage.network.failures == [])
  }

  @Test func `by a clock that no input has started is dropped, and the log says so`() {
    let stage = Stage("stream")
    stage.send(1, "delay", 4, on: stage.ann)
    stage.settle(.seconds(15))

    #expect(stage.dialog(of: stage.ann) == 4)
    #expect(stage.dialog(of: stage.bob) == nil)
    #expect(stage.ann.state["who"] == "nobody")
    #expect(
      stage.network.failures == ["stream: a navigation or dialog that no page's input caused was dropped"])
  }

  @Test(arguments: [("shelf", "await"), ("stream", "effect")])
  func `by an effect that runs again after a kill is shown by the page that sent its input`(
    screen: String, way: String
  ) {
    let stage = Stage(screen)
    stage.send(1, way, 4, on: stage.bob)
    #expect(stage.bob.last("ack") == nil && stage.library.count == 1)
    stage.network.restartServer()
    stage.library.forget()
    stage.settle()
    // In the other order, so that a page is not known by when it came.
    for page in [stage.bob, stage.ann] {
      page.resume()
      stage.settle(.seconds(1))
    }
    stage.send(1, way, 4, on: stage.bob)
    stage.answer(way == "await" ? 2 : 1)

    #expect(stage.dialog(of: stage.bob) == 4)
    #expect(stage.dialog(of: stage.ann) == nil)
    #expect(stage.bob.last("ack") == 1)
    #expect(stage.network.failures == [])
  }

  @Test func `waits for a page that has lost its connection`() {
    let stage = Stage("shelf")
    stage.send(1, "task", 4, on: stage.bob)
    stage.bob.link?.drop()
    stage.settle()
    stage.answer(2)
    stage.bob.resume()
    stage.settle(.seconds(1))

    #expect(stage.dialog(of: stage.bob) == 4)
    #expect(stage.network.failures == [])
  }

  @Test func `is dropped if the page has gone, which the log says once`() {
    let stage = Stage("shelf")
    stage.send(1, "task", 4, on: stage.bob)
    stage.bob.link?.leave()
    stage.settle(.seconds(3_000))
    stage.answer(2)

    #expect(stage.dialog(of: stage.ann) == nil)
    #expect(stage.ann.state["who"] == "bob")
    #expect(
      stage.network.failures == [
        "shelf: a navigation or dialog was dropped, because the page whose input caused it has gone"
      ])

    stage.send(1, "await", 5, on: stage.ann)
    stage.answer(2)
    #expect(stage.dialog(of: stage.ann) == 5)
  }

  @Test(arguments: [("shelf", "await"), ("shelf", "task"), ("stream", "debounce"), ("stream", "effect")])
  func `in session scope goes to the session's page, as ever`(screen: String, way: String) {
    let stage = Stage(screen, .session)
    stage.send(1, way, 4, on: stage.bob)
    stage.settle(.seconds(1))
    stage.answer(stage.library.count * (screen == "shelf" ? 2 : 1))

    #expect(stage.dialog(of: stage.bob) == 4)
    #expect(stage.dialog(of: stage.ann) == nil)
    #expect(stage.bob.state["who"] == "bob")
    #expect(stage.network.failures == [])
  }
}
