// SPDX-License-Identifier: Apache-2.0
@testable import MusubiScript
import MusubiWire
import Testing

@Suite struct `Reading a script` {
  private func steps(_ text: String) throws -> [Step] { try ScriptParser.parse(text, file: "s.musubi").steps }

  private func failure(_ text: String) -> ScriptError? {
    do {
      _ = try ScriptParser.parse(text, file: "s.musubi")
      return nil
    } catch {
      return error
    }
  }

  @Test func `the steps keep their order, line and source`() throws {
    let steps = try steps("# first\n\nopen a /number?room=$fresh   # comment\n  settle\n")

    #expect(steps.map(\.source) == ["open a /number?room=$fresh", "settle"])
    #expect(steps.map(\.location.line) == [3, 4])
    #expect(steps.map(\.location.column) == [1, 3])
  }

  @Test func `an address holds variables`() throws {
    let target = Template([.text("/number?room="), .variable("fresh"), .text("-1")])

    #expect(
      try steps("open a /number?room=${fresh}-1 plain")[0].action
        == .open(client: "a", target: target, options: OpenOptions(isPlain: true)))
  }

  @Test func `a row goes before another one, or to the end of a list`() throws {
    let all = try steps(
      "open a /x\ndrag a.rows[0].move before a.rows[id=2]\ndrag a.rows[0].move to a.days[0].rows")
    guard case .drag(let row, .before(let next)) = all[1].action,
      case .drag(_, .end(let list)) = all[2].action
    else {
      Issue.record("\(all)")
      return
    }

    #expect("\(row) \(next) \(list)" == "a.rows[0].move a.rows[id=…] a.days[0].rows")
  }

  @Test(arguments: [
    ("look a.rows from 7 count 20", nil),
    ("look a.rows 7 20", "Expected 'from' here, not '7'."),
    ("look a.rows from -1 count 20", "The place of the first row is a whole number from 0, not '-1'."),
    ("look a.rows from 0 count 0", "The number of rows is a whole number from 1, not '0'."),
    ("look a.rows/ from 0 count 1", "A part's name is missing after the slash."),
    ("look a.rows from 0 count 1 by \"tea\"", "Expected 'word' here, not 'by'."),
  ])
  func `a page looks at rows of a long list`(line: String, message: String?) throws {
    guard message == nil else {
      #expect(failure("open a /x\n" + line)?.message == message)
      return
    }
    guard case .look(let path, 7, 20, nil) = try steps("open a /x\n" + line)[1].action else {
      Issue.record("\(line)")
      return
    }
    #expect("\(path)" == "a.rows")
  }

  @Test func `a page looks at the rows of a part that a word finds`() throws {
    let action = try steps(#"open a /x"# + "\n" + #"look a.cards/done from 0 count 20 word "tea""#)[1].action
    guard case .look(let path, 0, 20, .text) = action else {
      Issue.record("\(action)")
      return
    }
    #expect("\(path)" == "a.cards/done")
  }

  @Test(arguments: [
    ("delay a 100ms", LineConditions(latency: .milliseconds(100))),
    ("delay a 1.5s jitter 0.5ms  # slow", LineConditions(latency: .seconds(1.5), jitter: .microseconds(500))),
    ("delay a 0ms loss 90%", LineConditions(loss: 90)),
    (
      "delay a 100ms jitter 50ms loss 5%",
      LineConditions(latency: .milliseconds(100), jitter: .milliseconds(50), loss: 5)
    ),
    ("delay a 0s loss 0% jitter 2s", LineConditions(jitter: .seconds(2))),
  ])
  func `a delay has jitter and loss, in any order, or none`(line: String, conditions: LineConditions) throws {
    #expect(try steps("open a /x\n" + line)[1].action == .delay(client: "a", conditions))
  }

  @Test(arguments: [
    ("delay a 100ms jitter 50", 22, "A time is a number with 'ms' or 's', such as 300ms or 2s, not '50'."),
    ("delay a 100ms jitter", 21, "A time is a number with 'ms' or 's', such as 300ms or 2s, not ''."),
    ("delay a 100ms loss 91%", 20, "Loss is a whole number from 0% to 90%, such as 5%, not '91%'."),
    ("delay a 100ms loss -1%", 20, "Loss is a whole number from 0% to 90%, such as 5%, not '-1%'."),
    ("delay a 100ms loss 5", 20, "Loss is a whole number from 0% to 90%, such as 5%, not '5'."),
    ("delay a 100ms loss 0.5%", 20, "Loss is a whole number from 0% to 90%, such as 5%, not '0.5%'."),
    ("delay a 100ms loss 5% loss 6%", 23, "'loss' stands here twice."),
    (
      "delay a 100ms jiter 50ms", 15,
      "A delay goes on with jitter and loss, such as jitter 50ms loss 5%, not with 'jiter'."
    ),
    ("delay a jitter 50ms", 9, "A time is a number with 'ms' or 's', such as 300ms or 2s, not 'jitter'."),
  ])
  func `a line that cannot be is told with its place`(line: String, column: Int, message: String) {
    let error = failure("open a /x\n" + line)

    #expect(error?.location == SourceLocation(file: "s.musubi", line: 2, column: column))
    #expect(error?.message == message)
  }

  @Test(arguments: [
    ("drag a.rows[0].move behind a.rows[1]", "A row goes 'before' another one or 'to' a list, not 'behind'."),
    ("drag a.rows[0].move before a.rows", "A row is named last, such as a.chores[0]."),
    ("drag a.rows[0].move to a.rows[0]", "A list is named last, such as a.chores."),
    ("drag a.rows[0].move", "Where the row goes, before or to, is missing here."),
  ])
  func `a row that goes nowhere is told`(line: String, message: String) {
    #expect(failure("open a /x\n" + line)?.message == message)
  }

  @Test func `a page is opened as somebody, with roles or without`() throws {
    let ann = ScriptVisitor(name: Template([.text("ann")]))
    let player = ScriptVisitor(
      name: Template([.text("p"), .variable("round")]), roles: ["host", "editor"])

    #expect(
      try steps("open a /quiz as ann refused 403")[0].action
        == .open(
          client: "a", target: Template([.text("/quiz")]), options: OpenOptions(visitor: ann, refusal: 403)))
    guard
      case .repeats(_, let block) = try steps("repeat 2\nopen a /quiz as p$round ( host,editor ) plain\nend")[
        0
      ].action
    else {
      Issue.record("This is no block.")
      return
    }
    #expect(
      block[0].action
        == .open(
          client: "a", target: Template([.text("/quiz")]),
          options: OpenOptions(isPlain: true, visitor: player)))
  }

  @Test(arguments: [
    ("open a /quiz as", "The visitor's name is missing here."),
    ("open a /quiz as ann(host)", "A visitor is a name, then a space and roles, such as ann (host, editor)."),
    ("open a /quiz as ann (host", "Roles end with ')'."),
    ("open a /quiz as ann ()", "A role is missing here."),
  ])
  func `a visitor that cannot be understood is a mistake of the script`(text: String, message: String) {
    #expect(failure(text)?.message == message)
  }

  @Test func `a condition compares paths, literals and regular expressions`() throws {
    let path = { (line: Int, column: Int, members: [String]) in
      Path(
        location: SourceLocation(file: "s.musubi", line: line, column: column), client: "a",
        segments: members.map { .member($0) })
    }

    let steps = try steps(
      """
      open a /number
      expect a.number = a.label
      expect a.number.field = "4\\"2"
      expect a.label ~ /^a\\/[0-9]+$/  # a comment
      expect a.pending < 3
      expect a.label is missing
      """)

    #expect(
      steps.dropFirst().map(\.action) == [
        .expect(.comparison(.path(path(2, 8, ["number"])), .equal, .path(path(2, 19, ["label"])))),
        .expect(
          .comparison(.path(path(3, 8, ["number", "field"])), .equal, .text(Template([.text("4\"2")])))),
        .expect(.matches(.path(path(4, 8, ["label"])), pattern: "^a/[0-9]+$")),
        .expect(.comparison(.path(path(5, 8, ["pending"])), .less, .number(3))),
        .expect(.presence(path(6, 8, ["label"]), isPresent: false)),
      ])
  }

  @Test func `rows are named by position or by a member`() throws {
    let steps = try steps("open a /contents\nsave x = a.contents[0].id\ntap a.contents[id=$x].delete")

    guard case .tap(let path) = steps[2].action else {
      Issue.record("no tap")
      return
    }
    #expect(path.segments == [.member("contents"), .row(member: "id", .variable("x")), .member("delete")])
  }

  @Test func `a raw frame is the rest of the line, comment signs included`() throws {
    let steps = try steps("open a /number\nraw a {\"a\": \"# no comment\"}  \nraw a binary \u{1}x")

    #expect(steps[1].action == .raw(client: "a", Template([.text("{\"a\": \"# no comment\"}")])))
    #expect(steps[2].action == .rawBinary(client: "a", Template([.text("\u{1}x")])))
  }

  @Test func `blocks nest and end`() throws {
    let steps = try steps("open a /number\nparallel\n repeat 3\n  tap a.roll\n end\n settle\nend\nsettle")

    guard case .parallel(let branches) = steps[1].action, case .repeats(3, let inner) = branches[0].action
    else {
      Issue.record("no blocks")
      return
    }
    #expect(branches.count == 2)
    #expect(inner.map(\.source) == ["tap a.roll"])
    #expect(steps.count == 3)
  }

  @Test func `an included file stands in its place and shares the names`() throws {
    let reader: ScriptParser.IncludeReader = { name, _ in (file: "dir/" + name, text: "open a /number\n") }

    let script = try ScriptParser.parse("include \"start.inc\"\ntap a.roll", file: "s.musubi", reader: reader)

    guard case .include(let inner) = script.steps[0].action else {
      Issue.record("no include")
      return
    }
    #expect(inner[0].location == SourceLocation(file: "dir/start.inc", line: 1, column: 1))
  }

  @Test func `a file that includes itself is refused`() {
    let reader: ScriptParser.IncludeReader = { name, _ in (file: name, text: "include \"s.musubi\"") }

    #expect(throws: ScriptError.self) {
      try ScriptParser.parse("include \"s.musubi\"", file: "s.musubi", reader: reader)
    }
  }

  @Test(arguments: [
    ("open a /number\nexpct a.label = 1", 2, 1, "Did you mean 'expect'"),
    ("open a", 1, 7, "address"),
    ("open a number", 1, 8, "address"),
    ("open anna /number\ntap ana.roll", 2, 5, "Did you mean 'anna'"),
    ("open a /number?room=$fresch", 1, 8, "Did you mean '$fresh'"),
    ("open a /number\nexpect a.label", 2, 15, "Expected ="),
    ("open a /number\nexpect a.label == \"1\"", 2, 17, "Expected a value"),
    ("open a /number\nexpect a.label = 42px", 2, 18, "no number"),
    ("open a /number\nexpect a.label = \"42", 2, 18, "closing quote"),
    ("open a /number\nexpect a.label ~ /(/", 2, 18, "regular expression"),
    ("open a /number\nexpect a error", 2, 15, "code is missing"),
    ("open a /number\nexpect a eror unknown-input", 2, 10, "error, close, event or resumed"),
    ("open a /number\nstill a.label = \"1\"", 2, 20, "Expected 'for'"),
    ("open a /number\ndelay a 5", 2, 9, "300ms"),
    ("open a /number\ncut a after x bytes", 2, 13, "whole number"),
    ("open a /number\ntap a.contents[0]", 2, 5, "named last"),
    ("open a /number\ntap a.roll twice", 2, 12, "too much"),
    ("open a /number\ndrop a.roll", 2, 7, "not a path"),
    ("open a /number\nsettle\nend", 3, 1, "no block"),
    ("open a /number\nrepeat 2\nsettle", 2, 1, "no 'end'"),
    ("open a /number\nexpect a.label = $x", 2, 18, "save x"),
    ("kill a", 1, 6, "'server'"),
    ("within 2s repeat 3", 1, 11, "single step"),
    ("include \"none.inc\"", 1, 9, "cannot be read"),
  ])
  func `a mistake is reported with its line, its column and the remedy`(
    text: String, line: Int, column: Int, words: String
  ) {
    let error = failure(text)

    #expect(error?.location == SourceLocation(file: "s.musubi", line: line, column: column))
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  @Test func `no cut of a long script traps`() {
    let text = """
      open a /number?room=$fresh
      expect a.contents[id="x\\n"].title ~ /^\\/+$/
      parallel
      within 1.5s expect a event message = "a" * 3
      end
      """

    for end in text.indices { _ = failure(String(text[..<end])) }
  }
}
