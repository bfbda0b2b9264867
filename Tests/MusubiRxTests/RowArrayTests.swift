// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Testing

private struct Ticket: Identifiable, Equatable {
  let id: Int
  let column: String
  @SearchText var title: String
  var place = 0.0
}

private struct Shown: Encodable, Identifiable, Equatable {
  let id: Int
  let title: String
}

@Suite struct `Rows in memory` {
  private let tickets = [
    Ticket(id: 7, column: "todo", title: "ＴＥＡ"), Ticket(id: 3, column: "done", title: "tea leaves"),
    Ticket(id: 5, column: "done", title: "ﾊﾟﾝ"),
  ]

  private func rows(whenMade: @escaping (Int) -> Void = { _ in }) -> RowArray<Shown> {
    RowArray(
      tickets,
      as: { ticket in
        whenMade(ticket.id)
        return Shown(id: ticket.id, title: ticket.title)
      },
      where: { ticket, filter in filter.includes(part: ticket.column) && filter.finds(ticket.$title) })
  }

  @Test(
    arguments: [
      ("", "", [7, 3, 5]), ("done", "", [3, 5]), ("", "tea", [7, 3]), ("done", "Tea", [3]), ("", "パン", [5]),
      ("nowhere", "", []), ("", "coffee", []), ("todo", "tea leaves and more", []),
    ])
  func `are those of a part, found by a word`(part: String, word: String, ids: [Int]) {
    let found = rows().filtered(by: RowsFilter(part: part, word: word))

    #expect(found.rows(in: 0..<found.count).map(\.id) == ids)
    #expect(ids.map { found.position(of: $0) } == Array(ids.indices))
    #expect(found.position(of: 9) == nil)
  }

  @Test func `are made when pages look at them, and no others`() {
    var made: [Int] = []
    let all = rows { made.append($0) }

    #expect(all.count == 3 && all.position(of: 5) == 2)
    #expect(all.filtered(by: RowsFilter(part: "done")).count == 2)
    #expect(made == [])
    #expect(all.rows(in: 1..<2) == [Shown(id: 3, title: "tea leaves")])
    #expect(made == [3])
  }

  @Test func `are all there for pages that ask for some, if nothing says which`() {
    let shown = tickets.map { Shown(id: $0.id, title: $0.title) }

    #expect(RowArray(shown).filtered(by: RowsFilter(part: "done", word: "tea")).count == 3)
    #expect(RowArray(shown) { $1.finds($0.title) }.filtered(by: RowsFilter(word: "TEA")).count == 2)
  }
}

@Suite struct `A text that words find` {
  @Test func `changes what finds it with itself`() {
    var ticket = Ticket(id: 1, column: "todo", title: "tea")
    ticket.title = "Ｃｏｆｆｅｅ"

    #expect(RowsFilter(word: "coffee").finds(ticket.$title))
    #expect(!RowsFilter(word: "tea").finds(ticket.$title))
    #expect(RowsFilter(word: "").finds(ticket.$title))
    #expect(ticket.title == "Ｃｏｆｆｅｅ")
  }
}

@Suite struct `A list of rows` {
  private var list: [Ticket] {
    (1...3).map { Ticket(id: $0, column: "todo", title: "\($0)", place: Double($0)) }
  }

  @Test func `has, changes and takes out the row of an id`() {
    var list = list
    list[id: 2]?.title = "two"
    list[id: 9]?.title = "nine"
    list[id: 1] = nil
    list[id: 8] = nil
    list[id: 4] = Ticket(id: 4, column: "todo", title: "4")
    list[id: 3] = Ticket(id: 3, column: "done", title: "3")

    #expect(list.map(\.title) == ["two", "3", "4"])
    #expect(list[id: 3]?.column == "done" && list[id: 1] == nil)
  }

  @Test(
    arguments: [(1, 3, [2.5]), (3, 1, [0]), (2, nil, [4]), (9, nil, [])] as [(Int, Int?, [Double])])
  func `gives a row that has moved a number between its neighbours'`(
    id: Int, before: Int?, places: [Double]
  ) {
    var list = list
    list.apply(RowMove(id: id, before: before, list: "todo"))
    let numbered = list.number(id, by: \.place)

    #expect(numbered.map(\.place) == places)
    #expect(numbered == (list[id: id].map { [$0] } ?? []))
    #expect(list.map(\.place) == list.map(\.place).sorted())
  }

  @Test func `gives all rows whole numbers when none lies between two`() {
    var list = list + [Ticket(id: 4, column: "todo", title: "4", place: 4)]
    var most = 0
    for move in 0..<200 {
      let (id, next) = move % 2 == 0 ? (3, 2) : (2, 3)
      list.apply(RowMove(id: id, before: next, list: "todo"))
      most = max(most, list.number(id, by: \.place).count)
      #expect(Set(list.map(\.place)).count == 4 && list.map(\.place) == list.map(\.place).sorted())
    }

    #expect(most == 4)
    var alone = [Ticket(id: 1, column: "todo", title: "")]
    #expect(alone.number(1, by: \.place).map(\.place) == [1])
  }
}

@Suite struct `A value that changes in its relay` {
  private struct Refused: Error {}

  @Test func `is told once, and not if the change throws`() {
    let relay = BehaviorRelay(value: [1])
    var told: [[Int]] = []
    let subscription = relay.subscribe(onNext: { told.append($0) })
    defer { subscription.dispose() }

    let count = relay.update { list in
      list += [2, 3]
      return list.count
    }
    #expect(throws: Refused.self) {
      try relay.update { list in
        list = []
        throw Refused()
      }
    }

    #expect(count == 3 && relay.value == [1, 2, 3])
    #expect(told == [[1], [1, 2, 3]])
  }
}
