// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire
import Testing

/// One position of an order.
private final class Position: Identifiable, InputOutputViewModel {
  struct Inputs: Decodable {
    var viewDidLoad: Signal<Void> = .never()
    var more: Signal<Void> = .never()
    var set: Signal<Int> = .never()
    var note: Signal<String> = .never()
    var drop: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let count: Driver<Int>
    let note: Driver<String>
    let parts: Driver<[Part]>
  }

  struct Part: Codable, Identifiable {
    let id: String
  }

  static var rules: [InputRule<Inputs>] { [.allow(\.set, for: .role("cook"))] }

  let id: Int
  let count = BehaviorRelay(value: 1)
  /// What else happens when it begins to live, and before a tap of `more` counts.
  var loaded: () -> Void = {}
  var tapped: () -> Void = {}
  private(set) var log: [String] = []
  private let note = BehaviorRelay(value: "")
  private let parts = BehaviorRelay(value: [Part(id: "a"), Part(id: "b")])
  private let bag = DisposeBag()

  init(_ id: Int) { self.id = id }

  func bind(_ inputs: Inputs) -> Outputs {
    log.append("bound")
    inputs.viewDidLoad.emit(onNext: { [unowned self] in
      log.append("loaded")
      loaded()
    }).disposed(by: bag)
    inputs.more.emit(onNext: { [unowned self] in
      tapped()
      count.accept(count.value + 1)
    }).disposed(by: bag)
    inputs.set.emit(to: count).disposed(by: bag)
    inputs.note.emit(to: note).disposed(by: bag)
    inputs.drop.emit(onNext: { [unowned self] id in parts.accept(parts.value.filter { $0.id != id }) })
      .disposed(by: bag)
    return Outputs(count: count.asDriver(), note: note.asDriver(), parts: parts.asDriver())
  }
}

private final class Order: InputOutputViewModel {
  /// A row of the kind that most lists have.
  struct Old: Encodable, Identifiable {
    let id: Int
    let note: String
    let parts: [Position.Part]
  }

  struct Inputs: Decodable {
    var clear: Signal<Void> = .never()
    var photo: Signal<UploadedFile> = .never()
  }
  struct Outputs: Encodable {
    let history: Driver<[Old]>
    let positions: Driver<[Position]>
    let later: Driver<[Position]>
  }

  static var rules: [InputRule<Inputs>] { [.limit(\.photo, to: .megabytes(1))] }

  let positions = BehaviorRelay<[Position]>(value: [Position(1), Position(2)])
  let later = BehaviorRelay<[Position]>(value: [])
  private let bag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.clear.emit(onNext: { [unowned self] in positions.accept([]) }).disposed(by: bag)
    return Outputs(
      history: .just([Old(id: 2, note: "cold", parts: [Position.Part(id: "z")])]),
      positions: positions.asDriver(),
      later: later.asDriver())
  }
}

/// Its rows have no id of their own.
private final class Nameless: InputOutputViewModel {
  final class Row: InputOutputViewModel {
    struct Inputs: Decodable {}
    struct Outputs: Encodable { let name: Driver<String> }
    func bind(_ inputs: Inputs) -> Outputs { Outputs(name: .just("")) }
  }

  struct Inputs: Decodable {}
  struct Outputs: Encodable { let rows: Driver<[Row]> }
  func bind(_ inputs: Inputs) -> Outputs { Outputs(rows: .just([])) }
}

/// A list of any rows.
private final class Anyhow<Row: InputOutputViewModel & Identifiable>: InputOutputViewModel
where Row.ID: Codable {
  struct Inputs: Decodable {}
  struct Outputs: Encodable {
    let rows: Driver<[Row]>
    let name: Driver<String>
  }

  let rows: BehaviorRelay<[Row]>

  init(_ rows: [Row]) { self.rows = BehaviorRelay(value: rows) }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(rows: rows.asDriver(), name: .just("")) }
}

/// A row that emits events.
private final class NoisyRow: InputOutputViewModel, Identifiable {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let noise: Signal<String> }

  let id = "x"
  private(set) var bound = 0

  func bind(_ inputs: Inputs) -> Outputs {
    bound += 1
    return Outputs(noise: .never())
  }
}

/// A row with an id that no page could say.
private final class PlaceRow: InputOutputViewModel, Identifiable {
  struct Place: Codable, Hashable { var x = 0.5 }
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let name: Driver<String> }
  let id = Place()
  func bind(_ inputs: Inputs) -> Outputs { Outputs(name: .just("")) }
}

/// A row whose only value is refused.
private final class SecretRow: InputOutputViewModel, Identifiable {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let letter: Driver<Letter> }
  let id = 1
  func bind(_ inputs: Inputs) -> Outputs { Outputs(letter: .just(Letter(id: 1, text: "secret"))) }
}

/// A row with an input that is called as an output of the screen.
private final class NamedRow: InputOutputViewModel, Identifiable {
  struct Inputs: Decodable { var name: Signal<String> = .never() }
  struct Outputs: Encodable { let name: Driver<String> }
  let id = 1
  func bind(_ inputs: Inputs) -> Outputs { Outputs(name: inputs.name.asDriver(onErrorJustReturn: "")) }
}

/// A row that takes a file.
private final class FileRow: InputOutputViewModel, Identifiable {
  struct Inputs: Decodable { var photo: Signal<UploadedFile> = .never() }
  struct Outputs: Encodable { let name: Driver<String> }
  let id = 1
  func bind(_ inputs: Inputs) -> Outputs { Outputs(name: .just("")) }
}

@Suite struct `Rows that are ViewModels` {
  private let order: Order
  private let screen: ScreenInstance

  init() throws {
    let order = Order()
    self.order = order
    screen = try ScreenInstance("order") { InputOutputScreen(order, name: "order") }
    screen.board.begin()
  }

  private func rows(_ name: String = "positions") -> [Value] {
    screen.board.slots.first { $0.name == name }?.value?.arrayValue ?? []
  }

  private func counts(_ name: String = "positions") -> [String] {
    rows(name).map { "\($0["id"] ?? .null): \($0["count"] ?? .null)" }
  }

  private static func row(_ id: Int, _ count: Int, _ note: String = "", parts: [String] = ["a", "b"]) -> Value
  {
    [
      "id": .integer(Int64(id)), "count": .integer(Int64(count)), "note": .string(note),
      "parts": .array(parts.map { ["id": .string($0)] }),
    ]
  }

  @Test func `show their outputs beside their ids, and change alone`() throws {
    #expect(rows() == [Self.row(1, 1), Self.row(2, 1)])
    order.positions.value[1].count.accept(5)
    #expect(rows() == [Self.row(1, 1), Self.row(2, 5)])
    var changes: [String] = []
    screen.board.takeChanges { slot, _, change in
      if case .elements(let elements) = change {
        changes.append("\(slot.name) \(elements.place) \(elements.count)")
      }
    }
    #expect(changes == ["positions 1 1"])
  }

  @Test func `get the inputs of their rows, with and without a value`() throws {
    try screen.deliver("more", nil, row: ["2"])
    try screen.deliver("set", 9, row: ["1"])
    #expect(counts() == ["1: 9", "2: 2"])
    try screen.deliver("drop", nil, row: ["2", "a"])
    #expect(rows()[1] == Self.row(2, 2, parts: ["b"]))

    #expect(throws: BindingError(.unknownRow, "The row \"3\" has gone.")) {
      try screen.deliver("more", nil, row: ["3"])
    }
    #expect(throws: BindingError(.wrongType, "The input \"more\" comes from a row.")) {
      try screen.deliver("more", nil)
    }
    #expect { try screen.deliver("set", "nine", row: ["1"]) } throws: {
      ($0 as? BindingError)?.code == .wrongType
    }
    #expect(counts() == ["1: 9", "2: 2"])
  }

  @Test func `have two-way texts, as other rows do`() throws {
    #expect(try screen.rowText("note", row: ["2"]).way == ["2", "note"])
    try screen.deliver(
      text: "hot", toInput: "note", ofRow: ["2"], in: try screen.rowText("note", row: ["2"]).output)
    #expect(rows()[1] == Self.row(2, 1, "hot"))
    #expect(throws: BindingError.self) { try screen.rowText("more", row: ["2"]) }
    #expect(throws: BindingError.self) { try screen.rowText("note", row: ["2", "a"]) }
  }

  @Test func `are bound once for as long as their id is in the list`() throws {
    let (one, two) = (order.positions.value[0], order.positions.value[1])
    order.positions.accept([two, Position(3), one])
    order.positions.accept([two, one])
    #expect(counts() == ["2: 1", "1: 1"])
    #expect(one.log == ["bound"] && two.log == ["bound"])

    // Another one of the same id takes its place.
    let other = Position(1)
    order.positions.accept([other, two])
    one.count.accept(7)
    try screen.deliver("more", nil, row: ["1"])
    #expect(counts() == ["1: 2", "2: 1"] && other.count.value == 2 && one.count.value == 7)

    try screen.deliver("clear", nil)
    two.count.accept(8)
    #expect(rows().isEmpty)
  }

  @Test func `tell no two rows apart that have one id`() throws {
    order.positions.accept([Position(1), Position(1)])
    #expect(counts() == ["1: 1"])
    #expect(
      screen.board.takeProblems() == [
        "a row of \"positions\" is not shown: two have the id 1"
      ])

    // Two lists may have rows of one kind.
    order.later.accept([Position(4), Position(1)])
    try screen.deliver("more", nil, row: ["4"])
    #expect(counts("later") == ["4: 2", "1: 1"])
    #expect { try screen.deliver("more", nil, row: ["1"]) } throws: { error in
      (error as? BindingError)?.message == "Rows of two lists have the id \"1\" and an input \"more\"."
    }
  }

  @Test func `have their rules`() throws {
    let rules = try screen.rules()
    #expect(rules.permissions == ["set": .role("cook")])
  }

  @Test func `begin to live with their screen, or when they come later`() throws {
    let (one, three) = (order.positions.value[0], Position(3))
    screen.load()
    #expect(one.log == ["bound", "loaded"])
    order.positions.accept([one, three])
    #expect(one.log == ["bound", "loaded"] && three.log == ["bound", "loaded"])
  }

  @Test func `may change their list while they are bound`() throws {
    screen.load()
    let (one, three, four) = (order.positions.value[0], Position(3), Position(4))
    three.loaded = { [order] in order.positions.accept([four, three, one]) }
    order.positions.accept([one, three])
    #expect(counts() == ["4: 1", "3: 1", "1: 1"])
    #expect(three.log == ["bound", "loaded"])
    one.count.accept(6)
    try screen.deliver("more", nil, row: ["3"])
    #expect(counts() == ["4: 1", "3: 2", "1: 6"])
  }

  @Test func `may leave their list while they take an input`() throws {
    order.positions.value[1].tapped = { [order] in order.positions.accept([Position(1)]) }
    try screen.deliver("more", nil, row: ["2"])
    #expect(counts() == ["1: 1"])
    #expect(throws: BindingError(.unknownRow, "The row \"2\" has gone.")) {
      try screen.deliver("more", nil, row: ["2"])
    }
  }

  @Test func `are not those of another list with their id`() throws {
    // The history has a row 2, too, with a note and a part "z".
    let (output, way) = try screen.rowText("note", row: ["2"])
    #expect(screen.board.slots[output].name == "positions" && way == ["2", "note"])
    #expect(throws: BindingError.self) { try screen.deliver("drop", nil, row: ["2", "z"]) }
  }

  @Test func `are refused with a sentence where they cannot be rows`() throws {
    func problem(_ viewModel: some InputOutputViewModel) throws -> String {
      do {
        let screen = try ScreenInstance("bad") { InputOutputScreen(viewModel, name: "bad") }
        return screen.board.takeProblems().joined()
      } catch let error as SchemaError {
        return "\(error)"
      }
    }
    #expect(
      try problem(Nameless()).contains("make them Identifiable, with an id of their own that is Codable"))
    #expect(try problem(Anyhow([PlaceRow()])).contains("is neither a text nor a whole number"))
    #expect(try problem(Anyhow([SecretRow()])).contains("\"letter\" keeps its old value"))
    #expect(try problem(Anyhow<NamedRow>([])).contains("the rows' input \"name\" has the name of an output"))
    #expect(try problem(Anyhow<FileRow>([])).contains("make it an input of the screen"))

    let (row, list) = (NoisyRow(), Anyhow<NoisyRow>([]))
    let screen = try ScreenInstance("noisy") { InputOutputScreen(list, name: "noisy") }
    list.rows.accept([row])
    list.rows.accept([row, row])
    #expect(row.bound == 1)
    #expect(screen.board.takeProblems().map { $0.contains("a row has state: make it a Driver.") } == [true])
  }

  @Test func `end with their screen`() throws {
    weak var gone: ScreenInstance?
    let order = Order()
    do {
      let screen = try ScreenInstance("order") { InputOutputScreen(order, name: "order") }
      gone = screen
      screen.board.close()
    }
    #expect(gone == nil)
    order.positions.value[0].count.accept(3)
    order.positions.accept([Position(9)])
  }
}
