// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiText
import MusubiWire
import Synchronization
import Testing

@testable import MusubiSession

/// What reaches a screen from outside, and how often what it shows was encoded.
private final class Source: Sendable {
  let numbers = SharedRelay<Int>()
  let dictated = SharedRelay<String>()
  let events = SharedRelay<Int>()
  let count = Mutex(0)
  /// What an outlet's rows were read as after each change.
  let seen = Mutex<[[Int]]>([])

  var encodings: Int { count.withLock { $0 } }
}

/// Counts each time that it is encoded; -1 refuses.
private struct Weighed: Encodable, Identifiable, Equatable {
  let id: Int
  let source: Source

  static func == (left: Weighed, right: Weighed) -> Bool { left.id == right.id }

  func encode(to encoder: any Encoder) throws {
    source.count.withLock { $0 += 1 }
    guard id >= 0 else { throw Refusal() }
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .id)
  }

  private enum Key: CodingKey { case id }

  struct Refusal: Error {}
}

private final class WeighedViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    let tap: Signal<Void>
    let text: Signal<String>
  }

  struct Outputs: Encodable {
    let tree: Driver<Weighed>
    let rows: Driver<[Weighed]>
    let changes: Driver<RowChange<Weighed>>
    let text: Driver<String>
    let told: Signal<Weighed>
  }

  private let source: Source
  fileprivate let newest = BehaviorRelay(value: 0)
  private let bag = DisposeBag()

  init(_ source: Source) { self.source = source }

  func bind(_ inputs: Inputs) -> Outputs {
    let source = source
    func weighed(_ id: Int) -> Weighed { Weighed(id: id, source: source) }
    source.numbers.asObservable().bind(to: newest).disposed(by: bag)
    let numbers = newest.asObservable()
    return Outputs(
      tree: numbers.map(weighed).asDriver(onErrorJustReturn: weighed(0)),
      rows: numbers.map { [weighed(1_000), weighed($0)] }.asDriver(onErrorJustReturn: []),
      changes: source.events.asObservable().map { .insert(weighed($0), at: 0) }.asDriver(
        onErrorJustReturn: .reset([])),
      text: Observable.merge(inputs.text.asObservable(), source.dictated.asObservable())
        .asDriver(onErrorJustReturn: ""),
      told: source.events.asObservable().map(weighed).asSignal(onErrorJustReturn: weighed(0)))
  }
}

/// The same, which is stored.
private final class StoredWeighedViewModel: InputOutputViewModel, Restorable {
  private let inner: WeighedViewModel

  var state: Int { inner.newest.value }

  init(_ source: Source, _ context: ScreenContext) throws {
    inner = WeighedViewModel(source)
    inner.newest.accept(try context.restored() ?? 0)
  }

  func bind(_ inputs: WeighedViewModel.Inputs) -> WeighedViewModel.Outputs { inner.bind(inputs) }
}

/// Shows rows by an outlet.
private final class ChoreView: View {
  let chores = List<Weighed>("chores")
  let done = Button("done")
  private let source: Source
  private let bag = DisposeBag()

  init(_ source: Source) { self.source = source }

  override func viewDidLoad() {
    source.numbers.asObservable().subscribe(onNext: { [unowned self] number in
      if number > 100 {
        chores.apply(.insert(Weighed(id: number, source: source), at: 0))
      } else {
        chores.items = [Weighed(id: number, source: source)]
      }
      let ids = chores.items.map(\.id)
      source.seen.withLock { $0.append(ids) }
    }).disposed(by: bag)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `What a screen without a page shows` {
  private final class Stage {
    let source = Source()
    let store: SimulatedStore?
    let network: SimulatedNetwork
    let page: RawPage

    init(isStored: Bool = false, isOutlet: Bool = false, isShared: Bool = false) {
      store = isStored ? SimulatedStore() : nil
      let source = source
      network = SimulatedNetwork(
        seed: 7, store: store,
        routes: [
          ScreenRoute(
            name: "weighed", scope: isShared ? .room(default: "lobby") : .session, keepsRunning: true
          ) { context in
            if isOutlet { return ChoreView(source) }
            if isStored {
              return InputOutputScreen(try StoredWeighedViewModel(source, context), name: "weighed")
            }
            return InputOutputScreen(WeighedViewModel(source), name: "weighed")
          }
        ])
      page = RawPage(network, "weighed", query: ["edits": "1"])
      settle()
      // So that its session waits.
      if !isOutlet { page.send(#"{"input":1,"name":"tap"}"#) }
      settle()
    }

    var room: Room? { (network.services.first as? SessionLoop).flatMap { Array($0.rooms.all).first } }

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

    func accept(_ numbers: some Sequence<Int>) {
      for number in numbers {
        source.numbers.accept(number)
        settle(.milliseconds(10))
      }
    }

    func happen(_ numbers: some Sequence<Int>) {
      for number in numbers {
        source.events.accept(number)
        settle(.milliseconds(10))
      }
    }

    /// The events since the page came back.
    var told: [Int] {
      page.new.flatMap { $0["events"]?.arrayValue ?? [] }.compactMap { $0["value"]?["id"]?.intValue }
    }
  }

  @Test(arguments: [false, true]) func `is encoded once, when its page is back`(isStored: Bool) {
    let stage = Stage(isStored: isStored)
    stage.lose()
    let before = stage.source.encodings
    stage.accept(1...20)
    #expect(stage.source.encodings == before)

    stage.comeBack()
    #expect(stage.source.encodings == before + 2, "The tree, and the row that is not equal.")
    #expect(stage.page.state["tree"]?["id"] == 20)
    #expect(stage.page.state["rows"] == [["id": 1_000], ["id": 20]])
    #expect(stage.page.last("resumed")?["turns"] == 1)

    // From then on all is as before, and nothing is kept of that time.
    stage.accept(21...21)
    #expect(stage.page.state["tree"]?["id"] == 21)
    stage.lose()
    stage.comeBack()
    #expect(stage.source.encodings == before + 4 && stage.page.state["tree"]?["id"] == 21)
  }

  @Test(arguments: [false, true]) func `is of the newest sixteen events, and of each row that has come`(
    isStored: Bool
  ) {
    let stage = Stage(isStored: isStored)
    stage.lose()
    let before = stage.source.encodings
    for number in 1...30 { stage.source.events.accept(number) }
    stage.settle()
    #expect(stage.source.encodings == before + (isStored ? 16 : 0), "A record has the events.")

    stage.comeBack()
    #expect(stage.told == Array(15...30) && stage.page.last("resumed")?["turns"] == 1)
    #expect(stage.source.encodings == before + 46)
    #expect(stage.page.state["changes"]?.arrayValue?.count == 30)
  }

  @Test func `is told in one turn, if it is stored, and no event is encoded twice`() throws {
    let stage = Stage(isStored: true)
    let store = try #require(stage.store)
    stage.page.send(#"{"input":2,"name":"text","revision":0,"edits":[[0,0,"ab"]]}"#)
    stage.settle()
    stage.lose()
    stage.accept(1...3)
    let (before, commits, room) = (stage.source.encodings, store.commits, try #require(stage.room))
    let (sequence, revision) = (room.sequence, room.texts[0].revision)
    for number in 1...20 {
      stage.source.dictated.accept("ab" + String(repeating: "c", count: number))
      stage.settle()
    }
    stage.accept(4...6)
    stage.happen(7...9)
    #expect(stage.source.encodings == before + 3, "The events, each for a record.")
    #expect(store.commits == commits + 26)
    #expect(room.sequence == sequence && room.texts[0].revision == revision)
    let record = try #require(store.storedRooms.first)
    #expect(record.texts.first?.text == "ab" + String(repeating: "c", count: 20))
    #expect(record.events.compactMap { $0.value?["id"]?.intValue } == [7, 8, 9])

    stage.comeBack()
    #expect(stage.source.encodings == before + 8, "The tree, a row, and the rows of changes.")
    #expect(stage.page.new.allSatisfy { $0["snapshot"] == nil } && stage.page.last("resumed")?["turns"] == 1)
    #expect(stage.told == [7, 8, 9] && stage.page.last("edits")?["text"]?["revision"] == 2)
    #expect(stage.page.last("edits")?["text"]?["steps"]?.arrayValue?.count == 1)
    #expect(stage.page.state["tree"]?["id"] == 6 && store.misfits == [])
    #expect(store.storedRooms.first?.texts.first?.revision == 2)
  }

  @Test func `is told once in a room that is stored, too, whose records have no events`() {
    let stage = Stage(isStored: true, isShared: true)
    stage.lose()
    let before = stage.source.encodings
    stage.happen(1...30)
    #expect(stage.source.encodings == before)

    stage.comeBack()
    #expect(stage.told == Array(15...30) && stage.source.encodings == before + 46)
  }

  @Test func `is made anew from the state if the server is killed meanwhile`() {
    let stage = Stage(isStored: true)
    stage.lose()
    stage.accept(1...3)
    stage.source.dictated.accept("abc")
    stage.settle()
    stage.accept(4...4)
    stage.settle()
    stage.network.restartServer()
    stage.settle()

    stage.comeBack()
    #expect(stage.page.last("error") == nil && stage.store?.misfits == [])
    #expect(stage.page.state["tree"]?["id"] == 4 && stage.page.state["text.field"] == "abc")
    stage.accept(5...5)
    #expect(stage.page.state["tree"]?["id"] == 5)
  }

  @Test func `keeps its old value if the newest refuses to be encoded, and the log tells`() {
    let stage = Stage()
    stage.accept(1...1)
    stage.lose()
    stage.accept([2, -1])
    #expect(stage.network.failures == [])

    stage.comeBack()
    #expect(stage.page.state["tree"]?["id"] == 1)
    #expect(
      stage.network.failures.contains { $0.hasPrefix(#"weighed: the output "tree" keeps its old value"#) })
  }

  @Test func `is what an outlet's rows are, also before they are encoded`() {
    let stage = Stage(isOutlet: true)
    stage.accept(1...1)
    stage.lose()
    let before = stage.source.encodings
    stage.accept(2...9)
    #expect(stage.source.encodings == before)
    #expect(stage.source.seen.withLock { $0.last } == [9])

    stage.accept([101])
    #expect(stage.source.seen.withLock { $0.last } == [101, 9])
    stage.accept(10...12)
    stage.accept([102])
    #expect(stage.source.encodings == before)

    stage.comeBack()
    #expect(stage.source.encodings == before + 2)
    #expect(stage.page.state["chores"] == [["id": 102], ["id": 12]])
    stage.accept([103])
    #expect(stage.source.seen.withLock { $0.last } == [103, 102, 12])
    #expect(stage.page.state["chores"] == [["id": 103], ["id": 102], ["id": 12]])
  }
}
