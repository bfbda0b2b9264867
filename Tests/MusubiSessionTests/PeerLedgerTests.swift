// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `A ledger of peers` {
  private let ann = Peer.identity("ann")
  private let home = Peer.address("192.0.2.1")
  private let office = [Peer.address("2001:db8:1:1::/64"), .network("2001:db8:1::/48")]

  private func ledger(connections: Int = 2, rooms: Int = 2, sessions: MessageRate? = nil) -> PeerLedger {
    var limits = PeerLimits()
    (limits.connections, limits.rooms, limits.sessions) = (connections, rooms, sessions)
    return PeerLedger(limits)
  }

  @Test func `gives an address eight times what an identity gets, and a large network 64 times`() {
    let ledger = ledger()

    func admitted(_ peers: (Int) -> [Peer]) -> Int {
      (0..<1_000).prefix { ledger.admit(peers($0), at: .zero) == nil }.count
    }

    #expect(admitted { _ in [ann] } == 2)
    #expect(admitted { _ in [home] } == 16)
    #expect(admitted { [.address("2001:db8:1:\($0)::/64"), office[1]] } == 128)
  }

  @Test func `counts a request against who somebody is as soon as that is known`() {
    var limits = PeerLimits()
    (limits.requests, limits.requestBytes) = (2, 1_000)
    let ledger = PeerLedger(limits)
    func begins(_ peer: Peer, bytes: Int) -> PeerRefusal? {
      ledger.admitRequest(of: [home], bytes: bytes) ?? ledger.joinRequest(peer, bytes: bytes)
    }

    #expect(begins(ann, bytes: 600) == nil)
    #expect(begins(ann, bytes: 401) == .requests, "Its bytes count as well.")
    #expect(begins(.identity("bob"), bytes: 1_000) == nil)
    #expect(begins(ann, bytes: 400) == nil)
    #expect(begins(ann, bytes: 0) == .requests)

    ledger.releaseRequest(of: [home, ann], bytes: 600)
    #expect(begins(ann, bytes: 600) == nil)
  }

  @Test func `leaves requests to others, however many addresses of a large network ask`() {
    let limits = PeerLimits()
    let ledger = PeerLedger(limits)

    let taken = (0..<2_000).filter {
      ledger.admitRequest(of: [.address("2001:db8:1:\($0 % 64)::/64"), office[1]], bytes: 1) == nil
    }

    #expect(taken.count == limits.allRequests / 4)
    #expect(ledger.admitRequest(of: [home], bytes: 1) == nil)
  }

  @Test func `takes nothing where one of several peers has enough`() {
    let ledger = ledger()
    _ = (0..<2).map { _ in ledger.admit([ann, home], at: .zero) }

    #expect(ledger.admit([ann, home], at: .zero) == .connections)

    ledger.releaseConnection(of: [ann, home])
    ledger.releaseConnection(of: [ann, home])
    #expect((0..<17).map { _ in ledger.admit([home], at: .zero) }.filter { $0 != nil }.count == 1)
  }

  @Test func `lets sessions begin at a rate, and says when the next may`() {
    let ledger = ledger(connections: 100, sessions: MessageRate(perSecond: 2, burst: 3))

    for _ in 0..<3 { #expect(ledger.admit([ann], at: .zero) == nil) }
    #expect(ledger.admit([ann], at: .zero) == .sessions(seconds: 1))
    #expect(ledger.admit([ann], at: .seconds(1)) == nil)
    #expect(ledger.admit([ann], at: .seconds(1)) == nil)
    #expect(ledger.admit([ann], at: .seconds(1)) != nil)
  }

  @Test func `counts no session that has come back`() {
    let ledger = ledger(connections: 100, sessions: MessageRate(perSecond: 1, burst: 1))

    for _ in 0..<50 {
      #expect(ledger.admit([ann], at: .zero) == nil)
      ledger.returnSession(of: [ann])
      ledger.returnSession(of: [ann])
    }
    #expect(ledger.admit([ann], at: .zero) == nil)
    #expect(ledger.admit([ann], at: .zero) != nil)
  }

  @Test func `answers as many refusals as there may be sessions, and then hears no socket`() {
    let ledger = ledger(connections: 100, sessions: MessageRate(perSecond: 1, burst: 1))
    #expect(ledger.admitSocket(of: [home], at: .zero))

    #expect((0..<20).filter { _ in ledger.answers([home], at: .zero) }.count == 8)
    #expect(!ledger.admitSocket(of: [home], at: .zero))
    #expect(ledger.admitSocket(of: [.address("192.0.2.2")], at: .zero))
    #expect(ledger.admitSocket(of: [home], at: .seconds(1)))
  }

  @Test func `forgets peers that have nothing, when what they did is long ago`() {
    let ledger = ledger(sessions: MessageRate(perSecond: 20, burst: 200))
    for number in 0..<20_000 {
      let peer = [Peer.address("\(number)")]
      #expect(ledger.admitSocket(of: peer, at: .milliseconds(number)))
      #expect(ledger.admit(peer, at: .milliseconds(number)) == nil)
      ledger.releaseConnection(of: peer)
      ledger.releaseSocket(of: peer)
    }

    #expect(ledger.count < 3_000)
  }

  @Test func `keeps peers that have something`() {
    let ledger = ledger()
    _ = ledger.takeRoom(for: [ann], at: .zero)
    _ = ledger.takeRoom(for: [ann], at: .zero)
    for number in 0..<5_000 { _ = ledger.admitSocket(of: [.address("\(number)")], at: .zero) }

    #expect(!ledger.takeRoom(for: [ann], at: .seconds(100)))
    #expect(ledger.count == 5_001)
  }
}

@Suite struct `The count of refusals` {
  @Test func `tells one kind and peer once a second, with how many there were`() {
    let refusals = Refusals()

    let told = [0, 10, 20, 999, 1_000, 1_001, 2_500].map {
      refusals.count("full", of: "a:192.0.2.1", at: .milliseconds($0))
    }

    #expect(told == [1, nil, nil, nil, 4, nil, 2])
    #expect(refusals.count("full", of: "a:192.0.2.2", at: .milliseconds(20)) == 1)
    #expect(refusals.count("other", of: "a:192.0.2.1", at: .milliseconds(20)) == 1)
    #expect(refusals.counts == ["full": 8, "other": 1])
  }

  @Test func `tells a bounded number of peers in a second, and the others together`() {
    let refusals = Refusals()

    let told = (0..<100_000).compactMap { refusals.count("full", of: "\($0)", at: .zero) }

    #expect(told == Array(repeating: 1, count: 20))
    #expect(refusals.count("other", of: "1", at: .zero) == 1)
    #expect(refusals.count("full", of: "next second", at: .seconds(1)) == 1)
    let rest = refusals.takeUntold(at: .seconds(1))
    #expect(rest.map(\.count) == [99_980] && rest.map(\.peer) == [""])
    #expect(refusals.counts == ["full": 100_001, "other": 1])
  }

  @Test func `tells of the last ones of a flood, although none follows`() {
    let refusals = Refusals()
    for _ in 0..<7 { _ = refusals.count("full", of: "a:192.0.2.1", at: .milliseconds(100)) }
    for _ in 0..<3 { _ = refusals.tell("spilt", of: "a:192.0.2.1", at: .milliseconds(100)) }

    #expect(refusals.takeUntold(at: .milliseconds(1_099)).isEmpty)
    let told = refusals.takeUntold(at: .milliseconds(1_100))
    #expect(told.map(\.reason) == ["full", "spilt"])
    #expect(told.map(\.count) == [6, 2])
    #expect(told.map(\.peer) == ["a:192.0.2.1", "a:192.0.2.1"])
    #expect(refusals.newest.map(\.count) == [1, 6], "What is no refusal is none of the newest.")

    // Not more often than else.
    #expect(refusals.count("full", of: "a:192.0.2.1", at: .milliseconds(1_200)) == nil)
    #expect(refusals.takeUntold(at: .milliseconds(1_300)).isEmpty)
    #expect(refusals.takeUntold(at: .milliseconds(1_300), isLast: true).map(\.count) == [1])
    #expect(refusals.takeUntold(at: .seconds(9)).isEmpty)
  }

  @Test func `loses no count of the peers that it forgets`() {
    let refusals = Refusals()
    var told = 0

    for number in 0..<100_000 {
      let time = Duration.milliseconds(number / 10)
      for _ in 0..<2 { told += refusals.count("full", of: "\(number % 9_000)", at: time) ?? 0 }
    }
    let rest = refusals.takeUntold(at: .seconds(10), isLast: true)

    #expect(told + rest.reduce(0) { $0 + $1.count } == 200_000)
    #expect(rest.contains { $0.peer.isEmpty })
    #expect(rest.count < 500, "What it remembers is bounded.")
  }
}

/// Opens another one of itself.
private final class StairViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    let down: Signal<Void>
    let ask: Signal<Void>
  }

  struct Outputs: Encodable {
    let next: Signal<StairViewModel>
    let askReally: Signal<Question>
    let depth: Driver<Int>
  }

  struct Question: DialogContent { let title: String }

  let depth: Int

  init(depth: Int) { self.depth = depth }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      next: inputs.down.map { [depth] in StairViewModel(depth: depth + 1) },
      askReally: inputs.ask.map { Question(title: "really?") }, depth: .just(depth))
  }
}

@Suite struct `A visitor who wants more and more` {
  private static func network(
    screens: Int = 4, rooms: Int = 3,
    authorize: @escaping (ConnectionRequest) throws -> Visitor = { _ in .anonymous }
  ) -> SimulatedNetwork {
    var configuration = SessionConfiguration()
    configuration.maxScreens = screens
    var limits = PeerLimits()
    limits.rooms = rooms
    return SimulatedNetwork(
      seed: 1, configuration: configuration, limits: limits,
      routes: [
        ScreenRoute(name: "stairs", scope: .session, type: ObjectIdentifier(StairViewModel.self)) { _ in
          InputOutputScreen(StairViewModel(depth: 0), name: "stairs")
        },
        ScreenRoute(name: "hall", scope: .room) { _ in View() },
      ], authorize: authorize)
  }

  @Test func `gets as many screens as there may be, and an error beyond that`() throws {
    let network = Self.network()
    let page = RawPage(network, "stairs")
    network.run(until: .seconds(1))

    for number in 1...5 { page.send(#"{"input":\#(number),"screen":\#(min(number - 1, 3)),"name":"down"}"#) }
    network.run(until: .seconds(2))

    let stacks = page.values.filter { $0["screens"] != nil }
    #expect(stacks.map { $0["screens"]?.arrayValue?.count } == [2, 1, 1])
    #expect(stacks.map { $0["after"] } == [nil, 2, 3])
    #expect(page.last("error")?["code"] == "too-many-screens")
    #expect(page.values.filter { $0["error"] != nil }.allSatisfy { $0["screen"] == 3 })
    #expect(page.values.filter { $0["error"] != nil }.count == 2)
    #expect(page.last("ack") == 5)
    #expect(page.isUp)

    page.send(#"{"input":6,"back":3}"#)
    page.send(#"{"input":7,"screen":2,"name":"ask"}"#)
    page.send(#"{"input":8,"screen":2,"dismiss":"askReally"}"#)
    page.send(#"{"input":9,"screen":2,"name":"down"}"#)
    network.run(until: .seconds(3))

    let later = page.values.filter { $0["screens"] != nil }.dropFirst(3)
    #expect(later.map { $0["after"] } == [3, 2, 2, 3])
    #expect(later.map { $0["screens"]?.arrayValue?.count } == [0, 1, 1, 1])
    #expect(page.last("screens")?[0]?["screen"] == 4)
  }

  @Test func `gets as many rooms as an identity may have, on whichever page`() {
    let network = Self.network { request in Visitor(id: request.headers["cookie"] ?? "nobody") }
    let pages = (0..<4).map { RawPage(network, "hall", query: ["room": "\($0)"], as: "ann") }
    let bob = RawPage(network, "hall", query: ["room": "bob"], as: "bob")
    network.run(until: .seconds(1))

    #expect(pages.map { $0.isUp }.filter { $0 }.count == 3)
    #expect(pages.allSatisfy { $0.last("error") == nil && $0.closeCode == nil })
    #expect(network.refusals == [.limited(.rooms, [.identity("ann")])])
    #expect(bob.isUp)

    // A room that is there costs nobody anything.
    let guest = RawPage(network, "hall", query: ["room": "bob"], as: "ann")
    let own = RawPage(network, "stairs", as: "ann")
    network.run(until: .seconds(2))

    #expect(guest.isUp)
    #expect(!own.isUp)
    #expect(network.refusals == Array(repeating: .limited(.rooms, [.identity("ann")]), count: 2))
  }

  @Test func `is told late, when the room is another loop's, and when to come back`() {
    var limits = PeerLimits()
    (limits.rooms, limits.sessions) = (3, MessageRate(perSecond: 1, burst: 5))
    let network = SimulatedNetwork(
      seed: 1, loops: 3, limits: limits, routes: [ScreenRoute(name: "hall", scope: .room) { _ in View() }],
      authorize: { request in Visitor(id: request.headers["cookie"] ?? "nobody") })
    var time: Duration = .zero
    let pages = (0..<60).map { number in
      let page = RawPage(network, "hall", query: ["room": "\(number)"], as: "ann")
      time += .milliseconds(200)
      network.run(until: time)
      return page
    }

    let late = pages.filter { $0.closeCode == 4004 }
    #expect(pages.count { $0.isUp } == 3)
    #expect((1...20).contains(late.count), "Each takes one of the answers, five and one a second.")
    #expect(late.allSatisfy { $0.last("error")?["code"] == "too-many" })
    #expect(late.allSatisfy { $0.link?.closeReason == "10000 ms, then come back: too-many" })
    #expect(
      network.refusals == Array(repeating: .limited(.rooms, [.identity("ann")]), count: 57 - late.count))
    let guest = RawPage(network, "hall", query: ["room": "0"], as: "bob")
    network.run(until: .seconds(60))
    #expect(guest.isUp)
  }

  @Test func `finds a shared room that is there where no other can be made`() {
    var configuration = SessionConfiguration()
    configuration.maxRooms = 2
    let network = SimulatedNetwork(
      seed: 1, configuration: configuration,
      routes: [ScreenRoute(name: "hall", scope: .room) { _ in View() }])
    let pages = ["a", "b", "c", "a"].enumerated().map { index, room in
      network.run(until: .milliseconds(100 * index))
      return RawPage(network, "hall", query: ["room": room])
    }
    network.run(until: .seconds(1))

    #expect(pages.count { $0.isUp } == 3)
    let full = Admission.refused(
      status: 503, code: "full", message: "The server has no space for one more room.")
    #expect(network.refusals == [full])
    #expect(pages.allSatisfy { $0.closeCode == nil })
  }

  @Test func `has room again when a room has ended`() {
    let network = Self.network(rooms: 1) { request in
      Visitor(id: request.headers["cookie"] ?? "nobody")
    }
    let first = RawPage(network, "stairs", as: "ann")
    network.run(until: .seconds(1))
    first.send(#"{"input":1,"name":"down"}"#)
    network.run(until: .seconds(2))
    #expect(first.last("error")?["code"] == "too-many")
    #expect(first.last("screens") == nil)

    first.link?.drop()
    network.run(until: .seconds(1_000))
    let second = RawPage(network, "stairs", as: "ann")
    network.run(until: .seconds(1_001))

    #expect(second.isUp)
    #expect(network.refusals.isEmpty)
  }

  @Test(arguments: [(2_048, true), (2_049, false)])
  func `names a path of two kibibytes at most`(_ length: Int, _ isTaken: Bool) {
    let network = Self.network()
    let path = "/" + String(repeating: "a", count: length - 1)
    let page = RawPage(network, "stairs", query: ["path": path])
    let back = RawPage(network, "stairs", query: ["path": path, "resume": "1"])
    network.run(until: .seconds(1))

    #expect(page.isUp == isTaken)
    #expect(back.isUp == isTaken)
    let refusal = Admission.refused(
      status: 400, code: "bad-request",
      message: "A page's path has at most 2048 bytes; this one has \(length).")
    #expect(network.refusals == (isTaken ? [] : [refusal, refusal]))
  }
}
