// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiText
import MusubiWire
import Synchronization
import Testing

@testable import MusubiSession

/// What reaches screens from outside.
private final class World: Sendable {
  let list = SharedRelay(value: "none")
  let news = SharedRelay<Int>()
  let dictated = SharedRelay<String>()
  /// How often a screen was given the list.
  let showings = Mutex(0)
  /// The beats that a screen's timer has made.
  let beats = Mutex<[Int]>([])
  /// How often the late answer came.
  let answers = Mutex(0)
}

/// Has a rhythm, a late answer, a shared list, one-time messages, and a text that the world may write.
private final class PulseViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    let tap: Signal<Void>
    let text: Signal<String>
  }

  struct Outputs: Encodable {
    let beat: Driver<Int>
    let late: Driver<String>
    let list: Driver<String>
    let latest: Driver<Int>
    let text: Driver<String>
    let told: Signal<Int>
  }

  private let world: World
  private let clock: any SchedulerType
  private let latest: BehaviorRelay<Int>
  private let bag = DisposeBag()

  var state: Int { latest.value }

  init(_ world: World, _ context: ScreenContext) throws {
    self.world = world
    clock = context.clock
    latest = BehaviorRelay(value: try context.restored() ?? 0)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    world.news.asObservable().bind(to: latest).disposed(by: bag)
    let beat = Observable<Int>.interval(.seconds(10), scheduler: clock)
      .do(onNext: { [world] number in world.beats.withLock { $0.append(number) } })
    let late = inputs.tap.asObservable().delay(.seconds(3), scheduler: clock)
      .do(onNext: { [world] in world.answers.withLock { $0 += 1 } }).map { "late" }
    let list = world.list.asObservable().do(onNext: { [world] _ in world.showings.withLock { $0 += 1 } })
    return Outputs(
      beat: beat.asDriver(onErrorJustReturn: 0), late: late.asDriver(onErrorJustReturn: ""),
      list: list.asDriver(onErrorJustReturn: ""), latest: latest.asDriver(),
      text: Observable.merge(inputs.text.asObservable(), world.dictated.asObservable())
        .asDriver(onErrorJustReturn: ""),
      told: world.news.asObservable().asSignal(onErrorJustReturn: 0))
  }
}

extension PulseViewModel.Outputs {
  fileprivate static func route(
    _ world: World, _ scope: Scope, keepsRunning: Bool = false
  ) -> ScreenRoute {
    ScreenRoute(name: "pulse", scope: scope, keepsRunning: keepsRunning) { context in
      InputOutputScreen(try PulseViewModel(world, context), name: "pulse")
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A screen without a page` {
  /// Where the screen lives.
  enum Place: CaseIterable {
    case own, shared, stored, storedShared

    var isShared: Bool { self == .shared || self == .storedShared }
    var isStored: Bool { self == .stored || self == .storedShared }
  }

  private final class Stage {
    let world = World()
    let store: SimulatedStore?
    let network: SimulatedNetwork
    let page: RawPage

    init(
      _ place: Place, keepsRunning: Bool = false, configuration: SessionConfiguration = SessionConfiguration()
    ) {
      store = place.isStored ? SimulatedStore() : nil
      let scope = place.isShared ? Scope.room(default: "lobby") : .session
      network = SimulatedNetwork(
        seed: 7, configuration: configuration, store: store,
        routes: [PulseViewModel.Outputs.route(world, scope, keepsRunning: keepsRunning)])
      page = RawPage(network, "pulse", query: ["edits": "1"])
      settle()
      // So that its session waits.
      page.send(#"{"input":1,"name":"tap"}"#)
      settle(.seconds(4))
    }

    func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

    var room: Room? {
      (network.services.first as? SessionLoop).flatMap { Array($0.rooms.all).first }
    }

    var showings: Int { world.showings.withLock { $0 } }
    var beats: [Int] { world.beats.withLock { $0 } }

    /// The page loses its connection, and the server notices.
    func lose() {
      page.link?.drop()
      settle(.milliseconds(100))
    }

    func comeBack() {
      page.mark()
      page.resume(["edits": "1"])
      settle()
    }

    func tell(_ numbers: ClosedRange<Int>) {
      for number in numbers {
        world.news.accept(number)
        settle(.milliseconds(10))
      }
    }

    /// The one-time messages since the page came back.
    var told: [Int] {
      page.new.flatMap { $0["events"]?.arrayValue ?? [] }.compactMap { $0["value"]?.intValue }
    }
  }

  @Test(arguments: Place.allCases) func `makes no turn, and the newest values are one when the page is back`(
    place: Place
  ) throws {
    let stage = Stage(place, keepsRunning: true)
    stage.lose()
    let room = try #require(stage.room)
    let sequence = room.sequence
    #expect(room.isSuspended)

    stage.settle(.seconds(40))
    #expect(stage.beats == [0, 1, 2, 3], "It goes on.")
    #expect(room.sequence == sequence)
    stage.comeBack()

    #expect(stage.page.last("resumed")?["turns"] == 1)
    #expect(stage.page.new.compactMap { $0["sequence"] } == [.integer(Int64(sequence + 1))])
    #expect(stage.page.state["beat"] == 3)
    #expect(!room.isSuspended)
    // From then on all is as before.
    stage.settle(.seconds(10))
    #expect(stage.page.state["beat"] == 4)
  }

  @Test func `rests with its rhythm, which goes on at the return with its next beat`() {
    let stage = Stage(.own)
    stage.settle(.seconds(16))
    stage.lose()
    let before = stage.beats
    #expect(before == [0, 1])
    stage.settle(.seconds(300))
    #expect(stage.beats == before)

    let now = stage.network.now
    stage.comeBack()
    #expect(stage.beats == [0, 1, 2], "One for all that it has missed.")
    #expect(stage.page.state["beat"] == 2)
    stage.network.run(until: now + .seconds(9))
    #expect(stage.beats == [0, 1, 2])
    stage.network.run(until: now + .seconds(11))
    #expect(stage.beats == [0, 1, 2, 3])

    // Before a beat is due nothing has been missed.
    stage.lose()
    stage.comeBack()
    #expect(stage.beats == [0, 1, 2, 3])
    stage.network.run(until: now + .seconds(21))
    #expect(stage.beats == [0, 1, 2, 3, 4])
  }

  @Test(arguments: [Place.shared, .storedShared]) func `keeps its rhythm if it is shared`(place: Place) {
    let stage = Stage(place)
    stage.lose()
    stage.settle(.seconds(40))

    #expect(stage.beats == [0, 1, 2, 3])
  }

  @Test(arguments: Place.allCases) func `goes on with what happens once`(place: Place) {
    let stage = Stage(place)
    stage.page.send(#"{"input":2,"name":"tap"}"#)
    stage.settle(.milliseconds(100))
    stage.lose()
    stage.settle(.seconds(5))
    stage.tell(5...5)
    #expect(stage.room?.isSuspended == true)
    #expect(stage.world.answers.withLock { $0 } == 2)

    stage.comeBack()
    #expect(stage.page.state["late"] == "late" && stage.page.state["latest"] == 5)
  }

  @Test(arguments: Place.allCases) func `is given the newest of a shared list alone, once, and at the return`(
    place: Place
  ) {
    let stage = Stage(place)
    stage.lose()
    let before = stage.showings
    for number in 1...5 {
      stage.world.list.accept("list \(number)")
      stage.settle(.milliseconds(10))
    }
    #expect(stage.showings == before)

    stage.comeBack()
    #expect(stage.showings == before + 1)
    #expect(stage.page.state["list"] == "list 5")

    stage.lose()
    stage.comeBack()
    #expect(stage.showings == before + 1, "Nothing has changed.")
    stage.world.list.accept("list 5")
    stage.settle()
    #expect(stage.showings == before + 1, "An unchanged list is delivered to nobody.")
    stage.world.list.accept("list 6")
    stage.settle()
    #expect(stage.showings == before + 2 && stage.page.state["list"] == "list 6")
  }

  @Test(arguments: Place.allCases) func `tells the newest sixteen messages at the return, each once`(
    place: Place
  ) {
    let stage = Stage(place)
    stage.tell(1...1)
    stage.settle()
    stage.lose()
    stage.tell(2...30)

    stage.comeBack()
    #expect(stage.told == Array(15...30))
    stage.lose()
    stage.comeBack()
    #expect(stage.told.isEmpty)
  }

  @Test(arguments: [Place.own, .stored]) func `tells them also behind a snapshot`(place: Place) {
    var configuration = SessionConfiguration()
    configuration.maxLogTurns = 1
    let stage = Stage(place, configuration: configuration)
    stage.lose()
    stage.tell(1...10)
    // More than the log has: the page needs a snapshot.
    stage.comeBack()
    stage.page.link?.drop()
    let (token, position) = (stage.page.token, stage.page.position)
    stage.settle()
    stage.tell(11...12)
    stage.page.mark()
    stage.page.resume(["edits": "1"], token: token, position: position)
    stage.settle()

    #expect(stage.told == [11, 12])
    #expect(stage.page.state["latest"] == 12)
  }

  @Test(arguments: Place.allCases) func `keeps its texts, also under what its page types meanwhile`(
    place: Place
  ) {
    let stage = Stage(place)
    stage.page.send(#"{"input":2,"name":"text","revision":0,"edits":[[0,0,"ab"]]}"#)
    stage.settle()
    stage.lose()
    stage.world.dictated.accept("abc")
    stage.settle(.milliseconds(100))
    stage.world.dictated.accept("abcd")
    stage.settle()

    stage.comeBack()
    #expect(stage.page.new.allSatisfy { $0["snapshot"] == nil })
    #expect(stage.page.last("edits")?["text"]?["revision"] == 2, "One difference.")
    // It was typed at the revision that the page knew.
    stage.page.send(#"{"input":3,"name":"text","revision":1,"edits":[[0,0,"x"]]}"#)
    stage.settle()

    #expect(stage.page.last("error") == nil)
    #expect(stage.room?.texts.first?.text == "xabcd")
    guard place.isShared else { return }
    let reader = RawPage(stage.network, "pulse")
    stage.settle()
    #expect(reader.state["text.field"] == "xabcd")
  }

  @Test(arguments: [Place.stored, .storedShared]) func `is stored as with a page`(place: Place) {
    let stage = Stage(place)
    stage.page.send(#"{"input":2,"name":"text","revision":0,"edits":[[0,0,"ab"]]}"#)
    stage.settle()
    stage.lose()
    stage.world.dictated.accept("abc")
    stage.settle(.milliseconds(100))
    stage.tell(7...7)
    stage.settle()
    stage.network.restartServer()
    stage.settle()

    stage.comeBack()
    #expect(stage.page.last("error") == nil && stage.store?.misfits == [])
    #expect(stage.page.state["latest"] == 7 && stage.page.state["text.field"] == "abc")
    if place == .stored { #expect(stage.told == [7]) }
  }

  @Test(arguments: [Place.shared, .storedShared]) func `shows a newcomer its texts, and what follows`(
    place: Place
  ) {
    let stage = Stage(place)
    stage.lose()
    stage.world.dictated.accept("one")
    stage.settle()
    let newcomer = RawPage(stage.network, "pulse", query: ["edits": "1"])
    stage.settle()
    #expect(newcomer.state["text.field"] == "one")

    stage.world.dictated.accept("two")
    stage.tell(3...3)
    stage.settle()
    #expect(newcomer.last("edits")?["text"]?["revision"] == 2 && newcomer.state["latest"] == 3)
  }

  @Test func `is one also if the session of its last page ends`() throws {
    let stage = Stage(.shared)
    let other = RawPage(stage.network, "pulse")
    stage.settle()
    let loop = try #require(stage.network.services.first as? SessionLoop)
    stage.lose()
    #expect(stage.room?.isSuspended == false)
    loop.sessions.revoke(other.session)
    #expect(stage.room?.isSuspended == true)
  }

  @Test func `is one once its last page has gone, until the first one is there`() throws {
    let stage = Stage(.shared)
    let other = RawPage(stage.network, "pulse")
    stage.settle()
    stage.lose()
    #expect(stage.room?.isSuspended == false)
    other.link?.leave()
    stage.settle()
    #expect(stage.room?.isSuspended == true)

    stage.world.list.accept("new")
    let newcomer = RawPage(stage.network, "pulse")
    stage.settle()
    #expect(stage.room?.isSuspended == false)
    #expect(newcomer.state["list"] == "new")
    // The page that was away missed a turn that was made without it.
    stage.comeBack()
    #expect(stage.page.state["list"] == "new" && stage.page.last("error") == nil)

    // It goes for good, and so do all sessions: the room waits, suspended.
    for page in [newcomer, stage.page] { page.link?.leave() }
    stage.settle(SessionConfiguration().sessionLifetime + .seconds(60))
    #expect(stage.room?.isSuspended == true && stage.room?.members.isEmpty == true)
  }
}
