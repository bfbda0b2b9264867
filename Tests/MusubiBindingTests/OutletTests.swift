// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

/// Everything that outlets can do, in one View.
private final class SampleView: View {
  let label = Label("label")
  let field = TextField("name")
  let button = Button("save")
  private(set) var taps = 0
  private(set) var typed: [String?] = []
  private(set) var called: [String] = []
  let bag = DisposeBag()

  override func viewDidLoad() {
    bag.insert(
      button.rx.tap.subscribe(onNext: { [unowned self] in taps += 1 }),
      field.rx.text.subscribe(onNext: { [unowned self] in typed.append($0) }),
      field.rx.text.orEmpty.map { $0.isEmpty }.bind(to: button.rx.isHidden))
    button.onTap = { [unowned self] in called.append("tap") }
    field.onChange = { [unowned self] text in called.append(text) }
  }
}

/// Controls that have no value at first.
private final class ChoiceView: View {
  let size = SegmentedControl("size", segmentCount: 3)
  let chosen = Selection<Int>("chosen")
  private(set) var changes: [String] = []
  private let bag = DisposeBag()

  override func viewDidLoad() {
    bag.insert(
      size.rx.selectedIndex.changed.subscribe(onNext: { [unowned self] in changes.append("\($0)") }),
      chosen.rx.ids.changed.subscribe(onNext: { [unowned self] in changes.append("\($0)") }))
  }
}

/// A View with one label of any name.
private final class OneLabelView: View {
  let label: Label

  init(_ name: String) { label = Label(name) }
}

/// A View whose labels have the same name.
private final class TwinView: View {
  let one = Label("label")
  let other = Label("label")
}

@Suite struct `Outlets` {
  private let view: SampleView
  private let screen: TestScreen

  init() throws {
    var made: SampleView?
    screen = try TestScreen {
      let view = SampleView()
      made = view
      return view
    }
    view = try #require(made)
  }

  @Test func `hand every tap to the view once`() throws {
    try screen.tap("save")
    try screen.tap("save")

    #expect(view.taps == 2)
    #expect(view.called == ["tap", "tap"])
  }

  @Test func `hand typed text to the view, after the text that the field holds at first`() throws {
    try screen.type("Ann", into: "name")

    #expect(view.typed == ["", "Ann"])
    #expect(view.called == ["Ann"])
  }

  @Test func `show what the view sets`() {
    view.label.text = "Hello"
    #expect(screen["label"] == "Hello")

    view.label.text = nil
    #expect(screen["label"] == "")
  }

  @Test func `are named by a key path`() {
    let title = BehaviorRelay(value: "Hello")

    title.asDriver().drive(view.rx[\.label]).disposed(by: view.bag)

    #expect(screen["label"] == "Hello")
  }

  @Test func `do not report what the view itself writes into a field`() {
    view.field.text = "written"

    #expect(screen["name"] == "written")
    #expect(view.typed == [""])
    #expect(view.called == [])
  }

  @Test func `hold an answer to the text that they hold, and keep later typing`() throws {
    try screen.type("helo", into: "name")
    view.field.answer("hello", to: "helo")
    #expect(view.field.text == "hello")
    #expect(screen["name"] == "hello")
    #expect(view.typed == ["", "helo"])

    try screen.type("hello w", into: "name")
    view.field.answer("Hello", to: "hello")
    #expect(view.field.text == "hello w")
  }

  @Test func `tell each change by a visitor, from the first one on`() throws {
    var made: ChoiceView?
    let screen = try TestScreen {
      let view = ChoiceView()
      made = view
      return view
    }
    let view = try #require(made)

    try screen.send(1, to: "size")
    try screen.send([7], to: "chosen")
    try screen.send(2, to: "size")

    #expect(view.changes == ["1", "[7]", "2"])
  }

  @Test func `show whether they are hidden or disabled once that is set`() throws {
    #expect(screen["saveHidden"] == "true")
    #expect(screen["saveDisabled"] == nil)

    try screen.type("Ann", into: "name")
    view.button.isEnabled = false

    #expect(screen["saveHidden"] == "false")
    #expect(screen["saveDisabled"] == "true")
  }

  @Test func `refuse names and values that the screen does not take`() {
    #expect(throws: (any Error).self) { try screen.tap("sav") }
    #expect(throws: (any Error).self) { try screen.tap("name") }
    #expect(throws: (any Error).self) { try screen.type("Ann", into: "save") }
    #expect(view.taps == 0)
  }

  @Test func `work without a screen, as in a unit test of a View`() {
    let label = Label("label")

    label.text = "alone"

    #expect(label.text == "alone")
  }
}

@Suite struct `A screen's schema` {
  @Test func `lists names and types, and its fingerprint follows them`() throws {
    let route = ScreenRoute(name: "sample", scope: .session) { _ in SampleView() }
    let context = ScreenContext(
      screen: "sample", clock: MainScheduler.instance, random: RandomSource(seed: 1))

    let schema = try route.probe(context)

    #expect(schema.inputs.map(\.name) == ["name", "save"])
    #expect(schema.inputs.map(\.kind) == [.string, .void])
    #expect(schema.outputs == ["label", "name", "saveHidden"])
    #expect(schema.twoWayOutputs == [1])
    #expect(schema.fingerprint.count == 8)
    #expect(
      schema.fingerprint != ScreenSchema(inputs: schema.inputs, outputs: ["label", "name"]).fingerprint)
  }

  @Test(arguments: ["", "two words", "a.b", "a/b", "a~b"])
  func `refuses names that cannot be used`(name: String) {
    #expect(throws: SchemaError.self) {
      try TestScreen { OneLabelView(name) }
    }
  }

  @Test func `refuses two outlets of one name`() {
    #expect(throws: SchemaError.self) { try TestScreen { TwinView() } }
  }

  @Test func `a selection tells the ids of the rows, and shows others`() throws {
    var made: SelectionView?
    let screen = try TestScreen {
      let view = SelectionView()
      made = view
      return view
    }
    let view = try #require(made)

    try screen.send([1, 2], to: "selected")
    #expect(view.seen == [[1, 2]])
    #expect(screen["selected"] == "[1,2]")
    #expect(throws: (any Error).self) { try screen.send(["one"], to: "selected") }

    view.selection.ids = [3]
    #expect(screen["selected"] == "[3]")
  }
}

/// Rows that are selected.
private final class SelectionView: View {
  let selection = Selection<Int>("selected")
  private(set) var seen: [[Int]] = []
  private let bag = DisposeBag()

  override func viewDidLoad() {
    selection.rx.ids.subscribe(onNext: { [unowned self] in seen.append($0) }).disposed(by: bag)
  }
}
