// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// A quiz: who claims the chair first is its host; a host goes on, who is signed in answers, anybody looks.
private final class ChairViewModel: InputOutputViewModel {
  struct Desk: Decodable {
    var clear: Signal<Void> = .never()
    var level: Signal<Int> = .never()
  }

  struct Row: Codable, Identifiable, Equatable {
    let id: Int
    var title: String
  }

  struct Inputs: Decodable {
    var next: Signal<Void> = .never()
    var claim: Signal<Sent<Void>> = .never()
    var answer: Signal<String> = .never()
    var title: Signal<RowText<Int>> = .never()
    var wave: Signal<Void> = .never()
    let desk: Desk
  }

  struct Outputs: Encodable {
    let page: Driver<Int>
    let answer: Driver<String>
    let rows: Driver<[Row]>
    let waves: Driver<Int>
    let level: Driver<Int>
  }

  static var rules: [InputRule<Inputs>] {
    [
      .allow(\.next, for: .role("host")), .allow(\.desk, for: .roles("host", "admin")),
      .allow(\.answer, for: .signedIn), .allow(\.title, for: .signedIn),
    ]
  }

  private let host = BehaviorRelay<String?>(value: nil)
  private let rows = BehaviorRelay(value: [Row(id: 1, title: "one")])
  private let bag = DisposeBag()

  func roles(of visitor: Visitor) -> Set<Role> {
    visitor.id != nil && visitor.id == host.value ? ["host"] : []
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.claim.emit(onNext: { [host] in host.accept(host.value ?? $0.sender.id) }).disposed(by: bag)
    inputs.title.emit(onNext: { [rows] typed in
      rows.accept(rows.value.map { $0.id == typed.id ? Row(id: $0.id, title: typed.text) : $0 })
    }).disposed(by: bag)
    return Outputs(
      page: Self.count(inputs.next), answer: inputs.answer.asDriver(onErrorJustReturn: ""),
      rows: rows.asDriver(), waves: Self.count(inputs.wave),
      level: Driver.merge(
        inputs.desk.level.asDriver(onErrorJustReturn: 0),
        inputs.desk.clear.map { 0 }.asDriver(onErrorJustReturn: 0)
      ).startWith(5))
  }

  private static func count(_ taps: Signal<Void>) -> Driver<Int> {
    taps.scan(0) { count, _ in count + 1 }.startWith(0).asDriver(onErrorJustReturn: 0)
  }
}

/// The same by outlets.
private final class ChairView: View {
  private let next = Button("next")
  private let note = TextField("note")
  private let page = Label("page")
  private var count = 0

  override class var rules: [InputRule<View>] {
    [.allow("next", for: .role("host")), .allow("note", for: .role("host")), .allow("note", for: .signedIn)]
  }

  override func viewDidLoad() {
    page.text = "0"
    next.onTap = { [unowned self] in
      count += 1
      page.text = "\(count)"
    }
  }
}

extension ScreenRoute {
  fileprivate static let chair = ScreenRoute(name: "chair", scope: .room) { _ in
    InputOutputScreen(ChairViewModel(), name: "chair")
  }
  fileprivate static let outlets = ScreenRoute(name: "outlets", scope: .session) { _ in ChairView() }
}

@Suite(.timeLimit(.minutes(5))) struct `A rule of an input` {
  private static func network(loops: Int = 1, store: SimulatedStore? = nil) -> SimulatedNetwork {
    let door = Doorkeeper()
    return SimulatedNetwork(
      seed: 5, loops: loops, store: store, routes: [.chair, .outlets],
      authorize: { try door.visitor(of: $0) })
  }

  private static func settle(_ network: SimulatedNetwork) {
    network.run(until: network.now + .milliseconds(500))
  }

  /// What the page is told, in whichever frame.
  private static func forbidden(_ page: RawPage) -> [Value] {
    page.values.compactMap { ($0["hello"] ?? $0["resumed"] ?? $0)["forbidden"] }
  }

  @Test(arguments: [1, 3]) func `keeps others from it, and tells their pages`(_ loops: Int) {
    let network = Self.network(loops: loops)
    let ann = RawPage(network, "chair", as: "ann")
    let nobody = RawPage(network, "chair")
    let admin = RawPage(network, "chair", as: "bob admin")
    Self.settle(network)
    #expect(Self.forbidden(ann) == [["deskClear", "deskLevel", "next"]])
    #expect(Self.forbidden(nobody) == [["answer", "deskClear", "deskLevel", "next", "title"]])
    #expect(Self.forbidden(admin) == [["next"]])
    #expect(ann.last("hello")?["forbidden"] == ["deskClear", "deskLevel", "next"])
    #expect(ann.last("forbidden") == nil, "A frame of its own tells changes only.")

    for page in [ann, nobody, admin] {
      page.send(#"{"input":1,"name":"next"}"#)
      page.send(#"{"input":2,"name":"wave"}"#)
    }
    ann.send(#"{"input":3,"name":"deskLevel","value":7}"#)
    Self.settle(network)

    for page in [ann, nobody, admin] {
      #expect(page.values.compactMap { $0["error"]?["code"] }.allSatisfy { $0 == "not-allowed" })
      #expect(page.last("ack") != nil, "It counts as taken, and is not sent again.")
      #expect(page.state["page"] == 0)
      #expect(page.state["waves"] == 3)
      #expect(page.state["level"] == 5)
    }

    admin.send(#"{"input":3,"name":"deskLevel","value":7}"#)
    Self.settle(network)
    #expect(ann.state["level"] == 7)
  }

  @Test(arguments: [1, 3]) func `follows the roles that the screen gives`(_ loops: Int) {
    let network = Self.network(loops: loops)
    let ann = RawPage(network, "chair", as: "ann")
    let bob = RawPage(network, "chair", as: "bob")
    Self.settle(network)

    ann.send(#"{"input":1,"name":"claim"}"#)
    Self.settle(network)
    #expect(ann.last("forbidden") == [])
    #expect(Self.forbidden(bob).count == 1)

    ann.send(#"{"input":2,"name":"next"}"#)
    bob.send(#"{"input":1,"name":"next"}"#)
    Self.settle(network)
    #expect(bob.state["page"] == 1)
    #expect(bob.last("error")?["code"] == "not-allowed")
    #expect(bob.last("error")?["input"] == 1)
  }

  @Test func `is about the visitor of the newest handshake`() {
    let network = Self.network()
    let page = RawPage(network, "chair", as: "ann")
    Self.settle(network)
    page.link?.drop()
    Self.settle(network)

    page.visitor = "ann host"
    page.resume()
    Self.settle(network)
    #expect(page.last("resumed")?["forbidden"] == [], "It is told again, also that it may do all.")
    page.send(#"{"input":1,"name":"next"}"#)
    Self.settle(network)
    #expect(page.last("error") == nil)

    page.link?.drop()
    Self.settle(network)
    page.visitor = "ann"
    page.resume()
    Self.settle(network)
    let forbidden: Value = ["deskClear", "deskLevel", "next"]
    #expect(Self.forbidden(page) == [forbidden, [], forbidden])
    #expect(page.last("forbidden") == nil)
  }

  @Test func `holds for texts, whole and edited`() {
    let network = Self.network()
    let ann = RawPage(network, "chair", query: ["edits": "1"], as: "ann")
    let nobody = RawPage(network, "chair", query: ["edits": "1"])
    let watcher = RawPage(network, "chair")
    Self.settle(network)

    nobody.send(#"{"input":1,"name":"answer","revision":0,"edits":[[0,0,"forged"]]}"#)
    nobody.send(#"{"input":2,"name":"answer","value":"forged"}"#)
    nobody.send(#"{"input":3,"name":"title","row":"1","sequence":0,"edits":[[0,0,"forged"]]}"#)
    ann.send(#"{"input":1,"name":"answer","revision":0,"edits":[[0,0,"right"]]}"#)
    Self.settle(network)

    #expect(
      nobody.values.compactMap { $0["error"]?["code"] } == ["not-allowed", "not-allowed", "not-allowed"])
    #expect(nobody.isUp)
    #expect(watcher.state["answer"] == "right")
    #expect(watcher.state["rows"]?[0]?["title"] == "one")
  }

  @Test func `has a forbidden first edit of a row's text begin nothing`() {
    let network = Self.network()
    let nobody = RawPage(network, "chair", query: ["edits": "1"])
    Self.settle(network)
    nobody.send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[0,0,"forged"]]}"#)
    Self.settle(network)
    let ann = RawPage(network, "chair", query: ["edits": "1"], as: "ann")
    Self.settle(network)

    #expect(nobody.last("error")?["code"] == "not-allowed")
    #expect(nobody.last("ack") == 1)
    let revisions = ann.values.first { $0["snapshot"] != nil }?["revisions"]
    #expect(revisions?["answer"] == 0)
    #expect(revisions?["/rows/1/title"] == nil, "There is no document.")

    ann.send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[0,0,"right "]]}"#)
    Self.settle(network)
    #expect(ann.state["rows"]?[0]?["title"] == "right one")
  }

  @Test func `holds for what a page hands over, too`() {
    let network = Self.network()
    let pages = ["ann", ""].map { RawPage(network, "chair", query: ["edits": "1"], as: $0) }
    Self.settle(network)
    let watcher = RawPage(network, "chair")
    for page in pages.reversed() {
      page.link?.drop()
      Self.settle(network)
      page.resume(["edits": "1"], token: "forgotten", position: ["earlier", 3])
      let value = page.visitor.isEmpty ? "forged" : "right"
      page.send(#"{"handOver":{"name":"answer","value":"\#(value)"}}"#)
      page.send(#"{"handOver":{"position":["earlier",3],"lineage":[]}}"#)
      Self.settle(network)
    }

    #expect(pages[0].last("handedOver") == [])
    #expect(pages[1].last("handedOver") == ["answer"], "It has to give its text up.")
    #expect(watcher.state["answer"] == "right")
  }

  @Test func `is said of outlets by their names`() {
    let network = Self.network()
    let ann = RawPage(network, "outlets", as: "ann")
    let host = RawPage(network, "outlets", as: "bob host")
    Self.settle(network)
    #expect(Self.forbidden(ann) == [["next"]])
    #expect(Self.forbidden(host) == [[]])

    for page in [ann, host] {
      page.send(#"{"input":1,"name":"next"}"#)
      page.send(#"{"input":2,"name":"note","value":"hello"}"#)
    }
    Self.settle(network)
    #expect(ann.state["page"] == "0")
    #expect(host.state["page"] == "1")
    #expect(ann.values.filter { $0["error"] != nil }.count == 1)
  }
}

@Suite struct `A rule that cannot be` {
  private final class Typo: View {
    private let next = Button("next")
    override class var rules: [InputRule<View>] { [.allow("nxet", for: .signedIn)] }
  }

  private final class Plain: InputOutputViewModel {
    struct Inputs: Decodable {
      var viewDidLoad: Signal<Void> = .never()
      var tap: Signal<Void> = .never()
    }
    struct Outputs: Encodable {}
    static var rules: [InputRule<Inputs>] { [.allow(\.viewDidLoad, for: .signedIn)] }
    func bind(_ inputs: Inputs) -> Outputs { Outputs() }
  }

  @Test func `is found when the server starts`() {
    let context = ScreenContext(
      screen: "s", clock: RoomScheduler(clock: { .zero }, wallClock: { 0 }), random: RandomSource(seed: 1))
    let typo = ScreenRoute(name: "typo", scope: .session) { _ in Typo() }
    let plain = ScreenRoute(name: "plain", scope: .session) { _ in InputOutputScreen(Plain(), name: "plain") }

    #expect { try typo.probe(context) } throws: {
      "\($0)".contains("\"nxet\", which is none of its inputs: next.")
    }
    #expect { try plain.probe(context) } throws: { "\($0)".contains("\"viewDidLoad\"") }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A permission of a screen or a room` {
  private static func network(loops: Int = 1) -> SimulatedNetwork {
    let door = Doorkeeper()
    let network = SimulatedNetwork(
      seed: 7, loops: loops,
      routes: [
        ScreenRoute(name: "open", scope: .session) { try WhoView($0) },
        ScreenRoute(name: "club", scope: .room) { try WhoView($0) },
        ScreenRoute(
          name: "detail", scope: .session, path: "/who/<id>", type: ObjectIdentifier(WhoDetail.self),
          permission: .role("editor"), make: { WhoDetail(id: $0.parameters["id"] ?? "") }),
      ],
      authorize: { try door.visitor(of: $0) })
    network.allowsRoom = { visitor, screen, room in screen != "club" || room == "lobby" || visitor.id == room
    }
    return network
  }

  private static func settle(_ network: SimulatedNetwork) {
    network.run(until: network.now + .milliseconds(500))
  }

  @Test func `refuses whoever has none, at the door`() {
    let network = Self.network()
    for (screen, query, visitor) in [
      ("detail", [:], "ann editor"), ("club", ["room": "ann"], "ann"), ("club", [:], ""),
    ] {
      let page = RawPage(network, screen, query: query, as: visitor)
      Self.settle(network)
      #expect(page.last("hello") != nil, "\(screen) \(query)")
    }
    #expect(network.refusals == [])

    for (screen, query, visitor) in [
      ("detail", [:], "ann"), ("detail", [:], ""), ("club", ["room": "ann"], "bob"),
      ("club", ["room": "empty"], "bob"),
    ] {
      let page = RawPage(network, screen, query: query, as: visitor)
      Self.settle(network)
      #expect(page.last("hello") == nil, "\(screen) \(query)")
    }
    let known = Admission.refused(status: 403, code: "not-allowed", message: "You may not open this page.")
    let unknown = Admission.refused(
      status: 401, code: "not-authorized", message: "")
    #expect(network.refusals == [known, unknown, known, known])
  }

  @Test func `holds for a screen that a ViewModel shows`() {
    let network = Self.network()
    let pages = ["ann", "bob editor"].map { RawPage(network, "open", as: $0) }
    Self.settle(network)
    for page in pages { page.send(#"{"input":1,"name":"next"}"#) }
    Self.settle(network)

    #expect(pages[0].last("error")?["code"] == "not-allowed")
    #expect(pages[0].last("screens") == nil)
    #expect(pages[1].last("error") == nil)
    #expect(pages[1].last("screens") != nil)
  }

  @Test(arguments: [1, 3]) func `to enter a room is asked again when a page comes back`(_ loops: Int) {
    let network = Self.network(loops: loops)
    let before = network.allowsRoom
    let page = RawPage(network, "club", query: ["room": "ann"], as: "ann")
    Self.settle(network)
    let session = page.session
    page.link?.drop()
    Self.settle(network)
    network.allowsRoom = { _, _, room in room == "lobby" }
    page.resume(["room": "ann"])
    Self.settle(network)

    #expect(page.last("resumed") == nil)
    #expect(
      network.refusals == [.refused(status: 403, code: "not-allowed", message: "You may not open this page.")]
    )

    network.allowsRoom = before
    page.resume(["room": "ann"])
    Self.settle(network)
    #expect(page.last("resumed")?["session"] == .string(session), "It was not ended meanwhile.")
  }

  @Test func `is asked again when a page comes back`() {
    let network = Self.network()
    let page = RawPage(network, "open", as: "ann editor")
    Self.settle(network)
    page.send(#"{"input":1,"name":"next"}"#)
    Self.settle(network)
    page.link?.drop()
    Self.settle(network)
    page.visitor = "ann"
    page.mark()
    page.resume()
    Self.settle(network)

    #expect(page.last("resumed")?["session"] == .string(page.session))
    let first: Value = ["screen": 0, "name": "open", "path": "/open"]
    #expect(page.last("screens") == [first], "The screen on top is closed, and the session goes on.")
  }
}
