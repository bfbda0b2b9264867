// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire
import Testing

@Suite struct `Changes of elements of a list in one turn` {
  /// Lists, and stretches that are replaced by so many new elements, one after the other.
  private func check(_ count: Int, _ steps: [(range: Range<Int>, count: Int)]) throws {
    let board = OutputBoard()
    let slot = board.declare("list")
    slot.write(.array((0..<count).map { .integer(Int64($0)) }))
    board.begin()
    let before = slot.value?.arrayValue ?? []
    for (number, step) in steps.enumerated() {
      let new = Array(repeating: Value.integer(Int64(1_000 + number)), count: step.count)
      slot.replaceElements(step.range, with: new)
    }
    let now = slot.value?.arrayValue ?? []
    var changes: [ElementsChange] = []
    board.takeChanges { _, _, change in if case .elements(let change) = change { changes.append(change) } }

    let change = try #require(changes.first)
    var undone = now
    undone.replaceSubrange(change.place..<change.place + change.count, with: change.previous)
    #expect(undone == before, "\(steps)")
  }

  @Test func `are one stretch, with the elements of before`() throws {
    try check(10, [(4..<5, 1), (6..<7, 1), (2..<3, 1)])
    try check(10, [(2..<8, 6), (3..<4, 1), (5..<5, 2), (3..<6, 0)])
    try check(10, [(9..<10, 1), (0..<1, 1)])
    try check(3, [(0..<3, 0), (0..<0, 2), (1..<2, 3)])
  }

  @Test(arguments: 1...200) func `are so whatever comes after each other`(seed: UInt64) throws {
    var state = seed &* 0x9e37_79b9_7f4a_7c15
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
    var count = random(12)
    let first = count
    let steps = (0..<1 + random(8)).map { _ in
      let begin = random(count + 1)
      let range = begin..<begin + random(count - begin + 1)
      let new = random(4)
      count += new - range.count
      return (range, new)
    }
    try check(first, steps)
  }
}
