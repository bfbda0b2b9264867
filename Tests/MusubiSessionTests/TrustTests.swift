// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Synchronization
import Testing

@testable import MusubiSession

@Suite struct `A visitor who is trusted for a time` {
  @Test(arguments: Kind.allCases) func `comes back before it is over, and types on`(_ kind: Kind) {
    let house = House(kind)
    house.door.validFor = .seconds(100)
    let pages = (0..<20).map { RawPage(house.network, "hall", query: ["room": "r\($0)"], as: "ann") }
    house.settle(.seconds(79))
    #expect(pages.filter { !$0.isUp }.isEmpty)

    house.settle(.seconds(12))

    #expect(pages.map(\.closeCode) == Array(repeating: 4005, count: 20))
    let times = Set(pages.compactMap(\.closedAt))
    #expect(times.count > 10, "They do not come back together.")
    for (number, page) in pages.enumerated() {
      page.resume(["room": "r\(number)"])
      page.send(#"{"input":1,"name":"note","value":"typed"}"#)
    }
    house.settle()
    #expect(pages.filter { $0.last("error") != nil || $0.last("ack") != 1 }.isEmpty)
    #expect(pages.filter { $0.state["note.field"] != "typed" }.isEmpty)
    house.settle(.seconds(70))
    #expect(pages.filter { !$0.isUp }.isEmpty, "It is trusted from the newest handshake on.")
  }

  @Test(arguments: Kind.allCases) func `gets 4503 if its connection is still open at the end`(_ kind: Kind) {
    let house = House(kind)
    house.door.validFor = .seconds(100)
    let pages = (0..<8).map { RawPage(house.network, "hall", query: ["room": "r\($0)"], as: "ann") }
    house.settle()
    for page in pages { page.link?.isStalled = true }

    house.settle(.seconds(102))
    #expect(pages.filter { !$0.isUp }.isEmpty)
    for page in pages { page.link?.isStalled = false }
    house.settle()

    #expect(pages.map(\.closeCode) == Array(repeating: 4503, count: 8))
  }

  @Test(arguments: Kind.allCases) func `is asked to come back by a loop that stood still past the end`(
    _ kind: Kind
  ) {
    let house = House(kind)
    house.door.validFor = .seconds(100)
    let pages = (0..<8).map { RawPage(house.network, "hall", query: ["room": "r\($0)"], as: "ann") }
    house.settle()

    for loop in house.loops { loop.endTrust(at: house.network.now + .seconds(200)) }
    house.settle()

    #expect(pages.map(\.closeCode) == Array(repeating: 4005, count: 8))
    for (number, page) in pages.enumerated() { page.resume(["room": "r\(number)"]) }
    house.settle()
    #expect(pages.filter { !$0.isUp || $0.last("error") != nil }.isEmpty)
  }

  @Test(arguments: Kind.allCases) func `keeps another end that its page has not taken yet`(_ kind: Kind) {
    let house = House(kind)
    house.door.validFor = .seconds(100)
    let page = RawPage(house.network, "hall", as: "ann")
    house.settle()
    page.link?.isStalled = true
    house.settle(.seconds(60))
    for loop in house.loops {
      for visit in loop.sessions.visits { visit.close(ConnectionEnd(.slowConsumer, "too slow")) }
    }
    house.settle(.seconds(60))

    page.link?.isStalled = false
    house.settle()

    #expect(page.closeCode == CloseCode.slowConsumer.rawValue)
  }

  @Test(arguments: Kind.allCases) func `is taken for nobody's word after it was sent away`(_ kind: Kind) {
    let house = House(kind)
    house.door.validFor = .seconds(100)
    let page = RawPage(house.network, "hall", as: "ann")
    house.settle()
    page.link?.isStalled = true
    house.settle(.seconds(91))

    page.send(#"{"input":1,"name":"tap"}"#)
    house.settle()
    let witness = RawPage(house.network, "hall", as: "bob")
    house.settle()

    #expect(witness.state["who"] == "ann", "As when the room was made.")
    #expect(page.last("ack") == nil)
  }

  @Test func `does not keep work for connections that have gone`() {
    let house = House(.plain)
    house.door.validFor = .seconds(86_400)
    for _ in 0..<3_000 {
      let page = RawPage(house.network, "who", as: "ann")
      house.settle(.milliseconds(30))
      page.link?.drop()
      house.settle(.milliseconds(30))
    }
    let hub = house.network.services.first as? SessionLoop
    #expect((hub?.trust.count ?? .max) < 1_500)
  }

  @Test func `who is no longer trusted when the hook answers is refused`() {
    let house = House(.plain)
    house.door.validFor = .zero
    _ = RawPage(house.network, "who", as: "ann")
    house.settle()
    #expect(
      house.network.refusals == [
        .refused(status: 401, code: "not-authorized", message: "")
      ])
  }
}

@Suite struct `A visitor who is signed out` {
  /// Signs somebody out on all loops.
  private func signOut(_ identity: String, logIn: String? = nil, of house: House) -> Answers {
    let answers = Answers()
    house.network.schedule(house.network.now) {
      for hub in house.loops { hub.endSessions(of: SignedOut(identity, logIn: logIn)) { answers.note($0) } }
    }
    return answers
  }

  private func sessions(of identity: String, _ house: House) -> Int {
    house.loops.reduce(0) { count, hub in
      let open = hub.sessions.all.filter { $0.visitor.id == identity }.count
      let stored = hub.rooms.stored.sessions.values.filter { $0.label.peer == "i:\(identity)" }.count
      return count + open + stored
    } + (house.store?.storedSessions.filter { $0.visitor.id == identity }.count ?? 0)
  }

  @Test(arguments: Kind.allCases) func `has no session any more, open, waiting or stored, on any loop`(
    _ kind: Kind
  ) {
    let house = House(kind)
    let early = (0..<6).map {
      house.pageThatLeft("hall", query: ["room": "e\($0)"], as: "ann", tapping: "tap")
    }
    if kind != .plain { house.network.restartServer() }
    let waiting = (0..<6).map {
      house.pageThatLeft("hall", query: ["room": "w\($0)"], as: "ann", tapping: "tap")
    }
    let open = (0..<6).map { RawPage(house.network, "hall", query: ["room": "o\($0)"], as: "ann") }
    let bob = RawPage(house.network, "hall", query: ["room": "o1"], as: "bob")
    house.settle()
    // A change that is not stored yet must not come back.
    house.store?.delay = .milliseconds(200)
    for page in open { page.send(#"{"input":1,"name":"tap"}"#) }
    house.settle(.milliseconds(50))
    let fresh = (0..<6).map { RawPage(house.network, "hall", query: ["room": "f\($0)"], as: "ann") }
    house.settle(.milliseconds(50))

    let answers = signOut("ann", of: house)
    for page in open { page.send(#"{"input":2,"name":"tap"}"#) }
    house.settle()

    #expect(answers.all == Array(repeating: true, count: house.loops.count))
    #expect((open + fresh).map(\.closeCode) == Array(repeating: 4005, count: 12))
    #expect(sessions(of: "ann", house) == 0)
    #expect(bob.isUp)
    if kind != .plain { house.network.restartServer() }
    for (prefix, pages) in [("e", early), ("w", waiting), ("o", open)] {
      for (number, page) in pages.enumerated() { page.resume(["room": "\(prefix)\(number)"]) }
    }
    if kind != .plain { bob.resume(["room": "o1"]) }
    house.settle()
    let codes = (early + waiting + open).map { $0.last("error")?["code"] }
    #expect(codes == Array(repeating: "session-unknown", count: 18))
    #expect(bob.last("error") == nil)
  }

  @Test(arguments: Kind.allCases) func `in one browser goes on in the others, with each page`(_ kind: Kind) {
    let house = House(kind)
    func pages(_ name: String, as visitor: String) -> [RawPage] {
      (0..<6).map { RawPage(house.network, "hall", query: ["room": "\(name)\($0)"], as: visitor) }
    }
    let left = house.pageThatLeft("hall", query: ["room": "left"], as: "ann #phone", tapping: "tap")
    let kept = house.pageThatLeft("hall", query: ["room": "left"], as: "ann #desk", tapping: "tap")
    // One that has logged in again is of the newer log-in from its next handshake on.
    let renewed = house.pageThatLeft("hall", query: ["room": "new"], as: "ann #phone", tapping: "tap")
    renewed.visitor = "ann #desk"
    renewed.resume(["room": "new"])
    let (phone, desk) = (pages("p", as: "ann #phone"), pages("p", as: "ann #desk"))
    let (unknown, bob) = (pages("u", as: "ann"), pages("p", as: "bob #phone"))
    house.settle()
    let fresh = pages("f", as: "ann #phone") + pages("f", as: "ann")
    let freshDesk = pages("f", as: "ann #desk")
    house.settle(.milliseconds(10))

    let answers = signOut("ann", logIn: "#phone", of: house)
    house.settle()

    #expect(answers.all == Array(repeating: true, count: house.loops.count))
    #expect((phone + unknown + fresh).map(\.closeCode) == Array(repeating: 4005, count: 24))
    for page in desk + freshDesk + bob + [renewed] {
      #expect(page.isUp && page.closeCode == nil)
      #expect(page.values.count { $0["hello"] != nil } == 1, "It has come once.")
      #expect(!page.frames.contains { $0.contains("#") })
    }
    for page in [left, kept] { page.resume(["room": "left"]) }
    house.settle()
    #expect(left.last("error")?["code"] == "session-unknown")
    #expect(kept.last("error") == nil)
  }

  @Test func `is signed out wherever its handshakes are on their way`() {
    // The pages come at one moment; each round signs out a millisecond later on their way.
    for round in 0..<60 {
      let house = House(.loops, seed: UInt64(round % 7 + 1))
      house.network.loopLatency = .init(.milliseconds(1), .milliseconds(15))
      let left = (0..<4).map {
        house.pageThatLeft("hall", query: ["room": "l\($0)"], as: "ann", tapping: "tap")
      }
      let begun = house.network.now
      let fresh = (0..<4).map { RawPage(house.network, "hall", query: ["room": "f\($0)"], as: "ann") }
      for (number, page) in left.enumerated() { page.resume(["room": "l\(number)"]) }
      let silent = RawPage(house.network, "hall", query: ["resume": "1"], as: "ann")
      house.settle(.milliseconds(round))
      let time = house.network.now

      let answers = signOut("ann", of: house)
      house.settle(.seconds(2))

      #expect(answers.all == [true, true, true])
      // Who has asked to come in before has to go, who asked later is somebody whom the hook has let in since.
      let isLate = time - begun < .milliseconds(10)
      for page in fresh + left + [silent] {
        #expect(page.isUp == isLate, "round \(round)")
        #expect(page.closeCode == (isLate ? nil : 4005), "round \(round)")
      }
      if !isLate { #expect(sessions(of: "ann", house) == 0, "round \(round)") }
    }
  }

  @Test func `is signed out when the store has taken it, and the server told otherwise if it ends before`() {
    let house = House(.stored)
    _ = RawPage(house.network, "who", as: "ann")
    house.settle()
    house.store?.failure = "The disk is full."
    let answers = signOut("ann", of: house)
    house.settle(.seconds(5))
    #expect(answers.all.isEmpty)

    house.store?.failure = nil
    house.settle(.seconds(3))
    #expect(answers.all == [true])
    #expect(house.store?.storedSessions.isEmpty == true)

    _ = RawPage(house.network, "who", as: "ann")
    house.settle()
    house.store?.failure = "The disk is full."
    let late = signOut("ann", of: house)
    house.settle(.seconds(5))
    for hub in house.loops { hub.end() }
    #expect(late.all == [false])
  }

  /// The answers at the end.
  private final class Answers: Sendable {
    private let state = Mutex<[Bool]>([])
    func note(_ answer: Bool) { state.withLock { $0.append(answer) } }
    var all: [Bool] { state.withLock { $0 } }
  }
}
