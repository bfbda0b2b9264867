// SPDX-License-Identifier: Apache-2.0
package import MusubiText
package import MusubiWire

/// A small generator of random numbers that gives the same ones for the same seed on every machine (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
  private var generator: SplitMix64

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { generator.next() }

  /// A number below `bound`, by the same steps on every version of the standard library.
  package mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }

  package mutating func oneOf<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

extension SeededRandom {
  private static let alphabet = [
    "a", "b", "c", "d", "e", " ", "é", "e\u{301}", "あ", "\r\n", "😀", "😁", "🇯🇵", "👩‍👧", "\u{10ffff}",
  ]

  /// A text of at most that many characters; half of the texts are ASCII.
  package mutating func text(_ maximum: Int, ascii: Bool? = nil) -> String {
    let isASCII = ascii ?? (below(2) == 0)
    var text = ""
    for _ in 0..<below(maximum + 1) {
      text += isASCII ? oneOf(["a", "b", "c", "d", "e"]) : oneOf(Self.alphabet)
    }
    return text
  }

  /// An edit that fits a text; its components may touch.
  package mutating func edit(of text: String) -> TextEdit {
    var gaps = [0]
    for scalar in text.unicodeScalars { gaps.append(gaps[gaps.count - 1] + UTF16.width(scalar)) }
    var components: [TextEdit.Component] = []
    var first = 0
    for _ in 0..<below(4) where first < gaps.count {
      let start = first + below(gaps.count - first)
      let end = below(2) == 0 ? start : min(gaps.count - 1, start + below(4))
      let deleted = gaps[end] - gaps[start]
      var inserted = below(4) == 0 ? "" : self.text(3)
      if deleted > 0, below(3) == 0 {
        inserted = String(text.units(gaps[start]..<gaps[end]).uppercased().prefix(1_000))
      }
      components.append(.init(position: gaps[start], deleted: deleted, inserted: inserted))
      first = end + below(2)
    }
    return below(4) == 0 ? TextEdit(components).typed : TextEdit(components)
  }

  /// A JSON value.
  package mutating func value(depth: Int) -> Value {
    switch below(depth > 0 ? 9 : 6) {
    case 0: return .null
    case 1: return .bool(below(2) == 0)
    case 2: return .integer(Int64(below(5)))
    case 3: return .number(Double(below(1_000)) / 8)
    case 4, 5: return .string(text(4))
    case 6: return .array((0..<below(5)).map { _ in value(depth: depth - 1) })
    case 7: return .array(rows(below(6)))
    default:
      var object = Value.Object()
      for _ in 0..<below(5) { object[oneOf(["a", "b", "c/d", "~e", "é", "f"])] = value(depth: depth - 1) }
      return .object(object)
    }
  }

  /// Rows with different ids, in any order.
  package mutating func rows(_ count: Int, of range: Int = 12) -> [Value] {
    var ids = Array(0..<range)
    return (0..<min(count, range)).map { _ in
      let id = ids.remove(at: below(ids.count))
      return ["id": .integer(Int64(id)), "title": .string(text(2)), "done": .bool(below(2) == 0)]
    }
  }
}

/// Runs a body with many seeds; the error of the first that fails names its seed.
package func forSeeds(_ count: Int, _ body: (inout SeededRandom) throws -> Void) throws {
  for seed in 0..<UInt64(count) {
    var random = SeededRandom(seed: seed)
    do {
      try body(&random)
    } catch {
      throw Violation(description: "seed \(seed): \(error)")
    }
  }
}

/// A property test throws this when the property does not hold.
package struct Violation: Error, CustomStringConvertible {
  package let description: String
}

package func hold(_ condition: Bool, _ description: @autoclosure () -> String) throws {
  if !condition { throw Violation(description: description()) }
}
