// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Simulation
import Testing

@testable import MusubiSession

@Suite struct `A shared model among several servers` {
  private let store = SimulatedStore()
  private let desk = Till.Desk()
  /// The slot of the model.
  private var slot: Int { key("till").slot }

  private func key(_ model: String, _ room: String = "main") -> RoomKey {
    RoomKey(screen: "model:\(model)", name: room, isPrivate: false)
  }

  private func network(seed: UInt64 = 1, store: SimulatedStore?, nodes: Int = 3) -> SimulatedNetwork {
    let desk = desk
    let network = SimulatedNetwork(
      seed: seed, nodes: nodes, loops: 2, store: store, routes: [.till, .beats, .shelf],
      models: [
        .model("till") { try Till($0, desk) }, .model("shelf") { _ in Shelf() },
        .model("booth") { _ in Booth() },
      ]
    ) { request in
      request.headers["cookie"].map { Visitor(id: $0, roles: ["guest"]) } ?? .anonymous
    }
    network.latency = .init(.milliseconds(1), .milliseconds(2))
    return network
  }

  /// The first server has the models, all have sessions.
  private func begin(_ network: SimulatedNetwork) {
    let models = Set(["till", "shelf", "booth"].map { key($0).slot })
    for number in 0..<24 where !models.contains(number) { network.take(number, byNode: number / 2 % 3) }
    for slot in models { network.take(slot, byNode: 0) }
    settle(network)
  }

  private func settle(_ network: SimulatedNetwork, _ time: Duration = .seconds(1)) {
    network.run(until: network.now + time)
  }

  private func page(
    _ network: SimulatedNetwork, _ node: Int, _ screen: String = "till", as visitor: String = ""
  )
    -> RawPage
  {
    network.entrance = node
    return RawPage(network, screen, as: visitor)
  }

  private func add(_ number: Int, _ amount: Int = 1) -> String {
    #"{"input":\#(number),"name":"add","value":\#(amount)}"#
  }

  /// Has a page come back, and send again what it does not know to be taken.
  private func comeBack(_ page: RawPage, _ network: SimulatedNetwork, upTo last: Int) {
    for _ in 0..<5 where !page.isUp {
      page.resume()
      settle(network)
    }
    let known = max(page.last("ack")?.intValue ?? 0, page.last("resumed")?["ack"]?.intValue ?? 0)
    for number in 1...last where number > known { page.send(add(number)) }
    settle(network)
  }

  // MARK: - Over links

  @Test
  func `is one for the screens of all servers, which see values, answers, errors and each other's names`() {
    let network = network(store: store)
    begin(network)
    let pages = (0..<6).map { page(network, $0 % 3, as: "guest \($0)") }
    settle(network)
    #expect(pages.allSatisfy { $0.state["sum"] == 0 && $0.state["from"] == [] })

    for page in pages {
      page.send(add(1))
      settle(network)
    }
    pages[1].send(#"{"input":2,"name":"fail"}"#)
    settle(network)

    #expect(pages.allSatisfy { $0.state["sum"] == 6 })
    #expect(pages.enumerated().allSatisfy { $1.state["answers"]?[0]?.stringValue == "\($0 + 1)" })
    #expect(pages[1].state["answers"] == ["2", "empty at 6"] && pages[1].last("ack") == 2)
    #expect(pages[2].state["from"]?.arrayValue?.count == 6 && pages[2].state["from"]?[4] == "guest 4")
    #expect(Set(pages.map { (SessionName.slot(of: $0.session) ?? 0) / 2 % 3 }) == [0, 1, 2])
    #expect(network.failures == [] && store.misfits == [])
  }

  @Test func `sends nothing to other servers if its screens are on its own`() {
    let network = network(store: store)
    begin(network)
    let before = network.nodeBytes
    let pages = (0..<4).map { _ in page(network, 0) }
    settle(network)
    for page in pages { page.send(add(1)) }
    settle(network)
    #expect(pages.allSatisfy { $0.state["sum"] == 4 } && network.nodeBytes == before)
  }

  @Test func `waits for its home, with its commands, as long as nobody has its slot`() {
    let network = network(store: store)
    for number in 0..<24 where number != slot { network.take(number, byNode: number / 2 % 3) }
    settle(network)
    let pages = (0..<3).map { page(network, $0) }
    settle(network)
    for page in pages { page.send(add(1)) }
    settle(network, .seconds(20))
    #expect(pages.allSatisfy { $0.state["sum"] == nil && $0.last("ack") == nil && $0.isUp })

    network.take(slot, byNode: 2)
    settle(network)
    #expect(pages.allSatisfy { $0.state["sum"] == 3 && $0.last("ack") == 1 })
  }

  @Test func `is found where the directory said that it is before it was`() {
    let network = network(store: store)
    for number in 0..<24 where number != slot { network.take(number, byNode: number / 2 % 3) }
    settle(network)
    let move = SlotMove(generation: 7, lostSince: 7)
    for gateway in network.nodes[1].gateways {
      gateway.note(slot, home: Place.remote(peer: 0, loop: slot % 2), move)
    }
    let page = page(network, 1)
    settle(network)
    page.send(add(1))
    settle(network)
    #expect(page.state["sum"] == nil && page.last("ack") == nil)
    let bytes = network.nodeBytes
    settle(network, .seconds(10))
    #expect(network.nodeBytes == bytes, "Nobody asks round and round.")

    network.schedule(network.now) { network.nodes[0].gateways[slot % 2].adopt(slot, StoredState(), move) }
    settle(network)
    #expect(page.state["sum"] == 1 && page.last("ack") == 1 && desk.keys.count == 1)
  }

  @Test func `whose values a link does not take shows the newest ones when it does`() {
    let network = network(store: store)
    begin(network)
    let (near, far) = (page(network, 0), page(network, 1))
    settle(network)
    network.setFlowing(0, to: 1, false)
    let bytes = network.nodeBytes
    for number in 1...200 {
      near.send(add(number))
      settle(network, .milliseconds(20))
    }
    far.send(add(1))
    settle(network)
    #expect(near.state["sum"] == 201 && far.state["sum"] == 0 && far.last("ack") == nil)
    #expect(network.nodeBytes < bytes + 1_000)

    network.setFlowing(0, to: 1, true)
    settle(network)
    #expect(far.state["sum"] == 201 && far.last("ack") == 1)
    #expect(far.values.filter { $0["patch"] != nil }.count <= 2, "The newest alone.")

    // What a screen says waits as well, up to a limit.
    network.setFlowing(1, to: 0, false)
    far.send(add(2))
    settle(network)
    #expect(far.last("ack") == 1)
    network.setFlowing(1, to: 0, true)
    settle(network)
    #expect(far.last("ack") == 2 && near.state["sum"] == 202)
  }

  @Test func `has long values go one after the other, and too long ones not at all`() {
    let network = network(store: store)
    let rooms = (0..<12).map { "room \($0)" }
    begin(network)
    for room in rooms { network.take(key("shelf", room).slot, byNode: 0) }
    network.entrance = 1
    let pages = rooms.map { RawPage(network, "shelf", query: ["room": $0]) }
    settle(network)
    for page in pages { page.send(#"{"input":1,"name":"write","value":900000}"#) }
    settle(network)
    #expect(pages.allSatisfy { $0.state["length"] == 900_000 && $0.last("ack") == 1 })
    #expect(network.nodeBytes > 12 * 900_000)
    #expect(network.largestNodeBatch > 1 << 20 && network.largestNodeBatch < 3 << 20)

    pages[0].send(#"{"input":2,"name":"write","value":9000000}"#)
    settle(network)
    #expect(pages[0].state["length"] == 900_000 && pages[0].last("ack") == 2 && pages[0].isUp)
    #expect(network.failures.contains { $0.contains("cannot go to another server: it has 9000002 bytes") })
  }

  // MARK: - Links that are cut

  @Test(arguments: [true, false]) func `carries out each command once, wherever a link is cut`(isStored: Bool)
  {
    for last in 1...40 {
      let suite = Self()
      let network = suite.network(seed: UInt64(last), store: suite.store)
      suite.begin(network)
      let page = suite.page(network, 1, isStored ? "till" : "shelf")
      suite.settle(network)
      for number in 1...20 {
        page.send(suite.add(number))
        suite.settle(network, .milliseconds(2))
        if number == last / 2 { network.cutLink(0, 1) }
        if number == min(last / 2 + 3, 20) { network.openLink(0, 1) }
      }
      suite.settle(network)

      let place = "cut after \(last / 2), seed \(last)"
      #expect(page.isUp && page.last("ack") == 20, "\(place)")
      let answers = page.state["answers"]?.arrayValue?.compactMap(\.stringValue) ?? []
      #expect(answers.count == 20, "\(place)")
      let failed = answers.count { Int($0) == nil }
      // A model that is not stored cannot know what it has done: the screen hears that nobody knows.
      #expect(isStored ? failed == 0 : failed < 8, "\(place): \(answers)")
      let sum = page.state["sum"]?.intValue ?? -1
      #expect(((20 - failed)...20).contains(sum), "\(place): \(sum), \(answers)")
      #expect(suite.store.misfits == [] && network.failures == [], "\(place)")
    }
  }

  @Test func `carries out a command at most once if there is no store`() {
    for last in 1...20 {
      let suite = Self()
      let network = suite.network(seed: UInt64(last), store: nil)
      suite.begin(network)
      let page = suite.page(network, 1)
      suite.settle(network)
      for number in 1...20 {
        page.send(suite.add(number))
        suite.settle(network, .milliseconds(2))
        if number == last { network.cutLink(0, 1) }
      }
      suite.settle(network)
      network.openLink(0, 1)
      suite.settle(network)
      let answers = page.state["answers"]?.arrayValue?.compactMap(\.stringValue) ?? []
      let failed = answers.count { $0.contains("nobody knows what came of the command") }
      let sum = page.state["sum"]?.intValue ?? -1
      #expect(answers.count == 20 && page.last("ack") == 20)
      #expect(answers.count { Int($0) != nil } + failed == 20 && (20 - failed...20).contains(sum))
      #expect(Set(suite.desk.keys).count == suite.desk.keys.count)
    }
  }

  @Test func `is followed again over the next link, and no values of the former one are believed`() {
    let network = network(store: store)
    begin(network)
    let (near, far) = (page(network, 0), page(network, 1))
    settle(network)
    network.cutLink(0, 1)
    settle(network)
    near.send(add(1, 5))
    settle(network)
    #expect(far.state["sum"] == 0 && far.isUp, "The screen keeps what it has.")
    network.openLink(0, 1)
    settle(network)
    #expect(far.state["sum"] == 5)
  }

  // MARK: - Servers that die, and slots that move

  @Test(arguments: 1...12) func `goes on at another server when its own dies`(seed: UInt64) {
    let network = network(seed: seed, store: store)
    store.delay = .milliseconds(6)
    begin(network)
    let pages = (0..<4).map { page(network, 1 + $0 % 2) }
    settle(network)
    for number in 1...10 {
      for page in pages { page.send(add(number)) }
      settle(network, .milliseconds(4))
      if number == 4 { network.kill(0) }
    }
    settle(network)
    network.bury(0)
    network.take(slot, byNode: 1 + Int(seed % 2))
    settle(network)

    for page in pages {
      // A page whose session was at the dead server's comes back to another one.
      if !page.isUp { comeBack(page, network, upTo: 10) }
    }
    for page in pages {
      #expect(page.state["sum"] == 40 && page.last("ack") == 10)
      #expect(Set(page.state["answers"]?.arrayValue?.compactMap(\.stringValue) ?? []).count == 10)
    }
    #expect(store.misfits == [] && network.failures == [])
  }

  @Test(arguments: [true, false])
  func `has a page that comes back keep what it shows until its values are there, for a moment`(
    comesSoon: Bool
  ) throws {
    let network = network(store: store)
    begin(network)
    let page = page(network, 1)
    settle(network)
    page.send(add(1))
    settle(network)
    let session = try #require(SessionName.slot(of: page.session))
    for node in [0, 1] { network.kill(node) }
    settle(network)
    for node in [0, 1] { network.bury(node) }
    network.take(session, byNode: 2)
    settle(network)

    network.entrance = 2
    page.mark()
    page.resume()
    settle(network, .milliseconds(1_500))
    #expect(page.isUp && page.new.contains { $0["resumed"] != nil })
    #expect(!page.new.contains { $0["snapshot"] != nil })
    if comesSoon { network.take(slot, byNode: 2) }
    settle(network)
    let shown = try #require(page.new.first { $0["snapshot"] != nil }?["snapshot"])
    #expect(shown["sum"] == (comesSoon ? 1 : nil))

    network.take(slot, byNode: 2)
    page.send(add(2))
    settle(network)
    #expect(page.state["sum"] == 2 && page.last("ack") == 2)
    #expect(store.misfits == [] && network.failures == [])
  }

  @Test func `does not carry out what a server sends late whose sessions others have`() throws {
    let network = network(store: store)
    begin(network)
    let (page, witness) = (page(network, 1), page(network, 0))
    settle(network)
    let session = try #require(SessionName.slot(of: page.session))
    #expect(session / 2 % 3 == 1)
    // The directory tells nobody, and what leaves the second server arrives late.
    network.directoryDelay = nil
    network.nodeLatency = .init(.seconds(60), .seconds(60))
    page.send(add(1))
    settle(network, .milliseconds(50))
    network.nodeLatency = .init(.milliseconds(1), .milliseconds(1))
    page.link?.drop()
    network.take(session, byNode: 2)
    settle(network)
    network.entrance = 2
    page.resume()
    settle(network)
    page.send(add(1))
    settle(network)
    #expect(page.last("resumed")?["ack"] == 0 && page.last("ack") == 1 && witness.state["sum"] == 1)

    // More than the model remembers of commands that were settled.
    for number in 2...200 { page.send(add(number)) }
    settle(network)
    #expect(witness.state["sum"] == 200)
    settle(network, .seconds(90))
    #expect(witness.state["sum"] == 200 && desk.keys.count == 200)
  }

  // MARK: - What cannot go to another server

  @Test func `tells in the log which relay cannot be found, and is not there for the screen`() {
    let network = network(store: store)
    begin(network)
    let far = page(network, 1, "shelf")
    settle(network)
    #expect(far.state["sum"] == 0 && far.state["fruit"] == "fresh" && network.failures == [])

    network.entrance = 1
    let odd = RawPage(network, "shelf", query: ["odd": "1", "room": "attic"])
    network.take(key("shelf", "attic").slot, byNode: 0)
    settle(network)
    #expect(odd.isUp && odd.state["sum"] == nil)
    #expect(
      network.failures.contains {
        $0.hasPrefix(
          "model:shelf: the shared model is on another server, which finds its relays by the names of stored")
      }, "\(network.failures)")
  }

  @Test func `tells that an answer or a value cannot go to another server`() {
    let network = network(store: store)
    begin(network)
    let far = page(network, 1, "shelf")
    settle(network)
    far.send(#"{"input":1,"name":"ask"}"#)
    far.send(#"{"input":2,"name":"spoil"}"#)
    settle(network)
    #expect(far.last("ack") == 2)
    #expect(
      far.state["answers"]?[0]?.stringValue
        == "the answer cannot go to another server: it is Ticket, which is neither Void nor Codable")
    #expect(
      network.failures.contains { $0.contains("cannot go to another server: it is spoilt") },
      "\(network.failures)")
  }

  // MARK: - By chance

  @Test func `has each command carried out once, whatever happens to servers and links`() {
    let faults = ModelFaults()
    let failure = ModelSimulation(faults: faults).firstFailure(seeds: 0..<60)
    if let failure { Issue.record("\(failure)") }
    #expect(faults.counts.count == 5 && faults.counts.values.allSatisfy { $0 > 10 }, "\(faults.counts)")
  }

  /// A command was on its way to a model's home, and was held for it, when the model had just come to the command's own server.
  @Test func `has it so in a schedule that has shown a mistake`() {
    let failure = ModelSimulation(faults: ModelFaults()).firstFailure(seeds: 1_985..<1_986)
    if let failure { Issue.record("\(failure)") }
  }
}

/// What is not stored, and has values that cannot go to another server.
private final class Shelf: SharedModel {
  enum Command: Codable {
    case add(Int)
    case write(Int)
    case spoil
  }

  /// Something whose author may refuse to write it.
  struct Fruit: Codable, Equatable {
    struct Refusal: Error, CustomStringConvertible { let description = "it is spoilt" }

    var isSpoilt = false

    init(isSpoilt: Bool) { self.isSpoilt = isSpoilt }

    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws {
      if isSpoilt { throw Refusal() }
      var container = encoder.singleValueContainer()
      try container.encode("fresh")
    }
  }

  let sum = BehaviorRelay(value: 0)
  let fruit = BehaviorRelay(value: Fruit(isSpoilt: false))
  let book = BehaviorRelay(value: "")
  /// What is computed has no name at other servers.
  var odd: BehaviorRelay<Int> { sum }

  func handle(_ command: Command, from sender: Visitor) -> Int {
    switch command {
    case .add(let amount): sum.accept(sum.value + amount)
    case .write(let length): book.accept(String(repeating: "x", count: length))
    case .spoil: fruit.accept(Fruit(isSpoilt: true))
    }
    return sum.value
  }
}

/// Answers what cannot go to another server.
private final class Booth: SharedModel {
  struct Command: Codable {}
  struct Ticket: Sendable {}

  func handle(_ command: Command, from sender: Visitor) -> Ticket { Ticket() }
}

private final class ShelfScreen: InputOutputViewModel {
  struct Inputs: Decodable {
    var add: Signal<Int> = .never()
    var write: Signal<Int> = .never()
    var spoil: Signal<Void> = .never()
    var ask: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let sum: Driver<Int>
    let fruit: Driver<Shelf.Fruit>
    let length: Driver<Int>
    let answers: Driver<[String]>
  }

  private let shelf: Shared<Shelf>
  private let booth: Shared<Booth>
  private let isOdd: Bool
  private let answers = BehaviorRelay<[String]>(value: [])
  private let bag = DisposeBag()

  init(_ context: ScreenContext) {
    shelf = context.shared(room: context.query["room"] ?? "main")
    booth = context.shared(room: "main")
    isOdd = context.query["odd"] != nil
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [weak self] in self?.show(self?.shelf.send(.add($0))) }).disposed(by: bag)
    inputs.write.emit(onNext: { [weak self] in self?.show(self?.shelf.send(.write($0))) }).disposed(by: bag)
    inputs.spoil.emit(onNext: { [weak self] in self?.show(self?.shelf.send(.spoil)) }).disposed(by: bag)
    inputs.ask.emit(onNext: { [weak self] in self?.show(self?.booth.send(Booth.Command())) }).disposed(
      by: bag)
    return Outputs(
      sum: isOdd ? shelf.odd : shelf.sum, fruit: isOdd ? .never() : shelf.fruit,
      length: isOdd ? .never() : shelf.book.map(\.count),
      answers: answers.asDriver())
  }

  private func show<Reply>(_ reply: Single<Reply>?) {
    reply?.subscribe(
      onSuccess: { [answers] in answers.accept(answers.value + ["\($0)"]) },
      onFailure: { [answers] in answers.accept(answers.value + ["\($0)"]) }
    ).disposed(by: bag)
  }
}

extension ScreenRoute {
  fileprivate static let shelf = ScreenRoute(name: "shelf", scope: .session) {
    InputOutputScreen(ShelfScreen($0), name: "shelf")
  }
}
