// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// A server with one screen, and pages that send a test's frames.
private final class Stage {
  let network: SimulatedNetwork

  init(
    _ kind: RowsView.Kind = .keep, rows: [RowsView.Row]? = nil, store: SimulatedStore? = nil,
    turns: Int? = nil
  ) {
    var configuration = SessionConfiguration()
    if let turns { configuration.maxLogTurns = turns }
    configuration.maxTextBytes = 1_000
    network = SimulatedNetwork(
      seed: 7, configuration: configuration, store: store, routes: [.rows(kind, rows: rows)])
  }

  func page(edits: Bool = true) -> RawPage {
    let page = RawPage(network, "rows", query: edits ? ["edits": "1"] : [:])
    settle()
    return page
  }

  func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  /// Sends frames and waits.
  func send(_ page: RawPage, _ frames: String...) {
    page.clear()
    for frame in frames { page.send(frame) }
    settle()
  }
}

extension RawPage {
  /// The last steps of a text, with all that is said beside them.
  fileprivate func edits(_ key: String) -> Value? { values.compactMap { $0["edits"]?[key] }.last }

  fileprivate var errors: [String] { values.compactMap { $0["error"]?["code"]?.stringValue } }
}

@Suite struct `A text in a row` {
  private let stage = Stage()

  @Test func `has a document from its first edit on`() {
    let page = stage.page()
    #expect(page.last("snapshot")?["rows"]?[0] == ["id": 1, "title": "one", "tasks": []])
    #expect(page.values.last?["revisions"] == [:])

    stage.send(page, #"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"!"]]}"#)

    #expect(
      page.frames == [
        #"{"ack":1,"revision":1}"#,
        #"{"sequence":1,"patch":[{"op":"replace","path":"/rows/0/title","value":"one!"}],"#
          + #""edits":{"/rows/1/title":{"revision":1,"text":"one","steps":[[[3,0,"!"]]]}}}"#,
      ])
    let late = stage.page()
    #expect(
      late.last("snapshot")?["rows"]?[0] == [
        "id": 1, "title": "one!", "tasks": [], "title.field": "one!",
      ])
    #expect(late.values.last?["revisions"] == ["/rows/1/title": 1])
  }

  @Test func `is told as a value to pages that take no edits`() {
    let (typist, page) = (stage.page(), stage.page(edits: false))
    page.clear()

    stage.send(typist, #"{"input":1,"name":"title","row":"2","sequence":0,"edits":[[0,3,"2"]]}"#)

    #expect(
      page.frames == [
        #"{"sequence":1,"patch":[{"op":"replace","path":"/rows/1/title","value":"2"},"#
          + #"{"op":"add","path":"/rows/1/title.field","value":"2"}]}"#
      ])
  }

  @Test func `takes whole values from such pages as every row input does`() {
    let (typist, page) = (stage.page(), stage.page(edits: false))

    stage.send(page, #"{"input":1,"name":"title","row":"1","value":"uno"}"#)
    #expect(page.frames.last?.contains("field") == false)
    #expect(page.state == .null && page.last("ack") == 1)

    stage.send(typist, #"{"input":1,"name":"title","row":"1","sequence":1,"edits":[[3,0,"!"]]}"#)
    stage.send(page, #"{"input":2,"name":"title","row":"1","value":"uno?"}"#)
    #expect(typist.edits("/rows/1/title")?["steps"] == [[[3, 0, "?"], [3, 1, ""]]])
    #expect(typist.values.last?["patch"] == [["op": "replace", "path": "/rows/0/title", "value": "uno?"]])
  }

  @Test func `is merged when several begin to type at once`() {
    let (one, other) = (stage.page(), stage.page())

    one.send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[0,0,"A"]]}"#)
    one.send(#"{"input":2,"name":"title","row":"1","sequence":0,"edits":[[1,0,"B"]]}"#)
    other.send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"Z"]]}"#)
    stage.settle()

    let late = stage.page(edits: false)
    #expect(late.last("snapshot")?["rows"]?[0]?["title.field"] == "ABoneZ")
    #expect(late.last("snapshot")?["rows"]?[0]?["title"] == "ABoneZ")
    #expect(one.edits("/rows/1/title")?["steps"]?.arrayValue?.count == 3)
    #expect(other.last("ack") == 1)
  }

  @Test func `is rewritten by what the ViewModel makes of it, and keeps what that ignores`() {
    let capitals = Stage(.capitals)
    let page = capitals.page()
    capitals.send(page, #"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"x"]]}"#)
    #expect(page.edits("/rows/1/title")?["steps"] == [[[3, 0, "x"]], [[0, 4, "ONEX"]]])

    let digits = Stage(.noDigits)
    let other = digits.page()
    digits.send(other, #"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"7"]]}"#)
    #expect(other.values.last?["patch"] == nil)
    let row = digits.page().last("snapshot")?["rows"]?[0]
    #expect(row?["title"] == "one" && row?["title.field"] == "one7")
  }

  @Test func `is not overwritten by what the ViewModel shows late`() {
    let late = Stage(.late)
    let page = late.page()

    page.send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"a"]]}"#)
    late.settle(.milliseconds(600))
    page.send(#"{"input":2,"name":"title","row":"1","revision":1,"edits":[[4,0,"b"]]}"#)
    late.settle(.milliseconds(600))
    // By now "onea" has been shown.
    #expect(page.values.compactMap { $0["patch"]?[0]?["value"] } == ["onea"])
    late.settle(.seconds(2))

    let row = late.page().last("snapshot")?["rows"]?[0]
    #expect(row?["title"] == "oneab" && row?["title.field"] == "oneab")
  }

  @Test func `in a row of a row is named by the ids of both`() {
    let page = stage.page()

    stage.send(page, #"{"input":1,"name":"task","row":["2","7"],"sequence":0,"edits":[[0,1,"m"]]}"#)

    #expect(
      page.frames.last
        == #"{"sequence":1,"edits":{"/rows/2/tasks/7/task":{"revision":1,"text":"sow","steps":[[[0,1,"m"]]]}}}"#
    )
    let late = stage.page(edits: false)
    #expect(late.last("snapshot")?["rows"]?[1]?["tasks"]?[0]?["task.field"] == "mow")
    #expect(late.values.last?["revisions"] == ["/rows/2/tasks/7/task": 1])
  }

  @Test func `has a key in which slashes and tildes of ids are escaped`() {
    let page = stage.page()

    stage.send(page, #"{"input":1,"name":"tag","row":"a/b~","sequence":0,"edits":[[0,1,"b"]]}"#)

    #expect(page.edits("/tags/a~1b~0/tag") == ["revision": 1, "text": "old", "steps": [[[0, 1, "b"]]]])
  }

  @Test func `that would be too long is refused like any other`() {
    let page = stage.page()
    let long = String(repeating: "x", count: 1_000)

    stage.send(
      page, #"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[0,0,"\#(long)"]]}"#,
      #"{"input":2,"name":"title","row":"1","sequence":0,"edits":[[0,0,"y"]]}"#)

    #expect(page.errors == ["too-large", "too-large"])
    #expect(page.edits("/rows/1/title") == ["revision": 1, "text": "one", "steps": [[]]])
    stage.send(page, #"{"input":3,"name":"title","row":"1","revision":1,"edits":[[0,0,"y"]]}"#)
    #expect(page.frames.first == #"{"ack":3,"revision":2}"#)
  }

  @Test func `is as long as its bytes, whatever units are replaced`() {
    let page = stage.page()
    let (three, others) = (String(repeating: "結", count: 333), String(repeating: "か", count: 333))

    stage.send(
      page, #"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[0,3,"\#(three)"]]}"#,
      #"{"input":2,"name":"title","row":"1","sequence":0,"edits":[[0,333,"\#(others)"]]}"#,
      #"{"input":3,"name":"title","row":"1","sequence":0,"edits":[[0,0,"x"]]}"#)
    #expect(page.errors == [])
    #expect(page.last("ack") == 3)

    stage.send(page, #"{"input":4,"name":"title","row":"1","revision":3,"edits":[[0,1,"yy"]]}"#)
    #expect(page.errors == ["too-large"])
    stage.send(page, #"{"input":5,"name":"title","row":"1","revision":4,"edits":[[0,2,"y結"]]}"#)
    #expect(page.frames.first == #"{"ack":5,"revision":5}"#)
  }

  @Test(arguments: [
    (#""name":"title","row":"9","sequence":0"#, "unknown-row"),
    (#""name":"title","row":"1","revision":0"#, "unknown-row"),
    (#""name":"id","row":"1","sequence":0"#, "unknown-input"),
    (#""name":"remove","row":"1","sequence":0"#, "wrong-type"),
    (#""name":"task","row":"1","sequence":0"#, "wrong-type"),
  ])
  func `that is none is answered, and changes nothing`(members: String, code: String) {
    let page = stage.page()

    stage.send(page, #"{"input":1,\#(members),"edits":[[0,0,"x"]]}"#)

    #expect(page.errors == [code])
    #expect(page.last("ack") == 1 && page.last("sequence") == nil && page.isUp)
  }

  @Test(arguments: [
    #"{"input":1,"name":"title","sequence":0,"edits":[[0,0,"x"]]}"#,
    #"{"input":1,"name":"title","row":"1","sequence":0,"revision":0,"edits":[[0,0,"x"]]}"#,
    #"{"input":1,"name":"title","row":"1","sequence":0}"#,
    #"{"input":1,"name":"title","row":"1","sequence":9,"edits":[[0,0,"x"]]}"#,
    #"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[9,0,"x"]]}"#,
  ])
  func `is not edited by a frame that cannot be`(frame: String) {
    let page = stage.page()

    stage.send(page, frame)

    #expect(page.errors == ["malformed"] && page.closeCode == 4501)
  }
}

@Suite struct `A row without a document, in whose place another one was added` {
  @Test func `takes the edit of a page that has not seen that`() {
    let stage = Stage(rows: RowsView.rows.prefix(2) + [RowsView.Row(id: 4, title: "four")])
    stage.network.loopPause = .milliseconds(100)
    let page = stage.page()
    stage.send(page, #"{"input":1,"name":"title","row":"2","sequence":0,"edits":[[0,0,"x"]]}"#)
    // Row 3 comes behind the others, and row 1 goes behind it.
    let carry = [3, 4].map { #"{"input":\#($0),"name":"carryFirst"}"# }
    stage.send(page, #"{"input":2,"name":"addThree"}"#, carry[0], carry[1])
    #expect(page.frames.last?.contains(#"{"op":"move","from":"/rows/0","path":"/rows/3"}"#) == true)

    stage.send(page, #"{"input":5,"name":"title","row":"1","sequence":1,"edits":[[0,0,"y"]]}"#)
    #expect(page.errors.isEmpty)
    #expect(page.edits("/rows/1/title")?["steps"] == [[[0, 0, "y"]]])

    stage.send(page, #"{"input":6,"name":"title","row":"3","sequence":1,"edits":[[0,0,"no"]]}"#)
    #expect(page.errors == ["unknown-row"], "That row was not there.")
  }
}

@Suite struct `A row whose text has a document` {
  private let stage = Stage()
  private let page: RawPage

  init() {
    page = stage.page()
    stage.send(page, #"{"input":1,"name":"title","row":"3","sequence":0,"edits":[[0,0,"x"]]}"#)
  }

  @Test func `takes it along when it moves`() {
    stage.send(page, #"{"input":2,"name":"reverse"}"#)
    let plain = stage.page(edits: false)

    stage.send(page, #"{"input":3,"name":"title","row":"3","revision":1,"edits":[[1,0,"y"]]}"#)

    #expect(page.edits("/rows/3/title") == ["revision": 2, "steps": [[[1, 0, "y"]]]])
    #expect(
      plain.values.last?["patch"]?.arrayValue?.last
        == ["op": "add", "path": "/rows/0/title.field", "value": "xythree"])
  }

  @Test func `moves if it is removed and added in one turn`() {
    stage.network.loopPause = .milliseconds(100)
    let plain = stage.page(edits: false)

    stage.send(page, #"{"input":2,"name":"removeLast"}"#, #"{"input":3,"name":"addThree"}"#)
    #expect(page.values.compactMap { $0["sequence"] } == [2])
    // The row shows another text now: that is a change like any other.
    #expect(page.edits("/rows/3/title")?["revision"] == 2)
    #expect(plain.state["rows"]?[0]?["title.field"] == "again")

    stage.send(page, #"{"input":4,"name":"title","row":"3","revision":1,"edits":[[1,0,"y"]]}"#)
    #expect(page.errors.isEmpty && page.edits("/rows/3/title")?["revision"] == 3)
  }

  @Test func `ends with it, and a row that comes with the same id has another`() {
    stage.send(page, #"{"input":2,"name":"removeLast"}"#)
    stage.send(page, #"{"input":3,"name":"addThree"}"#)
    #expect(stage.page().values.last?["revisions"] == [:])

    // Of the earlier row, by revision and by turn.
    stage.send(
      page, #"{"input":4,"name":"title","row":"3","revision":1,"edits":[[0,1,""]]}"#,
      #"{"input":5,"name":"title","row":"3","sequence":1,"edits":[[0,0,"no"]]}"#)
    #expect(page.errors == ["unknown-row", "unknown-row"] && page.last("ack") == 5)

    stage.send(page, #"{"input":6,"name":"title","row":"3","sequence":3,"edits":[[0,0,"z"]]}"#)
    // The revision of the earlier document was 1: neither it nor one before it comes again.
    #expect(page.edits("/rows/3/title") == ["revision": 3, "text": "again", "steps": [[[0, 0, "z"]]]])
    stage.send(
      page, #"{"input":7,"name":"title","row":"3","revision":0,"edits":[[0,0,"no"]]}"#,
      #"{"input":8,"name":"title","row":"3","revision":1,"edits":[[0,0,"no"]]}"#)
    #expect(page.errors == ["unknown-row", "unknown-row"])
  }

  @Test func `gives the ViewModel's own changes as steps`() {
    stage.send(page, #"{"input":2,"name":"shout"}"#)

    #expect(page.edits("/rows/3/title") == ["revision": 2, "steps": [[[0, 6, "XTHREE"]]]])
    #expect(page.values.last?["edits"]?.objectValue?.count == 1)
  }

  @Test func `tells a page that returns which steps were its own`() {
    let (returning, other) = (stage.page(), stage.page())
    returning.send(#"{"input":1,"name":"title","row":"3","revision":1,"edits":[[0,0,"r"]]}"#)
    // The answer does not come.
    stage.settle(.milliseconds(12))
    returning.link?.drop()
    stage.settle()
    stage.send(other, #"{"input":1,"name":"title","row":"3","revision":2,"edits":[[0,0,"o"]]}"#)

    returning.resume(["edits": "1"])
    stage.settle()

    #expect(returning.last("resumed")?["own"] == [[1, 2]])
    #expect(returning.last("resumed")?["turns"] == 2)
  }

  @Test func `tells a page that returns its own first edit, with which the document began`() {
    let (returning, other) = (stage.page(), stage.page())
    let sequence = returning.position[1].intValue ?? 0
    returning.send(#"{"input":1,"name":"title","row":"1","sequence":\#(sequence),"edits":[[0,0,"r"]]}"#)
    // The answer does not come: the page stands right before the document.
    stage.settle(.milliseconds(12))
    returning.link?.drop()
    stage.settle()
    stage.send(other, #"{"input":1,"name":"title","row":"1","revision":1,"edits":[[0,0,"o"]]}"#)

    returning.mark()
    returning.resume(["edits": "1"])
    stage.settle()

    #expect(returning.last("resumed")?["own"] == [[1, 1]])
    #expect(returning.last("resumed")?["turns"] == 2)
    #expect(returning.new.contains { $0["snapshot"] != nil } == false)
  }

  @Test func `lets go of it when nobody edits it and it equals the output`() throws {
    let room = try room
    #expect(room.rows?.active.count == 1)
    let other = stage.page()

    stage.settle(.seconds(150))
    #expect(room.rows?.active.isEmpty == true)
    #expect(room.rows?.all.first?.bridges.isEmpty == true)

    // Its revision is not forgotten: who knows it goes on.
    stage.send(other, #"{"input":1,"name":"title","row":"3","revision":1,"edits":[[0,0,"y"]]}"#)
    #expect(other.frames.first == #"{"ack":1,"revision":2}"#)
    #expect(room.rows?.active.count == 1)
  }

  @Test func `goes on with it when the ViewModel changes a text that rests`() throws {
    stage.settle(.seconds(150))

    stage.send(page, #"{"input":2,"name":"shout"}"#)

    #expect(page.edits("/rows/3/title") == ["revision": 2, "steps": [[[0, 6, "XTHREE"]]]])
  }

  @Test func `sends a page away once that knows a revision which rests`() {
    stage.settle(.seconds(150))

    stage.send(page, #"{"input":2,"name":"title","row":"3","revision":0,"edits":[[0,0,"y"]]}"#)
    // The page has shown to know revision 0 only, so that this may be an edit that was under way for minutes.
    #expect(page.closeCode == 4001)
  }

  @Test func `sends a page away whose edit is from before a snapshot that it was sent meanwhile`() {
    let stage = Stage(turns: 8)
    let (page, other) = (stage.page(), stage.page())
    stage.send(page, #"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"!"]]}"#)

    page.link?.isStalled = true
    for number in 1...10 {
      stage.send(
        other, #"{"input":\#(number),"name":"title","row":"1","revision":\#(number),"edits":[[0,0,"x"]]}"#)
    }
    page.link?.isStalled = false
    stage.send(page, #"{"input":2,"name":"title","row":"1","revision":1,"edits":[[4,0,"?"]]}"#)

    #expect(page.closeCode == 4001 && page.last("ack") == nil)
    #expect(stage.page().last("snapshot")?["rows"]?[0]?["title"] == "xxxxxxxxxxone!")
  }

  /// The room, as the hub has it.
  private var room: Room {
    get throws {
      let hub = try #require(stage.network.services.first as? SessionLoop)
      return try #require(hub.rooms.all.first { _ in true })
    }
  }
}

@Suite struct `A row's text without a document` {
  @Test func `sends a page away once if the ViewModel has changed it meanwhile`() {
    let stage = Stage()
    let page = stage.page()
    let other = stage.page()
    // The first edit of any row: from now on changes are remembered.
    stage.send(other, #"{"input":1,"name":"title","row":"2","sequence":0,"edits":[[0,0,"x"]]}"#)
    stage.send(other, #"{"input":2,"name":"shout"}"#)

    stage.send(page, #"{"input":1,"name":"title","row":"1","sequence":1,"edits":[[3,0,"!"]]}"#)
    #expect(page.closeCode == 4001 && page.last("ack") == nil)

    // There is a document now, so that the next change is a step.
    #expect(other.edits("/rows/1/title") == ["revision": 0, "text": "ONE", "steps": []])
    page.resume(["edits": "1"])
    stage.settle()
    stage.send(page, #"{"input":1,"name":"title","row":"1","revision":0,"edits":[[3,0,"!"]]}"#)
    #expect(page.frames.first == #"{"ack":1,"revision":1}"#)
  }

  @Test func `costs no object, however many rows and pages there are`() throws {
    let rows = (1...1_000).map { RowsView.Row(id: $0, title: "row \($0)") }
    let stage = Stage(rows: rows)
    let pages = (0..<1_000).map { _ in RawPage(stage.network, "rows", query: ["edits": "1"]) }
    stage.settle(.seconds(5))
    let hub = try #require(stage.network.services.first as? SessionLoop)
    let room = try #require(hub.rooms.all.first { _ in true })
    #expect(room.members.count == 1_000)
    #expect(room.rows == nil)

    for number in 0..<20 {
      pages[number].send(
        #"{"input":1,"name":"title","row":"\#(number / 2 + 1)","sequence":0,"edits":[[0,0,"x"]]}"#)
    }
    stage.settle(.seconds(5))
    #expect(room.rows?.all.count == 10)
    #expect(room.rows?.all.reduce(0) { $0 + $1.bridges.count } == 20)

    stage.settle(.seconds(150))
    #expect(room.rows?.active.isEmpty == true)
    #expect(room.rows?.all.allSatisfy { $0.bridges.isEmpty } == true)
  }
}
