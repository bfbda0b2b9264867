// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A plan` {
  private let cards = ["Write", "Check", "Print"].enumerated().map {
    Stage.Card(id: $0.offset + 1, title: $0.element)
  }

  @Test func `takes a card to where somebody puts it, in its stage or another one`() throws {
    let screen = try TestScreen { PlanViewModel(book: PlanBook(cards)) }

    try screen.drag("move", row: ["todo", "3"], before: "1", list: ["stages", "todo", "cards"])
    try screen.drag("move", row: ["todo", "1"], list: ["stages", "doing", "cards"])

    #expect(
      screen["stages"]?.contains(#""cards":[{"id":3,"title":"Print"},{"id":2,"title":"Check"}]"#) == true)
    #expect(screen["stages"]?.contains(#""cards":[{"id":1,"title":"Write"}]"#) == true)
  }

  @Test func `leaves a card where it is if the one that it is to go before has gone`() throws {
    let screen = try TestScreen { PlanViewModel(book: PlanBook(cards)) }
    try screen.drag("move", row: ["todo", "2"], list: ["stages", "doing", "cards"])

    #expect(throws: (any Error).self) {
      try screen.drag("move", row: ["todo", "3"], before: "2", list: ["stages", "todo", "cards"])
    }
  }
}
