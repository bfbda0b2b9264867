// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

/// Counts, and hears of its screen's life.
private final class Counter: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var viewDidLoad: Signal<Void> = .never()
    var viewDidAppear: Signal<Void> = .never()
    var viewDidDisappear: Signal<Void> = .never()
    var up: Signal<Void> = .never()
  }

  struct Outputs: Encodable { let count: Driver<Int> }

  private(set) var lives: [String] = []
  private let count: BehaviorRelay<Int>
  private let bag = DisposeBag()
  var state: Int { count.value }

  init(_ count: Int = 0) { self.count = BehaviorRelay(value: count) }

  func bind(_ inputs: Inputs) -> Outputs {
    Signal.merge([
      inputs.viewDidLoad.map { "load" }, inputs.viewDidAppear.map { "appear" },
      inputs.viewDidDisappear.map { "disappear" },
    ])
    .emit(onNext: { [unowned self] in lives.append($0) }).disposed(by: bag)
    inputs.up.emit(onNext: { [count] in count.accept(count.value + 1) }).disposed(by: bag)
    return Outputs(count: count.asDriver())
  }
}

/// Two counters, and none of its own state.
private final class Pair: InputOutputViewModel {
  struct Inputs: Decodable {
    let left: Counter.Inputs
    let right: Counter.Inputs
  }

  struct Outputs: Encodable {
    let left: Counter.Outputs
    let right: Counter.Outputs
  }

  static var rules: [InputRule<Inputs>] { [.allow(\.right, for: .role("referee"))] }

  let left: Counter
  // Stored under another name by the compiler.
  private(set) lazy var right = Counter(first)
  private let first: Int

  init(left: Int = 0, right: Int = 0) {
    self.left = Counter(left)
    first = right
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(left: left.bind(inputs.left), right: right.bind(inputs.right))
  }
}

/// A pair inside of a screen with a state of its own, which hears of its life beside its parts.
private final class Table: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var viewDidAppear: Signal<Void> = .never()
    let pair: Pair.Inputs
  }

  struct Outputs: Encodable { let pair: Pair.Outputs }

  let pair: Pair?
  private(set) var state: String
  private let bag = DisposeBag()

  init(_ state: String, _ pair: Pair) {
    self.state = state
    self.pair = pair
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.viewDidAppear.emit(onNext: { [unowned self] in state += "!" }).disposed(by: bag)
    let pair = pair ?? Pair()
    return Outputs(pair: pair.bind(inputs.pair))
  }
}

/// Calls its counter otherwise than its inputs and outputs do.
private final class Misnamed: InputOutputViewModel {
  struct Inputs: Decodable { let left: Counter.Inputs }
  struct Outputs: Encodable { let left: Counter.Outputs }
  private let counter = Counter()
  func bind(_ inputs: Inputs) -> Outputs { Outputs(left: counter.bind(inputs.left)) }
}

/// Has a rule about what no page sends.
private final class Misruled: InputOutputViewModel {
  struct Inputs: Decodable { let left: Counter.Inputs }
  struct Outputs: Encodable {}
  static var rules: [InputRule<Inputs>] { [.allow(\.left.viewDidAppear, for: .signedIn)] }
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

@Suite struct `A ViewModel inside of another one` {
  private func route<ViewModel: InputOutputViewModel & SendableMetatype>(
    _ make: @escaping @Sendable (ScreenContext) throws -> ViewModel
  ) -> ScreenRoute {
    ScreenRoute(name: "table", scope: .session) { InputOutputScreen(try make($0), name: "table") }
  }

  private func context(_ stored: Value? = nil) -> ScreenContext {
    var context = ScreenContext(
      screen: "table", clock: MainScheduler.instance, random: RandomSource(seed: 1))
    context.stored = stored
    return context
  }

  private func screen<ViewModel: InputOutputViewModel>(_ viewModel: ViewModel) throws -> ScreenInstance {
    let builder = ScreenBuilder()
    let content = InputOutputScreen(viewModel, name: "table")
    try builder.collect { try content.start() }
    return ScreenInstance(builder: builder, content: content)
  }

  @Test func `hears of its screen's life, each by itself, and those inside of it too`() throws {
    let table = Table("", Pair())
    let screen = try screen(table)

    screen.load()
    screen.appear()
    screen.disappear()

    #expect(table.state == "!")
    #expect(table.pair?.left.lives == ["load", "appear", "disappear"])
    #expect(table.pair?.right.lives == ["load", "appear", "disappear"])
  }

  @Test func `cannot be told of its life by a page`() throws {
    let pair = Pair()
    let screen = try screen(pair)

    #expect(screen.schema.inputs.map(\.name) == ["leftUp", "rightUp"])
    for name in ["leftViewDidLoad", "leftViewDidAppear", "rightViewDidDisappear", "viewDidAppear"] {
      #expect {
        try screen.deliver(name, nil)
      } throws: { error in
        (error as? BindingError)?.code == .unknownInput
      }
    }
    #expect(pair.left.lives == [] && pair.right.lives == [])
  }

  @Test func `takes its inputs under its own name`() throws {
    let page = try TestScreen { Pair(left: 1, right: 5) }
    try page.tap("leftUp")

    #expect(page["leftCount"] == "2" && page["rightCount"] == "5")
  }

  @Test func `has its state stored under its name, at any depth, and restored from there`() throws {
    let stored = try screen(Table("own", Pair(left: 3, right: 4))).state?.value()
    let restored = context(stored)
    let pair = restored.component("pair")

    #expect(try restored.restored() == "own")
    #expect(try pair.component("left").restored() == 3)
    #expect(try pair.component("right").restored() == 4)
    #expect(try pair.restored(Int.self) == nil, "The pair has no state of its own.")
  }

  @Test func `makes a screen Restorable that has no state of its own`() throws {
    let screen = try screen(Pair(left: 3, right: 4))
    try screen.deliver("leftUp", nil)
    let restored = context(try screen.state?.value())

    #expect(try restored.component("left").restored() == 4)
    #expect(try restored.restored(String.self) == nil)
  }

  @Test func `begins where a screen was stored without it`() throws {
    let restored = context("own")

    #expect(try restored.restored() == "own")
    #expect(try restored.component("pair").component("left").restored(Int.self) == nil)
  }

  @Test func `is one whole for a rule, without what no page sends`() throws {
    let screen = try screen(Pair())

    #expect(try screen.rules().permissions.keys.sorted() == ["rightUp"])
    let misruled = try self.screen(Misruled())
    #expect {
      try misruled.rules()
    } throws: { error in
      "\(error)".contains("a rule is about a property that no page sends")
    }
  }

  @Test func `says what would not be stored or restored`() throws {
    #expect {
      try screen(Misnamed())
    } throws: { error in
      "\(error)" == """
        Screen "table": the component "counter" has its inputs and outputs under "left", and its state would not be \
        stored: give both one name.
        """
    }
    let misspelt = route { context in
      Table("", Pair(left: try context.component("pair").component("lefft").restored() ?? 0))
    }
    #expect {
      try misspelt.probe(context())
    } throws: { error in
      "\(error)" == """
        Screen "table": context.component("pair/lefft") is asked for, and no Restorable part of the ViewModel has that \
        name.
        """
    }
    let right = route { context in
      Table("", Pair(left: try context.component("pair").component("left").restored() ?? 0))
    }
    #expect(try right.probe(context()).inputs.count == 2)
  }
}
