// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Four kinds of server, on each of which a session is its visitor's; on the last one the application takes its time to say
/// who somebody is.
enum Kind: CaseIterable {
  case plain, stored, loops, slow
}

/// A server with its doorkeeper.
struct House {
  let door = Doorkeeper()
  let store: SimulatedStore?
  let network: SimulatedNetwork

  init(_ kind: Kind, seed: UInt64 = 3, loops: Int = 3, store: SimulatedStore? = nil) {
    self.store = kind == .plain ? nil : store ?? SimulatedStore()
    network = SimulatedNetwork(
      seed: seed, loops: kind == .loops || kind == .slow ? loops : 1, store: self.store,
      routes: [.who, .hall, .detail],
      authorize: { [door] in try door.visitor(of: $0) })
    guard kind == .slow else { return }
    network.answerDelay = { [random = network.random] in .milliseconds(Int(random.next() >> 33) % 20) }
  }

  /// The session work of each loop.
  var loops: [SessionLoop] {
    network.services.compactMap { ($0 as? Gateway)?.sessions ?? $0 as? SessionLoop }
  }

  func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  /// A page that has come, and has lost its connection again.
  func pageThatLeft(
    _ screen: String, query: [String: String] = [:], as visitor: String, tapping input: String? = nil
  ) -> RawPage {
    let page = RawPage(network, screen, query: query, as: visitor)
    settle()
    if let input {
      page.send(#"{"input":1,"name":"\#(input)"}"#)
      settle()
    }
    page.link?.drop()
    settle()
    return page
  }
}

@Suite struct `A session of a visitor` {
  @Test(arguments: Kind.allCases) func `is not continued by another one, who gets one of its own`(
    _ kind: Kind
  ) {
    let house = House(kind)
    let page = house.pageThatLeft("who", as: "ann")
    let (session, token, name) = (page.session, page.token, page.last("hello")?["visitor"])
    page.clear()

    page.visitor = "bob"
    page.resume(session: session, token: token)
    house.settle()

    #expect(page.values.first?["error"]?["code"] == "visitor-changed")
    #expect(page.values[1]["hello"] != nil)
    #expect(page.session != session)
    #expect(page.last("hello")?["visitor"] != name)
    #expect(page.state["who"] == "bob")

    // It is still there for ann, whose token was not spent.
    page.link?.drop()
    page.visitor = "ann"
    page.clear()
    page.resume(session: session, token: token, position: ["", 0])
    house.settle()
    #expect(page.values.first?["resumed"]?["visitor"] == name)
  }

  @Test(arguments: Kind.allCases) func `is its own after a restart, and nobody else's`(_ kind: Kind) {
    let house = House(kind)
    let page = house.pageThatLeft("who", as: "ann")
    let (session, token, name) = (page.session, page.token, page.last("hello")?["visitor"])

    house.network.restartServer()
    page.visitor = "bob"
    page.clear()
    page.resume(session: session, token: token)
    house.settle()
    // A server without a store does not know whose it was.
    let code: Value = kind == .plain ? "session-unknown" : "visitor-changed"
    #expect(page.values.first?["error"]?["code"] == code)

    page.link?.drop()
    page.visitor = "ann"
    page.clear()
    page.resume(session: session, token: token, position: ["", 0])
    house.settle()
    #expect((page.last("resumed") ?? page.last("hello"))?["visitor"] == name)
    #expect((page.last("resumed") != nil) == (kind != .plain))
  }

  @Test(arguments: [1, 2, 5]) func `is its own on another number of loops`(_ loops: Int) {
    let before = House(.loops)
    let left = (0..<6).map {
      before.pageThatLeft("hall", query: ["room": "r\($0)"], as: "ann", tapping: "tap")
    }

    let house = House(loops == 1 ? .stored : .loops, seed: 11, loops: loops, store: before.store)
    for (number, old) in left.enumerated() {
      let query = ["room": "r\(number)"]
      let page = RawPage(house.network, "hall", query: query, as: "bob")
      house.settle()
      page.resume(query, session: old.session, token: old.token, position: ["", 0])
      house.settle()
      #expect(page.last("error")?["code"] == "visitor-changed")
      page.visitor = "ann"
      page.clear()
      page.resume(query, session: old.session, token: old.token, position: ["", 0])
      house.settle()
      #expect(page.last("error") == nil)
      #expect(page.last("resumed")?["session"] == .string(old.session))
    }
  }

  @Test(arguments: Kind.allCases) func `that was nobody's is not continued by somebody, nor the other way`(
    _ kind: Kind
  ) {
    let house = House(kind)
    for (one, other) in [("", "ann"), ("ann", "")] {
      let page = house.pageThatLeft("who", as: one)
      page.visitor = other
      page.resume()
      house.settle()
      #expect(page.last("error")?["code"] == "visitor-changed")
    }
  }

  @Test func `has an opaque name, the same for all sessions and on all servers`() {
    let pages = Kind.allCases.flatMap { kind in
      let house = House(kind, seed: 8)
      return ["who", "hall"].map { house.pageThatLeft($0, as: "ann") }
    }
    let house = House(.plain)
    let nobody = house.pageThatLeft("who", as: "")

    let names = Set(pages.compactMap { $0.last("hello")?["visitor"]?.stringValue })
    #expect(names == [Base64URL.text(testHash(Array("musubi.visitor:ann".utf8)).prefix(12))])
    #expect(nobody.last("hello")?["visitor"] == "anonymous")
  }

  @Test(arguments: Kind.allCases) func `goes on with other roles, which the next input sees`(_ kind: Kind) {
    let house = House(kind)
    let page = house.pageThatLeft("who", as: "ann read")
    #expect(page.state["who"] == "ann read")

    page.visitor = "ann read write"
    page.resume()
    page.send(#"{"input":1,"name":"tap"}"#)
    house.settle()
    #expect(page.last("error") == nil)
    #expect(page.state["who"] == "ann read write")

    page.link?.drop()
    house.settle()
    page.visitor = "ann"
    if kind != .plain { house.network.restartServer() }
    page.resume()
    page.send(#"{"input":2,"name":"tap"}"#)
    house.settle()
    #expect(page.state["who"] == "ann")
  }

  @Test(arguments: Kind.allCases) func `in a room is who acts, and its roles are those of now`(_ kind: Kind) {
    let house = House(kind)
    let ann = RawPage(house.network, "hall", as: "ann read")
    house.settle()
    let bob = RawPage(house.network, "hall", as: "bob")
    house.settle()
    #expect(bob.state["who"] == "ann read", "Who opened it, as its ViewModel asked when it was made.")

    bob.send(#"{"input":1,"name":"tap"}"#)
    house.settle()
    #expect(ann.state["who"] == "bob")

    ann.link?.drop()
    house.settle()
    ann.visitor = "ann"
    ann.resume()
    ann.send(#"{"input":1,"name":"tap"}"#)
    house.settle()
    #expect(bob.state["who"] == "ann")
  }
}

@Suite struct `An address` {
  @Test(arguments: Kind.allCases) func `of another screen does not continue a session`(_ kind: Kind) {
    let house = House(kind)
    for (screen, other) in [("who", "hall"), ("hall", "who"), ("who", "detail")] {
      let page = house.pageThatLeft(screen, as: "ann")
      let (session, token) = (page.session, page.token)
      page.resume(at: other)
      house.settle()
      #expect(page.last("error")?["code"] == "session-unknown", "\(screen) at \(other)")
      #expect(page.session != session)

      // The session is as it was.
      page.link?.drop()
      page.clear()
      page.resume(session: session, token: token, position: ["", 0])
      house.settle()
      #expect(page.values.first?["resumed"]?["session"] == .string(session), "\(screen) at \(screen)")
    }
  }

  @Test(arguments: Kind.allCases) func `of another room or path does not continue a session`(_ kind: Kind) {
    let house = House(kind)
    let cases: [(String, [String: String], [String: String])] = [
      ("hall", ["room": "r1"], ["room": "r2"]), ("hall", ["room": "r1"], [:]),
      ("hall", [:], ["path": "/elsewhere"]), ("who", ["path": "/who/a"], ["path": "/who/b"]),
    ]
    for (screen, query, other) in cases {
      let page = house.pageThatLeft(screen, query: query, as: "ann")
      page.resume(other)
      house.settle()
      #expect(page.last("error")?["code"] == "session-unknown", "\(query) at \(other)")

      let again = house.pageThatLeft(screen, query: query, as: "ann")
      again.resume(query)
      house.settle()
      #expect(again.last("error") == nil, "\(query) at \(query)")
    }
  }

  @Test(arguments: Kind.allCases) func `of a room that others opened by another path continues its session`(
    _ kind: Kind
  ) {
    let house = House(kind)
    _ = RawPage(house.network, "hall", query: ["path": "/first"], as: "bob")
    house.settle()
    let page = house.pageThatLeft("hall", query: ["path": "/second"], as: "ann")
    if kind != .plain { house.network.restartServer() }

    page.resume(["path": "/second"])
    house.settle()

    #expect(page.last("error") == nil)
    #expect(page.last("resumed") != nil)
  }

  @Test(arguments: Kind.allCases) func `of any screen of its stack continues a session`(_ kind: Kind) {
    let house = House(kind)
    for isRestarted in kind == .plain ? [false] : [false, true] {
      let page = house.pageThatLeft("who", as: "ann", tapping: "next")
      #expect(page.last("screens")?[1]?["path"] == "/who/42")
      if isRestarted { house.network.restartServer() }

      page.resume(["path": "/who/42"], at: "detail")
      house.settle()

      #expect(page.last("error") == nil)
      #expect(page.last("screens")?[1]?["path"] == "/who/42")

      page.link?.drop()
      house.settle()
      page.resume(["path": "/who/43"], at: "detail")
      house.settle()
      #expect(page.last("error")?["code"] == "session-unknown")
    }
  }
}

@Suite struct `The hook` {
  @Test(arguments: Kind.allCases) func `is asked once about the address, and at a resume about the rest`(
    _ kind: Kind
  ) {
    let house = House(kind)
    let page = house.pageThatLeft("hall", query: ["room": "attic"], as: "ann", tapping: "next")
    #expect(house.door.asked == ["ann hall/attic"])
    house.door.forget()

    page.resume(["room": "attic"])
    house.settle()
    #expect(house.door.asked == ["ann hall/attic", "ann detail"])
    house.door.forget()

    page.link?.drop()
    house.settle()
    if kind != .plain { house.network.restartServer() }
    page.resume(["path": "/who/42"], at: "detail")
    house.settle()
    #expect(house.door.asked == ["ann detail", "ann hall/attic"])
    #expect(page.last("error") == nil)
  }

  @Test(arguments: Kind.allCases) func `that no longer allows a further screen closes it, with all above it`(
    _ kind: Kind
  ) {
    let house = House(kind)
    for isRestarted in kind == .plain ? [false] : [false, true] {
      let page = house.pageThatLeft("who", as: "ann", tapping: "next")
      house.door.closed = ["ann detail"]
      if isRestarted { house.network.restartServer() }
      let (session, token) = (page.session, page.token)
      page.clear()

      page.resume(session: session, token: token, position: ["", 0])
      house.settle()

      #expect(page.values.first?["resumed"] != nil)
      #expect(page.last("screens") == [["screen": 0, "name": "who", "path": "/who"]])
      page.send(#"{"input":2,"name":"tap"}"#)
      house.settle()
      #expect(page.last("ack") == 2)
      house.door.closed = []
    }
    #expect(house.store?.storedRooms.contains { $0.key.screen == "detail" } != true)
  }

  @Test(arguments: Kind.allCases) func `that no longer allows the first screen ends the session`(_ kind: Kind)
  {
    let house = House(kind)
    for isRestarted in kind == .plain ? [false] : [false, true] {
      let page = house.pageThatLeft("hall", as: "ann", tapping: "next")
      let (session, token) = (page.session, page.token)
      house.door.closed = ["ann hall/lobby"]
      if isRestarted { house.network.restartServer() }

      page.resume(["path": "/who/42"], at: "detail")
      house.settle()
      #expect(page.last("error")?["code"] == "session-unknown")
      #expect(page.session != session)

      house.door.closed = []
      page.link?.drop()
      page.clear()
      page.resume(session: session, token: token, position: ["", 0])
      house.settle()
      #expect(page.values.first?["error"]?["code"] == "session-unknown", "It has ended for good.")
      #expect(house.store?.storedSessions.contains { $0.id == session } != true)
    }
  }

  @Test func `refuses with its own sentence, or with a fixed one and a line in the log`() {
    let house = House(.plain)
    house.door.closed = ["ann who"]
    _ = RawPage(house.network, "who", as: "ann")
    _ = RawPage(house.network, "who", as: "broken")
    house.settle()

    #expect(
      house.network.refusals == [
        .refused(status: 401, code: "not-authorized", message: "The door to who is closed."),
        .refused(status: 401, code: "not-authorized", message: ""),
      ])
    let failures = house.network.notices.compactMap { notice -> String? in
      if case .authorizationFailed(let screen, _, let message) = notice {
        "\(screen): \(message)"
      } else {
        nil
      }
    }
    #expect(failures == ["who: BrokenHook()"])
  }

  @Test(arguments: Kind.allCases) func `has the headers of the handshake, and nobody after it`(_ kind: Kind) {
    let house = House(kind)
    func kept() -> [ConnectionRequest] {
      let proxies = house.network.openLinks.compactMap { $0.handler as? VisitProxy }
      let links = house.network.services.compactMap { $0 as? Gateway }.flatMap(\.links).compactMap { $0 }
      let visits =
        house.network.openLinks.compactMap { $0.handler as? Visit } + proxies.compactMap(\.visit)
        + links.flatMap { $0.connections.values.compactMap(\.visit) }
      return (proxies.compactMap(\.request) + visits.compactMap(\.request)).filter { !$0.headers.isEmpty }
    }
    var pages: [RawPage] = []
    for number in 0..<6 {
      let room = ["room": "r\(number)"]
      pages.append(RawPage(house.network, "hall", query: room, as: "ann"))
      let page = house.pageThatLeft("hall", query: room, as: "bob")
      page.resume(room)
      let lost = house.pageThatLeft("hall", query: room, as: "bob")
      lost.resume(room, session: "nobody", token: "none")
      pages += [page, lost]
    }
    house.settle()
    #expect(pages.filter { !$0.isUp }.isEmpty)
    #expect(kept().isEmpty)

    // One that has not said which session it resumes is still at it.
    pages[0].connect(["resume": "1", "room": "r0"])
    house.settle()
    #expect(kept().count == 1)
  }
}
