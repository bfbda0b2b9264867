// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `What leaves memory` {
  private let store = SimulatedStore()
  private let outside = Outside()
  private let network: SimulatedNetwork
  private let hub: SessionLoop

  init() throws {
    network = SimulatedNetwork(
      seed: 5, store: store, routes: [.counter(outside, scope: .room(default: "lobby")), .second])
    hub = try #require(network.services.first as? SessionLoop)
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  private func sum(_ page: RawPage) -> String? { page.state["sum"]?.stringValue }

  /// Unloads whatever may be unloaded.
  @discardableResult
  private func unloadAll() -> (sessions: Int, rooms: Int) {
    let sessions = Array(hub.sessions.all).count { hub.sessions.unload($0) }
    // A room that a session has left is stored first, at the end of an iteration.
    network.schedule(network.now) {}
    settle(.milliseconds(10))
    return (sessions, Array(hub.rooms.all).count { hub.rooms.unload($0) })
  }

  @Test func `is nothing that a page shows, or that is not stored`() throws {
    let page = RawPage(network, "counter")
    settle()
    #expect(unloadAll() == (0, 0))

    store.delay = .seconds(5)
    page.send(#"{"input":1,"name":"tap"}"#)
    settle(.milliseconds(100))
    page.link?.drop()
    settle(.milliseconds(500))
    #expect(unloadAll() == (0, 0), "The commit is under way.")
    settle(.seconds(20))
    store.delay = .milliseconds(1)
    #expect(unloadAll() == (1, 1))
    #expect(unloadAll() == (0, 0))
    #expect(Array(hub.sessions.all).isEmpty && Array(hub.rooms.all).isEmpty)
  }

  @Test func `is counted before its page has seen anything`() {
    store.delay = .seconds(5)
    let page = RawPage(network, "counter")
    settle(.milliseconds(100))
    let before = hub.memory.total

    page.send(#"{"input":1,"name":"text","value":"\#(String(repeating: "x", count: 60_000))"}"#)
    settle(.milliseconds(100))

    #expect(page.frames.isEmpty)
    #expect(hub.memory.total > before + 60_000)
  }

  @Test func `goes when it is stored, if its memory was needed before`() throws {
    var configuration = SessionConfiguration()
    configuration.maxMemoryBytes = 8 << 20
    let door = Doorkeeper()
    let network = SimulatedNetwork(
      seed: 5, configuration: configuration, store: store,
      routes: [.counter(outside, scope: .room(default: "lobby"))], authorize: door.visitor)
    let loop = try #require(network.services.first as? SessionLoop)
    func write(_ room: Int, _ count: Int) -> RawPage {
      let page = RawPage(network, "counter", query: ["room": "r\(room)"], as: "ann")
      network.run(until: network.now + .milliseconds(100))
      page.send(#"{"input":1,"name":"text","value":"\#(String(repeating: "x", count: count))"}"#)
      network.run(until: network.now + .milliseconds(100))
      page.link?.drop()
      return page
    }

    let last = (0..<120).map { write($0, 60_000) }.last
    network.run(until: network.now + .seconds(1))
    let late = write(120, 10)
    network.run(until: network.now + .seconds(1))

    #expect(loop.rooms.stored.rooms.count > 0)
    #expect(loop.memory.total <= 2 << 20)
    #expect(late.last("ack") == 1 && late.last("error") == nil && last != nil)
  }

  @Test(arguments: [Scope.session, .room(default: "lobby")])
  func `goes by itself once it is stored, if nothing could go when its memory was needed`(scope: Scope) throws
  {
    var configuration = SessionConfiguration()
    configuration.maxMemoryBytes = 1 << 20
    let door = Doorkeeper()
    let network = SimulatedNetwork(
      seed: 5, configuration: configuration, store: store, routes: [.counter(outside, scope: scope)],
      authorize: door.visitor)
    let loop = try #require(network.services.first as? SessionLoop)
    func settle(_ time: Duration) { network.run(until: network.now + time) }
    settle(.seconds(1))
    store.delay = .seconds(30)
    var count = 0
    while loop.memory.total <= loop.memory.limit, count < 100 {
      let page = RawPage(network, "counter", query: ["room": "r\(count)"], as: "v\(count)")
      settle(.milliseconds(100))
      page.send(#"{"input":1,"name":"text","value":"\#(String(repeating: "x", count: 20_000))"}"#)
      settle(.milliseconds(100))
      page.link?.drop()
      settle(.milliseconds(100))
      count += 1
    }
    settle(.seconds(1))
    #expect(loop.memory.total > loop.memory.limit, "All of it is on its way to the store.")
    #expect(Array(loop.sessions.all).count == count)

    // Nothing happens any more but that it is stored.
    store.delay = .milliseconds(1)
    settle(.seconds(60))

    #expect(loop.memory.total <= loop.memory.limit - loop.memory.limit / 8)
    #expect(store.storedSessions.count == count && store.storedRooms.count == count)
  }

  @Test func `is nothing while the store refuses changes, however short memory runs`() throws {
    var configuration = SessionConfiguration()
    configuration.maxMemoryBytes = 1 << 20
    let network = SimulatedNetwork(
      seed: 5, configuration: configuration, store: store,
      routes: [.counter(outside, scope: .room(default: "lobby"))], authorize: Doorkeeper().visitor)
    let loop = try #require(network.services.first as? SessionLoop)
    func settle(_ time: Duration) { network.run(until: network.now + time) }
    let pages = (0..<30).map { number in
      RawPage(network, "counter", query: ["room": "r\(number)"], as: "v\(number)")
    }
    settle(.seconds(1))
    store.failure = "The disk is full."
    for page in pages where page.isUp {
      page.send(#"{"input":1,"name":"text","value":"\#(String(repeating: "x", count: 20_000))"}"#)
      settle(.milliseconds(100))
      page.link?.drop()
    }
    settle(.seconds(5))
    #expect(loop.memory.total > loop.memory.limit && Array(loop.sessions.all).count == 30)

    store.failure = nil
    settle(.seconds(5))
    #expect(loop.memory.total <= loop.memory.limit)
    for (number, page) in pages.enumerated() {
      page.resume(["room": "r\(number)"])
      settle(.milliseconds(100))
      page.link?.drop()
      settle(.milliseconds(100))
    }
    #expect(pages.allSatisfy { $0.last("resumed") != nil }, "Nobody's session has ended.")
  }

  @Test func `stays as long as an effect is open`() {
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"ask"}"#)
    settle(.milliseconds(100))
    page.link?.drop()
    settle()
    let early = unloadAll()

    #expect(early == (0, 0) || outside.posts.isEmpty)
  }

  @Test func `comes back with its state when its page does`() {
    let page = RawPage(network, "counter", query: ["edits": "1"])
    settle()
    for number in 1...3 { page.send(#"{"input":\#(number),"name":"tap"}"#) }
    page.send(#"{"input":4,"name":"text","revision":0,"edits":[[0,0,"結び"]]}"#)
    settle()
    page.link?.drop()
    settle()
    #expect(unloadAll() == (1, 1))

    let seen = page.frames.count
    let reads = store.reads
    page.resume(["edits": "1"])
    settle()
    page.send(#"{"input":4,"name":"text","revision":0,"edits":[[0,0,"結び"]]}"#)
    page.send(#"{"input":5,"name":"tap"}"#)
    settle()

    let new = page.values[seen...]
    #expect(new.first?["resumed"]?["ack"] == 4)
    #expect(!new.contains { $0["snapshot"] != nil }, "It has seen all.")
    #expect(sum(page) == "4" && page.last("ack") == 5)
    #expect(store.reads - reads == 2, "The session, and its room, once each.")
  }

  @Test func `keeps the numbers of those who are away when a room is stored as a whole`() {
    let (away, here) = (RawPage(network, "counter"), RawPage(network, "counter"))
    settle()
    for number in 1...3 { away.send(#"{"input":\#(number),"name":"tap"}"#) }
    settle()
    away.link?.drop()
    settle()
    #expect(unloadAll() == (1, 0), "The other one shows the room.")
    // So many steps that the room is stored as a whole, and its earlier steps are gone.
    for number in 1...200 {
      here.send(#"{"input":\#(number),"name":"tap"}"#)
      settle(.milliseconds(20))
    }

    network.restartServer()
    settle()
    away.resume()
    settle()
    for number in 1...4 { away.send(#"{"input":\#(number),"name":"tap"}"#) }
    settle()

    #expect(sum(away) == "204", "Only the fourth was new.")
  }

  @Test func `gives a page a snapshot that has missed something`() {
    let (away, here) = (RawPage(network, "counter"), RawPage(network, "counter"))
    settle()
    away.link?.drop()
    settle()
    #expect(unloadAll() == (1, 0))
    here.send(#"{"input":1,"name":"tap"}"#)
    settle()

    let seen = away.frames.count
    away.resume()
    settle()

    #expect(away.values[seen...].contains { $0["snapshot"] != nil })
    #expect(sum(away) == "1")
  }

  @Test(arguments: [true, false]) func `or stays in it ends when nobody has shown it for long enough`(
    _ leaves: Bool
  ) {
    network.clockStep = .nanoseconds(1)
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.link?.drop()
    settle()
    if leaves { #expect(unloadAll() == (1, 1)) }

    settle(SessionConfiguration().sessionLifetime + SessionConfiguration().roomLifetime + .seconds(20))

    #expect(store.storedRooms.isEmpty && hub.rooms.stored.rooms.isEmpty && Array(hub.rooms.all).isEmpty)
    #expect(hub.memory.total == 0)
  }

  @Test func `expires as it would have in memory`() {
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.link?.drop()
    settle()
    #expect(unloadAll() == (1, 1))
    let lifetime = SessionConfiguration().sessionLifetime
    settle(lifetime - .seconds(10))
    #expect(store.storedSessions.count == 1)
    settle(.seconds(20))
    store.delay = .milliseconds(1)
    #expect(store.storedSessions.isEmpty && store.storedRooms.count == 1)
    settle(SessionConfiguration().roomLifetime)

    #expect(store.storedRooms.isEmpty && hub.rooms.stored.rooms.isEmpty)
    #expect(hub.nextDeadline == nil || hub.rooms.nextDeadline == nil)
  }

  @Test(arguments: [true, false]) func `still counts as a room of whoever made it`(_ restarts: Bool) throws {
    let door = Doorkeeper()
    var limits = PeerLimits()
    limits.rooms = 2
    let network = SimulatedNetwork(
      seed: 5, limits: limits, store: store, routes: [.counter(outside, scope: .room(default: "lobby"))],
      authorize: door.visitor)
    func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }
    func open(_ room: String, as name: String) -> RawPage {
      let page = RawPage(network, "counter", query: ["room": room], as: name)
      settle()
      page.send(#"{"input":1,"name":"tap"}"#)
      settle()
      page.link?.drop()
      settle()
      return page
    }
    let first = open("a", as: "ann")
    #expect(open("b", as: "ann").last("hello") != nil)
    if restarts {
      network.restartServer()
    } else {
      let loop = try #require(network.services.first as? SessionLoop)
      #expect(Array(loop.sessions.all).count { loop.sessions.unload($0) } == 2)
      network.schedule(network.now) {}
      settle()
      #expect(Array(loop.rooms.all).count { loop.rooms.unload($0) } == 2)
    }

    #expect(open("c", as: "ann").last("hello") == nil)
    // Somebody else asks for it: it is still ann's.
    #expect(open("a", as: "bob").last("hello") != nil)
    first.resume(["room": "a"])
    settle()
    #expect(open("c", as: "ann").last("hello") == nil)
    #expect(open("d", as: "bob").last("hello") != nil)
    #expect(open("e", as: "bob").last("hello") != nil)
    first.link?.drop()
    #expect(network.refusals == Array(repeating: .limited(.rooms, [.identity("ann")]), count: 2))
    settle(.seconds(2_000))
    #expect(open("c", as: "ann").last("hello") != nil)
  }

  @Test func `begins again if it cannot be read, and waits if the store does not answer`() {
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.link?.drop()
    settle()
    #expect(unloadAll() == (1, 1))

    store.unreadable = "the disk sleeps"
    page.resume()
    settle()
    #expect(page.closeCode == 4002, "It comes back by itself.")
    #expect(page.link?.closeReason == "1000 ms, then come back: the store does not answer")
    store.unreadable = nil
    page.resume()
    settle()

    #expect(sum(page) == "1")
  }
}
