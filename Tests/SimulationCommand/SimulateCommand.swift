// SPDX-License-Identifier: Apache-2.0
import Foundation
import Simulation

/// `musubi-simulate [COUNT] [FIRST SEED] [swift|slow|browser|both|mixed|rows|mixed-rows|long-rows|models|slots|nodes|cluster]`: runs schedules.
///
/// It shows each that fails made as small as it can be, and prints how many per second. `swift`, `slow` and `mixed` draw the
/// schedules of the tests of `SimulationTests.swift`, `slow` those where it takes a while to say who a page is; with `rows` people type into the rows of a
/// list, with `mixed-rows` half of them with the browser client, with `long-rows` so in a long list of which each looks at some rows, and
/// with `models` they use a shared model, and with `slots` both while slots move between loops; with `nodes` they use a shared
/// model on several servers, and with `cluster` rooms of several servers whose database fails as well.
@main
struct SimulateCommand {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let modes = [
      "swift", "slow", "browser", "both", "mixed", "rows", "mixed-rows", "long-rows", "models", "slots",
      "nodes", "cluster",
    ]
    guard arguments.allSatisfy({ UInt64($0) != nil || modes.contains($0) }) else {
      print(
        """
        musubi-simulate [COUNT] [FIRST SEED] [\(modes.joined(separator: "|"))]

        Runs COUNT schedules (1,000) from FIRST SEED (0) on, and prints each that fails as small as it can be.
        `browser`, `both`, `mixed`, `mixed-rows` and `long-rows` need node; run it in the repository's folder.
        """)
      exit(arguments.contains("--help") ? 0 : 2)
    }
    let numbers = arguments.compactMap { UInt64($0) }
    let count = numbers.first ?? 1_000
    let first = numbers.dropFirst().first ?? 0
    let isOfRows = arguments.last?.hasSuffix("rows") == true
    let kinds: [Schedule.PageKind] =
      switch arguments.last {
      case "swift", "slow", "rows", "models", "slots", "nodes", "cluster": [.swift]
      case "browser": [.browser]
      case "mixed", "mixed-rows", "long-rows": [.browser, .browser, .swift]
      default: [.swift, .browser]
      }
    let node =
      kinds.contains(.browser)
      ? try NodePages(
        script: "Tests/Simulation/\(isOfRows ? "row-" : "")pages.mjs", client: "Sources/BrowserClient/musubi")
      : nil
    let simulation = Simulation(node: node, asksSlowly: arguments.last == "slow")
    let rows = RowSimulation(node: node, isLong: arguments.last == "long-rows")
    let moves = SlotMoves()
    let moved = (rows: RowSimulation(moves: moves), models: ModelSimulation(moves: moves))
    let faults = ModelFaults()
    let cluster = ClusterSimulation()
    let clock = ContinuousClock()
    let start = clock.now
    var failures = 0
    for seed in first..<(first + count) {
      let seeds = seed..<(seed + 1)
      let failure =
        switch arguments.last {
        case "slots":
          moved.rows.firstFailure(seeds: seeds) ?? moved.models.firstFailure(seeds: seeds)
        case "nodes": ModelSimulation(faults: faults).firstFailure(seeds: seeds)
        case "cluster": cluster.firstFailure(seeds: seeds)
        case "models": ModelSimulation().firstFailure(seeds: seeds)
        case "rows", "mixed-rows", "long-rows": rows.firstFailure(seeds: seeds)
        default: simulation.firstFailure(seeds: seeds, kinds: kinds)
        }
      guard let failure else { continue }
      failures += 1
      print(failure)
    }
    let seconds = (clock.now - start) / .seconds(1)
    print(
      "\(count) schedules from \(first), \(failures) failed, in \(Int(seconds)) s, \(Int(Double(count) / seconds)) per second"
    )
    if arguments.last == "slots" {
      print(
        "\(moves.given) slots given, \(moves.taken) taken; \(moves.refused) records of former owners refused")
    }
    if arguments.last == "nodes" { print(faults.counts.sorted { $0.key < $1.key }.map { "\($1) \($0)" }) }
    if arguments.last == "cluster" { print(cluster.counts.sorted { $0.key < $1.key }.map { "\($1) \($0)" }) }
    if failures > 0 { exit(1) }
  }
}
