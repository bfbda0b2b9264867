// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite(.timeLimit(.minutes(60))) struct `A shared model` {
  private let store = SimulatedStore()
  private let desk = Till.Desk()
  /// Whether all is tried that can be, and not a part of it.
  private let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  private func network(
    seed: UInt64 = 1, loops: Int = 1, store: SimulatedStore? = nil, _ desk: Till.Desk? = nil,
    limits: PeerLimits = PeerLimits(), _ change: (inout SessionConfiguration) -> Void = { _ in }
  ) -> SimulatedNetwork {
    var configuration = SessionConfiguration()
    change(&configuration)
    let desk = desk ?? self.desk
    return SimulatedNetwork(
      seed: seed, loops: loops, configuration: configuration, limits: limits, store: store,
      routes: [.till, .beats],
      models: [.model("till") { try Till($0, desk) }]
    ) { request in
      request.headers["cookie"].map { Visitor(id: $0) } ?? .anonymous
    }
  }

  private func settle(_ network: SimulatedNetwork, _ time: Duration = .seconds(1)) {
    network.run(until: network.now + time)
  }

  @Test func `is one for all screens of a room, and shows itself in their first frame`() {
    let network = network()
    let one = RawPage(network, "till")
    settle(network)
    #expect(one.last("snapshot")?["sum"] == 0)
    let other = RawPage(network, "till")
    let elsewhere = RawPage(network, "till", query: ["till": "attic"])
    settle(network)

    one.send(#"{"input":1,"name":"add","value":5}"#)
    other.send(#"{"input":1,"name":"add","value":2}"#)
    settle(network)

    #expect(one.state["sum"] == 7 && other.state["sum"] == 7 && elsewhere.state["sum"] == 0)
    #expect(one.state["answers"] == ["5"] && other.state["answers"] == ["7"])
    #expect(one.last("ack") == 1)
  }

  @Test(arguments: 1...6) func `is one for the screens of all loops`(seed: UInt64) {
    let network = network(seed: seed, loops: 3)
    let pages = (0..<12).map { RawPage(network, "till", query: ["till": "room \($0 % 3)"]) }
    settle(network)
    #expect(pages.allSatisfy { $0.state["sum"] == 0 })

    for number in 1...5 {
      for page in pages { page.send(#"{"input":\#(number),"name":"add","value":1}"#) }
    }
    settle(network)

    #expect(pages.allSatisfy { $0.state["sum"] == 20 && $0.last("ack") == 5 })
    #expect(pages.allSatisfy { $0.state["answers"]?.arrayValue?.count == 5 })
    #expect(Set(pages.compactMap { $0.link?.loop }) == [0, 1, 2])
  }

  @Test func `tells who has sent a command`() {
    let network = network(loops: 2)
    let ann = RawPage(network, "till", as: "ann")
    let nobody = RawPage(network, "till")
    settle(network)

    ann.send(#"{"input":1,"name":"add","value":1}"#)
    settle(network)
    nobody.send(#"{"input":1,"name":"add","value":1}"#)
    settle(network)

    #expect(nobody.state["from"] == ["ann", "nobody"])
  }

  @Test(arguments: [true, false])
  func `carries out one command at a time, also while it waits, and acknowledges when it has`(isStored: Bool)
  {
    let network = network(store: isStored ? store : nil)
    let one = RawPage(network, "till")
    let other = RawPage(network, "till")
    settle(network)

    one.send(#"{"input":1,"name":"addLater","value":10}"#)
    settle(network)
    other.send(#"{"input":1,"name":"add","value":1}"#)
    settle(network)
    #expect(one.state["sum"] == 10 && other.last("ack") == nil && one.last("ack") == nil)

    go(network)
    #expect(one.state["answers"] == ["20"] && other.state["answers"] == ["21"])
    #expect(one.last("ack") == 1 && other.last("ack") == 1)
  }

  @Test func `tells the screen its error, and goes on`() {
    let network = network(loops: 2)
    let page = RawPage(network, "till")
    settle(network)

    page.send(#"{"input":1,"name":"fail"}"#)
    page.send(#"{"input":2,"name":"add","value":3}"#)
    settle(network)

    #expect(page.state["answers"] == ["empty at 0", "3"] && page.last("ack") == 2)
  }

  @Test func `shows what its own clock changes, and a page that was away the newest value alone`() {
    let network = network(loops: 2, Till.Desk(ticks: true))
    let page = RawPage(network, "till")
    settle(network, .milliseconds(3_500))
    #expect(page.state["beats"] == 3)

    page.link?.drop()
    settle(network, .seconds(5))
    page.mark()
    page.resume()
    settle(network, .milliseconds(100))
    #expect(page.state["beats"] == 8)
    #expect(page.new.count { $0["patch"] != nil } == 1)
  }

  @Test func `cannot be opened by a page`() {
    let network = network()
    _ = RawPage(network, "model:till")
    settle(network)
    #expect(network.refusals.count == 1)
  }

  /// Lets the commands go on that wait now.
  private func go(_ network: SimulatedNetwork, count: Int = 1) {
    network.schedule(network.now) { [desk] in for _ in 0..<count { desk.go() } }
    settle(network)
  }

  // MARK: - Its life

  @Test(arguments: [1, 2]) func `ends some time after its last screen, and begins again`(loops: Int) {
    let network = network(loops: loops) {
      $0.sessionLifetime = .seconds(20)
      $0.roomLifetime = .seconds(5)
    }
    let page = RawPage(network, "till")
    settle(network)
    page.send(#"{"input":1,"name":"add","value":5}"#)
    settle(network)

    page.link?.drop()
    settle(network, .seconds(30))
    let second = RawPage(network, "till")
    settle(network)
    #expect(second.state["sum"] == 5, "It lasts as long as a session after the last one.")

    second.link?.drop()
    settle(network, .seconds(60))
    let third = RawPage(network, "till")
    settle(network)
    #expect(third.state["sum"] == 0)
  }

  @Test func `keeps no room that nobody shows, although it lasts longer itself`() {
    var configuration = SessionConfiguration()
    (configuration.sessionLifetime, configuration.roomLifetime) = (.seconds(100), .seconds(5))
    let network = SimulatedNetwork(
      seed: 1, configuration: configuration, routes: [.till, .counter(scope: .room)],
      models: [.model("till") { try Till($0) }])
    let (first, page) = (RawPage(network, "till"), RawPage(network, "counter"))
    settle(network)
    page.send(#"{"input":1,"name":"tap"}"#)
    first.send(#"{"input":1,"name":"add","value":5}"#)
    settle(network)
    first.link?.drop()
    settle(network, .seconds(10))
    #expect(page.state["sum"] == "1")

    // Its session ends behind that of the model's screen, and then it is nobody's for ten seconds.
    page.link?.drop()
    settle(network, .seconds(115))

    let second = RawPage(network, "counter")
    settle(network)
    #expect(second.state["sum"] == "0")
  }

  @Test func `lives as long as a page of some loop shows it`() {
    let network = network(loops: 3) {
      $0.sessionLifetime = .seconds(5)
      $0.roomLifetime = .seconds(5)
    }
    let pages = (0..<6).map { _ in RawPage(network, "till") }
    settle(network)
    pages[0].send(#"{"input":1,"name":"add","value":5}"#)
    settle(network)

    for page in pages.dropLast() { page.link?.drop() }
    settle(network, .seconds(120))
    let late = RawPage(network, "till")
    settle(network)
    #expect(late.state["sum"] == 5 && pages[5].state["sum"] == 5)
  }

  @Test(arguments: 1...10) func `shows the right relay to screens that come while others go`(seed: UInt64) {
    let network = network(seed: seed, loops: 2) {
      $0.sessionLifetime = .milliseconds(1)
      $0.unusedSessionLifetime = .milliseconds(1)
    }
    network.latency = .init(.milliseconds(1), .milliseconds(1))
    network.loopLatency = .init(.milliseconds(20), .milliseconds(40))
    let writer = RawPage(network, "till")
    settle(network)
    var pages: [RawPage] = []
    for number in 1...60 {
      writer.send(#"{"input":\#(number),"name":"add","value":1}"#)
      if number % 3 == 0 {
        pages.last?.link?.drop()
        // Its session has ended when the next one begins, and values for it are on their way.
        settle(network, .milliseconds(8))
        pages.append(RawPage(network, number % 2 == 0 ? "beats" : "till"))
      }
      settle(network, .milliseconds(20))
    }
    settle(network)

    for page in pages {
      let shown = page.values.flatMap { $0["patch"]?.arrayValue ?? [] }.filter { $0["path"] == "/beats" }
      #expect(shown.allSatisfy { $0["value"] == 0 }, "\(shown)")
    }
    #expect(pages.last?.state["sum"] == 60)
  }

  @Test func `counts as a room of who has asked for it first`() {
    var limits = PeerLimits()
    // Two screens and one model.
    limits.rooms = 3
    let network = network(limits: limits)
    let page = RawPage(network, "till", as: "ann")
    settle(network)
    #expect(page.state["sum"] == 0)

    let second = RawPage(network, "till", query: ["till": "attic"], as: "ann")
    settle(network)
    second.send(#"{"input":1,"name":"add","value":5}"#)
    settle(network)
    #expect(second.state["answers"]?.description.contains("Too many rooms") == true)
    #expect(second.last("ack") == 1)
    let reasons = network.notices.compactMap { notice in
      if case .refused(let refused) = notice { refused.reason } else { nil }
    }
    #expect(Set(reasons) == ["too-many-rooms"])
    let other = RawPage(network, "till", as: "bob")
    settle(network)
    #expect(other.state["sum"] == 0)
  }

  // MARK: - With a store

  @Test(arguments: [1, 3]) func `goes on after a kill, with its screens and without`(loops: Int) {
    let network = network(loops: loops, store: store)
    let page = RawPage(network, "till")
    settle(network)
    page.send(#"{"input":1,"name":"add","value":5}"#)
    settle(network)

    network.restartServer()
    settle(network)
    let fresh = RawPage(network, "till")
    settle(network)
    #expect(fresh.state["sum"] == 5)
    page.resume()
    settle(network)
    page.send(#"{"input":2,"name":"add","value":1}"#)
    settle(network)
    #expect(page.state["sum"] == 6 && fresh.state["sum"] == 6)
    #expect(page.state["answers"] == ["5", "6"])
    #expect(store.misfits == [] && network.failures == [])
  }

  @Test(arguments: [1, 3]) func `lasts as long as sessions that may come back after a kill`(loops: Int) {
    let network = network(loops: loops, store: store) {
      $0.sessionLifetime = .seconds(300)
      $0.roomLifetime = .seconds(5)
    }
    let page = RawPage(network, "till")
    settle(network)
    page.send(#"{"input":1,"name":"add","value":5}"#)
    settle(network)

    network.restartServer()
    settle(network, .seconds(200))
    page.resume()
    settle(network)
    #expect(page.state["sum"] == 5 && page.state["answers"] == ["5"])

    page.link?.drop()
    settle(network, .seconds(1_000))
    #expect(store.storedRooms.isEmpty, "It ends with them.")
  }

  @Test func `stores nothing of a command that is under way`() {
    let network = network(store: store)
    let page = RawPage(network, "till")
    settle(network)
    page.send(#"{"input":1,"name":"addLater","value":10}"#)
    settle(network)
    #expect(page.state["sum"] == 10)

    network.restartServer()
    settle(network)
    page.resume()
    page.send(#"{"input":1,"name":"addLater","value":10}"#)
    settle(network)
    #expect(desk.count == 2)
    go(network, count: 2)
    #expect(page.state["sum"] == 20 && page.state["answers"] == ["20"] && page.last("ack") == 1)
  }

  /// Taps of three pages, and a kill after a step.
  ///
  /// - Returns: Whether the steps of the run had that many.
  private func run(killedAfter step: Int, loops: Int, keeps: Bool, seed: UInt64) -> Bool {
    let store = SimulatedStore()
    store.keepsInterrupted = keeps
    store.delay = .milliseconds(6)
    let network = network(seed: seed, loops: loops, store: store)
    // Some pages are quick, and the records of loops are written at different times.
    network.latency = .init(.milliseconds(1), .milliseconds(20))
    var (steps, hasKilled) = (0, false)
    let pages = (0..<3).map { _ in RawPage(network, "till") }
    settle(network)
    let inputs = (1...3).map { #"{"input":\#($0),"name":"add","value":1}"# }
    network.onStep = { _ in
      steps += 1
      guard steps == step, !hasKilled else { return }
      hasKilled = true
      network.restartServer()
    }
    for input in inputs { for page in pages { page.send(input) } }
    settle(network)
    network.onStep = nil
    guard hasKilled else { return false }

    for page in pages {
      page.mark()
      page.resume()
      settle(network)
      let taken = page.last("resumed")?["ack"]?.intValue ?? -1
      #expect(taken >= 0, "The session is known.")
      for input in inputs.dropFirst(max(0, taken)) { page.send(input) }
    }
    settle(network)
    let place = "after step \(step), \(loops) loops, seed \(seed), interrupted commits are kept: \(keeps)"
    for page in pages {
      #expect(page.state["sum"] == 9, "\(place)")
      #expect(page.state["answers"]?.arrayValue?.count == 3, "\(place)")
    }
    #expect(store.misfits == [] && network.failures == [], "\(place)")
    return true
  }

  @Test(arguments: [1, 2, 3]) func `takes each command once, wherever the server is killed`(loops: Int) {
    var runs = 0
    for keeps in [true, false] {
      for seed in 1...(isLong ? 10 : 1) as ClosedRange<UInt64> {
        var step = 1
        while run(killedAfter: step, loops: loops, keeps: keeps, seed: seed) { step += 1 }
        runs += step - 1
      }
    }
    print("\(loops) loops: \(runs) kills")
    #expect(runs >= (isLong ? 1_000 : 100))
  }

  @Test(arguments: [1, 2]) func `gives each timer's command a key of its own, also after a restart`(
    loops: Int
  ) {
    let network = network(loops: loops, store: store)
    let pages = (0..<3).map { _ in RawPage(network, "till") }
    settle(network)
    for page in pages { page.send(#"{"input":1,"name":"addSoon","value":1}"#) }
    settle(network, .seconds(3))

    network.restartServer()
    settle(network)
    for page in pages {
      page.resume()
      settle(network)
      page.send(#"{"input":2,"name":"addSoon","value":1}"#)
    }
    settle(network, .seconds(3))
    #expect(pages.allSatisfy { $0.state["sum"] == 6 })
    #expect(desk.keys.count == 6 && Set(desk.keys).count == 6, "\(desk.keys)")
    // It tells which input has set the timer, and what it is.
    #expect(desk.keys.allSatisfy { $0.contains("/~") })
  }

  @Test func `is sent commands whose names tell what they say, whose they are, and how often`() {
    func cause(_ number: Int) -> PageCause {
      PageCause(epoch: "e", page: 1, sender: .anonymous, input: InputID(session: "s", number: number))
    }
    let (first, again) = (cause(1), cause(1))
    let (milk, rice): (Value, Value) = (["add": "milk", "count": 2], ["add": "rice", "count": 2])
    let keys = [first.key(of: milk), first.key(of: milk), first.key(of: rice)]
    #expect(Set(keys).count == 3 && !keys.contains(nil))
    // Timers end in another order when the input comes again, and a dictionary has another one in another process.
    #expect(again.key(of: rice) == keys[2])
    #expect(again.key(of: ["count": 2, "add": "milk"]) == keys[0])
    #expect(again.key(of: milk) == keys[1])
    #expect(cause(2).key(of: milk) != keys[0])
    #expect(cause(1).key(of: ["milk", "rice"]) != cause(1).key(of: ["milkrice"]))
    // Work that goes on for days keeps no list of all that it has sent.
    for number in 4...1_024 { #expect(first.key(of: .integer(Int64(number))) != nil) }
    #expect(first.key(of: milk) == nil)
  }

  @Test func `forgets what came of a command when its input cannot come again`() throws {
    let network = network(store: store)
    let page = RawPage(network, "till")
    settle(network)
    for number in 1...20 { page.send(#"{"input":\#(number),"name":"add","value":1}"#) }
    settle(network)
    page.send(#"{"input":21,"name":"add","value":1}"#)
    settle(network)

    let room = try #require(store.storedRooms.first { $0.key.screen == "model:till" })
    #expect(room.state["model"]?["sum"] == 21)
    #expect(room.state["done"]?.description.contains("/20") != true)
  }
}
