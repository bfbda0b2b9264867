// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `Rooms and pages on several loops` {
  private func network(seed: UInt64, loops: Int = 3) -> SimulatedNetwork {
    SimulatedNetwork(seed: seed, loops: loops, routes: [.number, .alone])
  }

  private func settle(_ network: SimulatedNetwork) { network.run(until: network.now + .seconds(2)) }

  @Test func `a room exists once, whichever loop its pages come to`() {
    let network = network(seed: 1)
    let pages = (0..<24).map { RawPage(network, "number", query: ["room": "room \($0 % 4)"]) }
    settle(network)

    for page in pages { page.send(#"{"input":1,"name":"roll"}"#) }
    settle(network)

    #expect(pages.allSatisfy { $0.state["label"] == "6" })
    #expect(Set(pages.map { $0.position[0].description }).count == 4)
    #expect(Set(pages.compactMap { $0.link?.loop }) == [0, 1, 2])
  }

  @Test func `a page on another loop gets the same bytes in the same order`() {
    let network = network(seed: 2)
    let pages = (0..<8).map { _ in RawPage(network, "number") }
    settle(network)
    for page in pages { page.clear() }

    pages[0].send(#"{"input":1,"name":"roll"}"#)
    pages[0].send(#"{"input":2,"name":"number","value":"5"}"#)
    settle(network)

    for page in pages.dropFirst() { #expect(page.frames == pages[1].frames) }
    #expect(pages[0].frames.filter { !$0.contains("ack") } == pages[1].frames)
    #expect(pages[0].values.first == ["ack": 2])
  }

  @Test(arguments: 1...8) func `a page resumes its session on any loop`(seed: UInt64) {
    let network = network(seed: seed)
    for screen in ["number", "alone"] {
      let page = RawPage(network, screen)
      settle(network)
      page.send(#"{"input":1,"name":"number","value":"42"}"#)
      settle(network)

      page.link?.drop()
      settle(network)
      let before = page.frames.count
      page.resume()
      settle(network)
      page.send(#"{"input":2,"name":"roll"}"#)
      settle(network)

      #expect(page.values[before]["resumed"]?["ack"] == 1)
      #expect(page.frames.count == before + 3)
      #expect(page.state["label"] == "1")
    }
  }

  @Test(arguments: 1...8) func `a page that cannot resume begins again in its one room`(seed: UInt64) {
    let network = network(seed: seed)
    let witness = RawPage(network, "number", query: ["room": "attic"])
    let page = RawPage(network, "number", query: ["room": "attic"])
    settle(network)
    page.link?.drop()
    page.clear()

    page.resume(["room": "attic"], session: "BnobodyKnowsThis", token: "none", position: ["none", 0])
    settle(network)
    page.send(#"{"input":1,"name":"roll"}"#)
    settle(network)

    #expect(page.values.first?["error"]?["code"] == "session-unknown")
    #expect(page.state["label"] == "1")
    #expect(page.state == witness.state)
    #expect(page.position == witness.position)
  }

  @Test func `frames behind a page's resume frame are taken, in order`() {
    for seed in UInt64(1)...8 {
      let network = network(seed: seed)
      let page = RawPage(network, "number")
      settle(network)
      page.link?.drop()
      settle(network)

      page.resume()
      for number in 1...5 { page.send(#"{"input":\#(number),"name":"number","value":"\#(number)"}"#) }
      settle(network)

      #expect(page.last("ack") == 5, "seed \(seed)")
      #expect(page.state["label"] == "5", "seed \(seed)")
    }
  }

  @Test func `closes a page of another loop with the code and the last words`() {
    for seed in UInt64(1)...6 {
      let network = network(seed: seed)
      let page = RawPage(network, "number")
      settle(network)

      page.send(#"{"nonsense":1}"#)
      settle(network)

      #expect(page.closeCode == 4501)
      #expect(page.values.last?["error"] != nil)
    }
  }

  @Test func `a page of another loop that stops reading catches up when it wakes`() {
    for seed in UInt64(1)...4 {
      var configuration = SessionConfiguration()
      configuration.maxLogTurns = 64
      let network = SimulatedNetwork(seed: seed, loops: 3, configuration: configuration, routes: [.number])
      let reader = RawPage(network, "number")
      let writer = RawPage(network, "number")
      settle(network)

      reader.link?.isStalled = true
      for number in 1...800 {
        writer.send(#"{"input":\#(number),"name":"roll"}"#)
        if number % 100 == 0 { settle(network) }
      }
      settle(network)
      reader.link?.isStalled = false
      settle(network)

      #expect(reader.state == writer.state, "seed \(seed)")
      #expect(reader.state["label"] == "800")
      #expect(reader.frames.count < 700, "It was caught up by a snapshot.")
    }
  }

  @Test func `bytes on the way of a page of another loop are bounded, and nobody else waits for it`() {
    for seed in UInt64(1)...4 {
      var configuration = SessionConfiguration()
      configuration.messageRate = nil
      let network = SimulatedNetwork(seed: seed, loops: 3, configuration: configuration, routes: [.number])
      network.loopLatency = .init(.milliseconds(100), .milliseconds(100))
      let pages = (0..<12).map { _ in RawPage(network, "number") }
      settle(network)
      var received: [Int: Int] = [:]
      network.onReceive = { payload, link in received[link.id, default: 0] += payload.count }

      for number in 1...4_000 { pages[0].send(#"{"input":\#(number),"name":"roll"}"#) }
      pages[1].send(#"{"input":1,"name":"number","value":"5"}"#)
      network.run(until: network.now + .milliseconds(60))
      let first = pages[0].link.map { received[$0.id] ?? 0 } ?? 0
      let isElsewhere = pages[0].link?.unread.isEmpty == false
      let second = pages[1].link.map { received[$0.id] ?? 0 } ?? 0
      settle(network)

      if isElsewhere { #expect(first > 65_536 && first < 65_600, "seed \(seed)") }
      #expect(isElsewhere == (first < 100_000), "seed \(seed)")
      #expect(second > 0)
      #expect(pages[0].last("ack") == 4_000)
      #expect(pages[1].last("ack") == 1)
    }
  }

  @Test func `what all pages of another loop have on the way is bounded, too`() {
    var configuration = SessionConfiguration()
    configuration.messageRate = nil
    let network = SimulatedNetwork(seed: 3, loops: 3, configuration: configuration, routes: [.number])
    network.loopLatency = .init(.milliseconds(100), .milliseconds(100))
    let pages = (0..<120).map { _ in RawPage(network, "number") }
    settle(network)
    var received: [Int: Int] = [:]
    network.onReceive = { payload, link in received[link.loop, default: 0] += payload.count }

    // Ten messages of six kilobytes are less than what one page may have on the way.
    let text = String(repeating: "x", count: 6_000)
    for number in 1...10 {
      for page in pages { page.send(#"{"input":\#(number),"name":"number","value":"\#(text)"}"#) }
    }
    network.run(until: network.now + .milliseconds(60))

    let most = 1 << 20 + 60 * 6_100
    #expect(
      received.values.count { $0 > most } == 1, "Only those who are at home are not bounded: \(received)")
    #expect(received.values.allSatisfy { $0 > 1 << 20 })
    settle(network)
    #expect(pages.allSatisfy { $0.last("ack") == 10 })
  }

  @Test
  func `a page of another loop is told of its input before what came of it, and behind what came before`() {
    let network = SimulatedNetwork(seed: 2, loops: 3, routes: [.rows(.keep)])
    let pages = (0..<12).map { _ in RawPage(network, "rows", query: ["edits": "1"]) }
    settle(network)
    let loops = Dictionary(grouping: pages) { $0.link?.loop ?? 0 }
    #expect(loops.values.allSatisfy { $0.count > 1 } && loops.count == 3)
    // A step of so many bytes ends its turn, so that both pages get two turns at once.
    let text = String(repeating: "x", count: 17_000)

    for (loop, pages) in loops {
      let sequence = pages[0].position[1].intValue ?? 0
      pages[1].clear()
      pages[0].send(
        #"{"input":1,"name":"title","row":"\#(loop + 1)","sequence":\#(sequence),"edits":[[0,0,"\#(text)"]]}"#
      )
      pages[1].send(#"{"input":1,"name":"reverse"}"#)
      settle(network)

      let kinds = pages[1].values.map { $0["ack"] != nil ? "ack" : $0["edits"] != nil ? "edit" : "turn" }
      #expect(kinds == ["edit", "ack", "turn"], "loop \(loop)")
    }
  }

  @Test func `a page of another loop that is slowed down is not read from meanwhile`() {
    var elsewhere = 0
    for seed in UInt64(1)...8 {
      var configuration = SessionConfiguration()
      configuration.messageRate = MessageRate(perSecond: 100, burst: 200)
      let network = SimulatedNetwork(seed: seed, loops: 3, configuration: configuration, routes: [.number])
      let page = RawPage(network, "number")
      let witness = RawPage(network, "number")
      settle(network)
      var received = 0
      network.onReceive = { _, _ in received += 1 }

      for number in 1...6_000 { page.send(#"{"input":\#(number),"name":"roll"}"#) }
      network.run(until: network.now + .seconds(10))
      // 200 at once and 1,000 after them; on the way from another loop are no more than 64 KiB of this page.
      let early = received
      network.run(until: network.now + .seconds(60))

      if early > 1_300 { elsewhere += 1 }
      #expect(early < 1_300 + 65_536 / 30, "seed \(seed)")
      #expect(page.last("ack") == 6_000)
      #expect(witness.state["label"] == .string("6000"))
    }
    #expect(elsewhere > 0, "One of them was on another loop.")
  }
}
