// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Testing

private struct Item: Identifiable, Equatable {
  let id: Int
}

@Suite struct `A row's move` {
  private let items = (1...4).map(Item.init)

  @Test(
    arguments: [
      (4, 1, [4, 1, 2, 3]), (1, 4, [2, 3, 1, 4]), (1, 2, [1, 2, 3, 4]), (2, nil, [1, 3, 4, 2]),
      (4, nil, [1, 2, 3, 4]),
      (3, 3, [1, 2, 3, 4]),
    ] as [(Int, Int?, [Int])])
  func `puts the row in front of the other one, or at the end`(id: Int, before: Int?, after: [Int]) {
    var items = items

    items.apply(RowMove(id: id, before: before, list: "items"))

    #expect(items.map(\.id) == after)
  }

  @Test(arguments: [(9, 1), (9, nil), (1, 9)] as [(Int, Int?)])
  func `changes nothing if one of the two is not there`(id: Int, before: Int?) {
    var changed = items

    changed.apply(RowMove(id: id, before: before, list: "items"))

    #expect(changed == items)
  }

  @Test func `puts a row of another list where it says, or nowhere`() {
    var changed = items

    let moves = [
      RowMove(id: 5, before: 3, list: "items"), RowMove(id: 6, list: "items"),
      RowMove(id: 7, before: 9, list: "items"),
    ]
    let areDone = moves.map { changed.insert(Item(id: $0.id), by: $0) }

    #expect(areDone == [true, true, false])
    #expect(changed.map(\.id) == [1, 2, 5, 3, 4, 6])
  }
}
