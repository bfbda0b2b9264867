// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiText
import MusubiWire
import Testing

@testable import MusubiSession

/// A long list of cards whose titles and texts are typed.
private final class CardsViewModel: InputOutputViewModel, Restorable {
  struct Card: Codable, Identifiable {
    let id: Int
    var title: String
    var text = ""
  }

  struct Typed: Decodable {
    let id: Int
    let value: String
  }

  struct Inputs: Decodable {
    var title: Signal<Typed> = .never()
    var text: Signal<Typed> = .never()
    var remove: Signal<Int> = .never()
    var shout: Signal<Int> = .never()
    var add: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let cards: Driver<RowArray<Card>>
  }

  private let cards: BehaviorRelay<[Card]>
  private let bag = DisposeBag()

  var state: [Card] { cards.value }

  init(_ count: Int, restoring stored: [Card]?) {
    cards = BehaviorRelay(value: stored ?? (0..<count).map { Card(id: $0, title: "card \($0)") })
  }

  private func change(_ id: Int, _ body: (inout Card) -> Void) {
    var all = cards.value
    guard let place = all.firstIndex(where: { $0.id == id }) else { return }
    body(&all[place])
    cards.accept(all)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.title.emit(onNext: { [unowned self] typed in change(typed.id) { $0.title = typed.value } })
      .disposed(by: bag)
    inputs.text.emit(onNext: { [unowned self] typed in change(typed.id) { $0.text = typed.value } })
      .disposed(by: bag)
    inputs.shout.emit(onNext: { [unowned self] id in change(id) { $0.title = $0.title.uppercased() } })
      .disposed(by: bag)
    inputs.remove.emit(onNext: { [cards] id in cards.accept(cards.value.filter { $0.id != id }) })
      .disposed(by: bag)
    inputs.add.emit(onNext: { [cards] in
      cards.accept([Card(id: cards.value.count, title: "new")] + cards.value)
    }).disposed(by: bag)
    return Outputs(cards: cards.map { RowArray($0) }.asDriver(onErrorJustReturn: RowArray([])))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A text in a row of a long list` {
  private static let rest = Duration.seconds(60)

  private static func network(
    loops: Int = 1, rows: Int = 5_000, store: SimulatedStore? = nil
  ) -> SimulatedNetwork {
    SimulatedNetwork(
      seed: 7, loops: loops, store: store,
      routes: [
        ScreenRoute(name: "cards", scope: .room) { context in
          InputOutputScreen(CardsViewModel(rows, restoring: try context.restored()), name: "cards")
        }
      ])
  }

  private static func page(_ network: SimulatedNetwork, edits: Bool = true) -> RawPage {
    let page = RawPage(network, "cards", query: edits ? ["edits": "1"] : [:])
    settle(network)
    return page
  }

  private static func settle(_ network: SimulatedNetwork, _ time: Duration = .milliseconds(500)) {
    network.run(until: network.now + time)
  }

  private static func send(_ page: RawPage, _ network: SimulatedNetwork, _ frames: String...) {
    page.clear()
    for frame in frames { page.send(frame) }
    settle(network)
  }

  private static func snapshot(_ network: SimulatedNetwork) -> Value? { page(network).last("snapshot") }

  private static func errors(_ page: RawPage) -> [String] {
    page.values.compactMap { $0["error"]?["code"]?.stringValue }
  }

  @Test(arguments: [1, 3]) func `is told to all pages from its first edit on, whatever they look at`(
    _ loops: Int
  ) {
    let network = Self.network(loops: loops)
    let (ann, bob) = (Self.page(network), Self.page(network))
    #expect(ann.last("snapshot") == ["cards": ["count": 5_000], "cards..edited": []])
    Self.send(bob, network, #"{"input":1,"name":"cards","value":{"first":4000,"count":2}}"#)

    bob.clear()
    Self.send(
      ann, network, #"{"input":1,"name":"title","row":"7","sequence":0,"shown":"card 7","edits":[[6,0,"!"]]}"#
    )

    let key = "/cards..edited/7/title"
    for page in [ann, bob] {
      let turns = page.values.filter { $0["sequence"] != nil }
      #expect(
        turns.first?["patch"] == [
          ["op": "add", "path": "/cards..edited/0", "value": ["id": 7, "title": "card 7", "text": ""]]
        ])
      #expect(turns.last?["edits"]?[key] == ["revision": 1, "text": "card 7", "steps": [[[6, 0, "!"]]]])
      #expect(
        turns.last?["patch"] == [["op": "replace", "path": "/cards..edited/0/title", "value": "card 7!"]])
    }
    #expect(ann.frames.contains(#"{"ack":1,"revision":1}"#))

    let late = Self.page(network)
    #expect(
      late.last("snapshot")?["cards..edited"] == [
        ["id": 7, "title": "card 7!", "text": "", "title.field": "card 7!"]
      ])
    #expect(late.values.last { $0["revisions"] != nil }?["revisions"] == [.init(key): 1])
  }

  @Test func `is merged when several begin to type at once`() {
    let network = Self.network()
    let (one, other) = (Self.page(network), Self.page(network))

    one.send(#"{"input":1,"name":"title","row":"1","sequence":0,"shown":"card 1","edits":[[0,0,"A"]]}"#)
    one.send(#"{"input":2,"name":"title","row":"1","sequence":0,"shown":"card 1","edits":[[1,0,"B"]]}"#)
    other.send(#"{"input":1,"name":"title","row":"1","sequence":0,"shown":"card 1","edits":[[6,0,"Z"]]}"#)
    other.send(#"{"input":2,"name":"text","row":"1","sequence":0,"shown":"","edits":[[0,0,"T"]]}"#)
    Self.settle(network)

    let row = Self.snapshot(network)?["cards..edited"]?[0]
    #expect(row?["title.field"] == "ABcard 1Z" && row?["title"] == "ABcard 1Z")
    #expect(row?["text.field"] == "T")
  }

  @Test func `that is another one than the page shows has it come back, and then takes the edit`() {
    let network = Self.network()
    let page = Self.page(network)

    Self.send(
      page, network, #"{"input":1,"name":"title","row":"3","sequence":0,"shown":"old","edits":[[3,0,"!"]]}"#)
    #expect(page.closeCode == CloseCode.slowConsumer.rawValue)

    page.resume(["edits": "1"])
    Self.settle(network)
    let revision = page.values.compactMap { $0["revisions"]?["/cards..edited/3/title"]?.intValue }.last
    #expect(revision == 0)
    // Inputs wait for hand-overs, because a page has come back.
    Self.settle(network, .seconds(10))
    Self.send(
      page, network, #"{"input":1,"name":"title","row":"3","revision":0,"edits":[[6,0,"!"]]}"#)
    #expect(Self.errors(page) == [])
    #expect(
      page.values.compactMap { $0["edits"]?["/cards..edited/3/title"] } == [
        ["revision": 1, "steps": [[[6, 0, "!"]]]]
      ])
  }

  @Test func `follows the ViewModel, and its row when others come before it`() {
    let network = Self.network()
    let page = Self.page(network)
    Self.send(
      page, network,
      #"{"input":1,"name":"title","row":"2","sequence":0,"shown":"card 2","edits":[[0,1,"b"]]}"#)

    Self.send(page, network, #"{"input":2,"name":"shout","row":"2"}"#, #"{"input":3,"name":"add"}"#)
    let steps = page.values.compactMap { $0["edits"]?["/cards..edited/2/title"]?["steps"] }
    #expect(steps == [[[[0, 4, "BARD"]]]])
    Self.send(
      page, network, #"{"input":4,"name":"title","row":"2","revision":2,"edits":[[6,0,"?"]]}"#)
    #expect(Self.snapshot(network)?["cards..edited"]?[0]?["title.field"] == "BARD 2?")
  }

  @Test func `ends with its row`() {
    let network = Self.network()
    let page = Self.page(network)
    Self.send(
      page, network,
      #"{"input":1,"name":"title","row":"2","sequence":0,"shown":"card 2","edits":[[0,1,"b"]]}"#,
      #"{"input":2,"name":"remove","row":"2"}"#)
    #expect(Self.snapshot(network)?["cards..edited"] == [])

    Self.send(page, network, #"{"input":3,"name":"title","row":"2","revision":1,"edits":[[0,0,"x"]]}"#)
    #expect(Self.errors(page) == ["unknown-row"] && page.last("ack") == 3)
    Self.send(
      page, network, #"{"input":4,"name":"title","row":"9999","sequence":1,"shown":"","edits":[[0,0,"x"]]}"#)
    #expect(Self.errors(page) == ["unknown-row"])
    #expect(Self.snapshot(network)?["cards..edited"] == [])
  }

  @Test func `is no longer told once nobody has edited its row for a while`() {
    let network = Self.network()
    let page = Self.page(network)
    Self.send(
      page, network,
      #"{"input":1,"name":"title","row":"2","sequence":0,"shown":"card 2","edits":[[0,1,"b"]]}"#)
    Self.settle(network, Self.rest * 3)
    #expect(
      page.values.last { $0["patch"] != nil }?["patch"] == [["op": "remove", "path": "/cards..edited/0"]])
    #expect(Self.snapshot(network) == ["cards": ["count": 5_000], "cards..edited": []])

    // A page that knows the document, and nothing of its end.
    Self.send(page, network, #"{"input":2,"name":"title","row":"2","revision":1,"edits":[[6,0,"!"]]}"#)
    #expect(page.closeCode == CloseCode.slowConsumer.rawValue && Self.errors(page) == [])
    let row = Self.snapshot(network)?["cards..edited"]?[0]
    #expect(row?["title"] == "bard 2")
  }

  @Test func `is typed as a whole by pages that take no edits`() {
    let network = Self.network()
    let (typist, page) = (Self.page(network), Self.page(network, edits: false))
    Self.send(page, network, #"{"input":1,"name":"title","row":"2","value":"two"}"#)
    #expect(Self.snapshot(network)?["cards..edited"] == [])

    Self.send(
      typist, network, #"{"input":1,"name":"title","row":"2","sequence":0,"shown":"two","edits":[[3,0,"!"]]}"#
    )
    #expect(
      page.values.contains {
        $0["patch"]?.arrayValue?.contains(
          ["op": "add", "path": "/cards..edited/0/title.field", "value": "two!"]) ?? false
      })
    Self.send(page, network, #"{"input":2,"name":"title","row":"2","value":"2"}"#)
    #expect(Self.snapshot(network)?["cards..edited"]?[0]?["title.field"] == "2")
  }

  @Test func `that is too long to be told has the page come back, and begins`() {
    let network = Self.network()
    let page = Self.page(network)
    Self.send(page, network, #"{"input":1,"name":"title","row":"2","sequence":0,"edits":[[0,1,"b"]]}"#)
    #expect(page.closeCode == CloseCode.slowConsumer.rawValue && Self.errors(page) == [])
    #expect(Self.snapshot(network)?["cards..edited"]?[0]?["title.field"] == "card 2")
  }

  @Test func `goes on after a restart`() throws {
    let store = SimulatedStore()
    let network = Self.network(store: store)
    let page = Self.page(network)
    let (session, token, epoch) = (page.session, page.token, page.position[0])
    Self.send(
      page, network,
      #"{"input":1,"name":"title","row":"2","sequence":0,"shown":"card 2","edits":[[0,1,"b"]]}"#)
    Self.settle(network)
    let position = [epoch, page.position[1]]

    network.restartServer()
    page.clear()
    page.resume(["edits": "1"], session: session, token: token, position: position)
    Self.settle(network)
    // It goes on, and knows that the row is edited: it is not told twice.
    #expect(page.last("resumed")?["turns"] == 0 && page.last("snapshot") == nil)
    #expect(!page.values.contains { $0["patch"] != nil })
    Self.send(page, network, #"{"input":2,"name":"title","row":"2","revision":1,"edits":[[6,0,"!"]]}"#)
    #expect(Self.errors(page) == [] && page.isUp)
    #expect(Self.snapshot(network)?["cards..edited"]?[0]?["title.field"] == "bard 2!")
  }
}

extension `A text in a row of a long list` {
  @Test func `of another spelling of its id is of no row`() {
    let network = Self.network()
    let page = Self.page(network)
    for (number, id) in ["007", "+7", "7 "].enumerated() {
      page.send(
        #"{"input":\#(number + 1),"name":"title","row":"\#(id)","sequence":0,"shown":"card 7","edits":[[0,0,"x"]]}"#
      )
    }
    Self.settle(network)
    #expect(page.values.compactMap { $0["error"]?["input"]?.intValue } == [1, 2, 3])
    #expect(Self.snapshot(network)?["cards..edited"] == [])
  }

  @Test func `is one of a bounded number`() {
    let network = Self.network()
    let page = Self.page(network)
    for number in 1...257 {
      page.send(
        #"{"input":\#(number),"name":"title","row":"\#(number)","sequence":0,"shown":"card \#(number)","edits":[[0,0,"x"]]}"#
      )
    }
    Self.settle(network, .seconds(5))
    #expect(Self.errors(page) == ["too-many"])
    #expect(Self.snapshot(network)?["cards..edited"]?.arrayValue?.count == 256)
  }

  @Test func `is replayed from a record`() throws {
    let route = ScreenRoute(name: "cards", scope: .room) { context in
      InputOutputScreen(CardsViewModel(50, restoring: try context.restored()), name: "cards")
    }
    let room = try RecordedRoom(route)
    room.join(1, at: 0)
    let edit = RoomEvent.rowEdit(
      member: 1, number: 2, name: "title", row: ["2"], base: .shown("card 2", sequence: 1),
      edit: TextEdit(position: 0, deleted: 1, inserted: "b"))
    room.run(
      at: 10, .input(member: 1, number: 1, name: "shout", row: ["3"], value: nil), edit)
    room.run(at: 200_000)
    let report = try RoomReplay(record: room.text).run(
      SessionConfiguration(), models: ModelProbe(), route.make)
    #expect(report.end == .same, "\(report)")
    #expect(room.text.contains("beginEditing"))
  }
}
