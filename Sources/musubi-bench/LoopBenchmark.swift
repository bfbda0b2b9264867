// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// Two event loops beside one.
///
/// Rates of two loops on a machine whose second core makes the load say nothing: what counts is the work that a second of
/// the server's CPU time does.
enum LoopBenchmark {
  private static let works = [
    ("echo, 1 in flight", Scenario(mode: .loops, active: 100)),
    ("echo, 16 in flight", Scenario(mode: .loops, active: 100, inFlight: 16)),
    ("fan-out, 1 in flight", Scenario(mode: .loops, active: 100, isFanOut: true)),
    ("fan-out, 16 in flight", Scenario(mode: .loops, active: 100, inFlight: 16, isFanOut: true)),
  ]

  /// One row.
  struct Row: Encodable {
    let mode: String
    let work: String
    let loops: Int
    /// Events or deliveries for each second of CPU time.
    let perUsedCore: Double
    let perSecond: Double
    let coresUsed: Double
    /// Sends for each event or delivery, and all other system calls for each message of a page.
    let sends: Double?
    let others: Double?
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var rows: [Row] = []
    for (work, scenario) in works {
      for loops in [1, 2] {
        var own = options
        own.loops = loops
        own.pinsServer = false
        rows.append(try measure(work, scenario, own, report))
      }
    }
    for row in rows { try report.record(row) }
    for row in rows where row.loops == 2 {
      report.budget(
        "two loops, \(row.work): work per used core x one loop", .atLeast, 0.9,
        reached: rows.first { $0.work == row.work && $0.loops == 1 }.map { row.perUsedCore / $0.perUsedCore })
    }
    try report.table(
      "One loop and two, 100 pages, on all cores",
      header: [
        "<work", "loops", "events/s", "cores used", "events/s per used core", "x one loop", "sends per event",
        "other calls per message",
      ],
      rows: rows.map { row in
        let one = rows.first { $0.work == row.work && $0.loops == 1 }
        return [
          row.work, readable(Double(row.loops)), readable(row.perSecond),
          readable(row.coresUsed, decimals: 2),
          readable(row.perUsedCore), readable(one.map { row.perUsedCore / $0.perUsedCore }, decimals: 2),
          readable(row.sends, decimals: 2), readable(row.others, decimals: 2),
        ]
      })
  }

  private static func measure(
    _ work: String, _ scenario: Scenario, _ options: Options, _ report: Report
  ) throws(BenchError) -> Row {
    let (load, server) = try scenario.open(.musubi, options)
    defer { server.stop() }
    _ = try load.run(.seconds(options.repeatSeconds / 3))
    var samples: [Sample] = []
    for _ in 0..<options.repeatCount { samples.append(try load.run(.seconds(options.repeatSeconds))) }
    let traced = try CountBenchmark.trace(load, .events(300 * scenario.eventsPerMessage), server, report)
    let events = traced.map { max(1, $0.sample.allEvents) } ?? 1
    return Row(
      mode: Mode.loops.rawValue, work: work, loops: options.loops,
      perUsedCore: median(samples.map { $0.events / $0.serverCPU }), perSecond: median(samples.map(\.rate)),
      coresUsed: median(samples.map { $0.serverCPU / $0.seconds }),
      sends: traced.map { Double($0.counts.sends) / events },
      others: traced.map {
        Double($0.counts.receives + $0.counts.waits + $0.counts.others) / events
          * Double(scenario.eventsPerMessage)
      })
  }
}
