// SPDX-License-Identifier: Apache-2.0

import Seeds
import Testing

@testable import MusubiText
@testable import MusubiWire

@Suite struct `Text edits` {
  @Test func `both orders of two edits give the same text`() throws {
    try forSeeds(20_000) { random in
      let text = random.text(10)
      let p = random.edit(of: text)
      let s = random.edit(of: text)

      let (clientEdit, serverEdit) = TextEdit.transform(p, s)

      let one = try clientEdit.applied(to: try s.applied(to: text))
      let other = try serverEdit.applied(to: try p.applied(to: text))
      try hold(one.hasSameBytes(as: other), "\(text.debugDescription) p \(p) s \(s): \(one) / \(other)")
      try hold(clientEdit == clientEdit.normalized && serverEdit == serverEdit.normalized, "not normal")
    }
  }

  @Test func `edits of one place each are moved as those of several are`() throws {
    var apart = 0
    try forSeeds(20_000) { random in
      let text = random.text(10)
      let (p, s) = (random.edit(of: text), random.edit(of: text))
      guard let one = p.single, let other = s.single else { return }
      if one.end < other.position || other.end < one.position { apart += 1 }

      // With a component that does nothing, an edit is one of several places.
      let nothing = TextEdit.Component(position: one.end, deleted: 0, inserted: "")
      let general = TextEdit.transform(TextEdit([one, nothing]), s)
      let moved = TextEdit.transform(p, s)
      try hold(moved.p == general.p && moved.s == general.s, "\(text.debugDescription) p \(p) s \(s)")
    }
    #expect(apart > 1_000)
  }

  @Test func `lists of edits converge`() throws {
    try forSeeds(5_000) { random in
      let text = random.text(10)
      var (mine, theirs) = (text, text)
      var p: [TextEdit] = []
      var s: [TextEdit] = []
      for _ in 0..<random.below(4) {
        p.append(random.edit(of: mine))
        try p[p.count - 1].apply(to: &mine)
      }
      for _ in 0..<random.below(4) {
        s.append(random.edit(of: theirs))
        try s[s.count - 1].apply(to: &theirs)
      }

      let moved = TextEdit.transform(p, s)

      for edit in moved.s { try edit.apply(to: &mine) }
      for edit in moved.p { try edit.apply(to: &theirs) }
      try hold(mine.hasSameBytes(as: theirs), "\(text.debugDescription): \(mine) / \(theirs)")
    }
  }

  @Test func `what one inserts and the other does not know survives`() throws {
    try forSeeds(5_000) { random in
      let text = random.text(10, ascii: true)
      var p = random.edit(of: text).normalized
      // A replacement as long as its range is no typing: it stands for the range, and goes with it.
      for index in p.components.indices where !p.components[index].inserted.isEmpty {
        p.components[index].inserted = p.components[index].deleted == 1 ? "xΩ" : "Ω"
      }
      let s = random.edit(of: text)

      let result = try TextEdit.transform(p, s).p.applied(to: try s.applied(to: text))

      let inserted = p.components.filter { !$0.inserted.isEmpty }.count
      try hold(result.unicodeScalars.filter { $0 == "Ω" }.count == inserted, "\(text) \(p) \(s)")
    }
  }

  @Test(
    arguments: [
      // text, p, s, result: ties, edges, insides
      ("ab", [1, 0, "x"], [1, 0, "y"], "ayxb"),
      ("abcd", [1, 0, "x"], [1, 2, "YYY"], "axYYYd"),
      ("abcd", [3, 0, "x"], [1, 2, "YYY"], "aYYYxd"),
      ("abcd", [2, 0, "x"], [1, 2, "YYY"], "aYYYxd"),
      ("abcd", [2, 0, "x"], [0, 4, "ABCD"], "ABxCD"),
      ("abcd", [0, 0, "x"], [0, 4, "ABCD"], "xABCD"),
      ("abcd", [1, 1, "x"], [0, 4, "ABCD"], "ABxCD"),
      ("abcd", [0, 3, ""], [1, 3, ""], ""),
      ("abcd", [0, 3, "x"], [0, 2, "y"], "yxd"),
      ("ab", [1, 0, "x"], [0, 2, "😀"], "x😀"),
      ("abcd", [1, 1, ""], [0, 4, "ABCD"], "ACD"),
      ("abcd", [0, 4, "ABCD"], [1, 1, "xy"], "AxyCD"),
      ("abc", [1, 1, ""], [0, 3, "A😀"], "A😀"),
      ("57", [2, 0, "3"], [0, 2, "100"], "1003"),
      ("57", [0, 0, "3"], [0, 2, "100"], "3100"),
    ] as [(String, [any Sendable], [any Sendable], String)])
  func `texts are put in the documented order`(
    text: String, p: [any Sendable], s: [any Sendable], result: String
  ) throws {
    let client = try edit(p)
    let server = try edit(s)

    let moved = TextEdit.transform(client, server)

    #expect(try moved.p.applied(to: server.applied(to: text)) == result)
    #expect(try moved.s.applied(to: client.applied(to: text)) == result)
  }

  @Test func `a component that cuts a substitution leaves two that do not touch`() {
    let p = TextEdit(position: 2, inserted: "x")
    let s = TextEdit(position: 0, deleted: 4, inserted: "ABCD")

    let moved = TextEdit.transform(p, s)

    #expect(moved.p == TextEdit(position: 2, inserted: "x"))
    #expect(
      moved.s
        == TextEdit([
          .init(position: 0, deleted: 2, inserted: "AB"), .init(position: 3, deleted: 2, inserted: "CD"),
        ]))
  }

  @Test func `typing on inside of an upper-cased word stays in place`() throws {
    // The first key has arrived at the server, the second has not when the word is upper-cased.
    let pending = [TextEdit(position: 2, inserted: "x"), TextEdit(position: 3, inserted: "y")]
    let server = [TextEdit(position: 0, deleted: 4, inserted: "ABCD")]

    var shown = "abxycd"
    for edit in TextEdit.transform(pending, server).s { try edit.apply(to: &shown) }

    #expect(shown == "ABxyCD")
  }

  @Test func `a person's replacement survives others' deletions`() throws {
    let typed = TextEdit(position: 1, deleted: 1, inserted: "x").typed

    let moved = TextEdit.transform(typed, TextEdit(position: 0, deleted: 3))

    #expect(try typed == textEdit(#"[[1,0,"x"],[1,1,""]]"#))
    #expect(try moved.p.applied(to: "") == "x")
  }

  @Test(
    arguments: [
      // edit, normal form: only a component that is made of substitutions alone is one
      (#"[[0,2,"AB"],[2,1,"C"]]"#, #"[[0,3,"ABC"]]"#),
      (#"[[0,0,"AB"],[0,2,""]]"#, #"[[0,0,"AB"],[0,2,""]]"#),
      (#"[[0,2,""],[2,0,"AB"]]"#, #"[[0,0,"AB"],[0,2,""]]"#),
      (#"[[0,2,"AB"],[2,0,"C"],[2,1,""]]"#, #"[[0,0,"ABC"],[0,3,""]]"#),
      (#"[[0,0,"AB"],[0,2,""],[2,1,"C"]]"#, #"[[0,0,"ABC"],[0,3,""]]"#),
      (#"[[0,0,"AB"],[0,2,""],[2,1,""]]"#, #"[[0,3,"AB"]]"#),
      (#"[[0,0,"AB"],[0,2,""],[2,0,""]]"#, #"[[0,0,"AB"],[0,2,""]]"#),
      (#"[[0,2,"AB"],[2,0,""]]"#, #"[[0,2,"AB"]]"#),
    ])
  func `a replacement is no substitution if its length is chance`(json: String, normal: String) throws {
    #expect(try textEdit(json).normalized == textEdit(normal))
  }

  @Test func `what becomes as long as its range is no substitution`() throws {
    // Of three units that one types over another deletes one; then somebody deletes the rest.
    let typed = TextEdit(position: 0, deleted: 3, inserted: "AB")

    let moved = TextEdit.transform(typed, TextEdit(position: 0, deleted: 1)).p

    #expect(try moved == textEdit(#"[[0,0,"AB"],[0,2,""]]"#))
    #expect(try TextEdit.transform(moved, TextEdit(position: 0, deleted: 2)).p.applied(to: "") == "AB")
  }

  @Test func `a text capitalised twice is capitalised once`() throws {
    let first = TextEdit(position: 0, deleted: 2, inserted: "Ab")
    let second = TextEdit(position: 1, deleted: 1, inserted: "B")

    let both = first.compose(then: second)

    #expect(both == TextEdit(position: 0, deleted: 2, inserted: "AB"))
    #expect(both.inverse(of: "ab") == TextEdit(position: 0, deleted: 2, inserted: "ab"))
    #expect(try first.compose(then: second.typed) == textEdit(#"[[0,0,"AB"],[0,2,""]]"#))
    #expect(try second.typed.inverse(of: "Ab") == textEdit(#"[[1,0,"b"],[1,1,""]]"#))
  }

  @Test func `a composed edit does what the two do`() throws {
    try forSeeds(10_000) { random in
      let text = random.text(10)
      let first = random.edit(of: text)
      let middle = try first.applied(to: text)
      let second = random.edit(of: middle)

      let both = first.compose(then: second)

      let expected = try second.applied(to: middle)
      let actual = try both.applied(to: text)
      try hold(actual.hasSameBytes(as: expected), "\(text.debugDescription) \(first) \(second)")
      try hold(both == both.normalized, "not normal: \(both)")
    }
  }

  @Test func `the inverse takes an edit back`() throws {
    try forSeeds(5_000) { random in
      let text = random.text(10)
      let edit = random.edit(of: text)

      let back = try edit.inverse(of: text).applied(to: try edit.applied(to: text))

      try hold(back.hasSameBytes(as: text), "\(text.debugDescription) \(edit)")
    }
  }

  @Test func `a difference makes the new text and splits no pair`() throws {
    try forSeeds(20_000) { random in
      let old = random.text(12)
      let new = random.below(2) == 0 ? try random.edit(of: old).applied(to: old) : random.text(12)

      let edit = TextEdit.diff(from: old, to: new)

      let result = try edit.applied(to: old)
      try hold(result.hasSameBytes(as: new), "\(old.debugDescription) \(new.debugDescription) \(edit)")
      try hold(edit == edit.normalized, "not normal: \(edit)")
    }
  }

  @Test func `a difference between long unlike texts is one replacement`() {
    let old = "<" + String(repeating: "a", count: 300) + ">"
    let new = "<" + String(repeating: "b", count: 301) + ">"

    let edit = TextEdit.diff(from: old, to: new)

    #expect(edit == TextEdit(position: 1, deleted: 300, inserted: String(repeating: "b", count: 301)))
  }

  @Test func `a difference tells composed from decomposed letters`() {
    #expect(
      TextEdit.diff(from: "é", to: "e\u{301}") == TextEdit(position: 0, deleted: 1, inserted: "e\u{301}"))
  }

  @Test func `a caret goes where a text typed there goes`() throws {
    try forSeeds(10_000) { random in
      let text = random.text(10)
      let s = random.edit(of: text)
      let caret = random.edit(of: text).components.first?.position ?? 0

      let typed = TextEdit.transform(TextEdit(position: caret, inserted: "Ω"), s).p

      try hold(typed.components[0].position == s.map(caret: caret), "\(text.debugDescription) \(s) \(caret)")
      try hold(s.map(caret: caret, staysBefore: true) <= s.map(caret: caret), "before is behind after")
    }
  }

  @Test(arguments: [
    ("abc", "[[4,0,\"x\"]]"), ("abc", "[[2,2,\"\"]]"), ("😀", "[[1,0,\"x\"]]"), ("😀", "[[0,1,\"x\"]]"),
  ])
  func `an edit that does not fit changes nothing`(text: String, json: String) throws {
    var result = text
    let edit = try textEdit(json)

    #expect(throws: TextEditError.self) { try edit.apply(to: &result) }

    #expect(result == text)
  }

  @Test(arguments: [
    "[[3,0,\"x\"],[1,0,\"y\"]]", "[[1,2,\"\"],[2,1,\"\"]]", "[[-1,0,\"\"]]", "[[0,-1,\"\"]]",
    "[[9223372036854775807,9223372036854775807,\"\"]]", "[[0,0]]", "[[0,0,1]]", "[0,0,\"\"]", "{}",
    "[[0.5,0,\"\"]]", "[[0,0,\"\\ud800\"]]",
  ])
  func `an edit of the wrong shape is refused`(json: String) {
    #expect(throws: WireError.self) { try textEdit(json) }
  }

  @Test func `edits of the wrong text never trap`() throws {
    try forSeeds(5_000) { random in
      let p = random.edit(of: random.text(12))
      let s = random.edit(of: random.text(3))
      let moved = TextEdit.transform(p, s)
      var text = random.text(5)
      _ = p.compose(then: s)
      do throws(TextEditError) { try moved.p.apply(to: &text) } catch {}
      do throws(TextEditError) { try moved.s.apply(to: &text) } catch {}
    }
  }

  private func edit(_ parts: [any Sendable]) throws -> TextEdit {
    TextEdit(
      position: try #require(parts[0] as? Int), deleted: try #require(parts[1] as? Int),
      inserted: try #require(parts[2] as? String))
  }
}

/// Reads an edit as a frame would hold it.
func textEdit(_ json: String) throws(WireError) -> TextEdit {
  try Array(json.utf8).withReader { reader throws(WireError) in
    let edit = try reader.readTextEdit()
    try reader.finish()
    return edit
  }
}
