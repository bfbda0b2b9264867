// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Musubi

@Suite(.timeLimit(.minutes(5))) struct `The command line of pages` {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "musubi-\(UUID().uuidString)")

  private func write(_ text: String, to file: String) throws {
    let url = folder.appendingPathComponent("Public/" + file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  private func read(_ file: String, in place: String = "site") -> String? {
    try? String(contentsOf: folder.appendingPathComponent(place + "/" + file), encoding: .utf8)
  }

  private func run(_ words: String...) async -> (status: Int32, printed: [String]) {
    let lines = PrintedLines()
    let program = Program(name: "Tea", environment: [:], write: lines.add, complain: lines.add)
    let status = await program.run(["pages"] + words + ["--public", folder.path + "/Public"]) {
      configuration in
      var application = Application(configuration: configuration)
      application.screen("tea", path: "/", page: "tea.html") { _ in PotView() }
      application.screen("pot", page: "pots/pot.html") { _ in PotView() }
      application.screen("leaf", path: "/leaf/<id>", page: "tea.html") { _ in PotView() }
      return application
    }
    return (status, lines.all.map { $0.replacing(folder.path + "/", with: "") })
  }

  private func writePages() throws {
    try write(
      "<html data-layout=\"_layout.html\"><head></head><body>\n<main>Tea</main></body></html>", to: "tea.html"
    )
    try write("<html><head></head><body><main></main></body></html>", to: "_layout.html")
    try write("Pot", to: "pots/pot.html")
    try write("a{}", to: "a.css")
  }

  @Test func `writes all that a file server needs`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    let outcome = await run(folder.path + "/site")

    #expect(outcome.status == 0 && outcome.printed.count == 1)
    let whole = "<html><head></head><body><main>Tea</main></body></html>"
    #expect(read("tea.html") == whole && read("index.html") == whole)
    #expect(read("pots/pot.html") == "Pot" && read("pot/index.html") == "Pot")
    #expect(read("a.css") == "a{}")
    let client = try #require(read("musubi.js"))
    #expect(
      client.contains("musubi-more.js") && read("musubi/dev.js") != nil && read("musubi-base.css") != nil)
    #expect(read("_layout.html") == nil && read("leaf/index.html") == nil)

    // Once more, over what is there.
    try write("Teapot", to: "pots/pot.html")
    #expect(await run(folder.path + "/site").status == 0)
    #expect(read("pot/index.html") == "Teapot" && read("tea.html") == whole)
  }

  @Test func `writes nothing if a page cannot be put together, and says where`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    try write("\n<p data-use=\"leaf\"></p>", to: "pots/pot.html")
    let outcome = await run(folder.path + "/site")

    #expect(outcome.status == 1 && outcome.printed.count == 1)
    #expect(outcome.printed.first?.hasPrefix("Public/pots/pot.html:2: there is no fragment \"leaf\"") == true)
    #expect(read("tea.html") == nil)
  }

  @Test func `writes nothing among the pages themselves, and needs a folder`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    for name in ["/Public", "/Public/site", "/site/../Public/"] {
      let outcome = await run(folder.path + name)
      #expect(
        outcome.status == 2 && outcome.printed.first?.contains("name another folder") == true, "\(name)")
    }
    #expect(read("musubi.js", in: "Public") == nil)
    let outcome = await run()
    #expect(
      outcome.status == 2 && outcome.printed == ["Tea: pages needs a folder for the files: pages FOLDER."])
  }
}
