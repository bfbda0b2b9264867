// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Synchronization
import Testing

@testable import MusubiSession

@Suite struct `A visitor who is signed out on several servers` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let slot = RoomKey(screen: "hall", name: "tea", isPrivate: false).slot
  private let room = ["room": "tea"]

  init() {
    let door = Doorkeeper()
    network = SimulatedNetwork(
      seed: 11, nodes: 3, loops: 2, store: store, routes: [.hall, .who, .detail],
      authorize: { try door.visitor(of: $0) })
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  /// All slots are somebody's, the room's the first server's.
  private func begin() {
    network.takeAll { $0 == slot ? 0 : $0 % 3 }
    settle()
  }

  private func page(_ node: Int, _ screen: String = "hall", as visitor: String = "ann") -> RawPage {
    network.entrance = node
    return RawPage(network, screen, query: screen == "hall" ? room : [:], as: visitor)
  }

  /// Counts loops that have ended the sessions for good.
  private final class Ends: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func note(_ hasEnded: Bool) { number.withLock { $0 += hasEnded ? 1 : 0 } }
  }

  /// Whether a page gets its session back.
  private func resumes(_ page: RawPage, at node: Int) -> Bool {
    network.entrance = node
    page.mark()
    page.resume(room)
    settle(.seconds(3))
    return page.new.contains { $0["resumed"] != nil }
  }

  @Test func `has no session any more, whichever server accepted it and has it`() {
    begin()
    let pages = (0..<12).map { page($0 % 3, $0 < 6 ? "hall" : "who") }
    let bob = page(1, as: "bob")
    settle()
    for page in pages + [bob] { page.send(#"{"input":1,"name":"tap"}"#) }
    settle()
    let away = pages.filter { $0.link?.node == 2 }
    for page in away { page.link?.drop() }
    settle()

    let ends = Ends()
    network.signOut(SignedOut("ann"), delay: { .milliseconds(10 * $0) }, done: ends.note)
    settle()

    #expect(ends.count == 6)
    #expect(pages.filter { $0.link?.node != 2 }.map(\.closeCode) == Array(repeating: 4_005, count: 8))
    #expect(bob.isUp && store.storedSessions.map(\.visitor.id) == ["bob"])
    for (number, page) in pages.enumerated() { #expect(!resumes(page, at: number % 3)) }
  }

  @Test func `and its one log-in alone`() {
    begin()
    let (here, there) = (page(1, as: "ann #phone"), page(2, as: "ann #desk"))
    settle()
    network.signOut(SignedOut("ann", logIn: "#phone"), delay: { _ in .zero })
    settle()
    #expect(here.closeCode == 4_005 && there.isUp)
  }

  @Test func `has no session in a slot whose server died before it heard of that`() {
    begin()
    let (page, late) = (page(1), page(2, as: "bob"))
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    late.send(#"{"input":1,"name":"tap"}"#)
    settle()
    network.signOut(SignedOut("ann"), delay: { $0 == 0 ? nil : .zero })
    settle()
    #expect(page.isUp, "The one that has it knows nothing.")
    let session = page.session

    network.kill(0)
    network.bury(0)
    network.take(slot, byNode: 2)
    settle()

    #expect(!resumes(page, at: 1))
    #expect(resumes(late, at: 1), "Others' sessions are there.")
    #expect(!store.storedSessions.contains { $0.id == session })
  }

  @Test func `keeps a session that began when it was known, whoever reads it later`() {
    begin()
    network.signOut(SignedOut("ann"), delay: { $0 == 1 ? .zero : .seconds(2) })
    settle()
    // The second server knows, and asks who it is; the first one has the room, and hears of it later.
    let page = page(1)
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle(.seconds(2))
    #expect(page.isUp && page.last("ack") == 1)

    network.take(slot, byNode: 2)
    settle()
    #expect(resumes(page, at: 0))
  }

  @Test func `is not let in by an answer from before that, however long it takes to arrive`() {
    begin()
    network.nodeLatency = SimulatedNetwork.Latency(.seconds(2), .seconds(2))
    let page = page(1)
    settle(.milliseconds(500))
    let ends = Ends()
    network.signOut(SignedOut("ann"), delay: { _ in .zero }, done: ends.note)
    settle(.milliseconds(500))
    #expect(ends.count == 6 && page.frames.isEmpty, "It is on its way to its room.")

    settle(.seconds(6))
    #expect(page.closeCode == 4_005)
    #expect(!page.frames.contains { $0.contains("hello") } && store.storedSessions.isEmpty)
  }

  @Test func `is not let in by an answer that waited for a home`() {
    let page = page(1)
    settle(.milliseconds(500))
    network.signOut(SignedOut("ann"), delay: { $0 == 0 ? nil : .zero })
    settle(.milliseconds(100))
    network.take(slot, byNode: 0)
    settle(.milliseconds(500))
    #expect(page.closeCode == 4_005 && page.frames.isEmpty)
  }

  @Test func `is not let in by a server that came later`() {
    let page = page(1)
    settle(.milliseconds(500))
    network.signOut(SignedOut("ann"), delay: { _ in .zero })
    settle(.milliseconds(100))
    network.kill(0)
    network.startNode(0)
    network.take(slot, byNode: 0)
    settle(.milliseconds(500))
    #expect(page.closeCode == 4_005 && page.frames.isEmpty)

    // The one that has accepted it knows as little as the new one.
    let gateway = network.nodes[0].gateways[slot % 2]
    var request = ConnectionRequest(screen: "hall", query: room)
    request.visitor = Visitor(id: "ann")
    #expect(gateway.sessions.isSignedOut(request))
    request.signOuts = 1
    #expect(!gateway.sessions.isSignedOut(request))
    request = ConnectionRequest(screen: "hall", query: room)
    #expect(!gateway.sessions.isSignedOut(request), "Nobody can be signed out who is nobody.")
  }

  @Test func `is remembered for a while, and then everybody of before is asked once more`() {
    begin()
    let sessions = network.nodes[0].gateways[0].sessions
    var ann = ConnectionRequest(screen: "hall")
    ann.visitor = Visitor(id: "ann")
    var bob = ann
    bob.visitor = Visitor(id: "bob")
    sessions.endSessions(of: SignedOut("ann"), number: 7) { _ in }
    #expect(sessions.isSignedOut(ann) && !sessions.isSignedOut(bob))
    ann.signOuts = 7
    #expect(!sessions.isSignedOut(ann))

    settle(.seconds(600))
    for number in 0..<100 { sessions.endSessions(of: SignedOut("x\(number)"), number: 8 + number) { _ in } }
    #expect(sessions.isSignedOut(bob) && !sessions.isSignedOut(ann))
  }
}
