// SPDX-License-Identifier: Apache-2.0

import Foundation
import Seeds
import MusubiClient
import Testing

@testable import MusubiWire

/// `Tests/Vectors/list-patches.json` shows that what `Diff` finds is a patch for other libraries, too.
///
/// It is written by `MUSUBI_WRITE_VECTORS=1 swift test --filter Vector` and otherwise compared.
@Suite struct `Shared vectors of list patches` {
  @Test func `the committed file is what this implementation gives`() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/list-patches.json")
    let vectors = try Self.vectors()

    if ProcessInfo.processInfo.environment["MUSUBI_WRITE_VECTORS"] == "1" {
      try Data(vectors).write(to: url)
    }

    let committed = try Data(contentsOf: url)
    #expect(
      committed == Data(vectors),
      "run MUSUBI_WRITE_VECTORS=1 swift test --filter Vector and look at the change")
  }

  /// All vectors as JSON, one to a line: `old` and `new`, and the operations as a turn carries them.
  private static func vectors() throws -> [UInt8] {
    var random = SeededRandom(seed: 5)
    var bytes = ByteBuffer()
    bytes.appendRaw("[\n")
    for index in 0..<300 {
      if index > 0 { bytes.appendRaw(",\n") }
      let old = state(&random, size: index % 9)
      let new = index % 4 == 0 ? state(&random, size: (index / 9) % 9) : change(old, &random)
      bytes.appendRaw(#"{"old":"#)
      bytes.appendJSON(old)
      bytes.appendRaw(#","new":"#)
      bytes.appendJSON(new)
      bytes.appendRaw(#","operations":["#)
      let operations = Diff.operations(from: old, to: new)
      var patched = old
      try patched.apply(operations)
      #expect(patched == new)
      for (place, operation) in operations.enumerated() {
        if place > 0 { bytes.appendRaw(",") }
        bytes.appendJSON(operation)
      }
      bytes.appendRaw("]}")
    }
    bytes.appendRaw("\n]\n")
    return [UInt8](bytes)
  }

  /// A state of which a few rows were moved, went or came.
  private static func change(_ old: Value, _ random: inout SeededRandom) -> Value {
    guard case .object(var state) = old, case .array(var rows)? = state["rows"] else { return old }
    for _ in 0...random.below(3) where !rows.isEmpty {
      let row = rows.remove(at: random.below(rows.count))
      if random.below(4) > 0 { rows.insert(row, at: random.below(rows.count + 1)) }
    }
    if random.below(2) == 0, case .array(let others)? = self.state(&random, size: 12)["rows"] {
      let known = rows.map { $0["id"] }
      rows += others.filter { !known.contains($0["id"]) }.prefix(1)
    }
    state["rows"] = .array(rows)
    return .object(state)
  }

  /// A screen's state with a list of rows, each with a note and a list of its own.
  private static func state(_ random: inout SeededRandom, size: Int) -> Value {
    let rows = random.rows(size).map { row -> Value in
      guard case .object(var object) = row else { return row }
      // Long enough for a patch to be shorter than the list.
      object["note"] = .string(String(repeating: "note ", count: 8))
      object["tags"] = .array(random.rows(random.below(4), of: 5))
      return .object(object)
    }
    return ["rows": .array(rows), "count": .integer(Int64(size))]
  }
}
