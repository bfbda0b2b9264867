// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `The store's budget` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork

  private static let maxBytes = 60_000

  init() {
    var configuration = SessionConfiguration()
    configuration.maxStoredBytes = Self.maxBytes
    network = SimulatedNetwork(
      seed: 5, configuration: configuration, store: store,
      routes: [.counter(Outside(), scope: .room(default: "lobby")), .hoard],
      authorize: { Visitor(id: $0.headers["cookie"]) })
  }

  private var hub: SessionLoop {
    get throws { try #require(network.services.first as? SessionLoop) }
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  /// Opens rooms, types into them and leaves.
  private func fill(
    _ rooms: ClosedRange<Int>, as visitor: String, from addresses: [Peer] = [], leaves: Bool = true
  ) -> [RawPage] {
    rooms.map { number in
      let page = RawPage(
        network, "counter", query: ["edits": "1", "room": "\(visitor) \(number)"], as: visitor,
        from: addresses)
      settle(.milliseconds(50))
      let text = String(repeating: "x", count: 1_000)
      page.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"\#(text)"]]}"#)
      settle(.milliseconds(50))
      if leaves { page.link?.drop() }
      settle(.milliseconds(50))
      return page
    }
  }

  private func stored(_ visitor: String) -> [Int] {
    store.storedRooms.compactMap { room in
      room.key.name.hasPrefix(visitor + " ") ? Int(room.key.name.dropFirst(visitor.count + 1)) : nil
    }.sorted()
  }

  /// How many sessions and rooms of a visitor's are stored.
  private func records(_ visitor: String) -> Int {
    (store.storedSessions.map(\.label) + store.storedRooms.map(\.label)).count { $0.peer == "i:\(visitor)" }
  }

  @Test func `counts what is stored`() throws {
    _ = fill(1...3, as: "ann")
    let sum = store.state.rooms.count * 2
    #expect(sum == 6)
    let budget = try hub.committer.budget

    #expect(
      budget.ledger.total > 3 * 256 * 2
        && budget.ledger.total == budget.ledger.existing(.identity("ann"))?.bytes)
    settle(SessionConfiguration().sessionLifetime + SessionConfiguration().roomLifetime + .seconds(9))

    #expect(store.storedRooms.isEmpty && store.storedSessions.isEmpty)
    #expect(
      budget.ledger.total == 0 && budget.ledger.existing(.identity("ann")) == nil, "All of it has ended.")
  }

  @Test func `takes from the peer that has most, the newest first, and from nobody else`() throws {
    _ = fill(1...3, as: "bob")
    _ = fill(1...200, as: "ann")
    settle()

    #expect(stored("bob") == [1, 2, 3])
    let left = stored("ann")
    #expect(left.first == 1 && left.count > 3 && left.count < 15, "The oldest stays, and a quarter is hers.")
    let budget = try hub.committer.budget
    #expect(budget.ledger.total <= Self.maxBytes && !budget.ledger.isFull)
    let bytes = ["ann", "bob"].map { budget.ledger.existing(.identity($0))?.bytes ?? 0 }
    #expect(bytes.reduce(0, +) == budget.ledger.total)
  }

  @Test func `takes from the address that has most, however many are behind it, and from nobody else`() throws
  {
    _ = fill(1...5, as: "bob", from: [.address("203.0.113.1")])
    let crowd = (0..<20).map { "ann\($0)" }
    for visitor in crowd { _ = fill(1...4, as: visitor, from: [.address("198.51.100.1")]) }
    settle()

    #expect(records("bob") == 10, "Each of the others has less, and their address has more.")
    let left = crowd.map(records)
    #expect(left.reduce(0, +) < 160 && left.first == 8, "The newest have gone: \(left)")
    #expect((left.last ?? 8) < 8)
    let budget = try hub.committer.budget
    #expect(budget.ledger.total <= Self.maxBytes)
    let bytes = ["198.51.100.1", "203.0.113.1"].map { budget.ledger.existing(.address($0))?.bytes ?? 0 }
    #expect(bytes.reduce(0, +) == budget.ledger.total)
  }

  @Test func `takes from a network that has eight times as much as an address`() {
    let network = Peer.network("2001:db8:1::/48")
    for (visitor, address) in [("carl", "2001:db8:1:1::/64"), ("dora", "2001:db8:1:2::/64")] {
      _ = fill(1...30, as: visitor, from: [.address(address), network])
    }
    _ = fill(1...42, as: "emil", from: [.address("203.0.113.1")])
    settle()

    let left = ["carl", "dora", "emil"].map(records)
    #expect(left.reduce(0, +) < 204 && (left.max() ?? 0) - (left.min() ?? 0) <= 8, "\(left)")
  }

  @Test func `takes from the address that has most after a restart, too`() throws {
    _ = fill(1...4, as: "bob", from: [.address("203.0.113.1")])
    for number in 0..<8 { _ = fill(1...2, as: "ann\(number)", from: [.address("198.51.100.1")]) }
    store.indexedBytes = 1_200
    network.restartServer()
    settle()

    #expect(records("bob") == 8 && store.storedSessions.count < 20)
  }

  @Test func `has time for the pages of a server that has ended, and for what they take`() throws {
    var configuration = SessionConfiguration()
    configuration.maxStoredBytes = Self.maxBytes
    let network = SimulatedNetwork(
      seed: 5, nodes: 2, configuration: configuration, store: store,
      routes: [.counter(Outside(), scope: .room(default: "lobby"))],
      authorize: { Visitor(id: $0.headers["cookie"]) })
    func settle(_ time: Duration) { network.run(until: network.now + time) }
    network.takeAll { $0 % 2 }
    settle(.seconds(1))
    let text = String(repeating: "x", count: 1_000)
    let pages = (0..<44).map { number in
      let page = RawPage(
        network, "counter", query: ["edits": "1", "room": "\(number)"], as: "visitor \(number)")
      settle(.milliseconds(100))
      page.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"\#(text)"]]}"#)
      settle(.milliseconds(100))
      return page
    }
    // As its own server counts them.
    store.indexedBytes = 1_400
    for page in pages { page.mark() }
    network.kill(0)
    network.bury(0)
    network.entrance = 1
    settle(.milliseconds(500))
    for slot in stride(from: 0, to: RecordLabel.slots, by: 2) { network.take(slot, byNode: 1) }
    settle(.seconds(3))
    for (number, page) in pages.enumerated() where !page.isUp {
      page.resume(["edits": "1", "room": "\(number)"])
    }
    settle(.seconds(3))

    let lost = pages.filter { page in page.new.contains { $0["hello"] != nil } }
    #expect(lost.isEmpty, "\(lost.count) of \(pages.count) have begun again.")
    #expect(pages.allSatisfy { $0.state["echo"]?.stringValue == text })
    settle(.seconds(30))
    let hub = try #require(network.nodes[1].gateways.first?.sessions)
    #expect(hub.committer.budget.ledger.isFull, "New pages are refused, and nobody's state has gone.")
    #expect(store.storedRooms.count == pages.count)
  }

  @Test func `keeps what is shown, and refuses new pages when nothing else is left`() throws {
    let pages = fill(1...60, as: "ann", leaves: false)
    settle()
    #expect(network.refusals.contains { if case .refused(503, "full", _, _) = $0 { true } else { false } })
    let shown = pages.filter { $0.isUp && !$0.state.isNull }
    #expect(shown.count >= 4 && shown.count < 15 && stored("ann").count >= shown.count, "A quarter is hers.")

    for page in shown.dropFirst(2) { page.link?.drop() }
    settle()
    let late = fill(61...61, as: "ann", leaves: false)

    #expect(late[0].isUp, "There is space again, before she comes again.")
  }

  @Test func `ends what is too much at the start, without reading it`() throws {
    _ = fill(1...20, as: "ann")
    let before = store.storedRooms.count
    store.indexedBytes = 4_000
    network.restartServer()
    let reads = store.reads
    settle()

    #expect(store.storedRooms.count < before && store.reads == reads)
    #expect(stored("ann").first == 1)
  }

  @Test func `is for nobody more than a quarter: what is shown does not grow, and others are served`() throws
  {
    let page = fill(1...1, as: "ann", leaves: false)[0]
    func type(_ input: Int, _ count: Int) {
      let text = String(repeating: "x", count: count)
      page.send(#"{"input":\#(input),"name":"text","value":"\#(text)"}"#)
      settle(.milliseconds(50))
    }

    type(2, 6_000)
    #expect(page.last("error") == nil)
    type(3, 50_000)
    #expect(page.last("error")?["code"] == "too-large" && page.last("ack") == 3)
    type(4, 10)

    #expect(page.last("ack") == 4 && page.isUp)
    let ledger = try hub.committer.budget.ledger
    #expect(ledger.existing(.identity("ann"))?.bytes ?? 0 <= ledger.peerLimit / 8 * 9)
    #expect(fill(1...1, as: "bob", leaves: false)[0].isUp)
  }

  @Test func `closes the newest page where a state has grown an eighth above the quarter`() {
    let pages = (0..<2).map { _ in
      let page = RawPage(network, "hoard", as: "ann")
      settle()
      return page
    }
    let other = RawPage(network, "hoard", as: "bob")
    settle()
    pages[1].send(#"{"input":1,"name":"add"}"#)
    settle()
    #expect(pages[1].isUp && pages[1].last("ack") == 1)
    pages[0].send(#"{"input":1,"name":"add"}"#)
    settle()

    #expect(pages[1].closeCode == 4006 && pages[0].isUp && other.isUp)
    #expect(store.storedSessions.count == 2 && store.storedRooms.count == 2)
  }

  @Test func `ends first what hardly anybody misses, then what was left last`() {
    let pages = fill(1...5, as: "ann", leaves: false)
    // Left in this order; the second one says good-bye.
    for number in [4, 1, 3, 0, 2] {
      if number == 1 { pages[number].link?.leave() } else { pages[number].link?.drop() }
      settle()
    }
    let unused = RawPage(network, "counter", query: ["room": "ann 1"], as: "ann")
    settle(.milliseconds(50))
    unused.link?.drop()
    settle(.milliseconds(50))
    let order = [unused] + [1, 2, 0, 3, 4].map { pages[$0] }
    let writer = fill(9...9, as: "ann", leaves: false)[0]
    var counts: Set<Int> = []
    for input in 2..<60 {
      let text = String(repeating: "x", count: 1_000 + input * 100)
      writer.send(#"{"input":\#(input),"name":"text","value":"\#(text)"}"#)
      settle(.milliseconds(50))
      let left = Set(store.storedSessions.map(\.id))
      let gone = order.prefix { !left.contains($0.session) }.count
      #expect(order.count { !left.contains($0.session) } == gone, "after \(input)")
      counts.insert(gone)
    }

    #expect(counts.count > 2 && counts.contains(order.count), "\(counts)")
    #expect(writer.isUp)
  }

  @Test func `is looked through when somebody is refused, but not each time`() throws {
    _ = fill(1...60, as: "ann", leaves: false)
    settle()
    let ledger = try hub.committer.budget.ledger
    let owner = ledger.owner([.identity("ann")])
    func refuse() {
      network.schedule(network.now) { ledger.makeSpace(for: owner, bytes: .max) }
      settle(.milliseconds(10))
    }

    refuse()
    #expect(!ledger.isWanted)
    refuse()
    #expect(ledger.isWanted, "It has just looked.")
    settle()
    #expect(!ledger.isWanted)
  }
}
