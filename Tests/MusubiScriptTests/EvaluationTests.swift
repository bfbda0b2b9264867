// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire
import Testing

@testable import MusubiScript

@Suite struct `The meaning of a path` {
  private func evaluation(_ state: String) throws -> Evaluation {
    let client = ScriptClient(
      name: "a", server: ServerAddress(host: "localhost", port: 1), target: "/x", options: .init(), trace: nil
    )
    try client.connection.update { session in
      session.connectionOpened()
      _ = try session.receive(
        Array(#"{"hello":{"protocol":1,"session":"S","token":"T","schema":"x","heartbeat":20}}"#.utf8))
      _ = try session.receive(
        Array(#"{"snapshot":\#(state),"epoch":"E","sequence":3,"revisions":{"text":0}}"#.utf8))
    }
    return Evaluation(clients: ["a": client], variables: ["x": "7", "n": 7])
  }

  private let rows = """
    {"contents":[{"id":7,"title":"Tea","tags":[{"id":"t","name":"green"}]},{"id":"8","title":"Rice"}],
    "text":"old","text.field":"new","box":{"count":3}}
    """

  /// The path that a script's step names.
  private func path(_ text: String) throws -> Path {
    let script = try ScriptParser.parse(
      "open a /x\nsave x = 1\nsave n = 1\nexpect \(text) is missing", file: "s")
    guard case .expect(.presence(let path, _))? = script.steps.last?.action else {
      throw StepFailure("no path")
    }
    return path
  }

  @Test(arguments: [
    ("a.contents[0].title", "Tea"), ("a.contents[id=$x].title", "Tea"), ("a.contents[id=$n].title", "Tea"),
    ("a.contents[id=8].title", "Rice"), (#"a.contents[title="Rice"].id"#, "8"),
    ("a.contents[0].tags[id=t].name", "green"), ("a.text", "old"), ("a.text.field", "new"),
    ("a.session", "S"),
    ("a.epoch", "E"),
  ])
  func `it reaches into rows, fields and properties`(text: String, value: String) throws {
    #expect(try evaluation(rows).value(at: path(text)) == .string(value))
  }

  @Test(arguments: [("a.contents.count", 2), ("a.box.count", 3), ("a.pending", 0), ("a.sequence", 3)])
  func `it counts`(text: String, value: Int64) throws {
    #expect(try evaluation(rows).value(at: path(text)) == .integer(value))
  }

  @Test(arguments: ["a.nothing", "a.contents[5]", "a.contents[id=9].title", "a.text[0]", "a.text.title"])
  func `it may lead nowhere`(text: String) throws {
    #expect(try evaluation(rows).value(at: path(text)) == nil)
  }

  @Test func `an input of a row carries the row's id, whatever the row is found by`() throws {
    let evaluation = try evaluation(rows)

    #expect(try evaluation.input(at: path("a.contents[0].delete")) == ("delete", ["7"]))
    #expect(try evaluation.input(at: path(#"a.contents[title="Rice"].open"#)) == ("open", ["8"]))
    #expect(try evaluation.input(at: path("a.contents[id=7].tags[0].drop")) == ("drop", ["7", "t"]))
    #expect(try evaluation.input(at: path("a.contents[id=gone].delete")) == ("delete", ["gone"]))
    #expect(throws: StepFailure.self) { try evaluation.input(at: path("a.contents[9].delete")) }
  }

  @Test(arguments: [
    (Comparison.equal, Value.string("42"), Value.integer(42), false), (.equal, 42, 42.0, true),
    (.less, "5", 10, true), (.greaterOrEqual, 10, "10", true), (.less, "x", 10, false),
    (.unequal, "a", "b", true),
  ])
  func `equality is strict and order is numeric`(
    comparison: Comparison, left: Value, right: Value, isTrue: Bool
  ) {
    #expect(comparison.holds(left, right) == isTrue)
  }
}
