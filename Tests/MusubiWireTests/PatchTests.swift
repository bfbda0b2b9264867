// SPDX-License-Identifier: Apache-2.0

import Seeds
import MusubiClient
import Testing

@testable import MusubiWire

@Suite struct `Patches` {
  @Test(arguments: [
    (#"{"a":1}"#, #"[{"op":"add","path":"/b","value":[]}]"#, #"{"a":1,"b":[]}"#),
    (#"{"a":[1,3]}"#, #"[{"op":"add","path":"/a/1","value":2}]"#, #"{"a":[1,2,3]}"#),
    (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/-","value":2}]"#, #"{"a":[1,2]}"#),
    (#"{"a":1}"#, #"[{"op":"add","path":"","value":2}]"#, "2"),
    (#"{"a/b":{"~":1}}"#, #"[{"op":"replace","path":"/a~1b/~0","value":2}]"#, #"{"a/b":{"~":2}}"#),
    (#"{"a":[1,2,3]}"#, #"[{"op":"remove","path":"/a/1"}]"#, #"{"a":[1,3]}"#),
    (#"{"a":[1,2,3]}"#, #"[{"op":"move","from":"/a/0","path":"/a/2"}]"#, #"{"a":[2,3,1]}"#),
    (#"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/b"}]"#, #"{"b":1}"#),
    (#"{"a":1}"#, #"[{"op":"copy","from":"/a","path":"/b","x":1}]"#, #"{"a":1,"b":1}"#),
    (#"{"a":1}"#, #"[{"op":"test","path":"/a","value":1.0}]"#, #"{"a":1}"#),
    (#"{"":1}"#, #"[{"op":"replace","path":"/","value":2}]"#, #"{"":2}"#),
  ])
  func `each operation does what RFC 6902 says`(old: String, patch: String, new: String) throws {
    var value = try Value(json: old)
    let operations = try Operation.patch(json: Array(patch.utf8))

    try value.apply(operations)

    #expect(try value == Value(json: new))
    let text = "[" + operations.map(\.description).joined(separator: ",") + "]"
    #expect(try Operation.patch(json: Array(text.utf8)) == operations)
  }

  @Test(arguments: [
    #"{"op":"add","path":"/x/y","value":1}"#, #"{"op":"add","path":"/a/4","value":1}"#,
    #"{"op":"add","path":"/a/01","value":1}"#, #"{"op":"remove","path":"/x"}"#,
    #"{"op":"remove","path":"/a/-"}"#,
    #"{"op":"replace","path":"/a/3","value":1}"#, #"{"op":"move","from":"/x","path":"/y"}"#,
    #"{"op":"move","from":"/a","path":"/a/0"}"#, #"{"op":"copy","from":"/a/9","path":"/y"}"#,
    #"{"op":"test","path":"/a","value":[]}"#, #"{"op":"add","path":"/a/0/b","value":1}"#,
    #"{"op":"replace","path":"/a/99999999999999999999","value":1}"#,
  ])
  func `a patch that fails changes nothing and says where`(operation: String) throws {
    let old: Value = ["a": [1, 2, 3]]
    var value = old
    let patch = #"[{"op":"replace","path":"/a/0","value":9},\#(operation)]"#
    let operations = try Operation.patch(json: Array(patch.utf8))

    let error = #expect(throws: WireError.self) { try value.apply(operations) }

    #expect(value == old)
    #expect(error?.offset == 1)
  }

  @Test(arguments: [
    "{}", "[1]", "[{}]", #"[{"op":"add","path":"/a"}]"#, #"[{"op":"jump","path":"/a"}]"#,
    #"[{"op":"remove","path":"a"}]"#, #"[{"op":"remove","path":"/~2"}]"#, #"[{"op":"move","path":"/a"}]"#,
  ])
  func `a malformed patch is refused`(json: String) {
    #expect(throws: WireError.self) { try Operation.patch(json: Array(json.utf8)) }
  }

  @Test func `a difference makes the new value`() throws {
    try forSeeds(10_000) { random in
      let old = random.value(depth: 3)
      let new = random.value(depth: 3)
      var value = old

      let patch = Diff.operations(from: old, to: new)
      try value.apply(patch)

      try hold(value == new, "\(old) -> \(new): \(patch)")
      try hold(patch.isEmpty == (old == new), "empty")
    }
  }

  @Test func `lists of rows are patched with the fewest moves`() throws {
    try forSeeds(20_000) { random in
      let before = random.rows(random.below(10))
      let after = random.rows(random.below(10))
      var value = Value.array(before)

      let patch = Diff.operations(from: value, to: .array(after))
      try value.apply(patch)

      try hold(value == .array(after), "\(before) -> \(after): \(patch)")
      let ids = (before.map { $0["id"]?.intValue ?? 0 }, after.map { $0["id"]?.intValue ?? 0 })
      let kept = ids.1.compactMap { id in ids.0.firstIndex(of: id) }
      let moves = patch.filter { if case .move = $0 { true } else { false } }.count
      let additions = patch.filter { if case .add = $0 { true } else { false } }.count
      try hold(moves <= kept.count - longestRun(kept), "\(moves) moves: \(ids)")
      try hold(additions == ids.1.count - kept.count, "a kept row was added: \(ids) \(patch)")
    }
  }

  @Test func `of a list that slides only what left and what came is sent`() throws {
    let numbers = (0..<260).map { Value.integer(Int64($0 * 7 % 100)) }
    let (old, new) = (Value.array(Array(numbers[0..<200])), Value.array(Array(numbers[1..<201])))

    let patch = Diff.operations(from: old, to: new, at: ["chart"])

    #expect(patch == [.remove(path: ["chart", "0"]), .add(path: ["chart", "199"], value: numbers[200])])
  }

  @Test func `a list of which too much slid is replaced as a whole`() {
    let numbers = (0..<400).map { Value.integer(Int64($0 * 7 % 1_000)) }
    let new = Value.array(Array(numbers[50..<250]))

    let patch = Diff.operations(from: .array(Array(numbers[0..<200])), to: new, at: ["chart"])

    #expect(patch == [.replace(path: ["chart"], value: new)])
  }

  @Test func `part of a list is told by its operations or by the whole list, whichever is shorter`() {
    let old = (0..<200).map { Value.integer(Int64($0 % 10)) }
    let change: [Value] = [70, 71, 72, 73]
    let long = Array(old[..<100]) + change + Array(old[104...])
    let short = Array(old[..<3]) + change + Array(old[7..<10])

    let inLong = Diff.operations(
      from: Array(old[100..<104]), to: change[...], from: 100, in: long, at: ["chart"])
    let inShort = Diff.operations(from: Array(old[3..<7]), to: change[...], from: 3, in: short, at: ["chart"])

    #expect(inLong.count == 4)
    #expect(inShort == [.replace(path: ["chart"], value: .array(short))])
  }

  @Test func `a list of plain values is patched with the fewest additions and removals`() throws {
    try forSeeds(20_000) { random in
      let before = random.numbers(12)
      let after = random.numbers(12)
      let gaps = Diff.gaps(before[...], after[...])
      var made: [Value] = []
      var place = 0
      var changes = 0
      for gap in gaps {
        made += before[place..<gap.old.lowerBound]
        try hold(made.count == gap.new.lowerBound, "what stays is as long in both: \(gaps)")
        made += after[gap.new]
        place = gap.old.upperBound
        changes += gap.old.count + gap.new.count
      }
      made += before[place...]
      try hold(made == after, "\(before) -> \(after): \(gaps)")
      guard before.count > 1, after.count > 1 else { return }
      let kept = longestCommonSubsequence(before, after)
      try hold(changes == before.count + after.count - 2 * kept, "\(before) -> \(after): \(gaps)")
    }
  }

  @Test func `no patch of a value is longer than the value`() throws {
    try forSeeds(20_000) { random in
      let old = random.value(depth: 3)
      let new = random.below(2) == 0 ? random.value(depth: 3) : .array(random.numbers(40))
      var state: Value = ["x": old]

      let patch = Diff.operations(from: old, to: new, at: ["x"])
      try state.apply(patch)

      try hold(state == ["x": new], "\(old) -> \(new): \(patch)")
      let whole = [Operation.replace(path: ["x"], value: new)]
      try hold(patch.jsonByteCount <= whole.jsonByteCount, "\(old) -> \(new): \(patch)")
    }
  }

  @Test func `bytes are counted as they are written`() throws {
    try forSeeds(2_000) { random in
      let value = random.value(depth: 3)
      let bytes = [UInt8](writing: { $0.appendJSON(value) })

      let max = random.below(bytes.count)

      try hold(value.jsonByteCount(stoppingAbove: .max) == bytes.count, "\(value)")
      try hold(value.jsonByteCount(stoppingAbove: max) > max, "\(value), \(max)")
    }
  }

  @Test func `one change in a thousand rows is one operation`() {
    var rows: [Value] = (0..<1_000).map { ["id": .integer($0), "title": "row", "done": false] }
    let old: Value = ["rows": .array(rows)]
    rows[500] = ["id": 500, "title": "row", "done": true]

    let patch = Diff.operations(from: old, to: ["rows": .array(rows)])

    #expect(patch == [.replace(path: ["rows", "500", "done"], value: true)])
  }

  @Test func `a row that moves and changes is moved and patched inside`() {
    let old: Value = [["id": "a", "n": 1], ["id": "b", "n": 2], ["id": "c", "n": 3]]
    let new: Value = [["id": "b", "n": 2], ["id": "c", "n": 3], ["id": "a", "n": 9]]

    let patch = Diff.operations(from: old, to: new)

    #expect(patch == [.move(from: ["0"], path: ["2"]), .replace(path: ["2", "n"], value: 9)])
  }

  /// The length of the longest increasing subsequence, in the slow and obvious way.
  private func longestRun(_ numbers: [Int]) -> Int {
    var best: [Int] = []
    for (index, number) in numbers.enumerated() {
      best.append(1 + (numbers[..<index].indices.filter { numbers[$0] < number }.map { best[$0] }.max() ?? 0))
    }
    return best.max() ?? 0
  }

  /// How many elements two lists have in common in the same order, in the slow and obvious way.
  private func longestCommonSubsequence(_ old: [Value], _ new: [Value]) -> Int {
    var counts = [[Int]](repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
    for (i, a) in old.enumerated() {
      for (j, b) in new.enumerated() {
        counts[i + 1][j + 1] = a == b ? counts[i][j] + 1 : max(counts[i][j + 1], counts[i + 1][j])
      }
    }
    return counts[old.count][new.count]
  }
}

extension SeededRandom {
  /// A list of small numbers, many of which are equal.
  fileprivate mutating func numbers(_ max: Int) -> [Value] {
    (0..<below(max + 1)).map { _ in .integer(Int64(below(6))) }
  }
}
