// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Observation
import Testing

/// Somebody who is called.
@Observable private final class Guest: Identifiable {
  let id: Int
  var name = ""
  private(set) var calls = 0

  init(_ id: Int) { self.id = id }

  func call() { calls += 1 }
}

/// Something of another type that is called, too.
@Observable private final class Dish: Identifiable {
  let id: Int
  var name = ""
  private(set) var calls = 0

  init(_ id: Int) { self.id = id }

  func call() { calls += 1 }
}

/// Two lists of one type, and one of another.
@Observable private final class Party {
  let guests = [Guest(1), Guest(3)]
  var late: [Guest] = []
  let dishes = [Dish(1), Dish(2)]
}

/// A row with rows.
@Observable private final class Table: Identifiable {
  let id: Int
  let guests: [Guest]

  init(_ id: Int, _ guests: [Guest]) {
    self.id = id
    self.guests = guests
  }
}

@Observable private final class Hall {
  let tables: [Table]

  init(_ tables: [Table]) { self.tables = tables }
}

/// A row whose id may change, and which is not shown while its letter is secret.
@Observable private final class Draft: Identifiable {
  var id: Int
  var letter: Letter

  init(_ id: Int, _ text: String = "") {
    self.id = id
    letter = Letter(id: id, text: text)
  }
}

@Observable private final class Desk {
  var drafts: [Draft] = []
}

extension Guest: ObservableViewModel {
  static var bindings: [PageBinding<Guest>] {
    [.field("name", \.name), .output("calls", \.calls), .action("call") { $0.call() }]
  }
}

extension Dish: ObservableViewModel {
  static var bindings: [PageBinding<Dish>] {
    [.field("name", \.name), .output("calls", \.calls), .action("call") { $0.call() }]
  }
}

extension Party: ObservableViewModel {
  static var bindings: [PageBinding<Party>] {
    [.rows("guests", \.guests), .rows("late", \.late), .rows("dishes", \.dishes)]
  }
}

extension Table: ObservableViewModel {
  static var bindings: [PageBinding<Table>] { [.rows("guests", \.guests)] }
}

extension Hall: ObservableViewModel {
  static var bindings: [PageBinding<Hall>] { [.rows("tables", \.tables)] }
}

extension Draft: ObservableViewModel {
  static var bindings: [PageBinding<Draft>] { [.output("letter", \.letter)] }
}

extension Desk: ObservableViewModel {
  static var bindings: [PageBinding<Desk>] { [.rows("drafts", \.drafts)] }
}

@Suite struct `Rows of observable models` {
  private func screen<Model: ObservableViewModel>(_ model: Model) throws -> ScreenInstance {
    try ScreenInstance("rows") { ObservableScreen(model, name: "rows") }
  }

  // MARK: - Inputs

  @Test func `in rows get what is sent by all ids on the way to them`() throws {
    let guests = [Guest(1), Guest(1)]
    let screen = try screen(Hall([Table(1, [guests[0]]), Table(2, [guests[1]])]))

    try screen.deliver("call", nil, row: ["2", "1"])
    try screen.deliver("name", "Ann", row: ["2", "1"])
    #expect(guests.map(\.calls) == [0, 1])
    #expect(guests.map(\.name) == ["", "Ann"])

    #expect(try screen.rowText("name", row: ["1", "1"]).way == ["1", "guests", "1", "name"])
    try screen.deliver(text: "Bob", toInput: "name", ofRow: ["1", "1"], in: 0)
    #expect(guests.map(\.name) == ["Bob", "Ann"])

    for row in [["1"], ["2", "9"], ["9", "1"]] {
      #expect(throws: BindingError.unknownRow(row)) { try screen.deliver("call", nil, row: row) }
    }
    #expect(guests.map(\.calls) == [0, 1])
  }

  @Test func `in rows of rows are sent by tests`() throws {
    let guests = [Guest(1), Guest(1)]
    let screen = try TestScreen { Hall([Table(1, [guests[0]]), Table(2, [guests[1]])]) }

    try screen.tap("call", row: ["2", "1"])
    try screen.type("Ann", into: "name", row: ["2", "1"])
    try screen.send("Bob", to: "name", row: ["1", "1"])

    #expect(guests.map(\.calls) == [0, 1] && guests.map(\.name) == ["Bob", "Ann"])
    #expect(throws: BindingError.unknownRow(["3", "1"])) { try screen.tap("call", row: ["3", "1"]) }
  }

  @Test func `in rows are shown again where they are, though nothing has changed`() throws {
    let screen = try screen(Hall([Table(1, [Guest(1)]), Table(2, [Guest(1)])]))
    screen.board.begin()
    try screen.deliver("name", "", row: ["2", "1"])

    var places: [Int] = []
    screen.board.takeChanges { _, _, change in
      if case .elements(let elements) = change { places.append(elements.place) }
    }
    #expect(places == [1])
  }

  @Test func `of two lists get nothing by an id that both have`() throws {
    let party = Party()
    let screen = try screen(party)
    let refusal = BindingError(.wrongType, "Rows of two lists have the id \"1\" and an input \"call\".")

    #expect(throws: refusal) { try screen.deliver("call", nil, row: ["1"]) }
    #expect(throws: BindingError.self) { try screen.rowText("name", row: ["1"]) }
    #expect(party.guests[0].calls == 0 && party.dishes[0].calls == 0)
    #expect(party.guests[0].name == "" && party.dishes[0].name == "")

    // A text that is being edited is known to be of one of them.
    try screen.deliver(text: "tea", toInput: "name", ofRow: ["1"], in: 2)
    #expect(party.guests[0].name == "" && party.dishes[0].name == "tea")

    try screen.deliver("call", nil, row: ["2"])
    #expect(party.dishes[1].calls == 1)
    #expect(try screen.rowText("name", row: ["2"]).output == 2)
  }

  @Test func `of two lists may have texts of one name`() throws {
    let route = ScreenRoute(name: "rows", scope: .session) { _ in ObservableScreen(Party(), name: "rows") }
    _ = try route.probe(
      ScreenContext(screen: "rows", clock: MainScheduler.instance, random: RandomSource(seed: 1)))
  }

  @Test func `of several lists get an input once if they are one model, and all show it`() throws {
    let party = Party()
    party.late = [party.guests[1]]
    let screen = try TestScreen { party }

    try screen.tap("call", row: "3")

    #expect(party.late[0].calls == 1)
    #expect(screen["guests[1].calls"] == "1" && screen["late[0].calls"] == "1")
  }

  @Test func `get nothing by an id that two of one list have`() throws {
    let guests = [Guest(1), Guest(1)]
    let screen = try screen(Hall([Table(2, guests)]))
    let refusal = BindingError(.wrongType, "Two rows of one list have the id \"2/1\" and an input \"call\".")

    #expect(throws: refusal) { try screen.deliver("call", nil, row: ["2", "1"]) }
    #expect(guests.map(\.calls) == [0, 0])
  }

  @Test func `get what is sent from them, whatever row its value names`() throws {
    let party = Party()
    let screen = try screen(party)

    try screen.deliver("call", "2", row: ["2"])
    #expect(throws: BindingError(.wrongType, "The input \"call\" takes no value, but a string came.")) {
      try screen.deliver("call", "3", row: ["2"])
    }
    #expect(party.dishes[1].calls == 1 && party.guests[1].calls == 0)
    #expect(throws: BindingError.self) {
      try screen.deliver("name", ["id": "3", "value": "Ann"], row: ["2"])
    }

    // Without a row the value names it.
    try screen.deliver("call", "3")
    try screen.deliver("name", ["id": "3", "value": "Ann"])
    #expect(party.guests[1].calls == 1 && party.guests[1].name == "Ann")
  }

  // MARK: - What is shown

  @Test func `follow their ids`() throws {
    let desk = Desk()
    desk.drafts = [Draft(0)]
    let screen = try TestScreen { desk }
    desk.drafts[0].id = 10
    #expect(screen["drafts[0].id"] == "10")

    desk.drafts = [Draft(0), Draft(0)]
    #expect(screen["drafts[0].id"] == "10", "Two rows have one id.")
    desk.drafts[0].id = 11
    #expect(screen["drafts[0].id"] == "11" && screen["drafts[1].id"] == "0")
    desk.drafts[1].id = 12
    #expect(screen["drafts[0].id"] == "11" && screen["drafts[1].id"] == "12")
  }

  @Test func `are shown once those can be that could not be`() throws {
    let desk = Desk()
    let screen = try TestScreen { desk }
    desk.drafts = [Draft(1, "a"), Draft(2, "secret"), Draft(3, "secret"), Draft(4, "d")]
    #expect(screen["drafts"] == "[]")
    desk.drafts[1].letter.text = "b"
    #expect(screen["drafts"] == "[]", "One of them is still secret.")

    desk.drafts[0].letter.text = "A"
    desk.drafts[2].letter.text = "c"
    #expect((0..<4).map { screen["drafts[\($0)].letter.text"] } == ["A", "b", "c", "d"])

    desk.drafts[3].letter.text = "D"
    #expect(screen["drafts[3].letter.text"] == "D")
  }
}
