// SPDX-License-Identifier: Apache-2.0
import Foundation
import Simulation
import Testing

/// `MUSUBI_LONG=1` runs 100,000 schedules instead of a sample.
@Suite(.serialized) struct `People who type at once over a bad network` {
  private let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"
  private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func node(client: String? = nil) throws -> NodePages {
    try NodePages(
      script: root.appendingPathComponent("Tests/Simulation/pages.mjs").path,
      client: client ?? root.appendingPathComponent("Public/musubi").path)
  }

  @Test func `lose nothing and end with the same text, with the Swift client`() {
    let failure = Simulation(node: nil).firstFailure(seeds: 0..<(isLong ? 50_000 : 1_000), kinds: [.swift])

    if let failure { Issue.record("\(failure)") }
  }

  @Test func `lose nothing and end with the same text, with the browser client and both together`() throws {
    let simulation = Simulation(node: try node())
    let seeds: Range<UInt64> = isLong ? 100_000..<150_000 : 100_000..<100_500

    let failure = simulation.firstFailure(seeds: seeds, kinds: [.browser, .browser, .swift])

    if let failure { Issue.record("\(failure)") }
  }

  @Test(arguments: Fault.allCases) func `show a mistake on the Swift side`(fault: Fault) {
    #expect(Simulation(node: nil, fault: fault).firstFailure(seeds: 0..<400, kinds: [.swift]) != nil)
  }

  /// A mistake that somebody could make: in a file of the browser client, one text instead of another.
  struct Mistake: CustomStringConvertible, Sendable {
    let description: String
    let file: String
    let right: String
    let wrong: String
  }

  static let mistakes = [
    Mistake(
      description: "one's own step is taken for somebody else's", file: "document.js",
      right: "content.pending[0]?.revision === at", wrong: "false"),
    Mistake(
      description: "a tie goes the other way than on the server", file: "text-merge.js",
      right: "[rebased(ours, theirs, false), rebased(theirs, ours, true)]",
      wrong: "[rebased(ours, theirs, true), rebased(theirs, ours, false)]"),
    Mistake(
      description: "a resume does not tell which edits were taken", file: "session.js",
      right: "resumed.own?.forEach(claim)", wrong: "[].forEach(claim)"),
    Mistake(
      description: "pending edits stay where they were when somebody else types", file: "document.js",
      right: "[own.edit, step] = transform(own.edit, step)", wrong: "[, step] = transform(own.edit, step)"),
  ]

  @Test(arguments: mistakes) func `show a mistake that was planted`(mistake: Mistake) throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try files.copyItem(at: root.appendingPathComponent("Public/musubi"), to: folder)
    defer { #expect(throws: Never.self) { try files.removeItem(at: folder) } }
    let file = folder.appendingPathComponent(mistake.file)
    let source = try String(contentsOf: file, encoding: .utf8)
    try #require(source.contains(mistake.right))
    try source.replacingOccurrences(of: mistake.right, with: mistake.wrong)
      .write(to: file, atomically: true, encoding: .utf8)

    let failure = Simulation(node: try node(client: folder.path))
      .firstFailure(seeds: 0..<300, kinds: [.browser])

    #expect(failure != nil)
  }
}
