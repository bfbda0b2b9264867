// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import GalleryModel
import MusubiBinding
import MusubiRx
import MusubiSQLite
import MusubiTesting
import PostgresServers
import Synchronization
import Testing

@Suite struct `A board of cards` {
  private let api: BoardAPI

  init() throws { api = try BoardAPI(folder: nil) }

  private func screen(_ state: BoardViewModel.State? = nil, on full: BoardAPI? = nil) throws -> TestScreen {
    let api = full ?? self.api
    return try TestScreen {
      let context = ScreenContext(
        screen: "board", room: "ours", clock: TestScheduler(initialClock: 0), random: RandomSource(seed: 7))
      return try BoardViewModel(context, CardsInFile(api, context), state: state)
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

  @Test func `says when there are none`() throws {
    let screen = try screen()
    #expect(screen["isEmpty"] == "true")
    try screen.tap("add")
    #expect(screen["isEmpty"] == "false")
    try screen.tap("delete", row: "\(id(""))")
    #expect(screen["isEmpty"] == "true")
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
    let card = try #require(try api.cards(of: "ours").deleted.first?.id)
    try screen.tap("undo", row: "\(card)")
    #expect(try titles(screen, "todo") == ["c", "b", "a"])
    #expect(screen["deleted"] == "[]")
  }

  @Test func `brings back the card that two people have seen named, and no other one`() throws {
    let screen = try filled()
    let (first, second) = (try id("a"), try id("b"))
    try screen.tap("delete", row: "\(first)")
    try screen.tap("delete", row: "\(second)")
    try screen.tap("undo", row: "\(second)")
    try screen.tap("undo", row: "\(second)")
    #expect(try titles(screen, "todo") == ["c", "b"])
    try screen.tap("undo", row: "\(first)")
    #expect(try titles(screen, "todo") == ["c", "b", "a"])
    #expect(screen["deleted"] == "[]")
  }

  @Test func `offers no undo where there is no space for the card`() throws {
    let screen = try filled()
    let card = try id("b")
    try screen.tap("delete", row: "\(card)")
    try screen.tap("fill")
    #expect(screen["isFull"] == "true" && screen["deleted"] == "[]")
    try screen.tap("delete", row: "\(try id("a"))")
    #expect(screen["deleted"]?.contains("\"a\"") == true)
    try screen.tap("delete", row: "\(try id("c"))")
    try screen.tap("undo", row: "\(try #require(try api.cards(of: "ours").deleted.last?.id))")
    #expect(screen["deleted"]?.contains("\"a\"") == true)
  }

  @Test func `is no longer offered once the file has forgotten it`() throws {
    let screen = try filled()
    let card = try id("b")
    try screen.tap("delete", row: "\(card)")
    // As the board's room at another process does.
    for added in try api.add((1...20).map { (.done, Double($0), "") }, to: "ours", once: "elsewhere") {
      try api.delete(added.id, of: "ours", keeping: 20)
    }
    try screen.tap("undo", row: "\(card)")
    #expect(try titles(screen, "todo") == ["c", "a"] && screen["deleted"] == "[]")
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
    for card in try api.cards(of: "ours").deleted.reversed() { try screen.tap("undo", row: "\(card.id)") }
    #expect(screen["cards.count"] == "20")
    #expect(try api.cards(of: "ours").there.count == 20)
  }

  @Test func `ends when its last page leaves without a card, and no sooner`() throws {
    let screen = try filled()
    screen.enter(Visitor(id: "ann"))
    for title in ["a", "b"] { try screen.tap("delete", row: "\(try id(title))") }
    let last = try id("c")
    screen.leave(Visitor(id: "ann"))
    screen.leave(.anonymous)
    #expect(try titles(screen, "todo") == ["c"])
    #expect(try api.cards(of: "ours").deleted.count == 2)
    screen.enter(Visitor(id: "ann"))
    try screen.tap("delete", row: "\(last)")
    screen.leave(.anonymous)
    #expect(try api.cards(of: "ours").deleted.count == 3)
    screen.leave(Visitor(id: "ann"))
    #expect(try api.cards(of: "ours").deleted.isEmpty)
    #expect(screen["deleted"] == "[]")
    try screen.tap("add")
    #expect(try api.cards(of: "ours").there.count == 1)
  }

  @Test func `ends thirty days after the last visit; who looks at it stays a visitor`() throws {
    let days = Mutex(0.0)
    let visits = BoardVisits { Date(timeIntervalSince1970: days.withLock { $0 } * 86_400) }
    let api = try BoardAPI(folder: nil, visits: visits)
    let time = TestScheduler(initialClock: 0)
    for board in ["ours", "left"] { _ = try api.add([(.todo, 0, board)], to: board, once: board) }
    let screen = try TestScreen {
      let context = ScreenContext(screen: "board", room: "ours", clock: time, random: RandomSource(seed: 7))
      return try BoardViewModel(context, CardsInFile(api, context), state: nil)
    }
    for day in 1...31 {
      days.withLock { $0 = Double(day) }
      time.advanceTo(86_400 * day)
    }
    try screen.tap("add")
    #expect(try api.cards(of: "ours").there.count == 2)
    #expect(try api.cards(of: "left").there.isEmpty)
  }

  @Test func `is one of twenty that a network has`() throws {
    func add(_ count: Int, to board: String, by network: String?) throws {
      let cards = (0..<count).map { (Card.Column.todo, Double($0), "") }
      _ = try api.add(cards, to: board, by: network, once: "\(board) \(network ?? "") \(UUID())")
    }
    for board in 1...20 { try add(1, to: "\(board)", by: "192.0.2.1") }
    #expect(throws: SQLiteError.self) { try add(1, to: "21", by: "192.0.2.1") }
    try add(1, to: "21", by: "192.0.2.2")
    // It counts whose board it is, and not who adds.
    try add(19_979, to: "1", by: "192.0.2.2")
    try add(1, to: "2", by: "192.0.2.2")
    #expect(throws: SQLiteError.self) { try add(1, to: "3", by: "192.0.2.2") }
    try api.delete(try #require(try api.cards(of: "20").there.first?.id), of: "20", keeping: 20)
    try api.end("20")
    try add(1, to: "22", by: "192.0.2.1")
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

@Suite(.timeLimit(.minutes(5))) struct `A board in the database of several servers` {
  /// The database; nil if no PostgreSQL is installed.
  private let tables: GalleryTables?

  init() throws { tables = try PostgresServer.shared.map { try Self.tables($0.newDatabase()) } }

  private static func tables(_ url: String) throws -> GalleryTables {
    try GalleryTables(url: url) { Issue.record("\($0)") }
  }

  private func screen(
    _ archive: BoardArchive, _ state: BoardViewModel.State? = nil
  ) throws -> (TestScreen, BoardViewModel) {
    var viewModel: BoardViewModel?
    let screen = try TestScreen {
      let context = ScreenContext(
        screen: "board", room: "ours", clock: TestScheduler(initialClock: 0), random: RandomSource(seed: 7))
      let made = try BoardViewModel(context, CardsInRoom(archive, context, state?.board), state: state)
      viewModel = made
      return made
    }
    return (screen, try #require(viewModel))
  }

  @Test func `has its cards in the room's state, and from the database when the room has gone`() async throws
  {
    guard let tables else { return }
    let archive = BoardArchive(database: tables, pause: .zero)
    let (screen, first) = try screen(archive)
    // Typed before the cards have come.
    try screen.tap("add")
    #expect(screen["cards.count"] == "0")
    await screen.settle()
    #expect(screen["cards.count"] == "1")
    try screen.type("tea\\\n", into: "title", row: "1")
    try screen.tap("add")
    try screen.tap("delete", row: "2")

    let (second, _) = try self.screen(archive, first.state)
    #expect(second["cards.count"] == "1")
    try second.tap("undo", row: "2")
    #expect(second["cards.count"] == "2")
    try second.tap("add")
    await archive.settle()

    let elsewhere = BoardArchive(database: tables)
    let (third, _) = try self.screen(elsewhere)
    await third.settle()
    #expect(third["cards.count"] == "3")
    #expect(try await elsewhere.board("ours").there.map(\.title).contains("tea\\\n"))
    #expect(try await elsewhere.board("ours").next == 4)
    #expect(try await elsewhere.board("another") == KeptBoard())
  }

  @Test func `takes nothing from a server that stood still`() async throws {
    guard let tables else { return }
    let (first, second) = (BoardArchive(database: tables), BoardArchive(database: tables))
    var board = KeptBoard()
    board.there = [Card(1, .doing, 1.5, "old")]
    board.version = 7
    var later = board.goingOn()
    later.there[0].title = "new"
    second.keep(later, as: "ours")
    await second.settle()
    board.version = 1_000
    first.keep(board, as: "ours")
    await first.settle()

    #expect(try await first.board("ours") == later)
  }

  @Test func `ends after its time, or empty, and is one of twenty that a network has`() async throws {
    guard let tables else { return }
    let days = Mutex(0.0)
    let archive = BoardArchive(database: tables, pause: .zero) {
      Date(timeIntervalSince1970: days.withLock { $0 } * 86_400)
    }
    var board = KeptBoard()
    (board.there, board.version) = ([Card(1, .doing, 1.5, "tea")], 1)
    for number in 1...21 { archive.keep(board, as: "\(number)", by: "192.0.2.1") }
    archive.keep(board, as: "another", by: "192.0.2.2")
    await archive.settle()
    let refused = (1...21).filter { archive.isFull(for: "\($0)") }
    #expect(refused.count == 1 && !archive.isFull(for: "another"))
    let one = try #require(refused.first)
    #expect(try await archive.board("\(one)") == KeptBoard())

    (board.there, board.version) = ([], 2)
    archive.keep(board, as: "\(one % 20 + 1)", by: "192.0.2.1")
    (board.there, board.version) = ([Card(1, .doing, 1.5, "tea")], 3)
    await archive.settle()
    archive.keep(board, as: "\(one)", by: "192.0.2.1")
    await archive.settle()
    #expect(!archive.isFull(for: "\(one)"))

    days.withLock { $0 = 29 }
    _ = try await archive.board("\(one)")
    days.withLock { $0 = 31 }
    #expect(try await archive.board("\(one)").there.count == 1)
    #expect(try await archive.board("another").there.isEmpty)
  }

  @Test func `is one of some twenty that wait for a network while the database is away`() throws {
    guard let server = PostgresServer.start() else { return }
    // What waits is given up with the archive, and that is told.
    let archive = BoardArchive(database: try GalleryTables(url: server.newDatabase()) { _ in }, pause: .zero)
    server.kill()
    var board = KeptBoard()
    (board.there, board.version) = ([Card(1, .doing, 1.5, "tea")], 1)

    for number in 1...30 { archive.keep(board, as: "\(number)", by: "192.0.2.1") }
    archive.keep(board, as: "another", by: "192.0.2.2")

    // One may be on its way to the database.
    let refused = (1...30).filter { archive.isFull(for: "\($0)") }
    #expect((9...10).contains(refused.count) && !archive.isFull(for: "another"), "\(refused)")
  }

  @Test func `waits for a database that is away, and says so`() async throws {
    guard let server = PostgresServer.start() else { return }
    let archive = BoardArchive(database: try Self.tables(server.newDatabase()), pause: .zero)
    let disposeBag = DisposeBag()
    server.kill()
    let (screen, viewModel) = try screen(archive)
    var told: [Bool] = []
    let (sayings, says) = AsyncStream<Bool>.makeStream()
    let outputs = viewModel.bind(BoardViewModel.Inputs())
    outputs.isAway.drive(onNext: {
      told.append($0)
      says.yield($0)
    }).disposed(by: disposeBag)
    try screen.tap("add")
    #expect(screen["cards.count"] == "0" && screen["isEmpty"] == "false", "Nobody knows yet.")
    Task.detached {
      _ = await sayings.first { $0 }
      server.restart()
    }
    await screen.settle()
    #expect(told.suffix(2) == [true, false])
    #expect(screen["cards.count"] == "1")
    server.kill()
    try screen.tap("add")
    #expect(screen["cards.count"] == "2" && screen["hasFailed"] == "false")
    server.restart()
    await archive.settle()
    #expect(try await archive.board("ours").there.count == 2)
    server.stop()
  }

  @Test func `says that it is full`() async throws {
    guard let url = try PostgresServer.shared?.newDatabase() else { return }
    let (reports, report) = AsyncStream<String>.makeStream()
    let tables = try GalleryTables(url: url) { report.yield($0) }
    let archive = BoardArchive(database: tables, maxMebibytes: 0, pause: .zero)
    let (screen, _) = try screen(archive)
    await screen.settle()
    try screen.tap("add")
    #expect(await reports.first { _ in true }?.contains("The table board is full") == true)
    try screen.tap("add")
    #expect(screen["hasFailed"] == "true")
    #expect(screen["cards.count"] == "1")
  }
}
