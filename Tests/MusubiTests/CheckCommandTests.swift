// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import Synchronization
import Testing

@testable import Musubi

/// A tea without a ViewModel.
final class PotView: View {
  let clock = Label("clock")
  let rows = List<Row>("rows")

  struct Row: Encodable, Identifiable {
    let id: Int
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The command line of check` {
  private func check(
    _ page: String, _ words: String..., beside other: String? = nil, parts: [String: String] = [:]
  ) async throws -> (status: Int32, printed: [String]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try page.write(to: folder.appendingPathComponent("tea.html"), atomically: true, encoding: .utf8)
    try other.map { try "".write(to: folder.appendingPathComponent($0), atomically: true, encoding: .utf8) }
    for (file, text) in parts {
      try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
    }
    let lines = PrintedLines()
    let program = Program(name: "Tea", environment: [:], write: lines.add, complain: lines.add)
    let status = await program.run(["check", "--public", folder.path] + words) { configuration in
      var application = Application(configuration: configuration)
      application.screen("tea", page: "tea.html") { _ in PotView() }
      return application
    }
    return (status, lines.all.map { $0.replacing(folder.path, with: "Public") })
  }

  @Test func `ends with 0 if the pages fit`() async throws {
    let outcome = try await check(#"<p data-bind-text="clock"></p>"#)

    #expect(outcome.status == 0 && outcome.printed == ["The pages fit the screens."])
  }

  @Test func `ends with 1 and tells file and line`() async throws {
    let outcome = try await check("\n<p data-bind-text=\"clok\"></p>")

    #expect(outcome.status == 1)
    #expect(
      outcome.printed == [
        "Public/tea.html:2: data-bind-text=\"clok\": the screen \"tea\" has no output of that name. Did you mean clock?",
        "1 to look at.",
      ])
  }

  @Test func `tells of a copy of another client`() async throws {
    let outcome = try await check("", beside: "musubi-more.js")

    #expect(outcome.status == 1 && outcome.printed.first?.contains("musubi-more.js:1: ") == true)
    #expect(outcome.printed.first?.hasSuffix("delete it.") == true)
    #expect(try await check("", beside: "mine.js").status == 0)
  }

  private static let parts = [
    "_layout.html":
      "<html>\n<head></head>\n<body>\n<p data-bind-text=\"clok\"></p><main></main></body></html>",
    "_pot.html": "<template data-fragment=\"pot\">\n\n<b data-bind-text=\"clock\"></b></template>",
  ]

  private static func page(_ main: String) -> String {
    "<html data-layout=\"_layout.html\">\n<head></head><body>\n<main>\(main)</main></body></html>"
  }

  @Test func `tells the layout's, the fragment's and the page's own file and line`() async throws {
    let page = Self.page("<b data-use=\"pot\" data-prefix=\"my\"></b>\n<i data-bind-text=\"clack\"></i>")
    // A mistake in the layout is told once.
    var parts = Self.parts
    parts["more.html"] = page.replacing("<body>", with: "<body data-screen=\"tea\">")
    let outcome = try await check(page, parts: parts)
    let places = outcome.printed.dropLast().map { $0.prefix { $0 != " " } }

    #expect(
      Set(places) == [
        "Public/_layout.html:4:", "Public/_pot.html:3:", "Public/tea.html:4:", "Public/more.html:2:",
        "Public/more.html:4:",
      ], "\(outcome.printed)")
    #expect(places.count { $0.hasPrefix("Public/_layout.html") } == 1)
  }

  @Test func `takes a layout's dialog beside the area for one of all its pages, and tells of a page's own`()
    async throws
  {
    let dialog = "<dialog data-dialog=\"ask\"></dialog>"
    let parts = ["_layout.html": "<html><head></head><body><main></main>\(dialog)</body></html>"]
    let page = "<html data-layout=\"_layout.html\"><head></head><body><main></main></body></html>"

    #expect(try await check(page, parts: parts).status == 0)
    let own = "<html><head></head><body data-screen=\"tea\"><main></main>\(dialog)</body></html>"
    let outcome = try await check(own)
    #expect(outcome.printed.contains { $0.contains("data-dialog=\"ask\" stands outside of <main>") })
  }

  @Test func `tells the file and line also of what stands on one line with others`() async throws {
    let parts = [
      "_layout.html": "<html><head></head><body><p data-bind-text=\"clok\"></p><main></main></body></html>",
      "_pot.html":
        "\n<template data-fragment=\"pot\"><b id=\"pot\" data-bind-text=\"pott\"></b></template>",
    ]
    let page =
      "<html data-layout=\"_layout.html\">\n<head></head>\n<body><main><i data-bind-text=\"clack\"></i>"
      + "<b data-use=\"pot\"></b><b data-use=\"pot\"></b></main></body></html>"
    let outcome = try await check(page, parts: parts)

    #expect(
      outcome.printed.map { $0.prefix { $0 != " " } } == [
        "Public/_layout.html:1:", "Public/tea.html:3:", "Public/_pot.html:2:", "Public/_pot.html:2:", "4",
      ], "\(outcome.printed)")
    #expect(
      outcome.printed.contains(
        "Public/_pot.html:2: id=\"pot\": tea.html has its fragment several times; give it a data-prefix there."
      ))
  }

  @Test func `tells each wrong name of a chart once, where it is used`() async throws {
    let outcome = try await check("<p></p>\n<div data-use=\"line-chart\" data-prefix=\"clok\"></div>")

    #expect(
      outcome.printed == [
        "Public/tea.html:2: data-use=\"line-chart\": the screen \"tea\" has no output \"clokLine\".",
        "Public/tea.html:2: data-use=\"line-chart\": the screen \"tea\" has no output \"clokRows\".",
        "2 to look at.",
      ])
  }

  @Test func `tells where the other of two equal ids stands, in a layout or a fragment`() async throws {
    let parts = [
      "_layout.html":
        "<html>\n<head></head>\n<body>\n<p id=\"top\"></p><main></main>\n<p id=\"end\"></p></body></html>",
      "_pot.html": "<template data-fragment=\"pot\">\n\n<b id=\"pot\"></b>\n</template>",
    ]
    let page = Self.page(
      "\n<i id=\"top\"></i>\n<i id=\"end\"></i>\n<b data-use=\"pot\"></b>\n<b data-use=\"pot\"></b>\n"
        + "<b data-use=\"pot\" data-prefix=\"own\"></b>")
    let outcome = try await check(page, parts: parts)

    #expect(
      outcome.printed == [
        "Public/tea.html:4: id=\"top\": _layout.html:4 has it, too; write each id once in a page.",
        "Public/_pot.html:3: id=\"pot\": tea.html has its fragment several times; give it a data-prefix there.",
        "Public/_layout.html:5: id=\"end\": tea.html:5 has it, too; write each id once in a page.",
        "3 to look at.",
      ])
  }

  @Test func `lets several templates have one fragment, and finds one that a template has several times`()
    async throws
  {
    let parts = ["_pot.html": "<template data-fragment=\"pot\">\n\n<b id=\"pot\"></b>\n</template>"]
    let column = "<template data-bind-each=\"rows\"><li><b data-use=\"pot\"></b></li></template>\n"
    let right = "<html><head></head><body>\n" + column + column + "</body></html>"
    let use = "<b data-use=\"pot\"></b>"

    #expect(try await check(right, parts: parts).printed == ["The pages fit the screens."])
    #expect(
      try await check(right.replacing(use, with: use + use, maxReplacements: 1), parts: parts).printed == [
        "Public/_pot.html:3: id=\"pot\": tea.html has its fragment several times; give it a data-prefix there.",
        "1 to look at.",
      ])
  }

  @Test func `tells of all pages that cannot be put together, and of a layout's mistake once`() async throws {
    var parts = Self.parts
    parts["_layout.html"] = "<html><head></head><body></body></html>"
    parts["more.html"] = Self.page("")
    parts["other.html"] = "<html><body>\n<b data-use=\"pan\"></b></body></html>"
    parts["_double.html"] = "\n<template data-fragment=\"pot\"></template>"
    parts["_wrong.html"] = "<p data-fragment=\"cup\"></p>"
    let outcome = try await check(Self.page(""), parts: parts)

    #expect(outcome.status == 1)
    #expect(
      outcome.printed.dropLast().map { $0.prefix { $0 != " " } }.sorted() == [
        "Public/_layout.html:1:", "Public/_pot.html:1:", "Public/_wrong.html:1:", "Public/other.html:2:",
      ], "\(outcome.printed)")
  }

  @Test func `tells of a page that cannot be put together`() async throws {
    let outcome = try await check(Self.page("\n<b data-use=\"pan\"></b>"), "--json", parts: Self.parts)

    #expect(outcome.status == 1 && outcome.printed.count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.printed.joined().utf8)) as? [String: Any]
    #expect(object?["kind"] as? String == "broken-page" && object?["line"] as? Int == 4)
    #expect(object?["file"] as? String == "Public/tea.html")
    #expect(
      object?["message"] as? String == "there is no fragment \"pan\"; there are bar-chart, line-chart, pot.")
  }

  @Test func `prints an object for each finding to editors`() async throws {
    let outcome = try await check("<p data-bind-txt=\"clock\"></p>", "--json")

    #expect(outcome.status == 1 && outcome.printed.count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.printed.joined().utf8)) as? [String: Any]
    #expect(object?["kind"] as? String == "unknown-attribute" && object?["line"] as? Int == 1)
    #expect(object?["file"] as? String == "Public/tea.html")
  }

  @Test func `takes no option that serve does not have`() async throws {
    let outcome = try await check("", "--jsn")

    #expect(outcome.status == 2)
  }
}

/// What a command has printed.
final class PrintedLines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  @Sendable func add(_ line: String) { lines.withLock { $0.append(line) } }
}
