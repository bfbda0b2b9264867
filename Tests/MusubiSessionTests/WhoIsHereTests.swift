// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// A board that tells who is there: `1 ann, 2 bob~, 3 ? text` are Ann, Bob who is idle, and somebody who types into `text`.
private final class BoardViewModel: InputOutputViewModel, Restorable {
  struct Card: Codable, Identifiable, Equatable {
    let id: Int
    var title: String
  }

  struct Inputs: Decodable {
    var text: Signal<String> = .never()
    var title: Signal<RowText<Int>> = .never()
    var secret: Signal<String> = .never()
    var tap: Signal<Void> = .never()
    var look: Signal<Void> = .never()
    var open: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let text: Driver<String>
    let secret: Driver<String>
    let cards: Driver<[Card]>
    let people: Driver<[Presence.Person]>
    let told: Driver<String>
    let actor: Driver<String>
    let card: Signal<CardViewModel>
  }

  static var rules: [InputRule<Inputs>] { [.allow(\.secret, for: .role("host"))] }

  private(set) var state = 0
  private let context: ScreenContext
  private let asksLate: Bool
  private let cards = BehaviorRelay(value: [Card(id: 7, title: "")])
  private let bag = DisposeBag()

  init(_ context: ScreenContext, asksLate: Bool = false) throws {
    self.context = context
    self.asksLate = asksLate
    state = try context.restored() ?? 0
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.tap.emit(onNext: { [unowned self] in state += 1 }).disposed(by: bag)
    inputs.title.emit(onNext: { [cards] in cards.accept([Card(id: $0.id, title: $0.text)]) }).disposed(
      by: bag)
    let presence: Driver<Presence> =
      asksLate
      ? inputs.look.asDriver(onErrorDriveWith: .empty()).flatMapLatest { [context] in context.presence }
      : context.presence
    return Outputs(
      text: inputs.text.asDriver(onErrorJustReturn: ""),
      secret: inputs.secret.asDriver(onErrorJustReturn: ""),
      cards: cards.asDriver(), people: presence.map(\.people), told: presence.map(Self.text),
      actor: presence.map { [context] _ in context.visitor.id ?? "nobody" },
      card: inputs.open.map { CardViewModel() })
  }

  static func text(_ presence: Presence) -> String {
    let listed = presence.people.map { person in
      "\(person.id) \(person.name ?? "?")\(person.isIdle ? "~" : "")\(person.typing.map { " \($0)" } ?? "")"
    }
    let more = presence.count - presence.people.count
    return (listed + (more > 0 ? ["and \(more) more"] : [])).joined(separator: ", ")
  }
}

/// A card that one opens from the board.
private final class CardViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let title: Driver<String> }

  let state = 0

  func bind(_ inputs: Inputs) -> Outputs { Outputs(title: .just("card")) }
}

/// A long list of which each page looks at a part.
private final class ShelfViewModel: InputOutputViewModel {
  struct Book: Codable, Identifiable { let id: Int }
  struct Inputs: Decodable { var tap: Signal<Void> = .never() }

  struct Outputs: Encodable {
    let books: Driver<RowArray<Book>>
    let told: Driver<String>
  }

  private let context: ScreenContext

  init(_ context: ScreenContext) { self.context = context }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      books: .just(RowArray((0..<100).map { Book(id: $0) })), told: context.presence.map(BoardViewModel.text))
  }
}

/// A lobby that tells who is in the rooms `tea` and `coffee` of the board, and how many show the number `tea`.
private final class LobbyViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}

  struct Outputs: Encodable {
    let tea: Driver<String>
    let coffee: Driver<String>
    let number: Driver<Int>
    let nowhere: Driver<Int>
  }

  private let context: ScreenContext

  init(_ context: ScreenContext) { self.context = context }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      tea: context.presence(in: "tea", of: "board").map(Self.names),
      coffee: context.presence(in: "coffee", of: "board").map(Self.names),
      number: context.presence(in: "tea", of: "number").map(\.count),
      nowhere: context.presence(in: "tea", of: "nothing").map(\.count))
  }

  private static func names(_ presence: Presence) -> String {
    presence.people.map { $0.name ?? "?" }.joined(separator: ", ")
  }
}

@Suite struct `Who is in a room` {
  private let network: SimulatedNetwork
  private static let second = Duration.seconds(1)

  init() { network = Self.network() }

  private static func network(
    loops: Int = 1, store: SimulatedStore? = nil,
    _ configuration: SessionConfiguration = SessionConfiguration()
  ) -> SimulatedNetwork {
    SimulatedNetwork(
      seed: 11, loops: loops, configuration: configuration, store: store,
      routes: [
        ScreenRoute(name: "board", scope: .room) { InputOutputScreen(try BoardViewModel($0), name: "board") },
        ScreenRoute(name: "late", scope: .room) {
          InputOutputScreen(try BoardViewModel($0, asksLate: true), name: "late")
        },
        ScreenRoute(
          name: "card", scope: .session, path: "/card", type: ObjectIdentifier(CardViewModel.self)
        ) { _ in InputOutputScreen(CardViewModel(), name: "card") },
        ScreenRoute(name: "lobby", scope: .session) {
          InputOutputScreen(LobbyViewModel($0), name: "lobby")
        },
        ScreenRoute(name: "shelf", scope: .room) {
          InputOutputScreen(ShelfViewModel($0), name: "shelf")
        },
        .number,
      ],
      authorize: { request in
        let words = request.headers["cookie"]?.split(separator: " ").map(String.init) ?? []
        return Visitor(id: words.first.map { "id of \($0)" }, displayName: words.first, logIn: words.last)
      })
  }

  private func settle(_ time: Duration = second) { settle(network, time) }

  private func settle(_ network: SimulatedNetwork, _ time: Duration = second) {
    network.run(until: network.now + time)
  }

  private func page(_ visitor: String = "", _ screen: String = "board", in network: SimulatedNetwork? = nil)
    -> RawPage
  {
    let network = network ?? self.network
    let page = RawPage(network, screen, as: visitor)
    settle(network)
    return page
  }

  private func told(_ page: RawPage) -> String? { page.state["told"]?.stringValue }

  // MARK: - Coming and going

  @Test func `a visitor is one person, with one page or several`() {
    let (ann, watcher) = (page("ann secret"), page("bob"))
    let second = page("ann secret")
    #expect(told(watcher) == "1 ann, 2 bob")

    ann.link?.leave()
    settle()
    #expect(told(watcher) == "1 ann, 2 bob", "Her other page is open.")

    second.link?.leave()
    settle()
    #expect(told(watcher) == "2 bob")
  }

  @Test func `nobody knows whether two anonymous pages are the same person`() {
    let watcher = page()
    _ = page()

    #expect(told(watcher) == "1 ?, 2 ?")
  }

  @Test func `a page does not get the ids and log-ins of others`() {
    _ = page("ann secret")
    let watcher = page("bob")

    let people = watcher.state["people"]?.description ?? ""
    #expect(people.contains(#""name":"ann""#))
    #expect(!people.contains("id of"))
    #expect(!people.contains("secret"))
    guard case .array(let rows) = watcher.state["people"], case .object(let first) = rows.first else {
      return #expect(Bool(false), "no row: \(people)")
    }
    #expect(Set(first.map(\.key)) == ["id", "name", "since", "isIdle", "typing"])
  }

  @Test(arguments: [false, true]) func `a page that is closed has left within a second`(saysGoodBye: Bool) {
    let (ann, watcher) = (page("ann"), page("bob"))

    if saysGoodBye { ann.link?.leave() } else { ann.link?.drop() }
    settle()

    #expect(told(watcher) == "2 bob")
  }

  @Test(arguments: [false, true]) func `a reload shows nobody as gone`(isResumed: Bool) {
    let (ann, watcher) = (page("ann"), page("bob"))
    let since = watcher.state["people"]
    watcher.mark()

    ann.link?.leave()
    settle(.milliseconds(500))
    if isResumed { ann.resume() } else { ann.connect([:]) }
    settle(.seconds(3))

    #expect(watcher.new.isEmpty)
    #expect(watcher.state["people"] == since)
  }

  @Test func `an anonymous page is the same person after a reload, and later another arrival of the same`() {
    let (page, watcher) = (page(), page())
    watcher.mark()
    page.link?.leave()
    settle(.milliseconds(500))
    page.resume()
    settle()
    #expect(watcher.new.isEmpty)

    page.link?.leave()
    settle()
    #expect(told(watcher) == "2 ?")
    page.resume()
    settle()
    #expect(told(watcher) == "2 ?, 1 ?")
  }

  @Test func `a page that comes back twice within the grace is not ended by the first departure`() {
    let (ann, watcher) = (page("ann"), page("bob"))
    watcher.mark()

    ann.link?.leave()
    settle(.milliseconds(300))
    ann.resume()
    settle(.milliseconds(300))
    ann.link?.leave()
    settle(.milliseconds(300))
    ann.resume()
    settle(.seconds(3))

    #expect(watcher.new.isEmpty)
  }

  @Test func `a page on another screen is not here until it is back`() {
    let (ann, watcher) = (page("ann"), page("bob"))

    ann.send(#"{"input":1,"name":"open"}"#)
    settle()
    #expect(told(watcher) == "2 bob")

    ann.send(#"{"input":2,"back":1}"#)
    settle()
    #expect(told(watcher) == "2 bob, 1 ann")
  }

  @Test func `a session that ends takes its pages along`() {
    let (ann, watcher) = (page("ann"), page("bob"))

    let sessions = network.services.compactMap { $0 as? SessionLoop }
    sessions[0].endSessions(of: SignedOut("id of ann")) { _ in }
    settle()

    #expect(!ann.isUp)
    #expect(told(watcher) == "2 bob")
  }

  @Test func `pages on all loops count`() {
    let network = Self.network(loops: 3)
    let pages = (1...12).map { page("visitor\($0)", in: network) }
    #expect(Set(pages.compactMap { $0.link?.loop }) == [0, 1, 2])
    let all = (1...12).map { "\($0) visitor\($0)" }
    for page in pages { #expect(told(page) == all.joined(separator: ", ")) }

    for page in pages.dropFirst(2) { page.link?.leave() }
    settle(network)

    #expect(told(pages[0]) == "1 visitor1, 2 visitor2")
    #expect(told(pages[1]) == "1 visitor1, 2 visitor2")
  }

  @Test func `after a restart people come back as their pages do`() {
    let network = Self.network(store: SimulatedStore())
    let (ann, bob) = (page("ann", in: network), page("bob", in: network))
    ann.send(#"{"input":1,"name":"tap"}"#)
    settle(network)

    network.restartServer()
    settle(network)
    bob.resume()
    settle(network)
    #expect(told(bob) == "2 bob")

    ann.resume()
    settle(network)
    #expect(told(bob) == "2 bob, 1 ann")
    #expect(network.failures == [])
  }

  @Test func `a restart forgets a page that lies below another screen until it is back`() {
    let network = Self.network(store: SimulatedStore())
    let (ann, bob) = (page("ann", in: network), page("bob", in: network))
    ann.send(#"{"input":1,"name":"open"}"#)
    settle(network)

    network.restartServer()
    settle(network)
    for page in [ann, bob] { page.resume() }
    settle(network)
    #expect(told(bob) == "2 bob")

    ann.send(#"{"input":2,"back":1}"#)
    settle(network)
    #expect(told(bob) == "2 bob, 1 ann")
  }

  // MARK: - What they do

  @Test func `somebody who sends nothing is idle after a minute to 75 seconds, whichever page is used`() {
    let (ann, watcher) = (page("ann"), page("bob"))
    let second = page("ann")
    settle(.seconds(20))
    second.send(#"{"input":1,"name":"tap"}"#)
    settle(.seconds(59))
    #expect(told(watcher) == "1 ann, 2 bob~")

    settle(.seconds(17))
    #expect(told(watcher) == "1 ann~, 2 bob~")

    ann.send(#"{"input":1,"name":"tap"}"#)
    settle()
    #expect(told(watcher) == "1 ann, 2 bob~")
    settle(.seconds(76))
    #expect(told(watcher) == "1 ann~, 2 bob~")
  }

  @Test func `a page that looks at other rows by itself shows nothing of its visitor`() {
    let watcher = RawPage(network, "shelf", as: "ann")
    settle(.seconds(80))
    #expect(told(watcher) == "1 ann~")

    watcher.send(#"{"input":1,"name":"books","value":{"first":10,"count":5}}"#)
    settle()
    #expect(watcher.personals.last?["books"]?["first"] == 10)
    #expect(told(watcher) == "1 ann~")

    watcher.send(#"{"input":2,"name":"tap"}"#)
    settle()
    #expect(told(watcher) == "1 ann")
  }

  @Test func `a configuration says when somebody is idle`() {
    var configuration = SessionConfiguration()
    configuration.idleAfter = .seconds(8)
    let network = Self.network(configuration)
    let watcher = page("ann", in: network)

    settle(network, .seconds(6))
    #expect(told(watcher) == "1 ann")
    settle(network, .seconds(4))
    #expect(told(watcher) == "1 ann~")
  }

  @Test(arguments: [false, true])
  func `typing is told at once, and has ended four seconds after the last key`(
    byEdits: Bool
  ) {
    let (ann, watcher) = (page("ann"), page("bob"))
    for number in 1...8 {
      ann.send(
        byEdits
          ? #"{"input":\#(number),"name":"text","revision":\#(number - 1),"edits":[[0,0,"x"]]}"#
          : #"{"input":\#(number),"name":"text","value":"\#(number)"}"#)
      settle()
      #expect(told(watcher) == "1 ann text, 2 bob")
    }

    settle(.seconds(2) - .milliseconds(100))
    #expect(told(watcher) == "1 ann text, 2 bob")
    settle(.seconds(2))
    #expect(told(watcher) == "1 ann, 2 bob")
  }

  @Test func `typing in a row has the name of its binding`() {
    let (ann, watcher) = (page("ann"), page("bob"))
    let sequence = ann.position[1]

    ann.send(#"{"input":1,"name":"title","row":["7"],"sequence":\#(sequence),"edits":[[0,0,"x"]]}"#)
    settle()

    #expect(told(watcher) == "1 ann title, 2 bob")
  }

  @Test func `another input ends typing, and so does the departure of its page`() {
    let (ann, watcher) = (page("ann"), page("bob"))
    let second = page("ann")
    ann.send(#"{"input":1,"name":"text","value":"x"}"#)
    settle()
    ann.send(#"{"input":2,"name":"tap"}"#)
    settle()
    #expect(told(watcher) == "1 ann, 2 bob")

    ann.send(#"{"input":3,"name":"text","value":"y"}"#)
    settle()
    second.send(#"{"input":1,"name":"tap"}"#)
    settle()
    #expect(told(watcher) == "1 ann text, 2 bob", "It is another page's input.")
    ann.link?.leave()
    settle()
    #expect(told(watcher) == "1 ann, 2 bob")
  }

  @Test func `what a page may not type, and what there is not, is no typing`() {
    let (ann, watcher) = (page("ann"), page("bob"))

    ann.send(#"{"input":1,"name":"secret","revision":0,"edits":[[0,0,"x"]]}"#)
    ann.send(#"{"input":2,"name":"nonsense","revision":0,"edits":[[0,0,"x"]]}"#)
    ann.send(#"{"input":3,"name":"nonsense","value":"x"}"#)
    settle()

    #expect(told(watcher) == "1 ann, 2 bob")
  }

  @Test func `what time brings is nobody's doing`() {
    let ann = page("ann")
    ann.send(#"{"input":1,"name":"text","value":"x"}"#)
    settle()
    #expect(ann.state["actor"] == "id of ann")

    settle(.seconds(4))

    #expect(told(ann) == "1 ann")
    #expect(ann.state["actor"] == "nobody")
  }

  // MARK: - From elsewhere

  private func enter(
    _ room: String, _ visitor: String, _ screen: String = "board", in network: SimulatedNetwork
  )
    -> RawPage
  {
    let page = RawPage(network, screen, query: ["room": room], as: visitor)
    settle(network)
    return page
  }

  @Test(arguments: [1, 2, 5]) func `a screen follows rooms that are not its own, on any loop`(loops: Int) {
    let network = Self.network(loops: loops)
    let ann = enter("tea", "ann", in: network)
    let lobby = page("eve", "lobby", in: network)
    #expect(lobby.state["tea"] == "ann" && lobby.state["coffee"] == "" && lobby.state["nowhere"] == 0)

    let bob = enter("tea", "bob", in: network)
    let cid = enter("coffee", "cid", in: network)
    #expect(lobby.state["tea"] == "ann, bob" && lobby.state["coffee"] == "cid")

    for page in [ann, bob, cid] { page.link?.leave() }
    settle(network)
    #expect(lobby.state["tea"] == "" && lobby.state["coffee"] == "")
  }

  @Test func `a room whose own ViewModel does not ask is followed, too`() {
    let lobby = page("eve", "lobby")
    _ = enter("tea", "ann", "number", in: network)
    let second = enter("tea", "bob", "number", in: network)
    #expect(lobby.state["number"] == 2)

    second.link?.leave()
    settle()
    #expect(lobby.state["number"] == 1)
  }

  @Test func `a lobby that comes back shows who is there by then`() {
    let lobby = page("eve", "lobby")
    lobby.link?.drop()
    settle()
    _ = enter("tea", "ann", in: network)

    lobby.resume()
    settle()

    #expect(lobby.state["tea"] == "ann")
  }

  @Test func `a room that nobody follows any more is let go of`() {
    let tea = PresenceExchange.Place(screen: "board", room: "tea")
    let lobby = page("eve", "lobby")
    #expect(network.presence.relay(of: tea) != nil)

    lobby.link?.leave()
    settle(.seconds(3_600))
    #expect(network.presence.relay(of: tea) == nil)

    _ = enter("tea", "ann", in: network)
    #expect(page("eve", "lobby").state["tea"] == "ann")
  }

  @Test func `after a restart a lobby follows the rooms of the new server`() {
    let store = SimulatedStore()
    let network = Self.network(loops: 2, store: store)
    let (ann, lobby) = (enter("tea", "ann", in: network), page("eve", "lobby", in: network))
    #expect(lobby.state["tea"] == "ann")

    network.restartServer()
    settle(network)
    lobby.connect([:])
    settle(network)
    #expect(lobby.state["tea"] == "")
    ann.resume(["room": "tea"])
    settle(network)

    #expect(lobby.state["tea"] == "ann")
  }

  // MARK: - Bounds

  @Test func `those who came first are listed, and the others counted`() {
    var configuration = SessionConfiguration()
    configuration.maxListedPeople = 2
    let network = Self.network(configuration)
    let pages = ["ann", "bob", "cid", "dan"].map { page($0, in: network) }
    let watcher = pages[0]
    #expect(told(watcher) == "1 ann, 2 bob, and 2 more")
    watcher.mark()

    pages[3].send(#"{"input":1,"name":"secret","value":"x"}"#)
    pages[3].send(#"{"input":2,"name":"text","value":""}"#)
    settle(network)
    #expect(
      !watcher.new.contains { $0.description.contains("told") },
      "Nobody sees that somebody types who is not listed.")

    pages[1].link?.leave()
    settle(network)
    #expect(told(watcher) == "1 ann, 3 cid, and 1 more")
  }

  @Test func `many who type at once are told five times a second`() {
    let pages = (1...40).map { RawPage(network, "board", as: "visitor\($0)") }
    settle(.seconds(2))
    let watcher = pages[0]
    watcher.mark()

    for (index, page) in pages.enumerated() {
      network.schedule(network.now + .milliseconds(25 * index)) {
        page.send(#"{"input":1,"name":"text","value":""}"#)
      }
    }
    settle(.seconds(2))

    #expect(told(watcher)?.split(separator: " text", omittingEmptySubsequences: false).count == 41)
    #expect((2...7).contains(watcher.new.count { $0["patch"] != nil }))
  }

  @Test func `a room that nobody asks has no tracker, and one that is asked late knows who is there`() {
    _ = page("ann", "number")
    let late = page("ann", "late")
    _ = page("bob", "late")
    let rooms = network.services.compactMap { ($0 as? SessionLoop)?.rooms }[0]
    #expect(rooms.all.map { $0.presence == nil } == [true, true])

    late.send(#"{"input":1,"name":"look"}"#)
    settle()

    #expect(told(late) == "1 ann, 2 bob")
  }
}
