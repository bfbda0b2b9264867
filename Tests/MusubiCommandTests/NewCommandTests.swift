// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import Testing

@testable import MusubiCommand

/// Musubi's own sources.
private let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().resolvingSymlinksInPath().path

/// A folder of its own that ends with its test.
private final class Place {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func new(_ words: String...) throws -> String {
    try NewCommand.run(words, in: path, program: sources + "/.build/debug/musubi")
  }

  /// All files and folders below it.
  var contents: [String] {
    (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
  }

  func text(_ file: String) throws -> String {
    try String(contentsOfFile: path + "/" + file, encoding: .utf8)
  }
}

@Suite struct `A new package` {
  private let place: Place

  init() throws { place = try Place() }

  @Test func `has the files that its README names`() throws {
    let farewell = try place.new("TeaShop")

    for file in [
      "Package.swift", ".gitignore", "Sources/TeaShop/main.swift", "Sources/TeaShop/TeaShopViewModel.swift",
      "Public/tea-shop.html", "Tests/TeaShopTests/TeaShopTests.swift", "Tests/tea-shop.musubi", "Dockerfile",
      "Dockerfile.dockerignore", "deploy/tea-shop.service", ".vscode/tasks.json", ".vscode/launch.json",
    ] { #expect(place.contents.contains("TeaShop/" + file), "\(file)") }
    for (_, file) in try place.text("TeaShop/README.md").matches(of: /\| `([\w\/.-]+)` \|/).map(\.output) {
      #expect(place.contents.contains("TeaShop/" + file), "\(file)")
    }
    #expect(farewell.contains("swift run musubi dev"))
  }

  @Test(arguments: Style.allCases.map(\.rawValue)) func `is written in the chosen style`(style: String) throws
  {
    _ = try place.new("Tea", "--style", style)

    let viewModel = try place.text("Tea/Sources/Tea/TeaViewModel.swift")
    let marks = [
      "inputs": "struct Inputs: Decodable", "outlets": "Observable<String?>", "states": "enum State",
      "observable": "@Observable",
    ]
    for (other, mark) in marks { #expect(viewModel.contains(mark) == (other == style), "\(mark)") }
    let hasView = place.contents.contains("Tea/Sources/Tea/TeaView.swift")
    #expect(hasView == ["outlets", "states"].contains(style))
  }

  @Test func `is written with inputs and outputs if nobody says how`() throws {
    _ = try place.new("Tea")

    #expect(try place.text("Tea/Sources/Tea/TeaViewModel.swift").contains("struct Inputs: Decodable"))
  }

  @Test func `names Musubi's folder by the way to it, or as it was written`() throws {
    _ = try place.new("Tea")
    _ = try place.new("Mate", "--musubi", sources)

    let way = FolderPlace.way(from: place.path + "/Tea", to: sources)
    #expect(way.hasPrefix("../"))
    #expect(try place.text("Tea/Package.swift").contains(".package(path: \"\(way)\")"))
    #expect(try place.text("Mate/Package.swift").contains(".package(path: \"\(sources)\")"))
    let identity = try #require(sources.split(separator: "/").last)
    #expect(
      try place.text("Tea/Package.swift").contains(".product(name: \"Musubi\", package: \"\(identity)\")"))
  }

  @Test(arguments: [
    ("1.2.0", "exact: \"1.2.0\""), ("v1.2.0", "exact: \"1.2.0\""), ("nightly", "revision: \"nightly\""),
  ])
  func `names a repository and its tag`(tag: String, version: String) throws {
    _ = try place.new("Tea", "--url", "https://example.org/a/Knot.git", "--tag", tag)

    let manifest = try place.text("Tea/Package.swift")
    #expect(manifest.contains(".package(url: \"https://example.org/a/Knot.git\", \(version))"))
    #expect(manifest.contains(".product(name: \"Musubi\", package: \"Knot\")"))
    #expect(try place.text("Tea/Dockerfile").contains("\nARG FOLDER=.\nARG PRODUCT=Tea\n"))
  }

  @Test func `builds its container in a folder that holds Musubi, too`() throws {
    _ = try place.new("Tea")

    let dockerfile = try place.text("Tea/Dockerfile")
    let context = FolderPlace.around(place.path, sources)
    let folder = FolderPlace.way(from: context, to: place.path + "/Tea")
    #expect(dockerfile.contains("\nARG FOLDER=\(folder)\nARG PRODUCT=Tea\n"))
    #expect(!dockerfile.contains("gallery"))
  }

  @Test func `builds its container in a folder whose name has a space`() throws {
    let folder = place.path + "/My Apps"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try NewCommand.run(["Tea"], in: folder, program: sources + "/.build/debug/musubi")

    let way = FolderPlace.way(from: FolderPlace.around(folder, sources), to: folder + "/Tea")
    #expect(way.hasSuffix("My Apps/Tea"))
    #expect(try place.text("My Apps/Tea/Dockerfile").contains("\nARG FOLDER=\"\(way)\"\nARG PRODUCT=Tea\n"))
  }

  @Test func `tells the editor every attribute of the check, each with a sentence`() throws {
    _ = try place.new("Tea")

    let text = try place.text("Tea/" + EditorNames.file)
    let file = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let attributes = try #require((file as? [String: Any])?["globalAttributes"] as? [[String: String]])
    let names = attributes.compactMap { $0["name"] }
    #expect(names == EditorAttributes.names && Set(names).count == names.count)
    #expect(PageRules.known.union(PageRules.families).isSubset(of: names))
    for attribute in attributes {
      #expect(attribute["description"]?.hasSuffix(".") == true, "\(attribute["name"] ?? "")")
    }
    func values(of name: String) -> String? { attributes.first { $0["name"] == name }?["valueSet"] }
    #expect(values(of: "data-on-click") == "inputs" && values(of: "data-bind-text") == "outputs")
    #expect(values(of: "data-screen") == "screens" && values(of: "data-cloak") == nil)
    let list = try JSONDecoder().decode(EditorAttributes.List.self, from: Data(text.utf8))
    #expect(list.names.screens == ["tea"] && list.names.inputs == ["name", "wave"])
    for name in ["tasks", "launch", "settings", "extensions"] {
      let text = try place.text("Tea/.vscode/\(name).json")
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
    }
  }

  @Test func `may be written into an empty folder`() throws {
    try FileManager.default.createDirectory(atPath: place.path + "/Tea", withIntermediateDirectories: false)

    _ = try place.new("Tea")

    #expect(place.contents.contains("Tea/Package.swift"))
  }
}

@Suite struct `What keeps a new package from being written` {
  private let place: Place

  init() throws { place = try Place() }

  private func refusal(_ words: [String]) -> String {
    do {
      _ = try NewCommand.run(words, in: place.path, program: sources + "/.build/debug/musubi")
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    ([], "a name first"), (["--style", "inputs"], "a name first"),
    (["tea shop"], "cannot name a Swift module"),
    (["1Tea"], "cannot name a Swift module"), (["Tea-Shop"], "cannot name a Swift module"),
    (["../Tea"], "cannot name a Swift module"), (["Thé"], "cannot name a Swift module"),
    ([""], "cannot name a Swift module"), (["class"], "a word of the language Swift"), (["Any"], "a word of"),
    (["MusubiRx"], "Musubi's own modules"), (["musubi"], "Musubi's own modules"),
    (["Foundation"], "a module"),
    (["main"], "a module"), (["Observable"], "a module"),
    (["Tea", "--style", "outlet"], "did you mean outlets?"),
    (["Tea", "--style", "mvc"], "--style takes inputs, outlets"),
    (["Tea", "--stile", "inputs"], "did you mean --style?"),
    (["Tea", "--musubi", "nowhere"], "no sources of Musubi"),
    (["Tea", "--tag", "1.0.0"], "--tag needs --url"),
    (["Tea", "--url", "https://example.org/Musubi"], "--url needs --tag"),
    (["Tea", "--url", "a\"b", "--tag", "1"], "without spaces and quotes"),
    (["Tea", "Mate"], "is not an option"),
  ])
  func `is told, and nothing is written`(words: [String], reason: String) {
    #expect(refusal(words).contains(reason))
    #expect(place.contents == [])
  }

  @Test func `is a folder of Musubi that has the package's name`() {
    let identity = String(sources.split(separator: "/").last ?? "")
    // Most folders have names that could not name a module, or are refused already.
    guard (try? PackageName(identity)) != nil else { return }

    #expect(refusal([identity.uppercased()]).contains("choose another name"))
  }

  @Test func `is a folder with something in it, or a file`() throws {
    try FileManager.default.createDirectory(atPath: place.path + "/Tea", withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: place.path + "/Tea/.keep"))
    try Data().write(to: URL(fileURLWithPath: place.path + "/Mate"))
    try FileManager.default.createSymbolicLink(atPath: place.path + "/Cocoa", withDestinationPath: "nowhere")
    let before = place.contents

    #expect(refusal(["Tea"]).hasSuffix("/Tea exists, and is not empty."))
    #expect(refusal(["Mate"]).hasSuffix("/Mate exists, and is no folder."))
    #expect(refusal(["Cocoa"]).hasSuffix("/Cocoa exists, and is no folder."))
    #expect(place.contents == before)
  }

  @Test func `is a file that cannot be written, and nothing is left of the others`() throws {
    // One path needs the other's file to be a folder.
    let files = ["a": "text", "a/b": "text", "c": "text"]

    #expect(throws: ToolError.self) { try FolderWriter.write(files, to: place.path + "/Tea") }
    #expect(place.contents == [])
    #expect(throws: ToolError.self) { try FolderWriter.write(["a": ""], to: "/proc/nowhere/Tea") }
  }

  @Test func `is a name that something has taken meanwhile, and nothing is left`() throws {
    try Data().write(to: URL(fileURLWithPath: place.path + "/Tea"))

    #expect(throws: ToolError.self) { try FolderWriter.write(["a": "text"], to: place.path + "/Tea") }
    #expect(place.contents == ["Tea"])
  }
}

@Suite struct `The name of a package` {
  @Test(arguments: [
    ("Tea", "Tea", "tea"), ("teaShop", "TeaShop", "tea-shop"), ("URLTool", "URLTool", "url-tool"),
    ("App2Go", "App2Go", "app2-go"), ("X", "X", "x"), ("ABC", "ABC", "abc"),
  ])
  func `makes those of its types and its screen`(module: String, type: String, screen: String) throws {
    let name = try PackageName(module)

    #expect(name.type == type)
    #expect(name.screen == screen)
  }
}

@Suite struct `The way to a folder` {
  @Test(arguments: [
    ("/a/b", "/a/c", "../c", "/a"), ("/a", "/a/b/c", "b/c", "/a"), ("/a/b", "/a/b", ".", "/a/b"),
    ("/a", "/b", "../b", "/"), ("/a/b", "/", "../..", "/"),
  ])
  func `goes up as far as it must`(from: String, to: String, way: String, around: String) {
    #expect(FolderPlace.way(from: from, to: to) == way)
    #expect(FolderPlace.around(from, to) == around)
  }
}
