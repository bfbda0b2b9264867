// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiTesting
import MusubiWire
import Simulation
import Testing

@testable import MusubiSession

@Suite struct `Pages and rooms on several servers` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let slot = RoomKey(screen: "counter", name: "tea", isPrivate: false).slot
  private let room = ["room": "tea", "edits": "1"]

  init() {
    var configuration = SessionConfiguration()
    configuration.maxPagesWithoutHome = 20
    network = SimulatedNetwork(
      seed: 11, nodes: 3, loops: 2, configuration: configuration, store: store,
      routes: [.counter(scope: .room), .counterOfOne, .number],
      authorize: { request in
        Visitor(id: request.headers["cookie"], validFor: request.headers["cookie"].map { _ in .seconds(100) })
      })
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  /// All slots are somebody's, the room's the first server's.
  private func begin() {
    network.takeAll { $0 == slot ? 0 : $0 % 3 }
    settle()
  }

  private func page(_ node: Int, _ screen: String = "counter", as visitor: String = "") -> RawPage {
    network.entrance = node
    return RawPage(network, screen, query: room, as: visitor)
  }

  @Test func `a loop rests whose room was taken while nothing could be stored`() {
    begin()
    let page = page(0)
    settle()
    store.failure = "The disk is full."
    page.send(#"{"input":1,"name":"tap"}"#)
    settle(.milliseconds(100))
    network.take(slot, byNode: 1)
    settle(.milliseconds(500))

    // It would have tried again after a second, and has nothing to try.
    let deadline = network.nodes[0].gateways[slot % 2].nextDeadline
    #expect(deadline.map { $0 > network.now + .seconds(2) } ?? true)
  }

  // MARK: - By way of another server

  @Test func `a room is one, whichever server its pages come to`() {
    begin()
    let pages = (0..<12).map { page($0 % 3) }
    settle()
    #expect(Set(pages.compactMap { $0.link?.node }).count == 3)
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    pages[1].send(#"{"input":2,"name":"text","revision":0,"edits":[[0,0,"結び"]]}"#)
    settle()

    for page in pages { #expect(page.state["sum"] == "12" && page.state["echo"] == "結び") }
    #expect(pages[1].last("ack") == 2)
    #expect(network.nodeBytes > 0)
    let shared = pages.filter { $0 !== pages[1] }.map { $0.frames.filter { $0.contains("結び") } }
    #expect(shared.allSatisfy { $0 == shared[0] } && !shared[0].isEmpty)
  }

  @Test(arguments: 0..<3) func `a page resumes its session at any of them`(node: Int) {
    begin()
    let page = page(1)
    let witness = self.page(2)
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.link?.drop()
    settle()
    witness.send(#"{"input":1,"name":"tap"}"#)
    settle()

    network.entrance = node
    page.mark()
    page.resume(room)
    settle()
    page.send(#"{"input":2,"name":"tap"}"#)
    settle()

    #expect(page.new.first?["resumed"]?["ack"] == 1)
    #expect(page.link?.hasReturned == true, "No session has begun, whose place its address would have taken.")
    #expect(page.new.first?["resumed"]?["session"]?.stringValue == page.session)
    #expect(!page.new.contains { $0["snapshot"] != nil || $0["hello"] != nil }, "It has missed one turn.")
    #expect(page.last("ack") == 2 && page.state["sum"] == "3" && witness.state["sum"] == "3")
  }

  @Test func `a page whose session has ended begins again where its room is`() {
    begin()
    // A name that says that it is at home at the third server, and a room of the first one.
    let session = SessionName.make(
      slot: (0..<4_096).first { $0 != slot && $0 % 3 == 2 } ?? 0, random: [7])
    let witness = page(0)
    settle()
    for node in 0..<3 {
      network.entrance = node
      let page = RawPage(network, "counter", query: room)
      settle()
      page.link?.drop()
      settle()
      page.mark()
      page.resume(room, session: "AAAAAAAAAAAA" + session.suffix(2), token: "none", position: ["none", 0])
      page.send(#"{"input":1,"name":"tap"}"#)
      settle()

      #expect(page.new.first?["error"]?["code"] == "session-unknown")
      #expect(page.last("ack") == 1)
      #expect(page.state == witness.state && page.position == witness.position)
    }
    #expect(witness.state["sum"] == "3")
  }

  @Test func `a screen of one visitor is where its page is, or anywhere if nothing is there`() {
    network.takeAll { $0 / 2 % 2 }
    settle()
    let pages = (0..<12).map { page($0 % 3, "own") }
    settle()

    for (number, page) in pages.enumerated() {
      #expect(page.isUp && page.state["sum"] == "0")
      let owner = (SessionName.slot(of: page.session) ?? 0) / 2 % 2
      if number % 3 < 2 { #expect(owner == number % 3) }
    }
    let elsewhere = pages.enumerated().filter { $0.offset % 3 == 2 }
    #expect(
      Set(elsewhere.map { (SessionName.slot(of: $0.element.session) ?? 0) % 4 }).count > 1, "They are spread."
    )
  }

  @Test func `a visitor is trusted for as long as it was said, whatever the clocks say`() {
    begin()
    let pages = (0..<3).map { page($0, as: "ann") }
    settle(.seconds(60))
    #expect(pages.allSatisfy { $0.isUp })
    settle(.seconds(45))
    #expect(pages.map(\.closeCode) == [4_005, 4_005, 4_005])
  }

  @Test func `a page that is slow holds up neither the link nor its room`() {
    begin()
    let slow = page(1, "number")
    let writer = page(2, "number")
    settle()
    slow.link?.isStalled = true
    for number in 1...3_000 {
      writer.send(#"{"input":\#(number),"name":"number","value":"\#(number)"}"#)
      if number % 100 == 0 { settle(.milliseconds(200)) }
    }
    settle()
    #expect(writer.last("ack") == 3_000)
    slow.link?.isStalled = false
    settle()
    #expect(slow.state == writer.state && slow.state["label"] == "3000")
  }

  // MARK: - Links

  @Test func `pages of a link that is cut come back when there is one again`() {
    begin()
    let pages = (0..<6).map { page($0 % 3) }
    settle()
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    settle()

    network.cutLink(0, 1)
    settle()
    for page in pages {
      #expect(page.closeCode == (page.link?.node == 1 ? 4_002 : nil))
      #expect(page.closeCode == nil || page.link?.closeReason?.hasPrefix("100 ms") == true)
    }
    network.entrance = 1
    let back = pages.filter { $0.closeCode != nil }
    for page in back { page.resume(room) }
    settle()
    #expect(back.allSatisfy { $0.isUp }, "They wait.")
    network.openLink(0, 1)
    settle()
    for page in back { page.send(#"{"input":2,"name":"tap"}"#) }
    settle()

    for page in pages { #expect(page.isUp && page.state["sum"] == "8") }
    for page in back { #expect(page.last("resumed")?["ack"] == 1 && page.last("ack") == 2) }
  }

  @Test func `what was on its way over a link that is cut is sent again, and taken once`() {
    for last in 1...20 {
      let suite = Self()
      let network = suite.network
      network.take(suite.slot, byNode: 0)
      suite.settle()
      let page = suite.page(1)
      suite.settle()
      for number in 1...20 {
        page.send(#"{"input":\#(number),"name":"tap"}"#)
        suite.settle(.milliseconds(2))
        if number == last { network.cutLink(0, 1) }
      }
      suite.settle()
      network.openLink(0, 1)
      var known = 0
      if !page.isUp {
        page.resume(suite.room)
        suite.settle()
        known = page.last("resumed")?["ack"]?.intValue ?? 0
        for number in 1...20 where number > known { page.send(#"{"input":\#(number),"name":"tap"}"#) }
      }
      suite.settle()
      known = max(known, page.last("ack")?.intValue ?? 0)
      #expect(page.isUp && known == 20 && page.state["sum"] == "20", "cut after \(last)")
    }
  }

  @Test func `what a link does not take waits where it was made, and goes in pieces when it does`() {
    begin()
    let text = String(repeating: "x", count: 60_000)
    let writer = page(0)
    settle()
    writer.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"\#(text)"]]}"#)
    settle()
    network.setFlowing(0, to: 1, false)
    let pages = (0..<60).map { _ in page(1) }
    let others = (0..<3).map { _ in page(2) }
    settle()
    writer.send(#"{"input":2,"name":"tap"}"#)
    settle()
    #expect(pages.allSatisfy { $0.frames.isEmpty })
    #expect(others.allSatisfy { $0.state["sum"] == "1" }, "Others' links go on.")
    #expect(network.largestNodeBatch < 400_000)

    network.setFlowing(0, to: 1, true)
    settle()
    #expect(pages.allSatisfy { $0.state["sum"] == "1" && $0.state["echo"]?.stringValue == text })
    #expect(network.largestNodeBatch > 1_000_000 && network.largestNodeBatch < 1_300_000)
  }

  // MARK: - Homes

  @Test func `a page waits until somebody has its room`() {
    let pages = (0..<6).map { page($0 % 3) }
    settle(.milliseconds(1_500))
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    settle(.milliseconds(300))
    #expect(pages.allSatisfy { $0.isUp && $0.frames.isEmpty })

    network.take(slot, byNode: 1)
    // A new room takes what pages hand over, and their inputs then.
    settle(.seconds(4))
    for page in pages { #expect(page.last("ack") == 1 && page.state["sum"] == "6") }
  }

  @Test func `a page does not wait for ever, and not with too many others`() {
    let pages = (0..<60).map { _ in page(1) }
    settle()
    // Twenty for each of the two loops.
    let refused = pages.filter { !$0.isUp }
    #expect(refused.count == 20)
    let times = refused.compactMap { $0.link?.closeReason?.split(separator: " ").first.flatMap { Int($0) } }
    #expect(times.count == 20 && times.allSatisfy { (1...1_000).contains($0) } && Set(times).count > 10)
    settle(.milliseconds(1_200))
    #expect(pages.allSatisfy { !$0.isUp && $0.closeCode == 4_002 && $0.frames.isEmpty })

    // Those who have gone are not in others' way.
    let gone = (0..<30).map { _ in page(1) }
    settle(.milliseconds(100))
    for page in gone { page.link?.drop() }
    settle(.milliseconds(100))
    let late = (0..<30).map { _ in page(1) }
    settle(.milliseconds(100))
    network.take(slot, byNode: 2)
    settle()
    #expect(late.allSatisfy { $0.isUp && $0.state["sum"] == "0" })
  }

  @Test func `pages go on where their room is taken when its server dies`() {
    begin()
    let pages = (0..<9).map { page($0 % 3) }
    settle()
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    pages[4].send(#"{"input":2,"name":"text","revision":0,"edits":[[0,0,"結び"]]}"#)
    settle()

    network.kill(0)
    settle()
    #expect(pages.allSatisfy { !$0.isUp })
    network.entrance = nil
    for page in pages {
      page.mark()
      page.resume(room)
    }
    settle(.milliseconds(300))
    #expect(pages.allSatisfy { $0.isUp }, "They wait.")
    network.bury(0)
    network.take(slot, byNode: 2)
    settle()
    for page in pages { page.send(#"{"input":3,"name":"tap"}"#) }
    settle()

    for page in pages {
      #expect(page.new.first?["resumed"]?["session"]?.stringValue == page.session)
      #expect(page.last("ack") == 3)
      #expect(page.state["sum"] == "18" && page.state["echo"] == "結び")
    }
    network.startNode(0)
    let late = page(0)
    settle()
    #expect(late.state["sum"] == "18")
  }

  @Test func `a page whose room is on its way elsewhere is sent away once, and then waits for it`() {
    begin()
    let pages = (0..<12).map { page($0 % 3) }
    settle()
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    settle()

    network.schedule(network.now) { [network, slot] in
      network.nodes[0].gateways[slot % 2].release([slot]) { _, _ in }
    }
    settle(.milliseconds(100))
    #expect(pages.allSatisfy { !$0.isUp && $0.closeCode == 4_002 })
    for (index, page) in pages.enumerated() {
      network.entrance = index % 3
      page.mark()
      page.resume(room)
    }
    settle(.milliseconds(500))
    #expect(pages.allSatisfy { $0.isUp }, "They wait.")
    network.take(slot, byNode: 2)
    settle()

    for page in pages {
      #expect(page.isUp && page.new.first?["resumed"]?["session"]?.stringValue == page.session)
    }
  }

  @Test func `a server that does not know that its slot was taken acknowledges nothing of it any more`() {
    begin()
    let page = page(0)
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    network.directoryDelay = nil
    network.cutLink(0, 1)
    network.cutLink(0, 2)
    settle()
    network.take(slot, byNode: 1)
    page.send(#"{"input":2,"name":"tap"}"#)
    settle()
    #expect(store.fenced > 0 && page.last("ack") == 1 && page.closeCode == 4_002)

    network.entrance = 1
    page.resume(room)
    page.send(#"{"input":2,"name":"tap"}"#)
    settle()
    #expect(page.last("resumed")?["ack"] == 1 && page.last("ack") == 2 && page.state["sum"] == "2")
  }

  @Test func `what the directory tells late is not believed`() {
    begin()
    network.directoryDelay = .seconds(1)
    network.take(slot, byNode: 1)
    settle(.milliseconds(900))
    network.directoryDelay = .milliseconds(1)
    network.take(slot, byNode: 2)
    settle()
    let pages = (0..<3).map { page($0) }
    settle()
    #expect(pages.allSatisfy { $0.isUp && $0.state["sum"] == "0" })
    // The owner has gone, and nobody else has it.
    network.bury(2)
    settle()
    let late = page(0)
    settle()
    #expect(late.isUp && late.frames.isEmpty)
  }

  @Test func `whoever has a room again that it has given away tells the others`() throws {
    begin()
    let owner = network.nodes[0].gateways[slot % 2]
    let slots = owner.sessions.slots
    let move = SlotMove(generation: slots.generation(of: slot), lostSince: slots.lostSince(slot))
    var state: StoredState?
    network.schedule(network.now) { owner.release([slot]) { _, left in state = left } }
    settle()
    let left = try #require(state)
    #expect(network.nodes[1].gateways[0].sessions.slots.home(of: slot) == nil)
    // The database has forgotten to whom.
    network.schedule(network.now) { owner.adopt(slot, left, move) }
    settle()
    let pages = (0..<3).map { page($0) }
    settle()
    #expect(pages.allSatisfy { $0.state["sum"] == "0" })
  }

  @Test func `two servers of which each takes the other for a room's home do not send its pages round`() {
    let move = SlotMove(generation: 9, lostSince: 9)
    for node in 0..<2 {
      for gateway in network.nodes[node].gateways {
        gateway.note(slot, home: Place.remote(peer: 1 - node, loop: slot % 2), move)
      }
    }
    let other = (0..<4_096).first { $0 != slot && $0 % 2 == 0 } ?? 0
    network.take(other, byNode: 1)
    settle()
    let new = page(0)
    let known = page(1)
    known.resume(
      room, session: "AAAAAAAAAAAA" + SessionName.make(slot: other, random: [1]).suffix(2), token: "none")
    network.entrance = 0
    let unknown = page(0)
    unknown.resume(
      room, session: "AAAAAAAAAAAA" + SessionName.make(slot: other, random: [1]).suffix(2), token: "none")
    settle()
    #expect([new, known, unknown].map(\.closeCode) == [4_002, 4_002, 4_002])
    let bytes = network.nodeBytes
    settle(.seconds(10))
    #expect(network.nodeBytes == bytes)

    network.take(slot, byNode: 0)
    settle()
    let late = page(1)
    settle()
    #expect(late.state["sum"] == "0")
  }

  @Test
  func
    `a page that is sent on a second time comes back, and one of a number that is there replaces the other`()
    throws
  {
    begin()
    let pages = (0..<2).map { _ in page(1) }
    settle()
    let other = try #require(pages[1].link?.handler as? VisitProxy)
    var again = LoopBatch(from: Place.remote(peer: 1, loop: pages[1].link?.loop ?? 0))
    let request = ConnectionRequest(screen: "counter", query: room)
    again.items.append(.opened(other.number, request, refusal: nil))
    let home = network.nodes[0].gateways[slot % 2]
    let before = Array(home.sessions.sessions.all).count
    home.take(again)
    settle()
    let sessions = Array(home.sessions.sessions.all)
    #expect(sessions.count == before + 1)
    #expect(sessions.filter { $0.visit != nil }.count == 2, "The other's page is taken for gone.")
    let proxy = try #require(pages[0].link?.handler as? VisitProxy)
    let loop = pages[0].link?.loop ?? 0
    var batch = LoopBatch(from: Place.remote(peer: 0, loop: slot % 2))
    let refusal = ResumeRefusal(code: .sessionUnknown, message: "", isBroken: false, taken: 0)
    batch.items.append(.moved(proxy.number, refusal))
    network.nodes[1].gateways[loop].take(batch)
    settle()
    #expect(pages[0].closeCode == 4_002)
  }
}

@Suite(.timeLimit(.minutes(60))) struct `Servers that die, and links that are cut, at every step or at some` {
  /// Whether all is tried that can be, and not a part of it.
  private let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  @Test func `lose nothing of what was typed, and take nothing twice`() {
    let faults = NodeFaults()
    let failure = RowSimulation(faults: faults).firstFailure(seeds: 0..<(isLong ? 5_000 : 4))

    if let failure { Issue.record("\(failure)") }
    #expect(faults.taken > 10 && faults.cut > 1 && faults.killed > 0 && faults.bytes > 1_000)
    #expect(faults.audienceTurns > 3)
    #expect(!isLong || faults.refused > 100, "Former owners have gone on.")
  }

  @Test(
    .enabled("it takes a minute: deploy/test --long runs it") {
      ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"
    })
  func `show it if the store does not ask whose a slot is`() {
    #expect(RowSimulation(faults: NodeFaults(fault: .noFence)).firstFailure(seeds: 0..<500) != nil)
  }
}

extension ScreenRoute {
  /// A counter of one visitor.
  fileprivate static let counterOfOne = ScreenRoute(name: "own", scope: .session) { context in
    try CounterView(context, outside: Outside())
  }
}
