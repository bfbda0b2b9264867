// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import GalleryModel
import MusubiBinding
import MusubiSQLite
import MusubiTesting
import Testing

@Suite struct `A board of cards` {
  private let api: BoardAPI

  init() throws { api = try BoardAPI(folder: nil) }

  private func screen(_ state: BoardViewModel.State? = nil, on full: BoardAPI? = nil) throws -> TestScreen {
    let api = full ?? self.api
    return try TestScreen {
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
      let id = try #require(try api.cards(of: "ours").there.first?.id)
      try screen.type(title, into: "title", row: "\(id)")
    }
    return screen
  }

  private func id(_ title: String) throws -> Int {
    try #require(try api.cards(of: "ours").there.first { $0.title == title }?.id)
  }

  @Test func `gets new ones on top, which are typed in place`() throws {
    let screen = try filled()
    #expect(try titles(screen, "todo") == ["c", "b", "a"])
    #expect(screen["cards.count"] == "3")
    #expect(try api.cards(of: "ours").there.map(\.title) == ["c", "b", "a"])
    #expect(try api.cards(of: "another").there.isEmpty)
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
    #expect(try titles(screen, "nowhere") == [])
    try screen.type("ﾊﾟﾝとＴＥＡ", into: "title", row: "\(try id("b"))")
    #expect(try titles(screen, "todo", word: "パン") == ["ﾊﾟﾝとＴＥＡ"])
    #expect(try titles(screen, "todo", word: "tea") == ["ﾊﾟﾝとＴＥＡ"])
  }

  @Test func `has titles of at most 300 characters`() throws {
    let screen = try filled()
    try screen.type(String(repeating: "茶", count: 301), into: "title", row: "\(try id("a"))")
    #expect(try titles(screen, "todo").last == String(repeating: "茶", count: 300))
    // One character, of as many marks as somebody likes.
    try screen.type("a" + String(repeating: "\u{301}", count: 20_000), into: "title", row: "\(try id("b"))")
    #expect(try titles(screen, "todo")[1].utf8.count == 599)
  }

  @Test func `has the titles of the inputs that its room has taken, though the database is ahead`() throws {
    _ = try filled()
    let card = try id("a")
    let state = try JSONDecoder().decode(
      BoardViewModel.State.self, from: Data(#"{"names":{},"typed":[{"id":\#(card),"title":"before"}]}"#.utf8))
    #expect(try titles(try self.screen(state), "todo") == ["c", "b", "before"])
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
    // In one list of all cards the neighbour says which column it is.
    try screen.drag("move", row: "\(id("a"))", before: "\(id("c"))", list: "cards")
    #expect(try titles(screen, "done") == ["b", "a", "c"])
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
    // Also in a room that begins.
    #expect(try self.screen()["deleted"]?.contains("\"b\"") == true)
    try screen.tap("undo")
    #expect(try titles(screen, "todo") == ["c", "b", "a"])
    #expect(screen["deleted"] == "[]")
    try screen.tap("undo")
    #expect(try api.cards(of: "ours").there.count == 3)
  }

  @Test func `adds and takes back once, though the input comes again`() throws {
    let new: [(column: Card.Column, place: Double, title: String)] = [(.todo, 0, "a")]
    #expect(try api.add(new, to: "ours", once: "input 1").count == 1)
    #expect(try api.add(new, to: "ours", once: "input 1").isEmpty)
    let card = try id("a")
    try api.delete(card, of: "ours", keeping: 20)
    #expect(try api.cards(of: "ours").there.isEmpty)
    #expect(try api.restore(card, once: "input 2"))
    #expect(try !api.restore(card, once: "input 2"))
    #expect(try api.cards(of: "ours").there.map(\.id) == [card])
  }

  @Test func `knows the inputs of a file of 0.2.0`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "board-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var older = Migrator()
    older.register("card") { connection in
      try connection.runScript(
        """
        CREATE TABLE card (id INTEGER PRIMARY KEY AUTOINCREMENT, board TEXT NOT NULL, column TEXT NOT NULL,
          place REAL NOT NULL, title TEXT NOT NULL, deleted INTEGER) STRICT;
        CREATE INDEX card_board ON card (board);
        CREATE TABLE taken (id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL) STRICT;
        INSERT INTO card (board, column, place, title) VALUES ('ours', 'doing', 1, 'tea');
        INSERT INTO taken (key) VALUES ('input 1');
        """)
    }
    try older.migrate(SQLiteConnection(.file("board.sqlite", in: folder)))

    for _ in 1...2 {
      let api = try BoardAPI(folder: folder)
      #expect(try api.add([(.todo, 0, "again")], to: "ours", once: "input 1").isEmpty)
      #expect(try api.cards(of: "ours").there.map(\.title) == ["tea"])
    }
  }

  @Test func `keeps the last twenty deleted cards`() throws {
    let screen = try screen()
    for _ in 0..<25 { try screen.tap("add") }
    for card in try api.cards(of: "ours").there { try screen.tap("delete", row: "\(card.id)") }
    #expect(try api.cards(of: "ours").there.isEmpty)
    #expect(try api.cards(of: "ours").deleted.count == 20)
    for _ in 0..<25 { try screen.tap("undo") }
    #expect(screen["cards.count"] == "20")
    #expect(try api.cards(of: "ours").there.count == 20)
  }

  @Test func `says that a change could not be kept, and does not make it`() throws {
    let full = try BoardAPI(folder: nil, maxMebibytes: 1)
    let screen = try screen(on: full)
    try screen.tap("add")
    #expect(screen["hasFailed"] == "false")
    for size in [1_000, 100, 10, 1] {
      let cards = (0..<size).map { (Card.Column.todo, Double($0), String(repeating: "茶", count: 100)) }
      let failure = #expect(throws: (any Error).self) {
        for number in 0..<10_000 { _ = try full.add(cards, to: "another", once: "\(size) \(number)") }
      }
      #expect("\(failure.map { "\($0)" } ?? "")".contains("full"))
    }
    try screen.tap("fill")
    #expect(screen["hasFailed"] == "true")
    #expect(screen["cards.count"] == "\(try full.cards(of: "ours").there.count)")
  }

  @Test func `holds 5,000 cards and no more`() throws {
    let screen = try filled()
    try screen.tap("fill")
    #expect(screen["cards.count"] == "5000" && screen["isFull"] == "true")
    try screen.tap("add")
    #expect(screen["cards.count"] == "5000")
    #expect(try api.cards(of: "ours").there.count == 5_000)
    #expect(try titles(screen, "todo").first == "Card 1")
  }
}
