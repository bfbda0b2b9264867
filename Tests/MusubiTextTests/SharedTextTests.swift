// SPDX-License-Identifier: Apache-2.0
import Seeds
import Testing

@testable import MusubiText

@Suite struct `A shared text` {
  @Test(arguments: [1, 3]) func `of one typist forgets what the page has, but not the newest turn`(steps: Int)
  {
    var text = SharedText(name: "t", text: "", historyLimit: 100)
    // The last turn has several steps.
    for sequence in 1...9 {
      for _ in 0..<(sequence == 9 ? steps : 1) { _ = text.set(text.text + "x", sequence: sequence) }
    }

    #expect(text.forget(known: 7) == nil, "It is not worth the while.")
    #expect(text.forget(known: text.revision) == 8)

    #expect(text.reaches(back: 8))
    #expect(!text.reaches(back: 7))
    #expect(text.edits(after: 8)?.count == steps)
  }

  @Test(arguments: [1, 40, 400]) func `carries no edit for which too much would have to be looked at`(
    count: Int
  ) throws {
    let length = 3_000
    var text = SharedText(name: "t", text: String(repeating: "x", count: length), historyLimit: 1_024)
    var others = TextBridge()
    for step in 1...1_000 {
      let author = SharedText.Author(member: 2, input: step)
      _ = try text.apply(
        TextEdit(position: 0, inserted: "a"), base: step - 1, bridge: &others, author: author, sequence: step)
    }
    var bridge = TextBridge()
    let late = TextEdit((0..<count).map { TextEdit.Component(position: 2 * $0, deleted: 1, inserted: "") })
    func apply(base: Int) throws(SharedText.EditRefusal) {
      let author = SharedText.Author(member: 1, input: 1)
      _ = try text.apply(late, base: base, bridge: &bridge, author: author, sequence: 1_001)
    }

    if count == 400 {
      // Its page takes the newest text, and sends it again.
      #expect(throws: SharedText.EditRefusal.historyTrimmed) { try apply(base: 0) }
      #expect(text.revision == 1_000)
      try apply(base: 1_000)
    } else {
      try apply(base: 0)
    }
    #expect(text.text.utf16.count == length + 1_000 - count)
  }

  @Test func `carries no edit that the steps would cut into too many pieces`() throws {
    var text = SharedText(name: "t", text: String(repeating: "x", count: 3_000), historyLimit: 1_024)
    var (others, bridge) = (TextBridge(), TextBridge())
    for step in 1...300 {
      let edit = TextEdit(
        (0..<30).map { TextEdit.Component(position: 90 * $0 + step % 90, deleted: 0, inserted: "a") })
      let author = SharedText.Author(member: 2, input: step)
      _ = try text.apply(edit, base: step - 1, bridge: &others, author: author, sequence: step)
    }

    let author = SharedText.Author(member: 1, input: 1)
    #expect(throws: SharedText.EditRefusal.historyTrimmed) {
      try text.apply(
        TextEdit(position: 0, deleted: 3_000), base: 0, bridge: &bridge, author: author, sequence: 301)
    }
    #expect(text.revision == 300 && text.text.utf16.count == 12_000)
  }

  @Test func `a caret is nowhere behind steps that are too much to look at`() throws {
    var text = SharedText(name: "t", text: String(repeating: "x", count: 3_000), historyLimit: 1_024)
    var others = TextBridge()
    for step in 1...100 {
      let edit = TextEdit((0..<700).map { TextEdit.Component(position: 4 * $0, deleted: 1, inserted: "y") })
      let author = SharedText.Author(member: 2, input: step)
      _ = try text.apply(edit, base: step - 1, bridge: &others, author: author, sequence: step)
    }

    #expect(text.place(of: 0..<0, base: 0, bridge: TextBridge()) == nil)
    #expect(text.place(of: 0..<0, base: 90, bridge: TextBridge()) == 0..<0)
  }

  @Test func `a caret goes where a text that its member types there goes`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    for round in 0..<400 {
      var text = SharedText(name: "t", text: "0123456789", historyLimit: 100)
      var (bridge, base, own) = (TextBridge(), 0, "0123456789")
      var others = TextBridge()
      for step in 1...6 {
        if Bool.random(using: &random) {
          // Somebody else, who has seen everything.
          let edit = Self.edit(of: text.text, &random)
          let author = SharedText.Author(member: 2, input: step)
          _ = try text.apply(edit, base: text.revision, bridge: &others, author: author, sequence: step)
        } else {
          // The member, who has seen nothing but its own.
          let edit = Self.edit(of: own, &random)
          own = try edit.applied(to: own)
          let author = SharedText.Author(member: 1, input: step)
          _ = try text.apply(edit, base: base, bridge: &bridge, author: author, sequence: step)
        }
        let caret = Int.random(in: 0...own.utf16.count, using: &random)
        let place = text.place(of: caret..<caret, base: base, bridge: bridge)
        var (copy, copiedBridge) = (text, bridge)
        _ = try copy.apply(
          TextEdit(position: caret, inserted: "|"), base: base, bridge: &copiedBridge,
          author: SharedText.Author(member: 1, input: 99), sequence: 99)
        let found = copy.text.utf16.distance(
          from: copy.text.startIndex, to: try #require(copy.text.firstIndex(of: "|")))
        try #require(place == found..<found, "seed \(seed), round \(round), step \(step)")
        if round % 2 == 0, copy.revision % 5 == 0 {
          // It is sent the whole text, and begins again.
          bridge.restart(at: text.revision)
          (base, own) = (text.revision, text.text)
        }
      }
    }
  }

  private static func edit(of text: String, _ random: inout SeededRandom) -> TextEdit {
    let position = Int.random(in: 0...text.utf16.count, using: &random)
    let deleted = Int.random(in: 0...min(3, text.utf16.count - position), using: &random)
    let letters = ["", "a", "bc", "def"]
    return TextEdit(
      position: position, deleted: deleted, inserted: letters.randomElement(using: &random) ?? ""
    ).typed
  }
}
