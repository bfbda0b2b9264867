// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `What a loop tells of itself` {
  private func report(_ network: SimulatedNetwork) throws -> SessionReport {
    try #require(network.services[0] as? SessionLoop).report()
  }

  private func settle(_ network: SimulatedNetwork) { network.run(until: network.now + .seconds(2)) }

  @Test func `are its sessions, and rooms, pages, turns and inputs by screen`() throws {
    let network = SimulatedNetwork(seed: 1, routes: [.number, .alone])
    let pages = [RawPage(network, "number"), RawPage(network, "number"), RawPage(network, "alone")]
    settle(network)

    pages[0].send(#"{"input":1,"name":"roll"}"#)
    settle(network)
    pages[1].send(#"{"input":1,"name":"roll"}"#)
    settle(network)
    pages[1].link?.drop()
    settle(network)

    let report = try report(network)
    #expect((report.connected, report.waiting) == (2, 1))
    let number = try #require(report.screens.first { $0.screen == "number" })
    #expect((number.rooms, number.pages, number.inputs, number.turns) == (1, 1, 2, 2))
    let alone = try #require(report.screens.first { $0.screen == "alone" })
    #expect((alone.rooms, alone.pages, alone.inputs) == (1, 1, 0))
  }

  @Test func `forgets rooms that have ended, and keeps what they did`() throws {
    let network = SimulatedNetwork(seed: 1, routes: [.number])
    let page = RawPage(network, "number")
    settle(network)
    page.send(#"{"input":1,"name":"roll"}"#)
    settle(network)
    page.link?.drop()
    network.run(until: network.now + .seconds(1_500))

    let number = try #require(try report(network).screens.first)
    #expect((number.rooms, number.pages, number.inputs, number.turns) == (0, 0, 1, 1))
  }

  @Test func `measures one of 64 inputs, the first one with them`() throws {
    let network = SimulatedNetwork(seed: 1, routes: [.number])
    let page = RawPage(network, "number")
    settle(network)
    for number in 1...129 { page.send(#"{"input":\#(number),"name":"roll"}"#) }
    settle(network)

    let number = try #require(try report(network).screens.first)
    #expect(number.inputs == 129)
    // The 1st, the 64th and the 129th.
    #expect(number.handOver.count == 3)
    #expect(number.turnTime.count == 3)
  }

  @Test func `counts the wait for a commit as a part of the way to the pages`() throws {
    let store = SimulatedStore()
    store.delay = .milliseconds(40)
    let network = SimulatedNetwork(seed: 1, store: store, routes: [.counter()])
    let page = RawPage(network, "counter")
    settle(network)
    page.send(#"{"input":1,"name":"text","value":"a"}"#)
    settle(network)

    let report = try report(network)
    let counter = try #require(report.screens.first)
    #expect(counter.handOver.count == 1)
    #expect(counter.handOver.sum >= 0.04 && counter.handOver.sum < 0.1)
    #expect(report.commits.count >= 1 && report.commits.sum >= 0.04)
  }

  @Test func `forgets an input that changes nothing`() throws {
    let network = SimulatedNetwork(seed: 1, routes: [.number])
    let page = RawPage(network, "number")
    settle(network)
    page.send(#"{"input":1,"name":"number","value":"0"}"#)
    settle(network)

    let number = try #require(try report(network).screens.first)
    #expect((number.inputs, number.turns, number.handOver.count) == (1, 0, 0))
  }

  @Test func `names the busiest rooms since it was asked before`() throws {
    let network = SimulatedNetwork(seed: 1, routes: [.number])
    let tea = RawPage(network, "number", query: ["room": "tea"])
    let bar = RawPage(network, "number", query: ["room": "bar"])
    settle(network)
    #expect(try report(network).busiestRooms.isEmpty)

    tea.send(#"{"input":1,"name":"roll"}"#)
    for number in 1...4 {
      bar.send(#"{"input":\#(number),"name":"roll"}"#)
      settle(network)
    }

    let busiest = try report(network).busiestRooms
    #expect(busiest.map(\.key.name) == ["bar", "tea"])
    #expect(busiest.map(\.turnsPerSecond) == [0.5, 0.125])
    #expect(busiest.map(\.pages) == [1, 1])
    settle(network)
    #expect(try report(network).busiestRooms.isEmpty)
  }

  @Test func `sorts durations into buckets`() {
    var histogram = DurationHistogram()
    for duration: Duration in [.zero, .microseconds(10), .microseconds(11), .seconds(10), .seconds(11)] {
      histogram.add(duration)
    }

    #expect(histogram.counts.prefix(2) == [2, 1])
    #expect(histogram.counts.last == 1)
    #expect(histogram.count == 5)
    #expect(abs(histogram.sum - 21.000021) < 1e-9)
  }
}
