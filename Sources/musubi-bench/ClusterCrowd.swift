// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation
import PostgresServers

/// What a turn costs the server that has a room, when nearly all of its pages are at two others: without sockets, and with real
/// servers, which read their database all the time.
enum ClusterCrowd {
  /// A room with so many pages elsewhere.
  struct Row: Encodable {
    let mode = Mode.cluster.rawValue
    let work = "a room with a crowd elsewhere"
    let pages: Int
    let homeMicrosecondsPerTurn: Double
    /// The same of home's loop with real servers, and how often it waits for something in a turn.
    let loopMicrosecondsPerTurn: Double
    let loopWaitsPerTurn: Double
    let linkBytesPerTurn: Double
    let frameBytes: Int
    let turnsPerSecond: Double
    let allMicrosecondsPerDelivery: Double
  }

  static func run(_ database: PostgresServer, _ options: Options, _ report: Report) throws(BenchError) {
    let sizes = options.isQuick ? [300, 1_000] : [1_000, largest]
    let homes = try home(sizes, options)
    var rows: [Row] = []
    for (pages, home) in zip(sizes, homes) {
      let servers = try ClusterServers(3, on: database, options)
      defer { servers.stop() }
      rows.append(try measure(pages, home, servers, options))
    }
    for row in rows { try report.record(row) }
    report.budget(
      "a crowd elsewhere: home's CPU per turn, \(rows[1].pages) pages against \(rows[0].pages)", .atMost, 1.1,
      reached: rows[1].homeMicrosecondsPerTurn / rows[0].homeMicrosecondsPerTurn)
    report.budget(
      "a crowd elsewhere: the same of its loop with real servers", .atMost, 1.1,
      reached: rows[1].loopMicrosecondsPerTurn / rows[0].loopMicrosecondsPerTurn)
    report.budget(
      "a crowd elsewhere: bytes on a link per turn, beside the frame", .atMost, 32,
      reached: rows[1].linkBytesPerTurn - Double(rows[1].frameBytes))
    try report.table(
      "A room, and all of its pages but one at two other servers",
      header: [
        "pages", "CPU us of home per turn", "of its loop with sockets", "its waits",
        "bytes on a link per turn",
        "bytes of the frame", "turns/s",
        "CPU us of all servers per delivery",
      ],
      rows: rows.map { row in
        [
          readable(Double(row.pages)), readable(row.homeMicrosecondsPerTurn, decimals: 1),
          readable(row.loopMicrosecondsPerTurn), readable(row.loopWaitsPerTurn, decimals: 1),
          readable(row.linkBytesPerTurn), readable(Double(row.frameBytes)),
          readable(row.turnsPerSecond, decimals: 1), readable(row.allMicrosecondsPerDelivery, decimals: 2),
        ]
      })
  }

  /// As many pages as there are descriptors for here, and 15,000 at most.
  private static var largest: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 3_000 }
    return min(15_000, Int(limit.rlim_cur) * 9 / 10)
  }

  /// What turns cost without sockets.
  private struct Home {
    let microseconds, linkBytes: Double
    let frameBytes: Int
  }

  /// Measures rooms with so many pages in turn.
  private static func home(_ sizes: [Int], _ options: Options) throws(BenchError) -> [Home] {
    let stages = sizes.map { CrowdStage(pages: $0 / 2) }
    var costs = [[Double]](repeating: [], count: sizes.count)
    let turns = 100
    // The first turns have shorter numbers.
    for stage in stages { for _ in 0..<1_000 / turns { try stage.run(turns: turns) } }
    for repeated in -1..<max(5, options.repeatCount) {
      for (index, stage) in stages.enumerated() {
        stage.clear()
        try stage.run(turns: turns)
        if repeated >= 0 { costs[index].append(Double(stage.nanoseconds) / 1e3 / Double(turns)) }
      }
    }
    return stages.indices.map { index in
      Home(
        microseconds: median(costs[index]), linkBytes: Double(stages[index].bytes) / 2 / Double(turns),
        frameBytes: stages[index].frameBytes)
    }
  }

  private static func measure(
    _ pages: Int, _ home: Home, _ servers: ClusterServers, _ options: Options
  ) throws(BenchError) -> Row {
    let scenario = Scenario(mode: .cluster, active: pages, isFanOut: true)
    let traffic = Traffic(
      server: .musubi, client: options.client, isFanOut: true, label: "crowd\(pages)", rows: nil)
    let load = try Load(scenario, traffic, to: servers.nodes[1], and: [servers.nodes[2]])
    let seconds = max(2, options.repeatSeconds)
    _ = try load.run(.seconds(seconds))
    var (rates, costs): ([Double], [Double]) = ([], [])
    for _ in 0..<options.repeatCount {
      let before = servers.cpuSeconds
      let sample = try load.run(.seconds(seconds))
      rates.append(sample.rate / Double(pages))
      costs.append((servers.cpuSeconds - before) / max(1, sample.allEvents) * 1e6)
    }
    let loop = try turn(pages, load, servers.nodes[0], options)
    return Row(
      pages: pages, homeMicrosecondsPerTurn: home.microseconds,
      loopMicrosecondsPerTurn: loop.seconds * 1e6, loopWaitsPerTurn: loop.waits,
      linkBytesPerTurn: home.linkBytes,
      frameBytes: home.frameBytes, turnsPerSecond: median(rates), allMicrosecondsPerDelivery: median(costs))
  }

  /// What a turn costs the loop of the room's server.
  ///
  /// Turns come at the same times however many pages there are, each when all pages have the one before; and what the loop does
  /// without turns is not the turns'.
  private static func turn(
    _ pages: Int, _ load: Load, _ home: ServerProcess, _ options: Options
  ) throws(BenchError) -> ServerProcess.ThreadUse {
    let (turns, pause) = (options.isQuick ? 5 : 10, 0.25)
    func use(withTurns: Bool) throws(BenchError) -> (
      use: ServerProcess.ThreadUse, time: Double, turns: Double
    ) {
      let (before, begin) = (try home.loopUse(), Stopwatch.seconds())
      var events = 0.0
      for turn in 1...turns {
        if withTurns { events += try load.run(.events(1)).allEvents }
        try load.rest(seconds: max(0, begin + pause * Double(turn) - Stopwatch.seconds()))
      }
      return (try home.loopUse() - before, Stopwatch.seconds() - begin, events / Double(pages))
    }
    var all = ServerProcess.ThreadUse(seconds: 0, waits: 0)
    var count = 0.0
    // What happens once in many turns is in their mean, and would not be in a median.
    for _ in 0..<options.repeatCount {
      let (idle, busy) = (try use(withTurns: false), try use(withTurns: true))
      all.seconds += busy.use.seconds - idle.use.seconds * busy.time / idle.time
      all.waits += busy.use.waits - idle.use.waits * busy.time / idle.time
      count += busy.turns
    }
    return ServerProcess.ThreadUse(seconds: all.seconds / count, waits: all.waits / count)
  }
}
