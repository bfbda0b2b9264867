// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire
import Observation
import Testing

/// A row that counts taps, of which some are for cooks.
private final class Pot: InputOutputViewModel, Identifiable {
  struct Inputs: Decodable {
    var more: Signal<Void> = .never()
    var set: Signal<Int> = .never()
    var note: Signal<String> = .never()
    var clear: Signal<Void> = .never()
  }

  struct Outputs: Encodable { let cups: Driver<Int> }

  static var rules: [InputRule<Inputs>] { [.allow(\.set, for: .role("cook")), .redact(\.set)] }

  let id: Int
  let cups = BehaviorRelay(value: 0)
  private let bag = DisposeBag()

  init(_ id: Int) { self.id = id }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.more.emit(onNext: { [cups] in cups.accept(cups.value + 1) }).disposed(by: bag)
    inputs.set.emit(to: cups).disposed(by: bag)
    inputs.clear.emit(onNext: { [cups] in cups.accept(-1) }).disposed(by: bag)
    return Outputs(cups: cups.asDriver())
  }
}

/// A component with rows, an input that is called as one of theirs, and an output, too.
private final class Table: InputOutputViewModel {
  struct Inputs: Decodable { var clear: Signal<Void> = .never() }

  struct Outputs: Encodable {
    let pots: Driver<[Pot]>
    let note: Driver<String>
  }

  let pots: [Pot]
  private(set) var cleared = 0
  private let bag = DisposeBag()

  init(_ pots: Pot...) { self.pots = pots }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.clear.emit(onNext: { [unowned self] in cleared += 1 }).disposed(by: bag)
    return Outputs(pots: .just(pots), note: .just(""))
  }
}

private final class House: InputOutputViewModel {
  struct Inputs: Decodable {
    let home: Table.Inputs
    let guest: Table.Inputs
  }

  struct Outputs: Encodable {
    let home: Table.Outputs
    let guest: Table.Outputs
  }

  let home = Table(Pot(1), Pot(2))
  let guest = Table(Pot(2), Pot(3))

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(home: home.bind(inputs.home), guest: guest.bind(inputs.guest))
  }
}

@Observable private final class Cup: Identifiable {
  let id: Int
  private(set) var sips = 0

  init(_ id: Int) { self.id = id }

  func sip() { sips += 1 }
}

@Observable private final class Tray: Identifiable {
  let id: Int
  let cups: [Cup]

  init(_ id: Int, _ cups: [Cup]) { (self.id, self.cups) = (id, cups) }
}

@Observable private final class Counter {
  let trays = [Tray(1, [Cup(7)])]
}

@Observable private final class Shop {
  let counter = Counter()
}

extension Cup: ObservableViewModel {
  static var bindings: [PageBinding<Cup>] { [.action("sip") { $0.sip() }] }
  static var rules: [InputRule<Cup>] { [.allow("sip", for: .role("guest"))] }
}

extension Tray: ObservableViewModel {
  static var bindings: [PageBinding<Tray>] { [.rows("cups", \.cups)] }
}

extension Counter: ObservableViewModel {
  static var bindings: [PageBinding<Counter>] { [.rows("trays", \.trays)] }
}

extension Shop: ObservableViewModel {
  static var bindings: [PageBinding<Shop>] { [.child("counter", \.counter)] }
}

@Suite struct `Rows of a component` {
  private let house = House()
  private let screen: ScreenInstance

  init() throws {
    let house = house
    screen = try ScreenInstance("house") { InputOutputScreen(house, name: "house") }
    screen.board.begin()
  }

  @Test func `have their inputs by the component's name, too, as a fragment with a prefix sends them`() throws
  {
    try screen.deliver("more", nil, row: ["1"])
    try screen.deliver("homeMore", nil, row: ["1"])
    try screen.deliver("guestMore", nil, row: ["3"])
    try screen.deliver("homeSet", 9, row: ["2"])

    #expect(house.home.pots.map(\.cups.value) == [2, 9])
    #expect(house.guest.pots.map(\.cups.value) == [0, 1])
  }

  @Test func `are told apart by the component's name, also if two have one id`() throws {
    #expect(throws: BindingError.self) { try screen.deliver("more", nil, row: ["2"]) }
    try screen.deliver("guestMore", nil, row: ["2"])
    #expect(house.home.pots[1].cups.value == 0 && house.guest.pots[0].cups.value == 1)
    #expect(throws: BindingError(.unknownRow, "The row \"3\" has gone.")) {
      try screen.deliver("homeMore", nil, row: ["3"])
    }
  }

  @Test func `get no name that an input or an output of the screen has`() throws {
    try screen.deliver("homeClear", nil)
    try screen.deliver("homeClear", nil, row: ["1"])
    #expect(house.home.cleared == 2 && house.home.pots[0].cups.value == 0)
    #expect(screen.input(named: "homeNote") == nil)
    #expect(
      screen.schema.inputs.map(\.name).filter { $0.hasPrefix("home") } == [
        "homeClear", "homeMore", "homeSet",
      ])
  }

  @Test func `have their rules by each of their names`() throws {
    let rules = try screen.rules()
    let cook = Permission.role("cook")

    #expect(rules.permissions == ["set": cook, "homeSet": cook, "guestSet": cook])
    #expect(rules.redacted == ["set", "homeSet", "guestSet"])
  }

  @Test func `of observable models do all that, also rows in rows`() throws {
    let shop = Shop()
    let screen = try ScreenInstance("shop") { ObservableScreen(shop, name: "shop") }
    let guest = Permission.role("guest")

    try screen.deliver("sip", nil, row: ["1", "7"])
    try screen.deliver("counterSip", nil, row: ["1", "7"])
    #expect(shop.counter.trays[0].cups[0].sips == 2)
    #expect(try screen.rules().permissions == ["sip": guest, "counterSip": guest])
  }
}
