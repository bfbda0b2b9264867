// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import GalleryModel
import MusubiBinding
import MusubiTesting
import Testing

@Suite struct `A board of cards` {
  private let api: BoardAPI

  init() throws { api = try BoardAPI(folder: nil) }

  private func screen(_ state: BoardViewModel.State? = nil) throws -> TestScreen {
    try TestScreen {
      let context = ScreenContext(
        screen: "board", room: "ours", clock: TestScheduler(initialClock: 0), random: RandomSource(seed: 7))
      return try BoardViewModel(context, api: api, state: state)
    }
  }

  private func titles(_ screen: TestScreen, _ part: String, word: String = "") throws -> [String] {
    try screen.look(at: "cards/\(part)", first: 0, count: 100, word: word)
    let rows = try JSONSerialization.jsonObject(with: Data((screen["cards/\(part).rows"] ?? "[]").utf8))
    return ((rows as? [[String: Any]]) ?? []).compactMap { $0["title"] as? String }
  }

  /// A board with the cards c, b and a to be done.
  private func filled() throws -> TestScreen {
    let screen = try screen()
    for title in ["a", "b", "c"] {
      try screen.tap("add")
      let id = try #require(try api.cards(of: "ours").first?.id)
      try screen.type(title, into: "title", row: "\(id)")
    }
    return screen
  }

  private func id(_ title: String) throws -> Int {
    try #require(try api.cards(of: "ours").first { $0.title == title }?.id)
  }

  @Test func `gets new ones on top, which are typed in place`() throws {
    let screen = try filled()
    #expect(try titles(screen, "todo") == ["c", "b", "a"])
    #expect(screen["cards.count"] == "3")
    #expect(try api.cards(of: "ours").map(\.title) == ["c", "b", "a"])
    #expect(try api.cards(of: "another").isEmpty)
  }

  @Test func `is there again in a room that begins`() throws {
    _ = try filled()
    #expect(try titles(try self.screen(), "todo") == ["c", "b", "a"])
  }

  @Test func `is found by a word, whatever its case, in each column`() throws {
    let screen = try filled()
    try screen.type("Buy BREAD", into: "title", row: "\(try id("a"))")
    #expect(try titles(screen, "todo", word: "bread") == ["Buy BREAD"])
    #expect(try titles(screen, "done", word: "bread") == [])
  }

  @Test func `moves within its column and to others`() throws {
    let screen = try filled()
    try screen.drag("move", row: "\(id("a"))", before: "\(id("c"))", list: "cards/todo")
    #expect(try titles(screen, "todo") == ["a", "c", "b"])
    try screen.drag("move", row: "\(id("c"))", before: nil, list: "cards/done")
    try screen.drag("move", row: "\(id("b"))", before: "\(id("c"))", list: "cards/done")
    #expect(try titles(screen, "todo") == ["a"])
    #expect(try titles(screen, "done") == ["b", "c"])
    #expect(try titles(try self.screen(), "done") == ["b", "c"])
  }

  @Test func `moves as often as somebody wants between two others`() throws {
    let screen = try filled()
    for number in 0..<200 {
      let (card, next) = number % 2 == 0 ? ("a", "b") : ("b", "a")
      try screen.drag("move", row: "\(id(card))", before: "\(id(next))", list: "cards/todo")
    }
    #expect(try titles(screen, "todo") == ["c", "b", "a"])
    #expect(try titles(try self.screen(), "todo") == ["c", "b", "a"])
  }

  @Test func `comes back where it was after a deletion`() throws {
    let screen = try filled()
    try screen.tap("delete", row: "\(id("b"))")
    #expect(try titles(screen, "todo") == ["c", "a"])
    #expect(screen["deleted"]?.contains("\"b\"") == true)
    try screen.tap("undo")
    #expect(try titles(screen, "todo") == ["c", "b", "a"])
    #expect(screen["deleted"] == "[]")
    try screen.tap("undo")
    #expect(try api.cards(of: "ours").count == 3)
  }

  @Test func `holds 5,000 cards and no more`() throws {
    let screen = try filled()
    try screen.tap("fill")
    #expect(screen["cards.count"] == "5000" && screen["isFull"] == "true")
    try screen.tap("add")
    #expect(screen["cards.count"] == "5000")
    #expect(try api.cards(of: "ours").count == 5_000)
    #expect(try titles(screen, "todo").first == "Card 1")
  }
}
