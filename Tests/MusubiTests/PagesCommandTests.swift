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

  private func run(_ words: String..., path: String? = nil) async -> (status: Int32, printed: [String]) {
    let lines = PrintedLines()
    let program = Program(name: "Tea", environment: [:], write: lines.add, complain: lines.add)
    let status = await program.run(["pages"] + words + ["--public", folder.path + "/Public"]) {
      configuration in
      var application = Application(configuration: configuration)
      application.screen("tea", path: "/", page: "tea.html") { _ in PotView() }
      application.screen("pot", page: "pots/pot.html") { _ in PotView() }
      application.screen("leaf", path: "/leaf/<id>", page: "tea.html") { _ in PotView() }
      if let path { application.screen("more", path: path, page: "tea.html") { _ in PotView() } }
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

  @Test func `puts pages together from the layout's head and fragments, and copies the rest byte for byte`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    try write(
      "<html><head><title>Teas</title><link rel=\"stylesheet\" href=\"/a.css\"></head><body><main></main></body></html>",
      to: "_layout.html")
    try write("<template data-fragment=\"leaf\"><b data-bind-text=\"leaf\"></b></template>", to: "_leaf.html")
    try write(
      "<html data-layout=\"_layout.html\"><head></head><body>\n<main><p data-use=\"leaf\"></p></main></body></html>",
      to: "tea.html")
    let plain = "<!doctype html>\n<title>Pot</title>\r\n<p>as it is"
    try write(plain, to: "pots/pot.html")
    let picture = Data((0...255).map { UInt8($0) })
    try picture.write(to: folder.appendingPathComponent("Public/pots/pot.png"))

    #expect(await run(folder.path + "/site").status == 0)
    let page = try #require(read("index.html"))
    #expect(page.contains("<title>Teas</title>") && page.contains("href=\"/a.css\""))
    #expect(page.contains("<b data-bind-text=\"leaf\"></b>"))
    #expect(!page.contains("data-use") && !page.contains("data-layout") && !page.contains("<template"))
    #expect(read("tea.html") == page && read("_leaf.html") == nil)
    #expect(read("pots/pot.html") == plain && read("pot/index.html") == plain)
    #expect(try Data(contentsOf: folder.appendingPathComponent("site/pots/pot.png")) == picture)
  }

  @Test func `leaves other files of the folder, and all of them if one has no place`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    try write("mine", to: "../site/mine.txt")
    try write("old", to: "../site/a.css")
    // A page is to be where a folder stands, and a folder where a file stands.
    try write("in the way", to: "../site/tea.html/here")
    let blocked = await run(folder.path + "/site")
    #expect(blocked.status == 2)
    #expect(
      blocked.printed == [
        "Tea: site/tea.html is a folder, where a file is to be; move it away, or name another folder."
      ])
    #expect(read("a.css") == "old" && read("index.html") == nil && read("tea.html/here") == "in the way")

    try FileManager.default.removeItem(at: folder.appendingPathComponent("site/tea.html"))
    try write("in the way", to: "../site/pots")
    #expect(await run(folder.path + "/site").printed.first?.contains("site/pots is a file") == true)
    #expect(await run(folder.path + "/site/mine.txt").printed.first?.contains("mine.txt is a file") == true)
    #expect(read("a.css") == "old" && read("index.html") == nil && read("mine.txt") == "mine")

    try FileManager.default.removeItem(at: folder.appendingPathComponent("site/pots"))
    #expect(await run(folder.path + "/site").status == 0)
    #expect(read("a.css") == "a{}" && read("mine.txt") == "mine" && read("pots/pot.html") == "Pot")
  }

  @Test(arguments: [
    ("docs", "/docs/start", "docs", "docs/start/index.html"),
    ("leaf/index.html/b.css", "/leaf", "leaf/index.html", "leaf/index.html/b.css"),
    ("b.css", "/tea.html/green/cup", "tea.html", "tea.html/green/cup/index.html"),
  ])
  func `writes nothing if a file is to be where another one needs a folder`(
    file: String, path: String, first: String, second: String
  ) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    try write("a file", to: file)
    let outcome = await run(folder.path + "/site", path: path)

    #expect(outcome.status == 2)
    #expect(
      outcome.printed == [
        "Tea: \(first) cannot be a file and the folder of \(second) at once; give one of them another name."
      ])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/site"))
  }

  @Test func `writes nothing if a route's page and another one are to be in one place`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    try write("Another pot", to: "pot/index.html")
    let outcome = await run(folder.path + "/site")

    #expect(outcome.status == 2)
    #expect(
      outcome.printed == [
        "Tea: the page of /pot is to be pot/index.html, and another page has that place; give one of them another name."
      ])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/site"))

    // The same page is no other one.
    try write("Pot", to: "pot/index.html")
    #expect(await run(folder.path + "/site").status == 0)
    #expect(read("pot/index.html") == "Pot")
  }

  @Test func `writes nothing if a page cannot be put together, and says where`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    try write("\n<p data-use=\"leaf\"></p>", to: "pots/pot.html")
    let outcome = await run(folder.path + "/site")

    #expect(outcome.status == 1 && outcome.printed.count == 1)
    #expect(outcome.printed.first?.hasPrefix("Public/pots/pot.html:2: there is no fragment \"leaf\"") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/site"))
  }

  @Test func `tells a mistake in a layout or a fragment with the file in which it stands`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePages()
    try write(
      "<html><head></head><body>\n\n<p data-use=\"leaf\">x</p><main></main></body></html>", to: "_layout.html"
    )
    try write(
      "\n<template data-fragment=\"leaf\"><p data-use=\"leaf\"></p></template>", to: "pots/_leaf.html")
    try write("<p data-use=\"leaf\"></p>", to: "pots/pot.html")
    let outcome = await run(folder.path + "/site")

    #expect(outcome.status == 1)
    let lines = outcome.printed.flatMap { $0.split(separator: "\n") }
    #expect(lines.contains { $0.hasPrefix("Public/_layout.html:3: ") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("Public/pots/_leaf.html:2: ") }, "\(lines)")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/site"))
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
