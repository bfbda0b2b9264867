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

  /// Schedules that once ended with a character doubled, displaced or brought back.
  @Test func `lose nothing where they once did`() throws {
    let simulation = Simulation(node: try node())
    let seeds: [UInt64] = [
      // A server killed without stored state.
      7_000_325, 7_011_021, 7_020_142, 7_025_041, 7_030_301, 7_040_150, 7_045_795, 7_070_700, 7_081_149,
      7_088_639, 7_093_251,
      // Answers that come late.
      7_005_366, 7_015_998, 7_035_562, 7_051_315, 7_055_087, 7_060_128, 7_065_494, 7_082_848, 7_085_373,
      7_085_424, 7_085_854, 7_087_071, 7_087_794, 7_088_077, 7_088_145, 7_090_801, 7_093_707, 7_099_132,
      9_003_755,
      // A comparison with a snapshot.
      7_080_824,
    ]
    for seed in seeds {
      let failure = simulation.firstFailure(seeds: seed..<(seed + 1), kinds: [.swift, .browser])
      if let failure { Issue.record("\(failure)") }
    }
    for seed: UInt64 in [1_022, 1_349, 1_369, 1_427, 3_056, 16_089] {
      let failure = simulation.firstFailure(seeds: seed..<(seed + 1), kinds: [.swift])
      if let failure { Issue.record("\(failure)") }
    }
    let failure = simulation.firstFailure(seeds: 129_930..<129_931, kinds: [.browser, .browser, .swift])
    if let failure { Issue.record("\(failure)") }
  }

  @Test func `are ten in one field`() throws {
    let simulation = Simulation(node: try node())
    // In this class of seeds there are ten pages, and characters are typed over others.
    for seed in stride(from: UInt64(5 * 16 + 7), to: isLong ? 60_000 : 6_000, by: 96) {
      #expect(Schedule(seed: seed, kinds: [.swift, .browser]).pages.count == 10)
      let failure = simulation.firstFailure(seeds: seed..<(seed + 1), kinds: [.swift, .browser])
      if let failure { Issue.record("\(failure)") }
    }
  }

  @Test(arguments: Fault.allCases) func `show a mistake on the Swift side`(fault: Fault) {
    #expect(Simulation(node: nil, fault: fault).firstFailure(seeds: 0..<400, kinds: [.swift]) != nil)
  }

  @Test func `print a failing seed as few steps that still fail`() throws {
    let failure = try #require(
      Simulation(node: nil, fault: .takesTwice).firstFailure(seeds: 0..<400, kinds: [.swift]))
    let lines = failure.split(separator: "\n")
    let head = try #require(lines.firstIndex { $0.hasPrefix("seed ") })
    let actions = lines[(head + 1)...]

    // Somebody types, and the connection is lost before the answer.
    #expect((2...4).contains(actions.count), "\(failure)")
    #expect(actions.contains { $0.contains("type(") } && actions.allSatisfy { $0.contains(" ms  page ") })
  }

  /// A mistake that somebody could make: in a file of the browser client, one text instead of another.
  struct Mistake: CustomStringConvertible, Sendable {
    let description: String
    let file: String
    let right: String
    let wrong: String
    /// Where it shows.
    var seeds: Range<UInt64> = 0..<300
  }

  static let mistakes = [
    Mistake(
      description: "one's own step is taken for somebody else's", file: "document.js",
      right: "content.pending[0]?.revision === at", wrong: "false"),
    Mistake(
      description: "a tie goes the other way than on the server", file: "text-merge.js",
      right: "[rebased(ours, theirs), rebased(theirs, ours, true)]",
      wrong: "[rebased(ours, theirs, true), rebased(theirs, ours)]"),
    Mistake(
      description: "a resume does not tell which edits were taken", file: "session.js",
      right: "resumed.own?.forEach(claim)", wrong: "[].forEach(claim)"),
    Mistake(
      description: "pending edits stay where they were when somebody else types", file: "document.js",
      right: "[own.edit, step] = transform(own.edit, step)", wrong: "[, step] = transform(own.edit, step)"),
    Mistake(
      description: "what is deleted is brought back by a rewriting", file: "text-merge.js",
      right: "isElsewhere || isWanted", wrong: "true"),
    Mistake(
      description: "what is typed over others goes with them", file: "document.js",
      right: "edit: typed(edit)", wrong: "edit", seeds: 0..<3_000),
    Mistake(
      description: "what is sent again gets another number", file: "recovery.js",
      right: "  kept.sort(", wrong: "  for (const one of kept) one.input += 1000;\n  kept.sort("),
    Mistake(
      description: "nobody is told whose edits there are", file: "recovery.js",
      right: "slice(-mostAuthors)", wrong: "slice(0, 0)", seeds: 800..<900),
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
      .firstFailure(seeds: mistake.seeds, kinds: [.browser])

    #expect(failure != nil)
  }
}
