// SPDX-License-Identifier: Apache-2.0

import Foundation
import MusubiText
import MusubiWire
import Seeds
import Testing

/// `Tests/Vectors/text-edits.json` keeps this implementation and the browser's from drifting apart.
///
/// It is written by `MUSUBI_WRITE_VECTORS=1 swift test --filter TextEditVectorTests` and otherwise compared.
@Suite struct `Shared vectors of text edits` {
  @Test func `the committed file is what this implementation gives`() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/text-edits.json")
    let vectors = Self.vectors()

    if ProcessInfo.processInfo.environment["MUSUBI_WRITE_VECTORS"] == "1" {
      try Data(vectors).write(to: url)
    }

    let committed = try Data(contentsOf: url)
    #expect(
      committed == Data(vectors),
      "run MUSUBI_WRITE_VECTORS=1 swift test --filter Vector and look at the change")
    #expect(try Value(json: vectors)["transform"]?.arrayValue?.count ?? 0 > 200)
  }

  /// All vectors as JSON, one to a line.
  private static func vectors() -> [UInt8] {
    var bytes = ByteBuffer()
    var random = SeededRandom(seed: 20)
    append(
      "transform", known.transforms + (0..<300).map { _ in transform(&random) }, opening: "{", to: &bytes)
    append("diff", known.diffs + (0..<150).map { _ in diff(&random) }, opening: ",", to: &bytes)
    append("caret", (0..<150).map { _ in caret(&random) }, opening: ",", to: &bytes)
    append("compose", (0..<100).map { _ in compose(&random) }, opening: ",", to: &bytes)
    bytes.appendRaw("}\n")
    return [UInt8](bytes)
  }

  private static func append(
    _ name: String, _ vectors: [Value], opening: StaticString, to bytes: inout ByteBuffer
  ) {
    bytes.appendRaw(opening)
    bytes.appendJSON(name)
    bytes.appendRaw(":[\n")
    for (index, vector) in vectors.enumerated() {
      if index > 0 { bytes.appendRaw(",\n") }
      bytes.appendJSON(vector)
    }
    bytes.appendRaw("\n]")
  }

  private static let known: (transforms: [Value], diffs: [Value]) = (
    [
      transform("ab", TextEdit(position: 1, inserted: "x"), TextEdit(position: 1, inserted: "y")),
      transform(
        "abcd", TextEdit(position: 1, inserted: "x"), TextEdit(position: 1, deleted: 2, inserted: "YYY")),
      transform(
        "abcd", TextEdit(position: 2, inserted: "x"), TextEdit(position: 1, deleted: 2, inserted: "YYY")),
      transform(
        "abcd", TextEdit(position: 2, inserted: "x"), TextEdit(position: 0, deleted: 4, inserted: "ABCD")),
      transform("ab", TextEdit(position: 1, inserted: "x"), TextEdit(position: 0, deleted: 2, inserted: "😀")),
      // Cut between the halves of pairs: only a part that is as long as its range is a substitution.
      transform(
        "abcd", TextEdit(position: 2, inserted: "z"), TextEdit(position: 0, deleted: 4, inserted: "x😀y")),
      transform("abcd", TextEdit(position: 1, deleted: 2), TextEdit(position: 0, deleted: 4, inserted: "😀😁")),
      transform("abcd", TextEdit(position: 0, deleted: 4, inserted: "😀😁"), TextEdit(position: 1, deleted: 2)),
      transform(
        "abcde", TextEdit(position: 1, deleted: 2), TextEdit(position: 0, deleted: 5, inserted: "😀😁x")),
      transform(
        "world", TextEdit(position: 0, deleted: 5, inserted: "there"),
        TextEdit(position: 0, deleted: 5, inserted: "WORLD")),
      transform(
        "57", TextEdit(position: 2, inserted: "3"), TextEdit(position: 0, deleted: 2, inserted: "100")),
      // Typed over as many units, and as many by chance; then an upper-casing beside and under it.
      transform(
        "abc", TextEdit(position: 1, deleted: 1, inserted: "x").typed, TextEdit(position: 0, deleted: 3)),
      transform("abc", TextEdit(position: 0, deleted: 3, inserted: "xy"), TextEdit(position: 2, deleted: 1)),
      transform(
        "abc", TextEdit(position: 1, deleted: 1, inserted: "x").typed,
        TextEdit(position: 1, deleted: 1, inserted: "y").typed),
      transform(
        "abc", TextEdit(position: 1, inserted: "x"), TextEdit(position: 1, deleted: 2, inserted: "yz").typed),
      transform(
        "abc", TextEdit(position: 1, deleted: 1, inserted: "x").typed,
        TextEdit(position: 0, deleted: 3, inserted: "ABC")),
      transform(
        "abcd", TextEdit(position: 0, deleted: 2, inserted: "AB"),
        TextEdit([
          .init(position: 2, deleted: 0, inserted: "x"), .init(position: 2, deleted: 1, inserted: ""),
          .init(position: 3, deleted: 1, inserted: "D"),
        ])),
    ],
    [
      diff("", "a"), diff("hello", "HELLO"), diff("Hello", "HELLO"), diff("57", "100"),
      diff("  trim ", "trim"),
      diff("kitten", "sitting"), diff("😀", "😁"), diff("a😀b", "a😁b"), diff("x😀", "😁"),
      diff("abcabba", "cbabac"),
      diff("é", "e\u{301}"), diff("1234567", "1,234,567"), diff("a\r\nb", "a\nb"),
      diff(String(repeating: "ab", count: 40), String(repeating: "ba", count: 41)),
      diff(String(repeating: "a", count: 70), String(repeating: "b", count: 69)),
    ]
  )

  private static func transform(_ text: String, _ p: TextEdit, _ s: TextEdit) -> Value {
    let moved = TextEdit.transform(p, s)
    return [
      "text": .string(text), "p": value(p), "s": value(s), "p'": value(moved.p), "s'": value(moved.s),
      "result": .string(applied(moved.p, to: applied(s, to: text))),
    ]
  }

  private static func transform(_ random: inout SeededRandom) -> Value {
    let text = random.text(10)
    let p = random.edit(of: text)
    return transform(text, p, random.edit(of: text))
  }

  private static func diff(_ old: String, _ new: String) -> Value {
    ["old": .string(old), "new": .string(new), "edit": value(TextEdit.diff(from: old, to: new))]
  }

  private static func diff(_ random: inout SeededRandom) -> Value {
    let old = random.text(14)
    return diff(old, random.below(2) == 0 ? applied(random.edit(of: old), to: old) : random.text(14))
  }

  private static func caret(_ random: inout SeededRandom) -> Value {
    let text = random.text(10)
    let edit = random.edit(of: text)
    let caret = random.edit(of: text).components.first?.position ?? 0
    return [
      "text": .string(text), "edit": value(edit), "caret": .integer(Int64(caret)),
      "after": .integer(Int64(edit.map(caret: caret))),
      "before": .integer(Int64(edit.map(caret: caret, staysBefore: true))),
    ]
  }

  private static func compose(_ random: inout SeededRandom) -> Value {
    let text = random.text(10)
    let first = random.edit(of: text)
    let middle = applied(first, to: text)
    let second = random.edit(of: middle)
    return [
      "text": .string(text), "first": value(first), "second": value(second),
      "edit": value(first.compose(then: second)), "inverse": value(first.inverse(of: text)),
      "result": .string(applied(second, to: middle)),
    ]
  }

  private static func applied(_ edit: TextEdit, to text: String) -> String {
    do throws(TextEditError) {
      return try edit.applied(to: text)
    } catch {
      Issue.record("\(edit) does not fit \(text.debugDescription): \(error)")
      return text
    }
  }

  private static func value(_ edit: TextEdit) -> Value {
    .array(
      edit.components.map {
        .array([.integer(Int64($0.position)), .integer(Int64($0.deleted)), .string($0.inserted)])
      })
  }
}
