// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

private enum Mood: String, Codable { case calm, cross }

private struct Item: Identifiable, Codable, Equatable {
  let id: Int
  var name: String
  var mood: Mood
  var due: Date?
}

private struct Mark: Decodable {
  let id: Int
  let value: Bool
}

/// One of everything that can cross the wire.
private final class SampleViewModel: InputOutputViewModel {
  struct Form: Decodable {
    let title: Signal<String>
  }

  struct Inputs: Decodable {
    var viewDidLoad: Signal<Void> = .never()
    var tap: Signal<Void> = .never()
    var name: Signal<String> = .never()
    var count: Signal<Int> = .never()
    var isOn: ControlEvent<Bool>
    var open: Signal<Int> = .never()
    var item: Signal<Item> = .never()
    var moods: Signal<[Mood]> = .never()
    var note: Signal<String?>?
    var due: Signal<Date?> = .never()
    var mark: Signal<Mark> = .never()
    let form: Form
  }

  struct Outputs: Encodable {
    let name: Driver<String>
    let items: Driver<[Item]>
    let total: Driver<Int>
    let log: Driver<String>
    let saved: Signal<Void>
    let toast: Signal<String>
    let absent: Driver<String>?
  }

  private(set) var seen: [String] = []
  private let log = PublishRelay<String>()
  let items = BehaviorRelay<[Item]>(value: [Item(id: 7, name: "seven", mood: .calm, due: nil)])
  private let bag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    note(inputs.viewDidLoad.map { "loaded" })
    note(inputs.tap.map { "tap" })
    note(inputs.count.map { "count \($0)" })
    note(inputs.isOn.asSignal().map { "is on \($0)" })
    note(inputs.open.map { "open \($0)" })
    note(inputs.item.map { "item \($0.name) \($0.mood) \($0.due == nil ? "-" : "due")" })
    note(inputs.moods.map { "moods \($0.map(\.rawValue))" })
    note(inputs.form.title.map { "title \($0)" })
    note(inputs.mark.map { "mark \($0.id) \($0.value)" })
    note(inputs.due.map { "due \($0 == nil ? "never" : "once")" })
    if let notes = inputs.note { note(notes.map { "note \($0 ?? "nil")" }) }
    return Outputs(
      name: inputs.name.map { $0.uppercased() }.asDriver(onErrorJustReturn: ""),
      items: items.asDriver(),
      total: items.asDriver().map { $0.count },
      log: log.asDriver(onErrorJustReturn: ""),
      saved: inputs.tap,
      toast: inputs.tap.map { "saved" },
      absent: nil)
  }

  private func note(_ signal: Signal<String>) {
    signal.emit(onNext: { [weak self] text in
      self?.seen.append(text)
      self?.log.accept(text)
    }).disposed(by: bag)
  }
}

/// A ViewModel that no page can show.
private final class UnusableViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let name: String }
  func bind(_ inputs: Inputs) -> Outputs { Outputs(name: "") }
}

@Suite struct `A ViewModel with inputs and outputs` {
  private let viewModel = SampleViewModel()
  private let screen: ScreenInstance

  init() throws {
    let route = ScreenRoute(name: "sample", scope: .session) { [viewModel = UncheckedBox(viewModel)] _ in
      InputOutputScreen(viewModel.value, name: "sample")
    }
    screen = try ScreenInstance(
      route,
      context: ScreenContext(screen: "sample", clock: MainScheduler.instance, random: RandomSource(seed: 1)))
  }

  private func output(_ name: String) -> Value? { screen.board.slots.first { $0.name == name }?.value }

  @Test
  func `declares a name for each stream, also for one that is absent, and none for what happens by itself`() {
    #expect(
      screen.schema.inputs.map(\.name) == [
        "tap", "name", "count", "isOn", "open", "item", "moods", "note", "due", "mark", "formTitle",
      ])
    #expect(screen.schema.outputs == ["name", "items", "total", "log", "absent"])
    #expect(screen.schema.events == ["saved", "toast"])
    #expect(screen.schema.twoWayOutputs == [0])
  }

  @Test func `gets what the page sends`() throws {
    screen.load()
    try screen.deliver("tap", nil)
    try screen.deliver("count", 3)
    try screen.deliver("isOn", true)
    try screen.deliver("item", ["id": 1, "name": "x", "mood": "cross", "due": "2026-11-21"])
    try screen.deliver("moods", ["calm", "cross"])
    try screen.deliver("formTitle", "t")
    try screen.deliver("note", .null)

    #expect(
      viewModel.seen == [
        "loaded", "tap", "count 3", "is on true", "item x cross due", #"moods ["calm", "cross"]"#, "title t",
        "note nil",
      ])
  }

  @Test func `is tested by the names of its page, without server and network`() throws {
    let page = try TestScreen { viewModel }

    try page.type("ann", into: "name")
    try page.tap("tap")
    try page.tap("open", row: "7")
    try page.send(3, to: "count")
    try page.send(true, to: "mark", row: "7")

    #expect(page["name"] == "ANN")
    #expect(page["total"] == "1")
    #expect(
      page.events == [
        TestScreen.Event(name: "saved"), TestScreen.Event(name: "toast", value: "saved"),
      ])
    #expect(viewModel.seen == ["loaded", "tap", "open 7", "count 3", "mark 7 true"])
    #expect(throws: BindingError.self) { try page.send("three", to: "count") }
    #expect(throws: SchemaError.self) { try TestScreen { UnusableViewModel() } }
  }

  @Test func `takes an emptied date as none`() throws {
    try screen.deliver("due", "2026-11-21")
    try screen.deliver("due", .null)

    #expect(viewModel.seen == ["due once", "due never"])
  }

  @Test func `shows state, and emits events`() throws {
    try screen.deliver("name", "ann")
    try screen.deliver("tap", nil)

    #expect(output("name") == "ANN")
    #expect(output("items") == [["id": 7, "name": "seven", "mood": "calm"]])
    #expect(output("total") == 1)
    #expect(screen.board.takeEvents().map(\.name) == ["saved", "toast"])
  }

  @Test func `gets a row's identity in the type of its id, and no row that has gone`() throws {
    try screen.deliver("open", nil, row: ["7"])

    #expect(viewModel.seen == ["open 7"])
    #expect(throws: BindingError(.unknownRow, "The row \"8\" has gone.")) {
      try screen.deliver("open", nil, row: ["8"])
    }
    #expect(viewModel.seen == ["open 7"])
  }

  @Test func `gets a row's identity beside the value of a control, where its type has both`() throws {
    try screen.deliver("mark", true, row: ["7"])
    try screen.deliver("isOn", true, row: ["7"])

    #expect(viewModel.seen == ["mark 7 true", "is on true"])
    #expect {
      try screen.deliver("mark", "yes", row: ["7"])
    } throws: { error in
      (error as? BindingError)?.code == .wrongType
    }
  }

  static let wrongValues: [(String, Value)] = [
    ("tap", 1), ("count", "three"), ("count", 1.5), ("isOn", "yes"), ("item", ["id": 1]),
    ("moods", ["happy"]),
    ("moods", "calm"),
  ]

  @Test(arguments: wrongValues)
  func `sees nothing of a wrong type`(name: String, value: Value) {
    #expect {
      try screen.deliver(name, value)
    } throws: { error in
      (error as? BindingError)?.code == .wrongType
    }
    #expect(viewModel.seen == [])
  }
}

/// A row whose id is a type of its own, and a screen that hears of its life.
private final class DocumentsViewModel: InputOutputViewModel {
  struct Name: RawRepresentable, Hashable, Codable { let rawValue: String }
  struct Number: RawRepresentable, Hashable, Codable { let rawValue: Int }
  struct Document: Identifiable, Encodable { let id: Name }
  struct Page: Identifiable, Encodable { let id: Number }

  struct Inputs: Decodable {
    let viewDidAppear: Signal<Void>
    let viewDidDisappear: Signal<Void>
    let open: Signal<Name>
    let turn: Signal<Number>
  }

  struct Outputs: Encodable {
    let documents: Driver<[Document]>
    let pages: Driver<[Page]>
  }

  private(set) var seen: [String] = []
  private let bag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    let events = [
      inputs.viewDidAppear.map { "appear" }, inputs.viewDidDisappear.map { "disappear" },
      inputs.open.map { "open \($0.rawValue)" }, inputs.turn.map { "turn \($0.rawValue)" },
    ]
    Signal.merge(events).emit(onNext: { [weak self] in self?.seen.append($0) }).disposed(by: bag)
    return Outputs(
      documents: .just([Document(id: Name(rawValue: "a-7"))]), pages: .just([Page(id: Number(rawValue: 7))]))
  }
}

@Suite struct `Rows with ids of a type of their own` {
  @Test func `are told by their raw values, and a screen hears of its life by names`() throws {
    let viewModel = DocumentsViewModel()
    let screen = try ScreenInstance(
      ScreenRoute(name: "documents", scope: .session) { [viewModel = UncheckedBox(viewModel)] _ in
        InputOutputScreen(viewModel.value, name: "documents")
      },
      context: ScreenContext(
        screen: "documents", clock: MainScheduler.instance, random: RandomSource(seed: 1)))

    screen.appear()
    try screen.deliver("open", nil, row: ["a-7"])
    try screen.deliver("turn", nil, row: ["7"])
    screen.disappear()

    #expect(screen.board.slots.map(\.value) == [[["id": "a-7"]], [["id": 7]]])
    #expect(viewModel.seen == ["appear", "open a-7", "turn 7", "disappear"])
    #expect(throws: BindingError.self) { try screen.deliver("open", nil, row: ["a-8"]) }
  }
}

/// Hands an object of the test to a factory.
///
/// `@unchecked Sendable`: the test runs the factory on its own thread.
private struct UncheckedBox<Boxed>: @unchecked Sendable {
  let value: Boxed
  init(_ value: Boxed) { self.value = value }
}
