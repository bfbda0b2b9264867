// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Testing

@Suite struct `A list that only grows at its end` {
  private struct Line: Identifiable, Equatable {
    let id: Int
    var text = ""
  }

  private func list(_ count: Int, limit: Int) -> AppendOnlyList<Line> {
    var list = AppendOnlyList<Line>(limit: limit)
    for _ in 0..<count { list.append { Line(id: $0) } }
    return list
  }

  @Test func `counts its lines, and lets go of many at once`() {
    #expect(list(3, limit: 8).lines.map(\.id) == [1, 2, 3])
    #expect(list(10, limit: 8).lines.map(\.id) == Array(1...10))
    #expect(list(11, limit: 8).lines.map(\.id) == Array(4...11))
    #expect(list(9, limit: 1).lines.map(\.id) == [9])
  }

  @Test(arguments: 1...20) func `has the newest lines, and never more than a quarter above its limit`(
    limit: Int
  ) {
    for count in 0...100 {
      let ids = list(count, limit: limit).lines.map(\.id)
      #expect(ids == Array((count - ids.count + 1)..<(count + 1)))
      #expect(ids.count >= min(count, limit) && ids.count <= limit + limit / 4)
    }
  }

  @Test func `goes on behind stored lines, and gives no id twice`() {
    var list = AppendOnlyList([Line(id: 41), Line(id: 42)], limit: 10)
    list.remove(42)

    #expect(list.append { Line(id: $0) }.id == 43)
    #expect(list.lines.map(\.id) == [41, 43])
    #expect(AppendOnlyList((1...9).map { Line(id: $0) }, limit: 4).lines.map(\.id) == [6, 7, 8, 9])
  }

  @Test func `goes on behind the last id that it was told, also if that line was removed`() {
    var list = list(7, limit: 10)
    list.remove(7)
    var restored = AppendOnlyList(list.lines, limit: 10, lastID: list.lastID)

    #expect(list.lastID == 7)
    #expect(restored.append { Line(id: $0) }.id == 8)
    #expect(AppendOnlyList(list.lines, lastID: 2).lastID == 6)
  }

  @Test func `changes a line that is there`() {
    var list = list(2, limit: 4)
    list.update(2) { $0.text = "tea" }
    list.update(3) { $0.text = "none" }

    #expect(list.lines == [Line(id: 1), Line(id: 2, text: "tea")])
  }
}
