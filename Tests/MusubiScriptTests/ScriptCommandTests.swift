// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiClient
import Synchronization
import Testing

@testable import MusubiScript

@Suite struct `Running a script` {
  /// A run's output and status.
  private struct Run {
    var status: Int32
    var text: String
  }

  /// Runs a script against a fake server; the name `FILE` among the arguments stands for the script's file.
  private func run(_ script: String, _ arguments: [String] = ["FILE"]) throws -> Run {
    let server = try FakeServer()
    defer { server.stop() }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("s.musubi")
    try Data(script.utf8).write(to: file)
    let lines = Mutex<[String]>([])
    let status = ScriptCommand.run(
      arguments: ["--url", server.url] + arguments.map { $0 == "FILE" ? file.path : $0 }
    ) { line in lines.withLock { $0.append(line) } }
    let text = lines.withLock { $0.joined(separator: "\n") }
    return Run(status: status, text: text.replacingOccurrences(of: folder.path + "/", with: ""))
  }

  @Test func `the example of the documentation passes`() throws {
    let run = try run(
      """
      open a /number?room=$fresh        # a name unique to this run
      open b like a
      expect a.number = "0"
      type a.number "42"
      settle
      expect b.label = "42"
      expect b.number.field = "42"
      tap b.roll
      expect a.label ~ /^([1-9][0-9]?|100)$/
      expect a.number = a.label
      set a.number ""
      still a.label = b.label for 30ms
      expect b.number.field = ""
      drop b
      tap b.roll
      expect b.pending = 1
      resume b
      expect b resumed by patches
      settle
      expect b.label = "58"
      raw a {"nonsense":1}
      expect a error unknown-input
      expect a close 4501
      """)

    #expect(run.status == 0, "\(run.text)")
    #expect(run.text.contains("  ok      1  open a /number?room=$fresh"))
    #expect(run.text.contains("1 script: passed, 23 steps"))
  }

  @Test func `a failure shows the place, the last values and the last frames`() throws {
    let run = try run(
      "open a /number?room=$fresh\ntap a.roll\nexpect a.label = \"57\"\nwithin 50ms expect a.label = \"1\"\ntap a.roll",
      ["FILE"])

    #expect(run.status == 1)
    #expect(run.text.contains("s.musubi:4:1: failed: not true within 50 ms"))
    #expect(run.text.contains(#""57""#))
    #expect(run.text.contains(#"> {"input":1,"name":"roll"}"#))
    #expect(run.text.contains(#"< {"ack":1}"#))
    #expect(!run.text.contains("   5  tap"))
  }

  @Test func `what a lossy line loses comes late, and in its order`() throws {
    let run = try run(
      """
      open a /number?room=$fresh
      open b like a
      # By the names of script and page, the first message is lost 17 times in a row.
      delay a 0ms loss 90%
      set a.number "lost"
      still b.number = "0" for 50ms
      set b.number "quick"
      expect b.number = "quick"
      expect b.number = "lost"
      # What a gets comes late as well, and this server takes edits of one typist at a time.
      settle
      delay a 5ms jitter 20ms loss 20%
      type a.number "in order"
      delay a 0ms
      type a.number ", still"
      settle
      expect b.number = "in order, still"
      """, ["--deadline", "60s", "FILE"])

    #expect(run.status == 0, "\(run.text)")
  }

  @Test func `the names of script and page decide the chance of a line, on each machine`() throws {
    // The published value of FNV-1a.
    #expect(ScriptRun.seed(of: "a") == 0xaf63_dc4c_8601_ec8c)
    let script = Script(file: "Tests/Scripts/tea.musubi", steps: [])
    let server = ScriptServer(address: try ServerAddress("http://localhost:1"))
    let run = ScriptRun(
      server: server, deadline: .seconds(1), fresh: "x", lineSeed: script.name, isTracing: false,
      output: { _ in })
    let page = try run.add(name: "a", target: "/tea", options: ClientConnection.Options())
    #expect(page.connection.lineSeed == ScriptRun.seed(of: "tea.musubi a"))
  }

  @Test func `blocks run in rounds and side by side`() throws {
    let run = try run(
      """
      open a /number?room=$fresh
      open b like a plain
      parallel
        repeat 3
          tap a.roll
        end
        tap b.roll
        within 1s expect b.label = "60"
      end
      settle
      save last = a.label
      repeat 2
        set a.number "$last-$round"
        settle
      end
      expect b.label = "60-2"
      expect b.label != $last
      """)

    #expect(run.status == 0, "\(run.text)")
  }

  @Test func `a page without edits types whole values`() throws {
    let run = try run(
      "open a /number plain\ntype a.number \"42\"\nerase a.number 1\nsettle\nexpect a.label = \"4\"")

    #expect(run.status == 0, "\(run.text)")
  }

  @Test func `delay, stall and cut change when things arrive, not whether`() throws {
    let run = try run(
      """
      open a /number?room=$fresh
      open b like a
      delay a 30ms
      tap a.roll
      expect a.pending = 1
      settle
      delay a 0ms
      stall b
      tap a.roll
      settle
      still b.label = "57" for 30ms
      wake b
      expect b.label = "58"
      cut a after 3 bytes
      tap a.roll
      expect a close 1006
      still b.label = "58" for 30ms
      resume a
      settle
      expect b.label = "59"
      reload a
      expect a resumed by snapshot
      """)

    #expect(run.status == 0, "\(run.text)")
  }

  @Test func `a refusal can be expected, and is a failure otherwise`() throws {
    let expected = try run("open a /nowhere refused 404 unknown-screen")
    let unexpected = try run("open a /nowhere")

    #expect(expected.status == 0, "\(expected.text)")
    #expect(unexpected.status == 1)
    #expect(unexpected.text.contains("refused with 404"))
  }

  @Test func `a page that opens has not been refused`() throws {
    let run = try run("open a /number?room=$fresh refused 4504 not-found", ["--deadline", "2s", "FILE"])

    #expect(run.status == 1)
    #expect(run.text.contains("a was not refused but connected"), "\(run.text)")
  }

  @Test func `a wrong script is told before anything runs`() throws {
    let run = try run("open a /number\ntab a.roll")

    #expect(run.status == 2)
    #expect(run.text == "s.musubi:2:1: error: There is no step 'tab'. Did you mean 'tap'?")
  }

  @Test func `a server that is not ours is not killed`() throws {
    let run = try run("open a /number\nrepeat 2\nkill server\nend")

    #expect(run.status == 2)
    #expect(run.text.contains("s.musubi:2:1: error"))
    #expect(run.text.contains("--url"))
  }

  @Test(arguments: [["--jobs", "0", "FILE"], ["--frob"], ["--deadline"], ["--url", "x", "FILE"], []])
  func `wrong arguments are told`(arguments: [String]) throws {
    #expect(try run("settle", arguments).status == 2)
  }

  @Test func `trace prints the frames`() throws {
    let run = try run("open a /number\ntap a.roll\nsettle", ["--trace", "FILE"])

    #expect(run.text.contains(#"a > {"input":1,"name":"roll"}"#))
  }

  @Test func `a server that cannot be started is a failure with its reason`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "musubi-\(UUID().uuidString).musubi")
    try Data("open a /number".utf8).write(to: file)
    defer { _ = try? FileManager.default.removeItem(at: file) }
    let lines = Mutex<[String]>([])

    let status = ScriptCommand.run(
      arguments: [file.path], server: ServerCommand(executable: "/bin/false", arguments: [])
    ) { line in lines.withLock { $0.append(line) } }

    #expect(status == 1)
    #expect(lines.withLock { $0.joined() }.contains("it ended with status 1"))
  }

  @Test func `the JUnit report is XML whatever failed`() {
    let outcome = ScriptRun.Outcome(
      passedSteps: 1, failure: "a < \"b\" & \u{1}\nmore", duration: .milliseconds(1500))

    let text = JUnitReport.text([
      ScriptResult(file: "x.musubi", outcome: outcome),
      ScriptResult(
        file: "y.musubi", outcome: ScriptRun.Outcome(passedSteps: 1, failure: nil, duration: .zero)),
    ])

    #expect(text.contains(#"tests="2" failures="1""#))
    #expect(text.contains("a &lt; &quot;b&quot; &amp; \u{fffd}"))
    #expect(text.contains(#"name="y.musubi" time="0.0"/>"#))
  }
}
