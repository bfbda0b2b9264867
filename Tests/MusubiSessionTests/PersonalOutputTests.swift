// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// A round of cards: all see how many there are, each person the own hand.
private final class CardsViewModel: InputOutputViewModel {
  struct Card: Encodable, Identifiable {
    let id: Int
    var title: String
  }

  struct Inputs: Decodable {
    var draw: Signal<Sent<Void>> = .never()
    var play: Signal<Sent<Int>> = .never()
  }

  struct Outputs: Encodable {
    let count: Driver<Int>
    let cards: Driver<[Card]>
  }

  struct PersonalOutputs: Encodable {
    let cards: [Card]
  }

  private let owners = BehaviorRelay<[String]>(value: [])
  private let bag = DisposeBag()

  func personalOutputs(for visitor: Visitor) -> PersonalOutputs? {
    guard let id = visitor.id else { return nil }
    let cards = owners.value.enumerated().map { Card(id: $0, title: $1 == id ? "card \($0)" : "?") }
    return PersonalOutputs(cards: cards)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.draw.emit(onNext: { [owners] in owners.accept(owners.value + [$0.sender.id ?? "nobody"]) })
      .disposed(by: bag)
    inputs.play.emit(onNext: { [owners] in owners.accept(Array(owners.value.prefix($0.value))) })
      .disposed(by: bag)
    return Outputs(
      count: owners.map(\.count).asDriver(onErrorJustReturn: 0),
      cards: owners.map { $0.indices.map { Card(id: $0, title: "?") } }.asDriver(onErrorJustReturn: []))
  }
}

/// Opens a round on top of itself.
private final class HallViewModel: InputOutputViewModel {
  struct Inputs: Decodable { var open: Signal<Void> = .never() }
  struct Outputs: Encodable { let round: Signal<CardsViewModel> }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(round: inputs.open.map { CardsViewModel() }) }
}

@Suite(.timeLimit(.minutes(5))) struct `A value for one visitor alone` {
  private static func network(loops: Int = 1) -> SimulatedNetwork {
    let door = Doorkeeper()
    let routes = [
      ScreenRoute(name: "cards", scope: .room) { _ in InputOutputScreen(CardsViewModel(), name: "cards") },
      ScreenRoute(name: "hall", scope: .session) { _ in InputOutputScreen(HallViewModel(), name: "hall") },
      ScreenRoute(
        name: "round", scope: .session, path: "/hall/round", type: ObjectIdentifier(CardsViewModel.self)
      ) { _ in InputOutputScreen(CardsViewModel(), name: "round") },
    ]
    return SimulatedNetwork(
      seed: 5, loops: loops, routes: routes, authorize: { try door.visitor(of: $0) })
  }

  private static func settle(_ network: SimulatedNetwork) {
    network.run(until: network.now + .milliseconds(500))
  }

  private static func personal(_ page: RawPage) -> [Value] { page.personals }

  @Test(arguments: [1, 3])
  func `comes to that visitor's pages, when it changes, and to no other`(_ loops: Int) {
    let network = Self.network(loops: loops)
    let ann = RawPage(network, "cards", as: "ann")
    let bob = RawPage(network, "cards", as: "bob")
    let nobody = RawPage(network, "cards")
    Self.settle(network)
    ann.send(#"{"input":1,"name":"draw"}"#)
    Self.settle(network)

    #expect(Self.personal(ann).last?["cards"] == [["id": 0, "title": "card 0"]])
    #expect(Self.personal(bob).last?["cards"] == [["id": 0, "title": "?"]])
    #expect(Self.personal(nobody) == [Value.object(Value.Object())], "Also that there is nothing.")
    #expect(nobody.state["cards"] == [["id": 0, "title": "?"]])
    for page in [bob, nobody] { #expect(!page.frames.contains { $0.contains("card 0") }) }
    let told = [ann, bob].map { Self.personal($0).count }
    nobody.send(#"{"input":1,"name":"play","value":9}"#)
    Self.settle(network)
    #expect([ann, bob].map { Self.personal($0).count } == told, "Nothing has changed.")
  }

  @Test func `is told again when the page comes back, and is about who it is then`() {
    let network = Self.network()
    let page = RawPage(network, "cards", as: "ann")
    Self.settle(network)
    page.send(#"{"input":1,"name":"draw"}"#)
    Self.settle(network)
    let hand = Self.personal(page).last
    page.link?.drop()
    Self.settle(network)
    page.resume()
    Self.settle(network)

    #expect(page.values.last { $0["resumed"] != nil || $0["personal"] != nil }?["personal"] == hand)
  }

  @Test(arguments: [1, 3]) func `is the newcomer's when somebody else comes back, or signs in`(_ loops: Int) {
    for (before, after, wanted) in [("ann", "bob", "?"), ("ann", "", nil), ("", "ann", "card 0")] {
      let network = Self.network(loops: loops)
      let ann = RawPage(network, "cards", as: "ann")
      let page = RawPage(network, "cards", as: before)
      Self.settle(network)
      ann.send(#"{"input":1,"name":"draw"}"#)
      Self.settle(network)
      #expect(page.frames.contains { $0.contains("card 0") } == (before == "ann"))
      page.link?.drop()
      Self.settle(network)
      let (session, token, position) = (page.session, page.token, page.position)
      page.clear()
      page.visitor = after
      page.resume(session: session, token: token, position: position)
      Self.settle(network)

      #expect(page.last("error")?["code"] == "visitor-changed")
      let cards = wanted.map { Value.array([["id": 0, "title": .string($0)]]) }
      #expect(Self.personal(page).map { $0["cards"] } == [cards], "\(before) \(after)")
      #expect(page.frames.contains { $0.contains("card 0") } == (after == "ann"))
    }
  }

  @Test func `is told behind a hand-over, before which the page looks at nothing`() {
    let network = Self.network()
    let page = RawPage(network, "cards", as: "ann")
    Self.settle(network)
    network.restartServer()
    Self.settle(network)
    page.resume()
    Self.settle(network)
    page.mark()
    page.send(#"{"handOver":{"position":["E",1],"lineage":[]}}"#)
    Self.settle(network)

    #expect(
      page.new.compactMap { $0["handedOver"] != nil ? "handed over" : $0["personal"]?.description } == [
        "handed over", #"{"cards":[]}"#,
      ])
  }

  @Test func `comes with the number of a further screen, also when the page comes back`() {
    let network = Self.network()
    let page = RawPage(network, "hall", as: "ann")
    Self.settle(network)
    page.send(#"{"input":1,"name":"open"}"#)
    page.send(#"{"input":2,"screen":1,"name":"draw"}"#)
    Self.settle(network)
    let hand: Value = ["personal": ["cards": [["id": 0, "title": "card 0"]]], "screen": 1]
    #expect(page.values.last { $0["personal"] != nil } == hand)
    page.link?.drop()
    Self.settle(network)
    let (session, token, position) = (page.session, page.token, page.position)
    page.clear()
    page.resume(session: session, token: token, position: position)
    Self.settle(network)
    #expect(page.values.filter { $0["personal"] != nil } == [hand])

    page.link?.drop()
    Self.settle(network)
    page.visitor = "bob"
    page.clear()
    page.resume(session: session, token: token, position: position)
    page.send(#"{"input":1,"name":"open"}"#)
    Self.settle(network)
    #expect(!page.frames.contains { $0.contains("card 0") })
  }

  @Test func `waits for a page that does not read, the newest alone, and is its visitor's memory`() throws {
    let network = Self.network()
    let bob = RawPage(network, "cards", as: "bob")
    Self.settle(network)
    let ann = RawPage(network, "cards", as: "ann")
    Self.settle(network)
    let told = Self.personal(bob).count
    let hub = try #require(network.services.first as? SessionLoop)
    let visit = try #require(hub.sessions.visits.first { $0.session?.visitor.id == "bob" })
    var bytes: Int { hub.memory.existing(.identity("ann"))?.bytes ?? 0 }
    let before = bytes

    bob.link?.isStalled = true
    for number in 1...100 {
      ann.send(#"{"input":\#(number),"name":"draw"}"#)
      network.run(until: network.now + .milliseconds(100))
    }
    #expect(visit.outboxBytes == 0)
    #expect(bytes > before + 10_000 && bytes < before + 100_000)
    bob.link?.isStalled = false
    Self.settle(network)
    let news = Self.personal(bob).dropFirst(told)
    #expect(news.count <= 3 && news.last?["cards"]?.arrayValue?.count == 100)
    #expect(bob.state["count"] == 100)
    ann.link?.drop()
    Self.settle(network)

    #expect(bytes < before)
    #expect(hub.sessions.all.count { $0.members.contains { $0.news != nil } } == 1)
  }
}
