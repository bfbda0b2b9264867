// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiClient
@testable import MusubiSession

/// A page of the Swift client, whose connection the test opens and loses.
private final class ClientPage: SimulatedPeer {
  var session = ClientSession()
  private(set) var notices: [ClientNotice] = []
  private var link: SimulatedLink?
  private let network: SimulatedNetwork
  private let screen: String

  init(_ network: SimulatedNetwork, _ screen: String) {
    self.network = network
    self.screen = screen
  }

  func connect() {
    var query = ["edits": "1"]
    if session.identifier != nil { query["resume"] = "1" }
    link = network.connect(self, screen: screen, query: query)
  }

  func drop() { link?.drop() }

  func act(_ action: (inout ClientSession) throws -> Void) rethrows {
    try action(&session)
    send()
  }

  private func send() {
    guard session.phase != .offline else { return }
    for frame in session.takeFrames() { link?.send(frame) }
  }

  func opened(_ link: SimulatedLink) {
    session.connectionOpened()
    send()
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    do { notices += try session.receive(payload) } catch { Issue.record("\(error)") }
    send()
  }

  func closed(_ link: SimulatedLink, code: UInt16?) { session.connectionLost() }
}

@Suite struct `A session that never took an input` {
  private let lifetime = SessionConfiguration().unusedSessionLifetime

  private func loop(_ network: SimulatedNetwork) throws -> SessionLoop {
    try #require(network.services.first as? SessionLoop)
  }

  private func settle(_ network: SimulatedNetwork, _ time: Duration = .seconds(1)) {
    network.run(until: network.now + time)
  }

  @Test(arguments: [false, true]) func `waits fifteen seconds, and any other its full time`(
    saysGoodBye: Bool
  ) throws {
    let network = SimulatedNetwork(seed: 1, routes: [.alone])
    let loop = try loop(network)
    let (reader, typist) = (RawPage(network, "alone"), RawPage(network, "alone"))
    settle(network)
    typist.send(#"{"input":1,"name":"roll"}"#)
    settle(network)

    for page in [reader, typist] { if saysGoodBye { page.link?.leave() } else { page.link?.drop() } }
    settle(network, lifetime - .milliseconds(500))
    #expect(Array(loop.sessions.all).count == 2)
    settle(network)

    #expect(Array(loop.sessions.all).map(\.id) == [typist.session])
    #expect(Array(loop.rooms.all).count == 1)
    settle(network, SessionConfiguration().sessionLifetime)
    #expect(Array(loop.sessions.all).isEmpty && loop.sessions.nextDeadline == nil)
  }

  @Test func `is the same session for a page that is back in time`() {
    let network = SimulatedNetwork(seed: 1, routes: [.alone])
    let page = RawPage(network, "alone")
    settle(network)
    page.link?.drop()
    settle(network, lifetime - .seconds(1))

    page.resume()
    settle(network)

    #expect(page.last("resumed") != nil && page.last("error") == nil)
    // It waits from now on, and not from the first time on.
    page.link?.drop()
    settle(network, lifetime - .seconds(1))
    page.resume()
    settle(network)
    #expect(page.last("error") == nil)
  }

  @Test func `never goes before one that took an input when there are too many`() throws {
    var configuration = SessionConfiguration()
    configuration.maxWaitingSessions = 2
    let network = SimulatedNetwork(seed: 1, configuration: configuration, routes: [.alone])
    let loop = try loop(network)
    let pages = (0..<4).map { _ in RawPage(network, "alone") }
    settle(network)
    for page in pages[0..<2] { page.send(#"{"input":1,"name":"roll"}"#) }
    settle(network)

    for page in pages {
      page.link?.drop()
      settle(network, .milliseconds(100))
    }

    #expect(Set(loop.sessions.all.map(\.id)) == Set(pages[0..<2].map(\.session)))
  }

  @Test func `goes before those that took one also when all have left memory`() throws {
    var configuration = SessionConfiguration()
    configuration.maxWaitingSessions = 3
    let store = SimulatedStore()
    let network = SimulatedNetwork(
      seed: 5, configuration: configuration, store: store,
      routes: [.counter(Outside(), scope: .session), .second])
    let loop = try loop(network)
    let (typists, reader) = ((0..<3).map { _ in RawPage(network, "counter") }, RawPage(network, "counter"))
    settle(network)
    for page in typists { page.send(#"{"input":1,"name":"tap"}"#) }
    settle(network)

    // The reader's is not the one that waits longest.
    for page in [typists[0], typists[1], reader] {
      page.link?.drop()
      settle(network, .milliseconds(500))
    }
    #expect(Array(loop.sessions.all).count { loop.sessions.unload($0) } == 3)
    typists[2].link?.drop()
    settle(network)

    #expect(Set(store.storedSessions.map(\.id)) == Set(typists.map(\.session)))
  }

  @Test(arguments: [Scope.session, .room(default: "lobby")], [5, 30])
  func
    `loses nothing of what is typed without a connection, and takes it once`(scope: Scope, seconds: Int)
    throws
  {
    let network = SimulatedNetwork(
      seed: 1, routes: [ScreenRoute(name: "number", scope: scope) { _ in NumberView() }])
    let page = ClientPage(network, "number")
    let other = RawPage(network, "number")
    page.connect()
    settle(network)

    // The first input is on its way when the link is lost, the second is typed without one.
    page.session.select(1..<1, in: "number")
    try page.act { try $0.type("1", into: "number") }
    page.drop()
    settle(network)
    page.session.select(2..<2, in: "number")
    try page.act { try $0.type("2", into: "number") }
    settle(network, .seconds(seconds))
    page.connect()
    settle(network, .seconds(5))

    #expect(page.session.text(of: "number") == "012" && page.session.unconfirmed.isEmpty)
    #expect(page.session.state["label"] == "012")
    if scope != .session { #expect(other.state["label"] == "012") }
  }

  @Test func `does not repeat a tap of that time, and its page tells about it`() {
    let network = SimulatedNetwork(seed: 1, routes: [.alone])
    let page = ClientPage(network, "alone")
    page.connect()
    settle(network)
    page.drop()
    settle(network)
    page.act { $0.tap("roll") }
    settle(network, .seconds(30))

    page.connect()
    settle(network, .seconds(5))

    #expect(page.session.lost.map(\.name) == ["roll"] && page.session.unconfirmed.isEmpty)
    #expect(page.session.state["label"] == "0")
  }

  @Test func `is one that took an input if it began with what its page handed over`() throws {
    let network = SimulatedNetwork(seed: 1, routes: [.alone])
    let page = ClientPage(network, "alone")
    page.connect()
    settle(network)
    page.session.select(1..<1, in: "number")
    try page.act { try $0.type("7", into: "number") }
    settle(network)
    network.restartServer()
    page.connect()
    settle(network)
    let session = page.session.identifier

    page.drop()
    settle(network, .seconds(60))
    page.connect()
    settle(network)

    #expect(page.session.identifier == session && page.session.text(of: "number") == "07")
  }

  @Test(arguments: [false, true]) func `waits no longer where it is stored`(unloads: Bool) throws {
    let store = SimulatedStore()
    let network = SimulatedNetwork(
      seed: 5, store: store, routes: [.counter(Outside(), scope: .session), .second])
    let (reader, typist) = (RawPage(network, "counter"), RawPage(network, "counter"))
    settle(network)
    typist.send(#"{"input":1,"name":"tap"}"#)
    settle(network)
    if unloads {
      for page in [reader, typist] { page.link?.drop() }
      settle(network)
      let loop = try loop(network)
      #expect(Array(loop.sessions.all).count { loop.sessions.unload($0) } == 2)
    }
    network.restartServer()
    settle(network, lifetime + .seconds(2))

    #expect(store.storedSessions.map(\.id) == [typist.session])
    #expect(store.storedRooms.count == 1)
    typist.resume()
    settle(network)
    #expect(typist.last("resumed")?["ack"] == 1)
    typist.link?.drop()
    settle(network, .seconds(300))
    #expect(store.storedSessions.count == 1)
  }
}
