// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiCommand

@Suite struct `What keeps the newest sources from being served` {
  @Test func `is the compiler's errors with their places, each once`() {
    let printed = """
      [1/3] Compiling Tea TeaViewModel.swift
      /home/a/Tea/Sources/Tea/TeaViewModel.swift:12:15: warning: never used
      \u{1b}[1m/home/a/Tea/Sources/Tea/TeaViewModel.swift:14:3: \u{1b}[0;31merror: \u{1b}[0mcannot find 'nobody' in scope
       14 |   nobody
          |   `- error: cannot find 'nobody' in scope
      /home/a/Tea/Sources/Tea/TeaViewModel.swift:14:3: error: cannot find 'nobody' in scope
      /home/a/Other.swift:1:1: error: expected an expression
      error: fatalError
      """

    let problem = Problem(build: printed, in: "/home/a/Tea")

    #expect(
      problem
        == Problem(
          kind: .build,
          findings: [
            .init(file: "Sources/Tea/TeaViewModel.swift", line: 14, message: "cannot find 'nobody' in scope"),
            .init(file: "/home/a/Other.swift", line: 1, message: "expected an expression"),
          ]))
  }

  @Test func `has the compiler's notes behind its error, and each error once`() {
    let one = """
      /home/a/Tea/A.swift:29:10: error: type 'Outputs' does not conform to protocol 'Encodable'
      27 |
      /home/a/Tea/A.swift:34:9: note: cannot synthesize it, because 'Observable<String>' does not conform

      """
    #expect(
      Problem(build: one + one, in: "/home/a/Tea").findings == [
        .init(
          file: "A.swift", line: 29,
          message: """
            type 'Outputs' does not conform to protocol 'Encodable'
            A.swift:34: cannot synthesize it, because 'Observable<String>' does not conform
            """)
      ])
  }

  @Test func `has no notes of a warning, and few of an error`() {
    let note = "/a/B.swift:4:1: note: here\n"
    let printed =
      "/a/A.swift:3:1: error: wrong\n" + String(repeating: note, count: 50)
      + "/a/B.swift:9:1: warning: old\n" + note
    let findings = Problem(build: printed, in: "/a").findings
    #expect(findings.map { $0.message.split(separator: "\n").count } == [6])
    let warned = "/a/A.swift:3:1: error: wrong\n/a/B.swift:9:1: warning: old\n" + note
    #expect(Problem(build: warned, in: "/a").findings.map(\.message) == ["wrong"])
  }

  @Test func `is a trap of the new program, which has made no screens`() {
    let printed = "info a\nTea/TeaViewModel.swift:21: Fatal error: Index out of range\nbacktrace: 1\n"
    let problem = Problem(check: printed, status: 132, in: "/a")
    #expect(problem.kind == .screens)
    #expect(
      problem.findings == [
        .init(file: "Tea/TeaViewModel.swift", line: 21, message: "Fatal error: Index out of range")
      ])
    let checked =
      "Swift/Array.swift:600: Fatal error: bounds\nTea/Tea.swift:9: Precondition failed: no table\n"
    #expect(
      Problem(check: checked, status: 133, in: "/a").findings == [
        .init(file: "Tea/Tea.swift", line: 9, message: "Precondition failed: no table")
      ])
    #expect(
      Problem(check: "", status: 255, in: "/a").findings == [
        .init(message: "The program has ended by exit status 255.")
      ])
    #expect(
      Problem(check: "", status: 139, in: "/a").findings == [
        .init(message: "The program has ended by signal 11.")
      ])
  }

  @Test func `is about screens where the check names no page`() {
    let printed = "info a\nTea: Screen \"tea\": the output \"a\": a plain value never changes.\n"
    let problem = Problem(check: printed, status: 1, in: "/a")
    #expect(problem.kind == .screens)
    #expect(
      problem.findings == [.init(message: "Screen \"tea\": the output \"a\": a plain value never changes.")])
  }

  @Test func `is a sentence without a place, if there is none`() {
    let linker = "[2/3] Linking Tea\nerror: link command failed with exit code 1\n"
    #expect(
      Problem(build: linker, in: "/a").findings == [.init(message: "link command failed with exit code 1")])
    #expect(Problem(build: "\nNo space.\n", in: "/a").findings == [.init(message: "No space.")])
    #expect(Problem(build: "", in: "/a").findings.isEmpty)
    let last = "Tea: port 80 is taken"
    #expect(Problem(end: "info a\n\(last)\n").findings == [.init(message: last)])
  }

  @Test func `is bounded`() {
    let printed = (1...100).map { "/a/b.swift:\($0):1: error: wrong\n" }.joined()
    #expect(Problem(build: printed, in: "/a").findings.count == Problem.maxFindings)
  }

  @Test func `is what the check says of a page`() {
    let printed = """
      Public/tea.html:12: data-bind-text="waves": the screen "tea" has no output of that name.
      1 to look at.
      """
    #expect(
      Problem(check: printed, status: 1, in: "/a").findings == [
        .init(
          file: "Public/tea.html", line: 12,
          message: "data-bind-text=\"waves\": the screen \"tea\" has no output of that name.")
      ])
  }

  // The report's lines are as long as the runtime writes them.
  // swift-format-ignore: LineLength
  @Test func `is the author's own frame, if the program has crashed`() throws {
    let report = """
      *** Program crashed: Illegal instruction at 0x00007fd80e96df7f ***

      Thread 3 "1" crashed:

        0               0x00007fd80e96df7f closure #1 in _assertionFailure(_:_:file:line:flags:) + 623 in libswiftCore.so
        1 [ra]          0x00007fd80eaf961f specialized Array.subscript.getter + 84 in libswiftSwiftOnoneSupport.so
        2 [inlined]     0x00007fd80eaf961f BehaviorRelay.accept(_:) in Tea at /home/a/Musubi/Sources/MusubiRx/Relay.swift:30:5
        3 [ra]          0x000055d7de4612ce TeaViewModel.wave(_:) + 77 in Tea at /home/a/Tea/Sources/Tea/TeaViewModel.swift:31:33
        4 [ra] [system] 0x000055d7de461489 main + 8 in Tea at /home/a/Tea/Sources/Tea/main.swift:5:1
      """
    let printed =
      "Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range\n*** Signal 4: Backtracing"

    let problem = Problem(crash: 4, printed: printed, report: report, in: "/home/a/Tea")

    #expect(
      problem.sentence == "Sources/Tea/TeaViewModel.swift:31: Index out of range in TeaViewModel.wave(_:)")
    #expect(Problem(crash: 4, printed: "", report: report, in: "/b").sentence == "Illegal instruction")
    #expect(Problem(crash: 9, printed: "", report: "", in: "/b").sentence == "signal 9")
  }

  @Test func `is JSON for pages`() throws {
    let problem = Problem(kind: .end, findings: [.init(message: "a \"b\"")])
    let text = String(decoding: try Problem.json(of: problem), as: UTF8.self)
    #expect(text == #"{"findings":[{"message":"a \"b\""}],"isRunning":false,"kind":"end"}"#)
    #expect(String(decoding: try Problem.json(of: nil), as: UTF8.self) == "null")
  }
}
