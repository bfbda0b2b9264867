// SPDX-License-Identifier: Apache-2.0
import Foundation
import Simulation
import Testing

/// A sample; `musubi-simulate COUNT FIRST-SEED cluster` runs more.
@Suite struct `Servers and a database that fail, with clocks that are wrong` {
  @Test func `lose nothing, take nothing twice, and come to rest`() {
    let simulation = ClusterSimulation()
    let failure = simulation.firstFailure(seeds: 0..<80)

    if let failure { Issue.record("\(failure)") }
    for fault in [
      "answers lost", "buried", "clock set", "commits late", "cut off", "database slow", "disk full",
      "divided",
      "drained", "ended", "failed over", "gone", "killed", "link cut", "link stopped", "paused", "refused",
      "restarted",
    ] {
      #expect(simulation.counts[fault, default: 0] > 0, "\(fault)")
    }
  }

  /// A server went on that had heard of owners which the database had forgotten: no page found its room there.
  @Test func `come to rest behind a standby that lacks what was acknowledged`() {
    let simulation = ClusterSimulation(.losesCommits, forgivesLoss: true)
    let failure = simulation.firstFailure(seeds: 93..<144)

    if let failure { Issue.record("\(failure)") }
    #expect(simulation.counts["losses told", default: 0] > 0)
  }

  /// A token that a page had was refused, after it had come back while the disk was full.
  @Test(arguments: [1_154] as [UInt64])
  func `have it so in schedules that have shown a mistake`(seed: UInt64) {
    let failure = ClusterSimulation().firstFailure(seeds: seed..<(seed + 1))

    if let failure { Issue.record("\(failure)") }
  }

  @Test(
    .enabled("it takes a minute: deploy/test --long runs it") {
      ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"
    }, arguments: ClusterMistake.allCases)
  func `show each mistake`(mistake: ClusterMistake) {
    #expect(ClusterSimulation(mistake).firstFailure(seeds: 0..<2_000) != nil, "\(mistake)")
  }
}
