// SPDX-License-Identifier: Apache-2.0
import Foundation
import Simulation
import Testing

/// A sample; the step `schedules` of `deploy/test --long` runs 100,000 and more with a release build.
@Suite(.serialized) struct `People who type at once over a bad network` {
  private let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  private func node(client: String? = nil) throws -> NodePages {
    try NodePages(
      script: repository.appendingPathComponent("Tests/Simulation/pages.mjs").path,
      client: client ?? repository.appendingPathComponent("Sources/BrowserClient/musubi").path)
  }

  @Test func `lose nothing and end with the same text, with the Swift client`() {
    let failure = Simulation(node: nil).firstFailure(seeds: 0..<400, kinds: [.swift])

    if let failure { Issue.record("\(failure)") }
  }

  @Test
  func `lose nothing and end with the same text where the application takes its time to say who they are`() {
    let simulation = Simulation(node: nil, asksSlowly: true)

    let failure = simulation.firstFailure(seeds: 900_000..<900_150, kinds: [.swift])

    if let failure { Issue.record("\(failure)") }
  }

  @Test func `lose nothing and end with the same text, with the browser client and both together`() throws {
    let simulation = Simulation(node: try node())

    let failure = simulation.firstFailure(seeds: 100_000..<100_200, kinds: [.browser, .browser, .swift])

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
    for seed: UInt64 in [1_022, 1_349, 1_369, 1_427, 3_056, 16_089, 52_001, 908_695, 1_022_148] {
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

  @Test func `lose nothing and end with the same text as the audiences of a room`() {
    let crowd = CrowdFaults()
    let simulation = Simulation(node: nil, crowd: crowd)
    // Then those that have failed: a visitor's time ended behind a link that stands still, pages were reloaded twice at once by way of
    // two servers, and a turn was missing.
    let failed: [UInt64] = [481, 8_570, 9_171, 11_931, 17_910, 21_888, 64_963, 67_564, 79_019]
    let seeds = [0..<150] + failed.map { $0..<($0 + 1) }
    let failure = seeds.lazy.compactMap { simulation.firstFailure(seeds: $0, kinds: [.swift]) }.first

    if let failure { Issue.record("\(failure)") }
    #expect(crowd.cut > 10 && crowd.audienceTurns > 150, "\(crowd.cut) \(crowd.audienceTurns)")
  }

  @Test func `show that a snapshot restarts no bridge`() {
    let mistake = KeptBridges()
    let simulation = Simulation(node: nil, sabotage: mistake.look(at:))
    // Of these seeds the text's steps reach back further than the turns; it shows in one of some hundred.
    let isShown = stride(from: UInt64(3_002), to: 3_200, by: 4).contains { seed in
      do {
        try simulation.run(Schedule(seed: seed, kinds: [.swift]))
        return false
      } catch {
        return true
      }
    }

    #expect(isShown, "\(mistake.count) were kept")
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

  static let mistakes = [
    PlantedMistake(
      description: "one's own step is taken for somebody else's", file: "text/document.js",
      right: "content.pending[0]?.revision === at", wrong: "false"),
    PlantedMistake(
      description: "a tie goes the other way than on the server", file: "text/transform.js",
      right: "[rebased(ours, theirs), rebased(theirs, ours, true)]",
      wrong: "[rebased(ours, theirs, true), rebased(theirs, ours)]"),
    PlantedMistake(
      description: "a resume does not tell which edits were taken", file: "session.js",
      right: "acknowledge(session, resumed.ack, resumed.own)", wrong: "acknowledge(session, resumed.ack)"),
    PlantedMistake(
      description: "pending edits stay where they were when somebody else types", file: "text/document.js",
      right: "[own.edit, step] = transform(own.edit, step)", wrong: "[, step] = transform(own.edit, step)"),
    PlantedMistake(
      description: "a rewriting brings deleted text back", file: "text/transform.js",
      right: "isPlain || isWanted", wrong: "true"),
    PlantedMistake(
      description: "text typed over others goes with them", file: "text/document.js",
      right: "edit: typed(edit)", wrong: "edit", seeds: 0..<3_000),
    PlantedMistake(
      description: "an input that is sent again gets another number", file: "recovery.js",
      right: "  kept.sort(", wrong: "  for (const one of kept) one.input += 1000;\n  kept.sort("),
    PlantedMistake(
      description: "a page says that it knows more than it does", file: "recovery.js",
      right: "[...parts, { position, lineage }]",
      wrong: "[...parts, { position: [position[0], 1_000], lineage }]", seeds: 0..<3_000),
    PlantedMistake(
      description: "a page hands over unsent typing as if the server had taken it", file: "recovery.js",
      right: "parts.push({ name, value: server.slice(at, end) });",
      wrong: "parts.push({ name, value: document.text() });", seeds: 0..<1_000),
  ]

  @Test(arguments: mistakes) func `show a mistake that was planted`(mistake: PlantedMistake) throws {
    try mistake.plant { client in
      let failure = Simulation(node: try node(client: client.path))
        .firstFailure(seeds: mistake.seeds, kinds: [.browser])

      #expect(failure != nil)
    }
  }
}
