// SPDX-License-Identifier: Apache-2.0
import MusubiWire
import Testing

@testable import MusubiClient

/// A session with a transcript in front of it: `<` goes in, `>` is what came out.
private struct Page {
  var session: ClientSession

  init(followsEdits: Bool = true, hello: Bool = true) throws {
    session = ClientSession(followsEdits: followsEdits)
    session.connectionOpened()
    guard hello else { return }
    try receive(#"{"hello":{"protocol":1,"session":"S","token":"T1","schema":"x","heartbeat":20}}"#)
    try receive(
      #"{"snapshot":{"label":"0","number":"0","number.field":"0"},"epoch":"E","sequence":0,"#
        + #""revisions":{"number":0}}"#)
  }

  @discardableResult
  mutating func receive(_ frame: String) throws -> [ClientNotice] { try session.receive(Array(frame.utf8)) }

  mutating func sent() -> [String] { session.takeFrames().map { String(decoding: $0, as: UTF8.self) } }

  mutating func loseConnection() {
    session.connectionLost()
    session.connectionOpened()
  }
}

@Suite struct `A client's session` {
  @Test func `shows the snapshot and follows turns`() throws {
    var page = try Page()

    page.session.tap("roll")
    try page.receive(#"{"ack":1}"#)
    let notices = try page.receive(
      #"{"sequence":1,"patch":[{"op":"replace","path":"/label","value":"57"}],"events":[{"name":"rolled"}]}"#)

    #expect(page.sent() == [#"{"input":1,"name":"roll"}"#])
    #expect(page.session.unconfirmed.isEmpty)
    #expect(page.session.state["label"] == "57")
    #expect(notices == [.turn(sequence: 1), .event(name: "rolled", value: nil)])
  }

  @Test func `refuses a turn that does not follow the last one`() throws {
    var page = try Page()

    #expect(throws: ClientError.self) { try page.receive(#"{"sequence":2}"#) }
  }

  @Test func `ignores frames and members that it does not know`() throws {
    var page = try Page()

    #expect(try page.receive(#"{"weather":{"sun":true}}"#).isEmpty)
    #expect(try page.receive(#"{"sequence":1,"mood":[1]}"#) == [.turn(sequence: 1)])
  }

  @Test func `sends edits against the revision that it has, own ones included`() throws {
    var page = try Page()
    page.session.select(0..<1, in: "number")

    try page.session.type("4", into: "number")
    try page.session.type("2", into: "number")

    #expect(page.session.text(of: "number") == "42")
    #expect(
      page.sent() == [
        #"{"input":1,"name":"number","revision":0,"edits":[[0,0,"4"],[0,1,""]]}"#,
        #"{"input":2,"name":"number","revision":0,"edits":[[1,0,"2"]]}"#,
      ])
  }

  @Test func `takes its own edits out of the turns, and works others in`() throws {
    var page = try Page()
    try page.session.type("a", into: "number")
    try page.session.type("b", into: "number")

    // "x" of another client at the front came first, then the first own edit; the second is on its way.
    try page.receive(#"{"sequence":1,"edits":{"number":{"revision":1,"steps":[[[0,0,"x"]]]}}}"#)
    try page.receive(#"{"ack":1,"revision":2}"#)
    try page.receive(#"{"sequence":2,"edits":{"number":{"revision":2,"steps":[[[2,0,"a"]]]}}}"#)

    #expect(page.session.text(of: "number") == "x0ab")
    #expect(page.session.state["number.field"] == "x0a")
    #expect(page.session.documents["number"]?.pending.map(\.edit) == [TextEdit(position: 3, inserted: "b")])
    #expect(page.session.selection(in: "number") == 4..<4)
  }

  @Test func `keeps what the server refuses in the field and sends it with the next change`() throws {
    var page = try Page()
    try page.session.type("a", into: "number")
    try page.session.type("b", into: "number")

    let notices = try page.receive(#"{"error":{"code":"too-large","message":"No.","input":1}}"#)
    try page.receive(#"{"ack":1}"#)
    #expect(notices == [.error(code: "too-large", message: "No.", input: 1)])
    #expect(page.session.text(of: "number") == "0ab")
    #expect(page.session.unconfirmed.isEmpty)

    try page.receive(#"{"sequence":1,"edits":{"number":{"revision":1,"steps":[[]]}}}"#)
    try page.session.deleteBackward(in: "number")

    #expect(page.session.unconfirmed.map(\.number) == [3])
    #expect(page.session.documents["number"]?.pending.map(\.edit) == [TextEdit(position: 1, inserted: "a")])
  }

  @Test func `a client without edits sends whole values`() throws {
    var page = try Page(followsEdits: false)
    page.session.select(0..<1, in: "number")

    try page.session.type("4", into: "number")
    try page.session.type("2", into: "number")
    try page.session.deleteBackward(in: "number")

    #expect(page.session.query == "resume=1")
    #expect(
      page.sent() == [
        #"{"input":1,"name":"number","value":"4"}"#, #"{"input":2,"name":"number","value":"42"}"#,
        #"{"input":3,"name":"number","value":"4"}"#,
      ])
  }
}

@Suite struct `A returning client` {
  @Test func `resumes from its position and sends again what was not acknowledged`() throws {
    var page = try Page()
    page.session.tap("roll")
    page.session.tap("roll")
    _ = page.sent()

    page.loseConnection()
    let first = page.sent()
    try page.receive(#"{"resumed":{"session":"S","token":"T2","ack":1,"turns":1,"own":[]}}"#)
    let early = page.sent()
    let notices = try page.receive(
      #"{"sequence":1,"patch":[{"op":"replace","path":"/label","value":"9"}]}"#)

    #expect(first == [#"{"resume":{"session":"S","token":"T1","position":["E",0]}}"#])
    #expect(early.isEmpty)
    #expect(notices == [.turn(sequence: 1), .resumed(.patches)])
    #expect(page.sent() == [#"{"input":2,"name":"roll"}"#])
    #expect(page.session.token == "T2")
  }

  @Test func `knows its own edits in the missing turns`() throws {
    var page = try Page()
    try page.session.type("a", into: "number")
    try page.session.type("b", into: "number")
    page.loseConnection()
    _ = page.sent()

    try page.receive(#"{"resumed":{"session":"S","token":"T2","ack":1,"turns":1,"own":[[1,2]]}}"#)
    _ = page.sent()
    try page.receive(
      #"{"sequence":1,"edits":{"number":{"revision":2,"steps":[[[0,0,"x"]],[[2,0,"a"]]]}}}"#)

    #expect(page.session.text(of: "number") == "x0ab")
    #expect(page.sent() == [#"{"input":2,"name":"number","revision":2,"edits":[[3,0,"b"]]}"#])
  }

  @Test func `works its pending edits into a snapshot`() throws {
    var page = try Page()
    try page.session.type("a", into: "number")
    try page.session.type("b", into: "number")
    page.loseConnection()
    _ = page.sent()

    try page.receive(#"{"resumed":{"session":"S","token":"T2","ack":1,"own":[]}}"#)
    _ = page.sent()
    let notices = try page.receive(
      #"{"snapshot":{"number.field":"x0a"},"epoch":"E","sequence":90,"revisions":{"number":70}}"#)

    #expect(notices == [.snapshot, .resumed(.snapshot)])
    #expect(page.session.text(of: "number") == "x0ab")
    #expect(page.sent() == [#"{"input":2,"name":"number","revision":70,"edits":[[3,0,"b"]]}"#])
  }

  @Test func `hands typed text over to a new session, and reports its taps`() throws {
    var page = try Page()
    page.session.tap("roll")
    try page.session.type("7", into: "number")
    page.loseConnection()
    _ = page.sent()

    try page.receive(#"{"error":{"code":"session-unknown","message":"Gone."}}"#)
    try page.receive(#"{"hello":{"protocol":1,"session":"N","token":"T9","schema":"x","heartbeat":20}}"#)
    let told = page.sent()
    try page.receive(
      #"{"snapshot":{"number.field":"5"},"epoch":"F","sequence":0,"revisions":{"number":0}}"#)
    try page.receive(
      #"{"hello":{"protocol":1,"session":"N","token":"T9","schema":"x","heartbeat":20,"restored":{}}}"#)
    let notices = try page.receive(
      #"{"snapshot":{"number.field":"5"},"epoch":"F","sequence":0,"revisions":{"number":0}}"#)

    #expect(
      told == [
        #"{"restore":{"epoch":"E","name":"number","revision":0,"text":"0"}}"#,
        #"{"restore":{"author":"S","last":2}}"#,
      ])
    #expect(notices == [.snapshot, .resumed(.afresh)])
    #expect(page.session.lost.map(\.name) == ["roll"])
    #expect(page.session.text(of: "number") == "57")
    #expect(page.sent() == [#"{"input":2,"name":"number","revision":0,"edits":[[1,0,"7"]]}"#])
  }

  @Test func `begins anew after it gave its session up, and keeps what was typed`() throws {
    var page = try Page()
    try page.session.type("7", into: "number")
    page.session.abandonSession()

    #expect(page.session.query == "edits=1")
    page.session.connectionOpened()
    try page.receive(#"{"hello":{"protocol":1,"session":"N","token":"T9","schema":"x","heartbeat":20}}"#)
    try page.receive(#"{"snapshot":{"number.field":"0"},"epoch":"F","sequence":0,"revisions":{"number":0}}"#)

    #expect(page.sent() == [#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"7"]]}"#])
    #expect(page.session.query == "edits=1&resume=1")
  }

  @Test func `asks for a snapshot after a reload`() throws {
    var page = try Page()
    page.session.forgetState()

    page.session.connectionOpened()

    #expect(page.sent() == [#"{"resume":{"session":"S","token":"T1","position":["",0]}}"#])
  }
}
