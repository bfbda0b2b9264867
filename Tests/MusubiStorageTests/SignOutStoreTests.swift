// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiPostgres
import MusubiWire
import PostgresServers
import Testing

@testable import MusubiSession
@testable import MusubiStorage

@Suite(.timeLimit(.minutes(5)), .enabled("a PostgreSQL server is installed") { PostgresServer.shared != nil })
struct `Sign-outs in a directory` {
  private let url: String
  private let store: PostgresSessionStore

  init() throws {
    url = try PostgresServer.installed.newDatabase()
    store = try PostgresSessionStore(joining: .patient(url: url, node: 1), node: 1) { _ in }
  }

  private func admin() throws -> PostgresConnection {
    try PostgresConnection(PostgresConfiguration(url: url))
  }

  private func directory(_ node: Int64) -> PostgresDirectory {
    PostgresDirectory(
      .patient(url: url), DirectoryEntry(node: node, folder: node, build: "", loops: 1))
  }

  private func session(
    _ name: String, in slot: Int, of identity: String?, knowing number: Int, views: [StoredSession.View] = []
  ) -> StoredSession {
    var session = StoredSession(
      id: SessionName.make(slot: slot, random: Array((name + "........").utf8)[..<9]), token: "t",
      previousToken: nil, visitor: Visitor(id: identity), taken: 1, nextScreen: 1, views: views, left: nil)
    session.signOuts = number > 0 ? number : nil
    session.label = RecordLabel(
      slot: slot, peers: [identity.map(Peer.identity) ?? .address("10.0.0.1")], made: 1)
    return session
  }

  /// Has a directory's node take slots, and store sessions there.
  private func put(_ sessions: [StoredSession], by directory: PostgresDirectory) async throws {
    try directory.take(RecordLabel.slots)
    await store.own(try directory.load(Array(0..<8)).mapValues(\.fence))
    var changes = StoreChanges()
    changes.sessions = sessions
    let stored = changes
    let sizes = await withCheckedContinuation { continuation in
      store.commit(stored) { continuation.resume(returning: $0) }
    }
    #expect(try sizes.get().lost == [])
  }

  @Test func `are heard by all nodes in their order, and done when all have told so`() throws {
    let (one, other) = (directory(1), directory(2))
    #expect(try one.join(address: "one:1") == 0)
    let first = try one.signOut(SignedOut("ann"))
    #expect(try other.join(address: "other:1") == first)
    _ = try one.read()
    let second = try other.signOut(SignedOut("bob", logIn: "phone"))
    try one.take(1)
    let third = try one.signOut(SignedOut("ann"))
    #expect(first < second && second + 1 < third)

    #expect(try other.read().signOuts.map(\.number) == [second, third])
    #expect(try other.read().signOuts == [])
    #expect(try one.newSignOuts().map(\.who) == [SignedOut("bob", logIn: "phone"), SignedOut("ann")])
    try one.note(signOuts: third)
    try other.note(signOuts: second)
    #expect(try one.isDone(signOut: second) && !one.isDone(signOut: third))
    try other.leave()
    #expect(try one.isDone(signOut: third), "Who has gone has no session.")
  }

  @Test func `end what is stored, unless it began when they were known`() async throws {
    let one = directory(1)
    _ = try one.join(address: "one:1")
    let number = try one.signOut(SignedOut("ann"))
    let desk = try one.signOut(SignedOut("bob", logIn: "desk"))
    // What visitors type may have what PostgreSQL reads in no JSON.
    let view = StoredSession.View(
      room: RoomKey(screen: "number", name: "tea", isPrivate: false), screen: 0, member: 1,
      dialog: .init(name: "ask", value: "a\u{0}b"))
    let sessions = [
      session("old", in: 3, of: "ann", knowing: 0), session("between", in: 4, of: "ann", knowing: number - 1),
      session("new", in: 3, of: "ann", knowing: number, views: [view]),
      session("bob", in: 3, of: "bob", knowing: 0),
      session("nobody", in: 4, of: nil, knowing: 0),
    ]
    try await put(sessions, by: one)
    let loaded = try one.load(Array(0..<8))
    #expect(loaded.values.allSatisfy { $0.signOuts == desk })
    #expect(loaded[3]?.state.signedOut == [sessions[0].id])
    #expect(loaded[4]?.state.signedOut == [sessions[1].id])
    #expect(loaded[5]?.state.signedOut == [])
    try one.leave()
    await store.close()

    // A node that owns everything ends them before it reads the index, and needs no numbers.
    let alone = try PostgresSessionStore(.patient(url: url)) { _ in }
    let left = try await alone.load(after: [], run: 1, at: 1).state
    #expect(Set(left.sessions.keys) == Set(sessions[2...].map(\.id)))
    #expect(try admin().run("SELECT FROM musubi.signed_out").count == 0)
    await alone.close()
  }

  @Test func `are kept as long as somebody may need them`() throws {
    let one = directory(1)
    _ = try one.join(address: "one:1")
    func numbers() throws -> [Int] {
      let rows = try admin().run("SELECT number FROM musubi.signed_out ORDER BY number")
      return try (0..<rows.count).map { try rows.value($0, 0) }
    }
    let visitor = try one.signOut(SignedOut("ann"))
    let logIn = try one.signOut(SignedOut("ann", logIn: "phone"))
    let late = try one.signOut(SignedOut("bob"))
    #expect(try numbers() == [visitor, logIn, late], "The node does not know them yet.")

    try one.note(signOuts: late)
    let next = try one.signOut(SignedOut("bob"))
    #expect(try numbers() == [visitor, late, next], "A log-in ends in memory alone.")

    try admin().run("UPDATE musubi.signed_out SET at = at - interval '2 days'")
    let young = try one.signOut(SignedOut("bob"))
    #expect(
      try numbers() == [visitor, late, next, young], "A node that has just come may have read nothing.")

    try admin().run("UPDATE musubi.node SET since = since - interval '2 minutes'")
    let last = try one.signOut(SignedOut("bob"))
    #expect(try numbers() == [next, young, last], "Not all know the newer ones.")
  }
}
