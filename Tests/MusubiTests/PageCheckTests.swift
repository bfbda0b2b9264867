// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer
import Testing

@testable import Musubi

@Suite struct `The pages that a server starts with` {
  /// What keeps a server of the shared screen `tea` from starting; nil if nothing does.
  private func problem(_ files: [String: String]) throws -> String? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (file, text) in files {
      try text.write(to: folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
    }
    let pages = try StaticFiles(root: folder.path, routes: [])
    do throws(PageError) {
      try PageCheck(screens: ["tea"], shared: ["tea"]).check(pages)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(arguments: [
    #"<!-- <body data-screen="old"> --><body data-screen="tea">"#,
    #"<body data-screen="tea"><pre>&lt;body data-screen="number"&gt;</pre>"#,
    #"<body data-screen="tea"><!-- data-bind-query --><p>Write data-bind-query="word".</p>"#,
    #"<body data-screen="tea"><script>"<p data-bind-query='word'>"</script>"#,
    #"<body data-server="wss://elsewhere.example" data-screen="pot"><p data-bind-query="word"></p>"#,
  ])
  func `may have words that look like attributes`(_ page: String) throws {
    #expect(try problem(["a.html": page]) == nil)
  }

  @Test(arguments: [
    (
      "\n<body data-screen = \"pot\">",
      "a.html:2: data-screen names the screen \"pot\", but the application has tea."
    ),
    ("<!-- data-server= --><body data-screen=pot>", "a.html:1: data-screen names the screen \"pot\""),
    ("<body data-screen='tea'>\n\n<p data-bind-query=\"word\">", "a.html:3: data-bind-query binds"),
  ])
  func `name screens that exist, and bind no address that a room shares`(
    _ page: String, _ words: String
  ) throws {
    let problem = try #require(try problem(["a.html": page]))

    #expect(problem.hasPrefix(words), "\(problem)")
  }

  @Test func `are not blamed for their layout`() throws {
    let layout = "<html>\n<head></head>\n<body data-screen=\"pot\"><main></main></body></html>"
    let page = "<html data-layout=\"_layout.html\"><head></head><body><main></main></body></html>"

    #expect(
      try problem(["_layout.html": layout, "a.html": page])
        == "_layout.html:3: data-screen names the screen \"pot\", but the application has tea.")
  }
}
