// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire
import Testing

@testable import MusubiClient

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

  @Test(arguments: ["too-large", "internal"])
  func `keeps what the server refuses in a row, too`(code: String) throws {
    var page = try Page()
    try page.receive(
      #"{"snapshot":{"rows":[{"id":7,"title":"ab"}]},"epoch":"E","sequence":0,"revisions":{}}"#)
    try page.session.type("!", into: "title", row: ["7"])

    try page.receive(#"{"error":{"code":"\#(code)","message":"No.","input":1}}"#)
    try page.receive(#"{"ack":1}"#)
    try page.receive(
      #"{"sequence":1,"edits":{"/rows/7/title":{"revision":5,"text":"ab","steps":[[]]}}}"#)
    #expect(page.session.text(of: "title", row: ["7"]) == "ab!")
    #expect(page.session.orphanedTexts.isEmpty)
    _ = page.sent()
    try page.session.deleteBackward(in: "title", row: ["7"])
    try page.session.type("c", into: "title", row: ["7"])

    #expect(
      page.sent() == [#"{"input":2,"name":"title","revision":5,"edits":[[2,0,"c"]],"row":"7"}"#])
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
  @Test func `resumes from its position and sends unacknowledged inputs again`() throws {
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

  private static let gone = #"{"error":{"code":"session-unknown","message":"Gone."}}"#
  private static let begins =
    #"{"hello":{"protocol":1,"session":"N","token":"T9","schema":"x","heartbeat":20}}"#

  @Test func `hands over its values, gives its typing to the new session, and reports its taps`() throws {
    var page = try Page()
    page.session.tap("roll")
    try page.session.type("7", into: "number")
    page.loseConnection()
    _ = page.sent()

    try page.receive(Self.gone)
    try page.receive(Self.begins)
    let told = page.sent()
    try page.receive(Self.snapshot("5", epoch: "F"))
    let between = page.session.text(of: "number")
    try page.receive(#"{"handedOver":[]}"#)
    let notices = try page.receive(
      #"{"snapshot":{"number.field":"0"},"epoch":"F","sequence":1,"revisions":{"number":1},"lineage":[["E",4]]}"#
    )

    #expect(
      told == [
        #"{"handOver":{"name":"number","value":"0"}}"#,
        #"{"handOver":{"position":["E",0],"lineage":[]}}"#,
      ])
    #expect(between == "07", "What comes before the answer is void.")
    #expect(notices == [.snapshot, .resumed(.afresh)])
    #expect(page.session.lost.map(\.name) == ["roll"])
    #expect(page.session.orphanedTexts.isEmpty)
    #expect(page.session.text(of: "number") == "07")
    #expect(page.sent() == [#"{"input":2,"name":"number","revision":1,"edits":[[1,0,"7"]]}"#])
  }

  @Test func `keeps a text for people that it gives up, and puts its typing into the other text`() throws {
    var page = try Page()
    try page.session.type("7", into: "number")
    page.loseConnection()
    try page.receive(Self.gone)
    try page.receive(Self.begins)

    try page.receive(#"{"handedOver":["number"]}"#)
    try page.receive(Self.snapshot("5", epoch: "F"))

    #expect(page.session.orphanedTexts.map(\.text) == ["07"])
    #expect(page.session.text(of: "number") == "57")
  }

  @Test func `hands over the controls that were set, also after a reload, with the lineage that it was told`()
    throws
  {
    var page = try Page(hello: false)
    try page.receive(Self.hello("S", "ann"))
    try page.receive(
      #"{"snapshot":{"color":"red","size":1,"label":"x"},"epoch":"E","sequence":3,"revisions":{},"lineage":[["D",9]]}"#
    )
    page.session.set("size", to: 2)
    page.session.set("label-only-input", to: 2)
    try page.receive(#"{"ack":2}"#)
    try page.receive(#"{"sequence":4,"patch":[{"op":"replace","path":"/size","value":2}]}"#)
    page.session.forgetState()
    page.session.connectionOpened()
    _ = page.sent()

    try page.receive(Self.gone)
    try page.receive(Self.hello("N", "ann"))

    #expect(
      page.sent() == [
        #"{"handOver":{"name":"size","value":2}}"#,
        #"{"handOver":{"position":["E",4],"lineage":[["D",9]]}}"#,
      ])
  }

  @Test func `cuts a long text into pieces that fit into the server's frames`() throws {
    var page = try Page(hello: false)
    try page.receive(Self.hello("S", "ann"))
    let text = String(repeating: "\u{1}", count: 400)
    let json = String(repeating: #"\u0001"#, count: 400)
    try page.receive(
      #"{"snapshot":{"number.field":"\#(json)"},"epoch":"E","sequence":3,"revisions":{"number":2}}"#)
    page.loseConnection()
    _ = page.sent()

    try page.receive(Self.gone)
    try page.receive(
      #"{"hello":{"protocol":1,"session":"N","token":"T","visitor":"ann","schema":"x","heartbeat":20,"limits":{"frame":1112,"text":4096}}}"#
    )

    let frames = page.sent().dropLast().map { Array($0.utf8) }
    #expect(frames.count == 4)
    #expect(frames.allSatisfy { $0.count <= 1_112 })
    #expect(page.session.text(of: "number") == text)
  }

  @Test func `sends nothing again that the session before has taken`() throws {
    var page = try Page(hello: false)
    try page.receive(Self.hello("S", "anonymous"))
    try page.receive(Self.snapshot("0", epoch: "E"))
    try page.session.type("7", into: "number")
    try page.session.type("8", into: "number")
    page.loseConnection()
    try page.receive(Self.hello("N", "ann"))
    _ = page.sent()

    try page.receive(#"{"handedOver":[],"ack":1}"#)
    try page.receive(
      #"{"snapshot":{"number.field":"07"},"epoch":"E","sequence":1,"revisions":{"number":1}}"#)

    #expect(page.session.text(of: "number") == "078")
    #expect(page.sent() == [#"{"input":2,"name":"number","revision":1,"edits":[[2,0,"8"]]}"#])
  }

  @Test func `begins again after it gave its session up, and keeps the typed text`() throws {
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

  private static func hello(_ session: String, _ visitor: String) -> String {
    #"{"hello":{"protocol":1,"session":"\#(session)","token":"T","visitor":"\#(visitor)","schema":"x","#
      + #""heartbeat":20}}"#
  }

  private static func snapshot(_ text: String, epoch: String) -> String {
    #"{"snapshot":{"number.field":"\#(text)"},"epoch":"\#(epoch)","sequence":0,"revisions":{"number":0}}"#
  }

  @Test(arguments: [("ann", "bob"), ("ann", "anonymous")])
  func `hands nothing over to another visitor's session`(first: String, second: String) throws {
    var page = try Page(hello: false)
    try page.receive(Self.hello("S", first))
    try page.receive(Self.snapshot("0", epoch: "E"))
    page.session.tap("roll")
    try page.session.type("7", into: "number")
    page.loseConnection()
    _ = page.sent()

    try page.receive(#"{"error":{"code":"visitor-changed","message":"Somebody else's."}}"#)
    let began = try page.receive(Self.hello("N", second))
    let between = (page.session.text(of: "number"), page.session.unconfirmed.count)
    let notices = try page.receive(Self.snapshot("5", epoch: "F"))

    #expect(began == [.visitorChanged, .began])
    #expect(between.0 == nil && between.1 == 0)
    #expect(notices == [.snapshot, .resumed(.afresh)])
    #expect(page.session.lost.isEmpty)
    #expect(page.session.text(of: "number") == "5")
    #expect(page.session.visitor == second)
    #expect(page.sent().isEmpty)
    page.session.tap("roll")
    #expect(page.sent() == [#"{"input":1,"name":"roll"}"#])
  }

  @Test func `hands typed text over to the session of who was nobody before`() throws {
    var page = try Page(hello: false)
    try page.receive(Self.hello("S", "anonymous"))
    try page.receive(Self.snapshot("0", epoch: "E"))
    try page.session.type("7", into: "number")
    page.loseConnection()
    _ = page.sent()

    try page.receive(#"{"error":{"code":"visitor-changed","message":"Somebody else's."}}"#)
    try page.receive(Self.hello("N", "ann"))
    try page.receive(#"{"handedOver":[]}"#)
    try page.receive(Self.snapshot("0", epoch: "F"))

    #expect(page.session.text(of: "number") == "07")
    #expect(page.session.visitor == "ann")
  }

  @Test(arguments: [("session-unknown", "anonymous"), ("visitor-changed", "ann")])
  func `hands typing in rows over to the rows of the new session`(code: String, visitor: String)
    throws
  {
    func snapshot(_ rows: String, epoch: String) -> String {
      #"{"snapshot":{"rows":[\#(rows)]},"epoch":"\#(epoch)","sequence":4,"revisions":{}}"#
    }
    var page = try Page(hello: false)
    try page.receive(Self.hello("S", "anonymous"))
    try page.receive(snapshot(#"{"id":7,"title":"ab"},{"id":8,"title":"c"}"#, epoch: "E"))
    try page.session.type("!", into: "title", row: ["7"])
    try page.session.type("?", into: "title", row: ["8"])
    page.loseConnection()
    _ = page.sent()

    try page.receive(#"{"error":{"code":"\#(code)","message":"It is gone."}}"#)
    try page.receive(Self.hello("N", visitor))
    try page.receive(snapshot(#"{"id":7,"title":"ab"}"#, epoch: "F"))

    #expect(page.session.text(of: "title", row: ["7"]) == "ab!")
    #expect(page.session.orphanedTexts.map(\.text) == ["c?"])
    #expect(
      page.sent() == [#"{"input":1,"name":"title","sequence":4,"edits":[[2,0,"!"]],"row":"7"}"#])
  }

  @Test func `does not go on with a session that goes on for another visitor`() throws {
    var page = try Page(hello: false)
    try page.receive(Self.hello("S", "ann"))
    try page.receive(Self.snapshot("0", epoch: "E"))
    page.loseConnection()

    #expect(throws: ClientError(.visitorChanged)) {
      try page.receive(
        #"{"resumed":{"session":"S","token":"T2","visitor":"bob","ack":0,"turns":0,"own":[]}}"#)
    }
  }
}
