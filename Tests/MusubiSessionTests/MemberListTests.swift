// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import Testing

@testable import MusubiSession

@Suite struct `A list of members` {
  private let session = Session(id: "A", token: "t", visitor: .anonymous)

  private func makeRoom() throws -> Room {
    try Room(
      key: RoomKey(screen: "number", name: "a", isPrivate: false), epoch: "e", path: "/",
      scheduler: RoomScheduler(clock: { .zero }, wallClock: { 0 }),
      scratch: TurnScratch(SessionConfiguration())
    ) { ScreenInstance(builder: ScreenBuilder(), content: NumberView()) }
  }

  @Test func `takes one word`() { #expect(MemoryLayout<MemberList>.size == MemoryLayout<Int>.size) }

  @Test func `does what an array does, whatever its length`() throws {
    let room = try makeRoom()
    var list: MemberList = []
    var array: [Int] = []
    func add(_ number: Int, at position: Int) {
      let member = Member(number: number, room: room, session: session, screen: 0, texts: 0)
      if position == list.count { list.append(member) } else { list.insert(member, at: position) }
      array.insert(number, at: position)
    }
    func check(_ line: Int = #line) {
      #expect(list.map(\.number) == array, "line \(line)")
      #expect(list.count == array.count && list.first?.number == array.first)
      #expect(list.last?.number == array.last)
    }
    check()
    for (number, position) in [(1, 0), (2, 1), (3, 2), (7, 0), (8, 2), (9, 5)] {
      add(number, at: position)
      check()
    }
    let before = list
    for isGone: (Int) -> Bool in [{ $0 > 7 }, { $0 == 2 }, { _ in false }] {
      list.removeAll { isGone($0.number) }
      array.removeAll(where: isGone)
      check()
    }
    for count in [2, 1] {
      list.removeLast(count)
      array.removeLast(count)
      check()
    }
    #expect(before.map(\.number) == [7, 1, 8, 2, 3, 9])
    list = [before[0], before[1]]
    #expect(list.map(\.number) == [7, 1])
  }
}
