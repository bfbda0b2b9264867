// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire
import Testing

@testable import MusubiClient

/// The server of one text: orders edits, and keeps all of them.
private struct TextServer {
  private(set) var text = "start"
  private(set) var steps: [(edit: TextEdit, author: Int)] = []

  /// Takes an edit that its author made at `revision`, with `taken` own ones after it that came before this one.
  mutating func take(_ edit: TextEdit, revision: Int, author: Int, bridge: inout [TextEdit]) throws {
    // The author's edits since `revision` are part of what the edit refers to; `bridge` are the others' steps as
    // they look after those.
    let (mine, others) = TextEdit.transform([edit], bridge)
    bridge = others
    try mine[0].apply(to: &text)
    steps.append((mine[0], author))
  }
}

@Suite struct `A text document at the client` {
  /// One client with the edits on their way in both directions.
  private struct Typist {
    var document = ClientDocument(text: "start", revision: 0)
    var upstream: [(number: Int, edit: TextEdit, revision: Int)] = []
    var downstream: [ReceivedFrame.TextChange] = []
    var assigned: [Int] = []
    var nextNumber = 1
    /// Others' steps that this client had not seen when it made its next edit on the way, at the server.
    var unseen: [(revision: Int, edit: TextEdit)] = []
  }

  private func randomEdit(of text: String, _ random: inout SplitMix64) -> TextEdit {
    let length = text.utf16.count
    let position = Int.random(in: 0...length, using: &random)
    let deleted = Int.random(in: 0...min(3, length - position), using: &random)
    let letters = "abcdefghij"
    let count = deleted == 0 ? 1 : Int.random(in: 0...2, using: &random)
    let inserted = String((0..<count).map { _ in letters.randomElement(using: &random) ?? "z" })
    return TextEdit(position: position, deleted: deleted, inserted: inserted)
  }

  @Test(arguments: 0..<200) func `all clients end with the server's text`(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var typists = [Typist(), Typist(), Typist()]
    var server = TextServer()

    func serve(_ author: Int) throws {
      guard !typists[author].upstream.isEmpty else { return }
      let (number, edit, revision) = typists[author].upstream.removeFirst()
      typists[author].unseen.removeAll { $0.revision <= revision }
      var bridge = typists[author].unseen.map(\.edit)
      try server.take(edit, revision: revision, author: author, bridge: &bridge)
      for index in bridge.indices { typists[author].unseen[index].edit = bridge[index] }
      let step = server.steps[server.steps.count - 1].edit
      let change = ReceivedFrame.TextChange(name: "x", revision: server.steps.count, steps: [step])
      for index in typists.indices {
        if index != author { typists[index].unseen.append((server.steps.count, step)) }
        typists[index].downstream.append(change)
      }
      typists[author].assigned.append(number)
      typists[author].document.assign(revision: server.steps.count, to: number)
    }

    func deliver(_ index: Int) throws {
      guard !typists[index].downstream.isEmpty else { return }
      try typists[index].document.apply(typists[index].downstream.removeFirst())
    }

    for _ in 0..<120 {
      let index = Int.random(in: 0..<typists.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let edit = randomEdit(of: typists[index].document.text, &random)
        let number = typists[index].nextNumber
        typists[index].nextNumber += 1
        typists[index].upstream.append((number, edit, typists[index].document.revision))
        try typists[index].document.edit(edit, number: number)
      case 1: try serve(index)
      default: try deliver(index)
      }
    }
    for index in typists.indices { while !typists[index].upstream.isEmpty { try serve(index) } }
    for index in typists.indices { while !typists[index].downstream.isEmpty { try deliver(index) } }

    for typist in typists {
      #expect(typist.document.text == server.text, "seed \(seed)")
      #expect(typist.document.serverText == server.text, "seed \(seed)")
      #expect(typist.document.pending.isEmpty, "seed \(seed)")
    }
  }

  @Test func `a selection stays on its characters while others type`() throws {
    var document = ClientDocument(text: "abcd", revision: 0)
    document.select(1..<3)

    try document.apply(
      ReceivedFrame.TextChange(
        name: "x", revision: 2,
        steps: [TextEdit(position: 0, inserted: ">"), TextEdit(position: 4, inserted: "|")]))

    #expect(document.text == ">abc|d")
    #expect(document.selection == 2..<4)
  }
}
