// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Observation
import Testing

private struct Item: Identifiable, Codable, Equatable {
  let id: Int
}

/// Lists in outlets, with Rx and without.
private final class ItemsView: View {
  let items = List<Item>("items")
  private(set) var moved: [RowMove<Int>] = []
  private(set) var called: [RowMove<Int>] = []
  private let bag = DisposeBag()

  override func viewDidLoad() {
    items.items = [Item(id: 1), Item(id: 2)]
    items.rx.moves("move").subscribe(onNext: { [unowned self] in moved.append($0) }).disposed(by: bag)
    items.onMove("moveToo") { [unowned self] in called.append($0) }
  }
}

/// Rows in rows, whose ids are strings.
private final class Groups: InputOutputViewModel {
  struct Part: Identifiable, Codable, Equatable, Sendable {
    let id: String
    var parts: [Part] = []
  }

  struct Inputs: Decodable {
    var move: Signal<RowMove<String>> = .never()
    var sent: Signal<Sent<RowMove<String>>> = .never()
  }

  struct Outputs: Encodable {
    let groups: Driver<[Part]>
    let last: Driver<String>
    let sender: Driver<String>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let groups = [
      Part(id: "1", parts: [Part(id: "a/b", parts: [Part(id: "deep")]), Part(id: "c")]), Part(id: "2"),
    ]
    return Outputs(
      groups: .just(groups),
      last: inputs.move.map { "\($0.id) before \($0.before ?? "the end") of \($0.list)" }
        .asDriver(onErrorJustReturn: "").startWith(""),
      sender: inputs.sent.map { "\($0.sender.id ?? "") moved \($0.value.id)" }
        .asDriver(onErrorJustReturn: "").startWith(""))
  }
}

/// An observable model, whose rows are values.
@Observable private final class Shelf {
  var books = [Item(id: 1), Item(id: 2), Item(id: 3)]
}

extension Shelf: ObservableViewModel {
  static var bindings: [PageBinding<Shelf>] {
    [
      .output("books", \.books),
      .action("move") { (shelf, move: RowMove<Int>) in shelf.books.apply(move) },
    ]
  }
}

/// A row that would move by itself.
@Observable private final class Mover: Identifiable {
  let id = 1
}

extension Mover: ObservableViewModel {
  static var bindings: [PageBinding<Mover>] { [.action("move") { (_, _: RowMove<Int>) in }] }
}

@Observable private final class Movers {
  var movers = [Mover()]
}

extension Movers: ObservableViewModel {
  static var bindings: [PageBinding<Movers>] { [.rows("movers", \.movers)] }
}

@Suite struct `Moves of rows` {
  @Test func `reach outlets, whose ids are numbers`() throws {
    var made: ItemsView?
    let screen = try TestScreen {
      let view = ItemsView()
      made = view
      return view
    }
    let view = try #require(made)

    try screen.drag("move", row: "2", before: "1", list: "items")
    try screen.drag("moveToo", row: "1", list: "items")

    #expect(view.moved == [RowMove(id: 2, before: 1, list: "items")])
    #expect(view.called == [RowMove(id: 1, list: "items")])
  }

  @Test func `reach inputs, and tell the row that the list is in`() throws {
    let screen = try TestScreen(visitor: Visitor(id: "ann")) { Groups() }

    try screen.drag("move", row: "1", list: "groups")
    #expect(screen["last"] == "1 before the end of groups")

    try screen.drag("move", row: ["1", "c"], before: "deep", list: ["groups", "1", "parts", "a/b", "parts"])
    #expect(screen["last"] == "c before deep of a/b")

    try screen.drag("sent", row: ["1", "c"], list: ["groups", "2", "parts"])
    #expect(screen["sender"] == "ann moved c")
  }

  @Test func `reach an observable model`() throws {
    let screen = try TestScreen { Shelf() }

    try screen.drag("move", row: "3", before: "1", list: "books")

    #expect(screen["books"] == #"[{"id":3},{"id":1},{"id":2}]"#)
  }

  @Test func `are refused in the model of a row, which knows no list`() {
    #expect {
      _ = try TestScreen { Movers() }
    } throws: {
      "\($0)".contains("takes a row's move")
    }
  }

  @Test(
    arguments: [
      (["9"], nil, ["groups"], "has gone"), (["2"], "9", ["groups"], "groups/9"),
      (["1"], "a/b", ["groups"], "has gone"), (["2"], nil, ["others"], "has gone"),
      (["2"], nil, ["groups", "9", "parts"], "has gone"), (["2"], nil, ["groups", "1"], "has gone"),
      (["2"], nil, ["last"], "has gone"), (["1"], nil, ["groups", "1", "parts"], "does not go into itself"),
      (["1"], "deep", ["groups", "1", "parts", "a/b", "parts"], "does not go into itself"),
      ([], nil, ["groups"], "s move"), (["2"], nil, [], "s move"),
    ] as [([String], String?, [String], String)])
  func `are refused if a row or the list is not there`(
    row: [String], before: String?, list: [String], sentence: String
  ) throws {
    let screen = try TestScreen { Groups() }

    #expect {
      try screen.drag("move", row: row, before: before, list: list)
    } throws: {
      "\($0)".contains(sentence)
    }

    #expect(screen["last"] == "")
  }

  @Test func `are objects and no other values`() throws {
    let screen = try TestScreen { Groups() }

    for value in ["1", "", "move"] {
      #expect(throws: (any Error).self) { try screen.send(value, to: "move", row: "1") }
    }
    #expect(throws: (any Error).self) { try screen.tap("move", row: "1") }
    #expect(throws: (any Error).self) { try screen.send(["list": ["groups"]], to: "move", row: "1") }

    #expect(screen["last"] == "")
  }
}
