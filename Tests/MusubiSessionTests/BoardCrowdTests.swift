// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import GalleryModel
import MusubiBinding
import MusubiClient
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

/// Somebody at the gallery's board, whose line is cut now and then.
private final class BoardPage: SimulatedPeer {
  private let network: SimulatedNetwork
  private let part: String
  private(set) var session = ClientSession()
  private(set) var problems: [String] = []
  /// The characters that were typed, and the cards that they were typed into.
  private(set) var typed: [(character: Character, card: Int)] = []
  private var link: SimulatedLink?
  private var hasAsked = false

  /// Opens the board, of which the page shows a part.
  init(_ network: SimulatedNetwork, part: String = "") {
    self.network = network
    self.part = part
    connect()
  }

  /// The name of the list that the page shows.
  private var list: String { part.isEmpty ? "cards" : "cards/\(part)" }

  private func connect() {
    link = network.connect(
      self, screen: "board",
      query: session.identifier == nil ? ["edits": "1"] : ["edits": "1", "resume": "1"])
  }

  var cards: [(id: Int, title: String)] {
    (session.state[list]?["rows"]?.arrayValue ?? []).map { row in
      let id = row["id"]?.intValue ?? 0
      return (id, session.text(of: "title", row: ["\(id)"]) ?? row["title"]?.stringValue ?? "")
    }
  }

  var deleted: Int? { session.state["deleted"]?.arrayValue?.first?["id"]?.intValue }

  var isSettled: Bool { session.phase == .live && session.unconfirmed.isEmpty && link != nil }

  func type(_ character: Character, into card: Int) {
    guard session.text(of: "title", row: ["\(card)"]) != nil else { return }
    typed.append((character, card))
    perform { try $0.type("\(character)", into: "title", row: ["\(card)"]) }
  }

  func tap(_ input: String, card: Int? = nil) {
    perform { $0.tap(input, row: card.map { ["\($0)"] } ?? []) }
  }

  func move(_ card: Int, before: Int?, to column: String) {
    let next = before.map { Value.string("\($0)") } ?? .null
    perform { $0.set("move", to: ["before": next, "list": [.string("cards/\(column)")]], row: ["\(card)"]) }
  }

  func cut() { link?.drop() }

  /// Closes the page.
  func leave() {
    let last = link
    link = nil
    last?.leave()
  }

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    hasAsked = false
    perform { $0.connectionOpened() }
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    perform { session in
      for notice in try session.receive(payload) {
        if case .error(let code, let message, _) = notice, code != "unknown-row" { problems.append(message) }
      }
    }
    guard session.phase == .live, !hasAsked, session.state["cards"] != nil else { return }
    hasAsked = true
    look(30)
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    if let code, code >= 4_500 { problems.append("closed with \(code)") }
    perform { $0.connectionLost() }
    network.schedule(network.now + .milliseconds(200)) { [weak self] in self?.connect() }
  }

  /// Looks at so many cards.
  func look(_ count: Int) {
    perform { $0.set(list, to: ["first": 0, "count": .integer(Int64(count)), "patches": true]) }
  }

  private func perform(_ body: (inout ClientSession) throws -> Void) {
    do { try body(&session) } catch { problems.append("\(error)") }
    for frame in session.takeFrames() { link?.send(frame) }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Fifty people at one board` {
  private static let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  /// For a while each of them types, moves, deletes, takes back and loses the line; then all and somebody new agree.
  ///
  /// `MUSUBI_LONG=1` plays five times for a minute instead of once for 20 seconds.
  @Test(arguments: isLong ? [1, 2, 3, 4, 5] : [2]) func `agree after a while over lines that are cut`(
    _ seed: UInt64
  ) throws {
    let api = try BoardAPI(folder: nil)
    _ = try api.add((0..<300).map { (.todo, Double($0), "") }, to: "lobby", once: "begin")
    let network = SimulatedNetwork(
      seed: seed, loops: 2, latency: SimulatedNetwork.Latency(.milliseconds(5), .milliseconds(400)),
      routes: [
        ScreenRoute(name: "board", scope: .room) { context in
          InputOutputScreen(
            try BoardViewModel(context, CardsInFile(api, context), state: try context.restored()),
            name: "board")
        }
      ])
    defer { network.end() }
    let random = RandomSource(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let people = (0..<50).map { BoardPage(network, part: $0 % 5 == 0 ? "todo" : "") }
    network.run(until: network.now + .seconds(5))
    var next: UInt32 = 0x4e00
    let end = network.now + .seconds(Self.isLong ? 60 : 20)
    while network.now < end {
      network.run(until: network.now + .milliseconds(150))
      let person = people[below(50)]
      // Mostly the first cards, so that people meet.
      let cards = person.cards.prefix([3, 30][below(2)]).map(\.id)
      guard let card = cards.isEmpty ? nil : cards[below(cards.count)] else { continue }
      switch below(100) {
      case 0..<80:
        next += 1
        person.type(Character(Unicode.Scalar(next) ?? "?"), into: card)
      case 80..<88:
        person.move(card, before: cards[below(cards.count)], to: ["todo", "doing", "done"][below(3)])
      case 88..<90: person.tap("delete", card: card)
      case 90..<92: if let deleted = person.deleted { person.tap("undo", card: deleted) }
      case 92..<93: person.tap("add")
      default: person.cut()
      }
    }
    for _ in 0..<60 where !people.allSatisfy(\.isSettled) { network.run(until: network.now + .seconds(1)) }
    let fresh = BoardPage(network)
    network.run(until: network.now + .seconds(2))
    for person in people + [fresh] { person.look(400) }
    network.run(until: network.now + .seconds(5))

    let cards = fresh.cards
    let todo = try api.cards(of: "lobby").there.filter { $0.column == .todo }.map(\.id)
    #expect(cards.count > 250)
    #expect(cards.map(\.title) == (try api.cards(of: "lobby").there.map(\.title)))
    for (number, person) in (people + [fresh]).enumerated() {
      #expect(person.problems == [], "person \(number) of seed \(seed)")
      let expected = number % 5 == 0 && number < 50 ? cards.filter { todo.contains($0.id) } : cards
      #expect(
        person.cards.map { "\($0.id) \($0.title)" } == expected.map { "\($0.id) \($0.title)" },
        "person \(number) of seed \(seed)")
    }
    // What was typed is there once, unless its card has gone meanwhile.
    let titles = Dictionary(uniqueKeysWithValues: cards)
    let orphans = Set(people.flatMap { $0.session.orphanedTexts.flatMap { Array($0.text) } })
    for key in people.flatMap(\.typed) where !orphans.contains(key.character) {
      guard let title = titles[key.card] else { continue }
      #expect(title.filter { $0 == key.character }.count == 1, "\(key) of seed \(seed)")
    }
  }
}

@Suite struct `A board without cards` {
  @Test func `ends when its last page leaves`() throws {
    let api = try BoardAPI(folder: nil)
    let network = SimulatedNetwork(
      seed: 1,
      routes: [
        ScreenRoute(name: "board", scope: .room(default: "lobby")) { context in
          InputOutputScreen(
            try BoardViewModel(context, CardsInFile(api, context), state: try context.restored()),
            name: "board")
        }
      ])
    defer { network.end() }
    func settle() { network.run(until: network.now + .seconds(2)) }
    let pages = [BoardPage(network), BoardPage(network)]
    settle()
    pages[0].tap("add")
    settle()
    pages[0].tap("delete", card: try #require(pages[0].cards.first?.id))
    settle()
    pages[1].leave()
    settle()
    #expect(try api.cards(of: "lobby").deleted.count == 1)
    pages[0].leave()
    settle()
    #expect(try api.cards(of: "lobby").deleted.isEmpty)
  }
}
