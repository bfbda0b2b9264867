// SPDX-License-Identifier: Apache-2.0
import Simulation

/// Schedules of one kind.
struct Schedules {
  /// Runs those of some seeds: what is wrong with the first one that fails; nil if none does.
  let firstFailure: (Range<UInt64>) -> String?
  /// What has happened in all of them; nil if nothing was counted.
  var summary: () -> String? = { nil }
}

/// What the schedules are of.
enum ScheduleKind: String, CaseIterable {
  /// Those of `SimulationTests.swift`, with pages of the Swift client.
  case swift
  /// Those where it takes a while to say who a page is.
  case slow
  case browser
  /// Pages of both clients.
  case both
  /// Mostly pages of the browser client.
  case mixed
  /// People type into the rows of a list.
  case rows
  case mixedRows = "mixed-rows"
  /// Each page looks at some rows of a long list.
  case longRows = "long-rows"
  /// They use a shared model.
  case models
  /// Rows, and a shared model, while slots move between loops.
  case slots
  /// The same, with a slot that moves at each step.
  case restlessSlots = "restless-slots"
  /// They type into a text of a room, whose pages at other servers are audiences.
  case crowds
  /// They use a shared model on several servers.
  case nodes
  /// Rooms of several servers whose database fails as well.
  case cluster
  /// The same, behind a standby that may lack the last commits.
  case forgetfulCluster = "forgetful-cluster"

  private var pages: [Schedule.PageKind] {
    switch self {
    case .browser: [.browser]
    case .both: [.swift, .browser]
    case .mixed, .mixedRows, .longRows: [.browser, .browser, .swift]
    case .swift, .slow, .rows, .models, .slots, .restlessSlots, .crowds, .nodes, .cluster, .forgetfulCluster:
      [.swift]
    }
  }

  /// The schedules.
  ///
  /// - Throws: If the browser client cannot be run.
  func schedules() throws -> Schedules {
    switch self {
    case .swift, .slow, .browser, .both, .mixed:
      let simulation = Simulation(node: try node("pages.mjs"), asksSlowly: self == .slow)
      return Schedules { [pages] in simulation.firstFailure(seeds: $0, kinds: pages) }
    case .rows, .mixedRows, .longRows:
      let rows = RowSimulation(node: try node("row-pages.mjs"), isLong: self == .longRows)
      return Schedules { rows.firstFailure(seeds: $0) }
    case .models: return Schedules { ModelSimulation().firstFailure(seeds: $0) }
    case .slots, .restlessSlots: return slots()
    case .crowds:
      let crowd = CrowdFaults()
      let simulation = Simulation(node: nil, crowd: crowd)
      return Schedules { [pages] in
        simulation.firstFailure(seeds: $0, kinds: pages)
      } summary: {
        "\(crowd.cut) links cut; \(crowd.audienceTurns) stretches of turns for audiences"
      }
    case .nodes:
      let faults = ModelFaults()
      return Schedules {
        ModelSimulation(faults: faults).firstFailure(seeds: $0)
      } summary: {
        Self.text(faults.counts)
      }
    case .cluster, .forgetfulCluster:
      let cluster =
        self == .cluster ? ClusterSimulation() : ClusterSimulation(.losesCommits, forgivesLoss: true)
      return Schedules {
        cluster.firstFailure(seeds: $0)
      } summary: {
        Self.text(cluster.counts)
      }
    }
  }

  private func slots() -> Schedules {
    let moves = SlotMoves(isRestless: self == .restlessSlots)
    let (rows, models) = (RowSimulation(moves: moves), ModelSimulation(moves: moves))
    return Schedules {
      rows.firstFailure(seeds: $0) ?? models.firstFailure(seeds: $0)
    } summary: {
      "\(moves.given) slots given, \(moves.taken) taken; \(moves.refused) records of former owners refused"
    }
  }

  /// What runs pages of the browser client; nil if there are none.
  private func node(_ script: String) throws -> NodePages? {
    guard pages.contains(.browser) else { return nil }
    return try NodePages(script: "Tests/Simulation/\(script)", client: "Sources/BrowserClient/musubi")
  }

  private static func text(_ counts: [String: Int]) -> String {
    "\(counts.sorted { $0.key < $1.key }.map { "\($1) \($0)" })"
  }
}
