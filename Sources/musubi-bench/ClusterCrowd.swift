// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation
import PostgresServers

/// What a turn costs the server that has a room, when all of its pages are at two others.
///
/// What it spends while nothing happens is taken off: a turn for many pages takes long at the servers that have them.
enum ClusterCrowd {
  /// A room with so many pages.
  struct Row: Encodable {
    let mode = Mode.cluster.rawValue
    let work = "a room with a crowd elsewhere"
    let pages: Int
    let turnsPerSecond: Double
    let homeMicrosecondsPerTurn: Double
    let allMicrosecondsPerDelivery: Double
  }

  static func run(_ database: PostgresServer, _ options: Options, _ report: Report) throws(BenchError) {
    var rows: [Row] = []
    for pages in options.isQuick ? [300, 1_000] : [1_000, largest] {
      let servers = try ClusterServers(3, on: database, options)
      defer { servers.stop() }
      rows.append(try measure(pages, servers, options))
    }
    for row in rows { try report.record(row) }
    report.budget(
      "a crowd elsewhere: home's CPU per turn, \(rows[1].pages) pages against \(rows[0].pages)", .atMost, 1.1,
      reached: rows[1].homeMicrosecondsPerTurn / rows[0].homeMicrosecondsPerTurn)
    try report.table(
      "A room, and all of its pages at two other servers",
      header: ["pages", "turns/s", "CPU us of home per turn", "CPU us of all servers per delivery"],
      rows: rows.map { row in
        [
          readable(Double(row.pages)), readable(row.turnsPerSecond, decimals: 1),
          readable(row.homeMicrosecondsPerTurn), readable(row.allMicrosecondsPerDelivery, decimals: 2),
        ]
      })
  }

  /// As many pages as there are descriptors for here, and 15,000 at most.
  private static var largest: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 3_000 }
    return min(15_000, Int(limit.rlim_cur) * 9 / 10)
  }

  private static func measure(
    _ pages: Int, _ servers: ClusterServers, _ options: Options
  ) throws(BenchError) -> Row {
    let home = servers.nodes[0].identifier
    let scenario = Scenario(mode: .cluster, active: pages, isFanOut: true)
    let traffic = Traffic(
      server: .musubi, client: options.client, isFanOut: true, label: "crowd\(pages)", rows: nil)
    let load = try Load(scenario, traffic, to: servers.nodes[1], and: [servers.nodes[2]])
    let seconds = max(2, options.repeatSeconds)
    var (turns, rates, costs): ([Double], [Double], [Double]) = ([], [], [])
    for turn in -1..<options.repeatCount {
      let idleBefore = musubi_process_cpu_ns(home)
      try load.rest(seconds: seconds)
      let idle = Double(musubi_process_cpu_ns(home) - idleBefore) / seconds
      let (before, allBefore) = (musubi_process_cpu_ns(home), servers.cpuSeconds)
      let sample = try load.run(.seconds(seconds))
      guard turn >= 0 else { continue }
      let used = Double(musubi_process_cpu_ns(home) - before) - idle * sample.seconds
      let count = max(1, sample.allEvents / Double(pages))
      turns.append(used / 1e3 / count)
      rates.append(count / sample.seconds)
      costs.append((servers.cpuSeconds - allBefore) / max(1, sample.allEvents) * 1e6)
    }
    return Row(
      pages: pages, turnsPerSecond: median(rates), homeMicrosecondsPerTurn: median(turns),
      allMicrosecondsPerDelivery: median(costs))
  }
}
