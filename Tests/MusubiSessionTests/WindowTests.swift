// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Observation
import Testing

@testable import MusubiSession

/// A long list that everybody may add to, and of which rows may go or change.
private final class EntriesViewModel: InputOutputViewModel {
  struct Entry: Encodable, Identifiable {
    let id: Int
    var text: String
  }

  struct Inputs: Decodable {
    var add: Signal<Void> = .never()
    var remove: Signal<Int> = .never()
    var mark: Signal<Int> = .never()
    var postpone: Signal<Int> = .never()
  }

  struct Outputs: Encodable {
    let entries: Driver<RowArray<Entry>>
  }

  private let entries: BehaviorRelay<[Entry]>
  private let bag = DisposeBag()

  init(_ count: Int) {
    entries = BehaviorRelay(value: (0..<count).map { Entry(id: $0, text: "entry \($0)") })
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [entries] in
      entries.accept([Entry(id: entries.value.count, text: "new")] + entries.value)
    }).disposed(by: bag)
    inputs.remove.emit(onNext: { [entries] id in entries.accept(entries.value.filter { $0.id != id }) })
      .disposed(by: bag)
    inputs.mark.emit(onNext: { [entries] id in
      entries.accept(entries.value.map { $0.id == id ? Entry(id: id, text: "marked") : $0 })
    }).disposed(by: bag)
    inputs.postpone.emit(onNext: { [entries] id in
      let row = entries.value.filter { $0.id == id }
      entries.accept(entries.value.filter { $0.id != id } + row)
    }).disposed(by: bag)
    return Outputs(entries: entries.map { RowArray($0) }.asDriver(onErrorJustReturn: RowArray([])))
  }
}

/// The same list in an outlet.
private final class EntriesView: View {
  private let entries = WindowedList<RowArray<EntriesViewModel.Entry>>("entries")
  private let add = Button("add")
  private let viewModel: EntriesViewModel
  private let bag = DisposeBag()

  init(_ count: Int) { viewModel = EntriesViewModel(count) }

  override func viewDidLoad() {
    let removals = PublishRelay<Int>()
    entries.onTap("remove") { removals.accept($0) }
    let outputs = viewModel.bind(
      EntriesViewModel.Inputs(
        add: add.rx.tap.asSignal(), remove: removals.asSignal(), mark: entries.rx.tap("mark").asSignal()))
    outputs.entries.drive(entries.rx.rows).disposed(by: bag)
  }
}

/// The same list in an observable model, or in a part of one.
@Observable private final class EntriesBook: ObservableViewModel, Identifiable {
  let id = 1
  private var all: [EntriesViewModel.Entry]

  init(_ count: Int) { all = (0..<count).map { EntriesViewModel.Entry(id: $0, text: "entry \($0)") } }

  var entries: RowArray<EntriesViewModel.Entry> { RowArray(all) }

  func add() { all.insert(EntriesViewModel.Entry(id: all.count, text: "new"), at: 0) }
  func remove(_ id: Int) { all.removeAll { $0.id == id } }
  func mark(_ id: Int) { all = all.map { $0.id == id ? .init(id: id, text: "marked") : $0 } }

  static var bindings: [PageBinding<EntriesBook>] {
    [
      .windows("entries", \.entries), .action("add") { $0.add() },
      .action("remove") { (book, id: Int) in book.remove(id) },
      .action("mark") { (book, id: Int) in book.mark(id) },
    ]
  }
}

/// Rows with a long list each, which is none that a page could look at.
@Observable private final class Shelf: ObservableViewModel {
  let books = [EntriesBook(3)]
  static var bindings: [PageBinding<Shelf>] { [.rows("books", \.books)] }
}

/// A part that may be missing.
@Observable private final class Desk: ObservableViewModel {
  var book: EntriesBook? = EntriesBook(5)
  static var bindings: [PageBinding<Desk>] { [.child("book", \.book), .action("close") { $0.book = nil }] }
}

/// How a screen is written.
private enum Way: CaseIterable {
  case outlets, streams, observable
}

@Suite(.timeLimit(.minutes(5))) struct `A window of a long list` {
  private static func network(
    _ way: Way = .streams, loops: Int = 1, rows: Int = 100_000
  ) -> SimulatedNetwork {
    SimulatedNetwork(
      seed: 7, loops: loops,
      routes: [
        ScreenRoute(name: "entries", scope: .room) { _ in
          switch way {
          case .outlets: EntriesView(rows)
          case .streams: InputOutputScreen(EntriesViewModel(rows), name: "entries")
          case .observable: ObservableScreen(EntriesBook(rows), name: "entries")
          }
        }
      ])
  }

  private static func settle(_ network: SimulatedNetwork) {
    network.run(until: network.now + .milliseconds(500))
  }

  private static func windows(_ page: RawPage) -> [Value] {
    page.personals.compactMap { $0["entries"] }
  }

  private static func ids(_ window: Value?) -> [Int] {
    window?["rows"]?.arrayValue?.compactMap { row in
      guard case .integer(let id)? = row["id"] else { return nil }
      return Int(id)
    } ?? []
  }

  @Test(arguments: [1, 3]) func `goes to the page that looks there, and turns tell the count alone`(
    _ loops: Int
  ) {
    let network = Self.network(loops: loops)
    let (ann, bob) = (RawPage(network, "entries"), RawPage(network, "entries"))
    Self.settle(network)
    ann.send(#"{"input":1,"name":"entries","value":{"first":50000,"count":3}}"#)
    bob.send(#"{"input":1,"name":"entries","value":{"first":0,"count":2}}"#)
    Self.settle(network)

    #expect(ann.state["entries"] == ["count": 100_000])
    #expect(Self.ids(Self.windows(ann).last) == [50_000, 50_001, 50_002])
    #expect(Self.windows(ann).last?["first"] == 50_000)
    #expect(Self.ids(Self.windows(bob).last) == [0, 1])
    #expect(!bob.frames.contains { $0.contains("entry 50000") })
    #expect(ann.frames.allSatisfy { $0.utf8.count < 2_000 })
  }

  @Test(arguments: Way.allCases) private func `stays at its rows when others come and go above them`(
    _ way: Way
  ) {
    let network = Self.network(way, rows: 1_000)
    let (page, other) = (RawPage(network, "entries"), RawPage(network, "entries"))
    Self.settle(network)
    page.send(#"{"input":1,"name":"entries","value":{"anchor":500,"before":2,"count":4}}"#)
    Self.settle(network)
    #expect(Self.ids(Self.windows(page).last) == [498, 499, 500, 501])

    other.send(#"{"input":1,"name":"add"}"#)
    Self.settle(network)
    #expect(Self.ids(Self.windows(page).last) == [498, 499, 500, 501])
    #expect(Self.windows(page).last?["first"] == 499)
    #expect(page.state["entries"] == ["count": 1_001])

    // The row that holds it goes, too.
    other.send(#"{"input":2,"name":"remove","value":498}"#)
    Self.settle(network)
    #expect(Self.ids(Self.windows(page).last) == [499, 500, 501, 502])
  }

  @Test func `stays where it is when the row that it begins with is sent to the end`() {
    let network = Self.network(rows: 1_000)
    let (page, other) = (RawPage(network, "entries"), RawPage(network, "entries"))
    Self.settle(network)
    page.send(#"{"input":1,"name":"entries","value":{"anchor":500,"before":2,"count":4}}"#)
    Self.settle(network)
    other.send(#"{"input":1,"name":"postpone","value":498}"#)
    Self.settle(network)

    #expect(Self.ids(Self.windows(page).last) == [497, 499, 500, 501])
    #expect(Self.windows(page).last?["first"] == 497)
    // At the beginning of a list, too.
    page.send(#"{"input":2,"name":"entries","value":{"first":0,"count":3}}"#)
    Self.settle(network)
    other.send(#"{"input":2,"name":"postpone","value":0}"#)
    Self.settle(network)
    #expect(Self.ids(Self.windows(page).last) == [1, 2, 3])
  }

  @Test(arguments: Way.allCases) private func `is told again only if its rows differ`(_ way: Way) {
    let network = Self.network(way, rows: 1_000)
    let (page, other) = (RawPage(network, "entries"), RawPage(network, "entries"))
    Self.settle(network)
    page.send(#"{"input":1,"name":"entries","value":{"first":10,"count":4,"patches":true}}"#)
    Self.settle(network)
    let told = Self.windows(page).count
    other.send(#"{"input":1,"name":"mark","value":900}"#)
    Self.settle(network)
    #expect(Self.windows(page).count == told)

    other.send(#"{"input":2,"name":"mark","value":12}"#)
    Self.settle(network)
    #expect(Self.windows(page).count == told + 1)
    #expect(Self.windows(page).last?["rows"]?.arrayValue?[2]["text"] == "marked")
    #expect(
      page.frames.last { $0.contains("personal") }
        == #"{"personal":[{"op":"replace","path":"/entries/rows/2/text","value":"marked"}]}"#)

    // Who has not asked for patches gets all of it.
    other.send(#"{"input":3,"name":"entries","value":{"first":10,"count":4}}"#)
    Self.settle(network)
    other.send(#"{"input":4,"name":"mark","value":13}"#)
    Self.settle(network)
    #expect(
      other.values.last { $0["personal"] != nil }?["personal"]?["entries"]?["rows"]?.arrayValue?.count == 4)
    #expect(Self.windows(page).last == Self.windows(other).last)
  }

  @Test func `takes inputs from its rows, and is asked for again when the page comes back`() {
    let network = Self.network(rows: 1_000)
    let page = RawPage(network, "entries")
    Self.settle(network)
    page.send(#"{"input":1,"name":"entries","value":{"first":10,"count":2}}"#)
    page.send(#"{"input":2,"name":"mark","row":"11"}"#)
    page.send(#"{"input":3,"name":"mark","row":"1000"}"#)
    Self.settle(network)
    #expect(Self.windows(page).last?["rows"]?.arrayValue?[1]["text"] == "marked")
    #expect(page.frames.contains { $0.contains("unknown-row") })

    let window = Self.windows(page).last
    page.link?.drop()
    Self.settle(network)
    page.resume()
    Self.settle(network)
    #expect(page.values.last { $0["personal"] != nil }?["personal"] == Value.object(Value.Object()))
    page.send(#"{"input":4,"name":"entries","value":{"anchor":10,"before":0,"count":2}}"#)
    Self.settle(network)
    #expect(Self.windows(page).last == window)
  }

  @Test(arguments: [
    #"{"first":0,"count":401}"#, #"{"first":0,"count":0}"#, #"{"first":-1,"count":1}"#, #"{"count":"1"}"#,
    "7",
    #"{"first":0,"before":9007199254740993,"count":1}"#,
  ]) func `has a bound, and says so`(_ value: String) {
    let network = Self.network(rows: 10)
    let page = RawPage(network, "entries")
    Self.settle(network)
    page.send(#"{"input":1,"name":"entries","value":\#(value)}"#)
    page.send(#"{"input":2,"name":"entries","value":{"first":9007199254740991,"count":400}}"#)
    Self.settle(network)

    #expect(page.frames.contains { $0.contains("wrong-type") && $0.contains("400") })
    #expect(Self.ids(Self.windows(page).last) == Array(0..<10))
  }

  @Test func `keeps its name from an input`() {
    final class Twice: InputOutputViewModel {
      struct Inputs: Decodable { var entries: Signal<String> = .never() }
      struct Outputs: Encodable { let entries: Driver<RowArray<EntriesViewModel.Entry>> }
      func bind(_ inputs: Inputs) -> Outputs { Outputs(entries: .just(RowArray([]))) }
    }

    let route = ScreenRoute(name: "twice", scope: .session) { _ in InputOutputScreen(Twice(), name: "twice") }
    let context = ScreenContext(screen: "twice", clock: MainScheduler.instance, random: RandomSource(seed: 1))

    let error = #expect(throws: SchemaError.self) { try route.probe(context) }
    #expect(error.map { "\($0)" }?.contains("\"entries\" has the name of a list") == true)
  }

  @Test func `is of a screen's own list, and of none in a row`() throws {
    let route = ScreenRoute(name: "shelf", scope: .session) { _ in ObservableScreen(Shelf(), name: "shelf") }
    let context = ScreenContext(screen: "shelf", clock: MainScheduler.instance, random: RandomSource(seed: 1))

    let error = #expect(throws: SchemaError.self) { try route.probe(context) }
    #expect(error.map { "\($0)" }?.contains("\"entries\" is in a row") == true)
  }

  @Test func `is empty while the part that has its list is missing`() throws {
    let screen = try TestScreen { Desk() }
    try screen.look(at: "bookEntries", first: 2, count: 1)
    #expect(screen["bookEntries.rows"] == #"[{"id":2,"text":"entry 2"}]"#)

    try screen.tap("close")
    #expect(screen["bookEntries.count"] == "0")
    #expect(screen["bookEntries.rows"] == "[]")
  }

  @Test func `shows in a test of the screen`() throws {
    let screen = try TestScreen { EntriesViewModel(5_000) }
    #expect(screen["entries.count"] == "5000")
    #expect(screen["entries.first"] == nil)
    try screen.look(at: "entries", first: 2_500, count: 1)
    #expect(screen["entries.rows"] == #"[{"id":2500,"text":"entry 2500"}]"#)

    try screen.tap("add")
    try screen.tap("mark", row: "2500")
    #expect(screen["entries.first"] == "2501")
    #expect(screen["entries.rows"] == #"[{"id":2500,"text":"marked"}]"#)
    #expect(throws: (any Error).self) { try screen.look(at: "entries", first: 0, count: 500) }
    #expect(throws: (any Error).self) { try screen.look(at: "other", first: 0, count: 5) }
  }
}

/// Cards in columns, of which a page looks at a part and by a word.
private struct Columns: WindowedRows {
  struct Card: Encodable, Identifiable {
    let id: Int
    let column: String
    let title: String
  }

  var cards: [Card]
  var count: Int { cards.count }
  func rows(in range: Range<Int>) -> [Card] { Array(cards[range]) }
  func position(of id: Int) -> Int? { cards.firstIndex { $0.id == id } }

  func filtered(by filter: RowsFilter) -> Columns {
    Columns(
      cards: cards.filter {
        (filter.part.isEmpty || $0.column == filter.part)
          && (filter.word.isEmpty || $0.title.contains(filter.word))
      })
  }
}

private final class ColumnsViewModel: InputOutputViewModel {
  struct Inputs: Decodable { var move: Signal<RowMove<Int>> = .never() }
  struct Outputs: Encodable {
    let cards: Driver<Columns>
    let moved: Driver<String>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let cards = (0..<100).map {
      Columns.Card(id: $0, column: $0 % 3 == 0 ? "done" : "todo", title: "card \($0)")
    }
    return Outputs(
      cards: .just(Columns(cards: cards)),
      moved: inputs.move.map { "\($0.id) to \($0.list) before \($0.before ?? -1)" }
        .asDriver(onErrorJustReturn: ""))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A window of a part of a long list` {
  private static func network() -> SimulatedNetwork {
    SimulatedNetwork(
      seed: 7,
      routes: [
        ScreenRoute(name: "columns", scope: .room) { _ in
          InputOutputScreen(ColumnsViewModel(), name: "columns")
        }
      ])
  }

  private static func ids(_ window: Value?) -> [Int] {
    window?["rows"]?.arrayValue?.compactMap { $0["id"]?.intValue } ?? []
  }

  private static func look(_ page: RawPage, _ network: SimulatedNetwork, _ frames: String...) -> Value? {
    for frame in frames { page.send(frame) }
    network.run(until: network.now + .milliseconds(500))
    return page.personals.last
  }

  @Test func `has its own count, and stands beside others of the page`() {
    let network = Self.network()
    let page = RawPage(network, "columns")
    let shown = Self.look(
      page, network, #"{"input":1,"name":"cards/done","value":{"first":0,"count":3}}"#,
      #"{"input":2,"name":"cards/todo","value":{"first":1,"count":2}}"#,
      #"{"input":3,"name":"cards","value":{"first":0,"count":1}}"#)

    #expect(shown?["cards/done"]?["count"] == 34 && Self.ids(shown?["cards/done"]) == [0, 3, 6])
    #expect(shown?["cards/todo"]?["count"] == 66 && Self.ids(shown?["cards/todo"]) == [2, 4])
    #expect(shown?["cards"]?["count"] == 100 && Self.ids(shown?["cards"]) == [0])
  }

  @Test func `is filtered by the word of its page alone`() {
    let network = Self.network()
    let (ann, bob) = (RawPage(network, "columns"), RawPage(network, "columns"))
    let found = Self.look(
      ann, network, #"{"input":1,"name":"cards/done","value":{"first":0,"count":9,"word":"card 3"}}"#)
    let all = Self.look(bob, network, #"{"input":1,"name":"cards/done","value":{"first":0,"count":2}}"#)

    #expect(Self.ids(found?["cards/done"]) == [3, 30, 33, 36, 39] && found?["cards/done"]?["count"] == 5)
    #expect(Self.ids(all?["cards/done"]) == [0, 3])
    let none = Self.look(
      ann, network, #"{"input":2,"name":"cards/done","value":{"first":0,"count":9,"word":"x"}}"#)
    #expect(none?["cards/done"] == ["count": 0, "first": 0, "rows": []])
  }

  @Test func `has a bound, as its names and words do`() {
    let network = Self.network()
    let page = RawPage(network, "columns")
    let long = String(repeating: "x", count: 201)
    for number in 1...17 {
      page.send(#"{"input":\#(number),"name":"cards/\#(number)","value":{"first":0,"count":1}}"#)
    }
    page.send(#"{"input":18,"name":"cards/\#(long)","value":{"first":0,"count":1}}"#)
    page.send(#"{"input":19,"name":"cards/1","value":{"first":0,"count":1,"word":"\#(long)"}}"#)
    page.send(#"{"input":20,"name":"cards/1","value":{"first":0,"count":1,"word":7}}"#)
    page.send(#"{"input":21,"name":"cards/1","value":{"first":0,"count":2}}"#)
    network.run(until: network.now + .milliseconds(500))

    #expect(page.values.compactMap { $0["error"]?["input"]?.intValue } == [17, 18, 19, 20])
    #expect(Set(page.values.compactMap { $0["error"]?["code"]?.stringValue }) == ["wrong-type"])
    #expect(page.personals.last?.objectValue?.count == 16)
  }

  @Test func `takes rows that are moved there`() {
    let network = Self.network()
    let page = RawPage(network, "columns")
    _ = Self.look(
      page, network,
      #"{"input":1,"name":"move","row":"4","value":{"before":"6","list":["cards/done"]}}"#)
    #expect(page.state["moved"] == "4 to done before 6")
    _ = Self.look(
      page, network, #"{"input":2,"name":"move","row":"4","value":{"before":null,"list":["cards"]}}"#)
    #expect(page.state["moved"] == "4 to cards before -1")
    _ = Self.look(
      page, network, #"{"input":3,"name":"move","row":"4","value":{"before":"999","list":["cards/done"]}}"#)
    #expect(page.values.compactMap { $0["error"]?["code"]?.stringValue } == ["unknown-row"])
    // Row 7 is there, in the other part: somebody was quicker.
    _ = Self.look(
      page, network, #"{"input":4,"name":"move","row":"4","value":{"before":"7","list":["cards/done"]}}"#)
    #expect(page.values.compactMap { $0["error"]?["code"]?.stringValue } == ["unknown-row", "unknown-row"])
    #expect(page.state["moved"] == "4 to cards before -1")
  }

  @Test func `shows in a test of the screen`() throws {
    let screen = try TestScreen { ColumnsViewModel() }
    try screen.look(at: "cards/done", first: 0, count: 2, word: "card 3")
    #expect(screen["cards/done.count"] == "5")
    #expect(
      screen["cards/done.rows"]
        == #"[{"id":3,"column":"done","title":"card 3"},{"id":30,"column":"done","title":"card 30"}]"#)
  }
}
