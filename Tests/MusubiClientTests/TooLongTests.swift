// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire
import Testing

@testable import MusubiClient

private let long = String(repeating: "x", count: 70_000)

/// The member `edits` of a frame.
private func edit(in frame: String) throws -> TextEdit {
  guard case .input(let input) = try ClientFrame(json: Array(frame.utf8)) else { return TextEdit([]) }
  switch input.payload {
  case .edit(let edit, _), .firstEdit(let edit, _, _): return edit
  default: return TextEdit([])
  }
}

@Suite struct `A text too long for the server` {
  // MARK: - Values

  @Test func `a value that no frame holds is never queued, until it is short enough`() throws {
    var page = try Page()

    page.session.set("title", to: .string(long))
    #expect(page.session.unconfirmed.isEmpty)
    #expect(page.session.text(of: "title") == long)
    let size = #"{"input":1,"name":"title","value":""}"#.utf8.count + 70_000
    #expect(page.session.charactersTooLong(in: "title") == size - 65_536)
    #expect(page.session.charactersTooLong(in: "number") == 0)
    page.session.set("title", to: "short")

    #expect(page.sent() == [#"{"input":1,"name":"title","value":"short"}"#])
    #expect(page.session.charactersTooLong(in: "title") == 0)
  }

  @Test func `a frame of exactly the limit is sent, in bytes of UTF-8`() throws {
    let room = 100 - #"{"input":1,"name":"t","value":""}"#.utf8.count
    let fitting = String(repeating: "結", count: room / 3) + String(repeating: "x", count: room % 3)
    var page = try Page(limits: (100, 200))
    var other = try Page(limits: (100, 200))

    page.session.set("t", to: .string(fitting))
    other.session.set("t", to: .string(fitting + "x"))

    #expect(page.sent().map(\.utf8.count) == [100])
    #expect(other.sent().isEmpty)
    #expect(other.session.charactersTooLong(in: "t") == 1)
  }

  @Test func `each row and each screen has its own, also of other values than texts`() throws {
    var page = try Page(limits: (100, 200))
    let list = Value.array(Array(repeating: "one", count: 50))

    page.session.set("title", to: "a", row: ["1"])
    page.session.set("title", to: .string(long), row: ["1"])
    page.session.set("meals", to: list)
    page.session.tap("open", row: [long])

    #expect(page.session.unconfirmed.map(\.row) == [["1"]])
    #expect(page.session.charactersTooLong(in: "title", row: ["1"]) > 0)
    #expect(page.session.charactersTooLong(in: "title", row: ["2"]) == 0)
    let size = #"{"input":2,"name":"meals","value":\#(list)}"#.utf8.count
    #expect(page.session.charactersTooLong(in: "meals") == size - 100)
    #expect(page.session.charactersTooLong(in: "open", row: [long]) == 0)
    try page.receive(#"{"screens":[{"screen":1,"name":"s","path":"/s"}]}"#)
    #expect(page.session.charactersTooLong(in: "meals") == 0)
    try page.receive(#"{"screens":[]}"#)
    #expect(page.session.charactersTooLong(in: "meals") > 0)
  }

  @Test func `typing without edits stays in its field, and is sent when it fits again`() throws {
    var page = try Page(followsEdits: false, limits: (100, 200))
    page.session.select(0..<1, in: "number")
    let room = 100 - #"{"input":1,"name":"number","value":""}"#.utf8.count

    try page.session.type(String(repeating: "y", count: room + 1), into: "number")
    #expect(page.session.charactersTooLong(in: "number") == 1)
    #expect(page.session.text(of: "number")?.count == room + 1)
    #expect(page.sent().isEmpty)
    try page.receive(
      #"{"sequence":1,"patch":[{"op":"replace","path":"/number.field","value":"somebody else's"}]}"#)
    #expect(page.session.text(of: "number")?.count == room + 1)
    try page.session.deleteBackward(in: "number")

    #expect(page.sent().map(\.utf8.count) == [100])
    #expect(page.session.charactersTooLong(in: "number") == 0)
  }

  @Test func `a reload keeps it, another visitor does not, and a new session may have room for it`() throws {
    var page = try Page(limits: (100, 200))
    page.session.set("title", to: .string(String(repeating: "y", count: 100)))
    page.session.forgetState()
    #expect(page.session.charactersTooLong(in: "title") > 0)
    var other = page

    page.session.connectionOpened()
    try page.receive(Page.hello("N", limits: (200, 400)))
    _ = page.sent()
    try page.receive(#"{"snapshot":{"number.field":"0"},"epoch":"F","sequence":0,"revisions":{"number":0}}"#)
    #expect(page.sent().map(\.utf8.count) == [#"{"input":1,"name":"title","value":""}"#.utf8.count + 100])
    #expect(page.session.charactersTooLong(in: "title") == 0)

    other.session.visitor = "ann"
    other.session.connectionOpened()
    try other.receive(
      #"{"hello":{"protocol":1,"session":"N","token":"T","visitor":"bob","schema":"x","heartbeat":20}}"#)
    #expect(other.session.charactersTooLong(in: "title") == 0)
  }

  @Test func `a new session with a lower limit gets no value that is over it`() throws {
    var page = try Page(followsEdits: false)
    page.session.select(0..<1, in: "number")
    try page.session.type(String(repeating: "y", count: 300), into: "number")
    page.loseConnection()

    try page.receive(Page.hello("N", limits: (200, 400)))
    try page.receive(#"{"handedOver":[]}"#)
    _ = page.sent()
    try page.receive(#"{"snapshot":{"number":"0","number.field":"0"},"epoch":"F","sequence":0}"#)

    #expect(page.sent().isEmpty)
    #expect(page.session.charactersTooLong(in: "number") > 0)
    #expect(page.session.text(of: "number")?.count == 300)
  }

  // MARK: - Two-way texts

  @Test func `a text over the limit stays in its field until it fits`() throws {
    var page = try Page(limits: (65_536, 8))

    try page.session.type("1234567890", into: "number")
    #expect(page.session.text(of: "number") == "01234567890")
    #expect(page.session.charactersTooLong(in: "number") == 3)
    #expect(page.session.unconfirmed.isEmpty)
    page.session.select(4..<8, in: "number")
    try page.session.type("", into: "number")

    #expect(page.sent() == [#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"123890"]]}"#])
    #expect(page.session.charactersTooLong(in: "number") == 0)
    #expect(page.session.selection(in: "number") == 4..<4)
  }

  @Test func `what fits is sent, whatever its bytes`() throws {
    var page = try Page(limits: (65_536, 12))
    page.session.select(0..<1, in: "number")
    try page.session.type("結結結結", into: "number")
    page.session.select(0..<4, in: "number")

    try page.session.type("かかかx", into: "number")
    #expect(page.session.charactersTooLong(in: "number") == 0)
    #expect(page.sent().count == 2)
    page.session.select(0..<1, in: "number")
    try page.session.type("字xyz", into: "number")

    #expect(page.session.charactersTooLong(in: "number") == 1)
    #expect(page.sent().isEmpty)
  }

  @Test func `it is shared when others make room, and waits for edits on their way`() throws {
    var page = try Page(limits: (65_536, 8))
    try page.session.type("1", into: "number")
    try page.session.type("234567890", into: "number")
    page.session.select(5..<11, in: "number")
    try page.session.type("", into: "number")
    #expect(page.sent().count == 1)
    #expect(page.session.charactersTooLong(in: "number") == 0)

    try page.receive(#"{"ack":1,"revision":1}"#)
    try page.receive(#"{"sequence":1,"edits":{"number":{"revision":1,"steps":[[[1,0,"1"]]]}}}"#)
    #expect(page.sent() == [#"{"input":2,"name":"number","revision":1,"edits":[[2,0,"234"]]}"#])

    try page.receive(#"{"ack":2,"revision":2}"#)
    try page.receive(#"{"sequence":2,"edits":{"number":{"revision":2,"steps":[[[2,0,"234"]]]}}}"#)
    try page.session.type("abcd", into: "number")
    #expect(page.session.charactersTooLong(in: "number") == 1)
    try page.receive(#"{"sequence":3,"edits":{"number":{"revision":3,"steps":[[[0,2,""]]]}}}"#)

    #expect(page.session.text(of: "number") == "234abcd")
    #expect(page.sent() == [#"{"input":3,"name":"number","revision":3,"edits":[[3,0,"abcd"]]}"#])
  }

  @Test func `it waits for the connection, and is not a refused edit`() throws {
    var page = try Page(limits: (65_536, 8))
    try page.session.type("123456789", into: "number")
    page.loseConnection()
    _ = page.sent()
    page.session.select(1..<4, in: "number")
    try page.session.type("", into: "number")
    #expect(page.sent().isEmpty)

    try page.receive(#"{"resumed":{"session":"S","token":"T2","ack":0,"turns":0,"own":[]}}"#)

    #expect(page.sent() == [#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"456789"]]}"#])
  }

  @Test func `so it is in rows`() throws {
    var page = try Page(limits: (65_536, 8))
    try page.receive(
      #"{"snapshot":{"rows":[{"id":7,"title":"ab"}],"number.field":"0"},"epoch":"E","sequence":0,"#
        + #""revisions":{"number":0}}"#)

    try page.session.type("cdefghij", into: "title", row: ["7"])
    #expect(page.session.text(of: "title", row: ["7"]) == "abcdefghij")
    #expect(page.session.charactersTooLong(in: "title", row: ["7"]) == 2)
    #expect(page.session.unconfirmed.isEmpty)
    try page.session.deleteBackward(in: "title", row: ["7"])
    try page.session.deleteBackward(in: "title", row: ["7"])

    #expect(
      page.sent() == [#"{"input":1,"name":"title","sequence":0,"edits":[[2,0,"cdefgh"]],"row":"7"}"#])
  }

  @Test func `characters are counted as people do, whatever their bytes`() throws {
    func count(_ text: String, limit: Int) throws -> Int {
      var page = try Page(limits: (65_536, limit))
      page.session.select(0..<1, in: "number")
      try page.session.type(text, into: "number")
      return page.session.charactersTooLong(in: "number")
    }
    func ofValue(_ text: String, room: Int) throws -> Int {
      var page = try Page(limits: (#"{"input":1,"name":"t","value":""}"#.utf8.count + room, 200))
      page.session.set("t", to: .string(text))
      return page.session.charactersTooLong(in: "t")
    }

    #expect(try count(String(repeating: "結", count: 100), limit: 270) == 10)
    #expect(try count(String(repeating: "結", count: 100), limit: 271) == 10)
    #expect(try count(String(repeating: "👨‍👩‍👧‍👦", count: 10), limit: 225) == 1)
    #expect(try count(String(repeating: "か\u{3099}", count: 10), limit: 54) == 1)
    #expect(try count(String(repeating: "x", count: 300_000), limit: 262_144) == 37_856)
    #expect(try ofValue(String(repeating: "\"\n", count: 10), room: 36) == 2)
  }

  // MARK: - Parts

  @Test(arguments: [(65_536, 16_384), (1_000, 1_000)])
  func `a long edit goes in frames below the limits, and arrives whole`(limit: Int, most: Int) throws {
    for text in [String(repeating: "\u{1}", count: 5_000), String(repeating: "𝄞結x", count: 4_000)] {
      var page = try Page(limits: (limit, 262_144))
      page.session.select(0..<1, in: "number")

      try page.session.type(text, into: "number")

      let frames = page.sent()
      #expect(frames.allSatisfy { $0.utf8.count <= most })
      #expect(try frames.reduce("0") { try edit(in: $1).applied(to: $0) } == text)
      #expect(page.session.unconfirmed.map(\.number) == Array(1...frames.count))
      #expect(page.session.selection(in: "number") == text.utf16.count..<text.utf16.count)
    }
  }

  @Test func `no part makes a text longer than it was and will be`() throws {
    var page = try Page(limits: (65_536, 60_000))
    let old = String(repeating: "a", count: 59_000)
    try page.receive(
      #"{"snapshot":{"number.field":"\#(old)"},"epoch":"F","sequence":0,"revisions":{"number":0}}"#)
    page.session.select(0..<0, in: "number")
    try page.session.type(String(repeating: "b", count: 20_000), into: "number")
    #expect(page.session.charactersTooLong(in: "number") == 19_000)

    page.session.select(60_000..<79_000, in: "number")
    try page.session.type("", into: "number")

    var text = old
    for frame in page.sent() {
      try edit(in: frame).apply(to: &text)
      #expect(text.utf8.count <= 60_000)
    }
    #expect(text == page.session.text(of: "number"))
    #expect(text.utf8.count == 60_000)
  }

  @Test func `what others have cut into many places while the client was away goes in several frames`() throws
  {
    var page = try Page(limits: (1_000, 262_144))
    let old = String(repeating: "ab", count: 300)
    try page.receive(
      #"{"snapshot":{"number.field":"\#(old)"},"epoch":"F","sequence":0,"revisions":{"number":0}}"#)
    page.session.tap("roll")
    page.session.select(0..<600, in: "number")
    try page.session.type("", into: "number")
    page.session.tap("roll")
    page.loseConnection()
    _ = page.sent()

    let step = (1..<300).map { "[\(2 * $0),0,\"-\"]" }.joined(separator: ",")
    try page.receive(#"{"resumed":{"session":"S","token":"T2","ack":1,"turns":1,"own":[]}}"#)
    try page.receive(#"{"sequence":1,"edits":{"number":{"revision":1,"steps":[[\#(step)]]}}}"#)

    let frames = page.sent()
    #expect(frames.allSatisfy { $0.utf8.count <= 1_000 })
    let server = Array(repeating: "ab", count: 300).joined(separator: "-")
    #expect(
      try frames.reduce(server) { try edit(in: $1).applied(to: $0) } == String(repeating: "-", count: 299))
    #expect(page.session.text(of: "number") == String(repeating: "-", count: 299))
    let numbers = page.session.unconfirmed.map(\.number)
    #expect(numbers == numbers.sorted() && numbers.first == 3)
  }

  @Test(arguments: 0..<100) func `parts do together what the edit does`(seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed))
    func random(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
    let text = String(repeating: "ab𝄞", count: 50)
    var components: [TextEdit.Component] = []
    var position = 0
    while position < 190 {
      // A place of four units begins with "ab".
      position += 4 * random(5)
      let deleted = 4 * random(4)
      guard position + deleted <= 200 else { break }
      let inserted = String(repeating: "結𝄞", count: random(30))
      components.append(TextEdit.Component(position: position, deleted: deleted, inserted: inserted))
      position += deleted
    }
    let edit = TextEdit(components).typed

    let parts = edit.parts(maxUnits: 7 + random(40))

    #expect(
      try parts.reduce(text) { try $1.applied(to: $0) } == edit.applied(to: text), "seed \(seed)")
  }
}
