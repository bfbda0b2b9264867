// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiCommand

@Suite struct `musubi bench` {
  private func run(_ words: [String], folder: String = "/nowhere") -> (
    status: Int32, printed: String, said: String
  ) {
    var (printed, said) = ("", "")
    let tool = Tool(folder: folder, write: { printed += $0 }, complain: { said += $0 })
    return (tool.run(["bench"] + words), printed, said)
  }

  @Test(arguments: [
    (
      [],
      "bench takes the address of a server and a script, such as http://localhost:8080 visit.musubi; see bench --help."
    ),
    (
      ["http://localhost:1"],
      "bench takes the address of a server and a script, such as http://localhost:8080 visit.musubi; see bench --help."
    ),
    (["https://localhost:1", "a.musubi"], "'https://localhost:1' is no address; write http://HOST:PORT."),
    (
      ["http://192.0.2.1", "a.musubi"],
      "http://192.0.2.1:80 is not on this machine; --remote allows a load on another machine, which has to be yours."
    ),
    (
      ["http://localhost:1", "a.musubi", "--visitors", "1001"],
      "--visitors takes a number from 1 to 1000, but \"1001\" came."
    ),
    (
      ["http://localhost:1", "a.musubi", "--for", "2h"],
      "--for takes a time such as 500ms or 30s, of at most an hour, but \"2h\" came."
    ),
    (
      ["http://localhost:1", "a.musubi", "--for", "3601s"],
      "--for takes a time such as 500ms or 30s, of at most an hour, but \"3601s\" came."
    ),
    (
      ["http://localhost:1", "a.musubi"],
      "/nowhere/a.musubi:1:1: error: There is no such file or folder."
    ),
  ])
  func `says what it cannot use, before it asks the server`(words: [String], sentence: String) {
    let outcome = run(words)

    #expect(outcome.status == 2)
    #expect(outcome.said == "musubi: " + sentence)
    #expect(outcome.printed.isEmpty)
  }

  @Test func `draws the chart, and fails if no server is there`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("open a /number".utf8).write(to: folder.appendingPathComponent("a.musubi"))

    // Port 1 is nobody's.
    let words = ["http://127.0.0.1:1", "a.musubi", "--visitors", "2", "--for", "100ms"]
    let outcome = run(words + ["--chart", "a.svg"], folder: folder.path)

    #expect(outcome.status == 1)
    #expect(outcome.printed.hasPrefix("2 visitors for 100 ms at http://127.0.0.1:1: 0 rounds passed, "))
    let chart = try String(contentsOf: folder.appendingPathComponent("a.svg"), encoding: .utf8)
    #expect(chart.hasPrefix("<svg xmlns="))
    let unwritable = run(words + ["--chart", "missing/a.svg"], folder: folder.path)
    #expect(unwritable.status == 1)
    #expect(unwritable.said.hasPrefix("musubi: the chart missing/a.svg cannot be written: "))
  }
}
