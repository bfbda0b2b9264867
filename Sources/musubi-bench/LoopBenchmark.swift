// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// Two event loops beside one, and four and more where the machine has cores for them and for the load.
///
/// Rates of two loops on a machine whose second core makes the load say nothing: what counts is the work that a second of
/// the server's CPU time does. Raw epoll, whose loops share nothing, tells what the machine takes of it.
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
    let server: ServerKind
    let loops: Int
    /// Events or deliveries for each second of CPU time.
    let perUsedCore: Double
    /// The same, relative to one loop's side by side.
    let timesOneLoop: Double?
    let perSecond: Double
    let coresUsed: Double
    /// Sends for each event or delivery, and all other system calls for each message of a page.
    let sends: Double?
    let others: Double?
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var rows: [Row] = []
    for (work, scenario) in works {
      // A page of raw epoll hears only its own loop's, so its rooms cannot span two.
      for server in options.servers where server == .musubi || server == .epoll && !scenario.isFanOut {
        rows += try measure(work, scenario, server, options, report)
      }
    }
    for row in rows { try report.record(row) }
    for row in rows where row.loops > 1 && row.server == .musubi {
      report.budget(
        "\(row.loops) loops, \(row.work): work per used core x one loop", .atLeast, 0.9,
        reached: row.timesOneLoop)
    }
    try report.table(
      "One loop and more, 100 pages, on all cores",
      header: [
        "<work", "<server", "loops", "events/s", "cores used", "events/s per used core", "x one loop",
        "sends per event", "other calls per message",
      ],
      rows: rows.map { row in
        [
          row.work, row.server.title, readable(Double(row.loops)), readable(row.perSecond),
          readable(row.coresUsed, decimals: 2), readable(row.perUsedCore),
          readable(row.timesOneLoop, decimals: 2), readable(row.sends, decimals: 2),
          readable(row.others, decimals: 2),
        ]
      })
  }

  /// Measures one loop and more, in turn.
  private static func measure(
    _ work: String, _ scenario: Scenario, _ kind: ServerKind, _ options: Options, _ report: Report
  ) throws(BenchError) -> [Row] {
    var running: [(loops: Int, load: Load, server: ServerProcess)] = []
    defer { for (_, _, server) in running { server.stop() } }
    for loops in [1, 2] + [4, 8, 16, 32].filter({ $0 < Machine.coreCount }) {
      var own = options
      own.loops = loops
      own.pinsServer = false
      let (load, server) = try scenario.open(kind, own)
      running.append((loops, load, server))
      _ = try load.run(.seconds(options.repeatSeconds / 3))
    }
    var samples: [[Sample]] = running.map { _ in [] }
    for _ in 0..<options.repeatCount {
      for (index, one) in running.enumerated() {
        samples[index].append(try one.load.run(.seconds(options.repeatSeconds)))
      }
    }
    var rows: [Row] = []
    let samplesOfOne = samples[0]
    for (one, samples) in zip(running, samples) {
      let traced = try CountBenchmark.trace(
        one.load, .events(300 * scenario.eventsPerMessage), one.server, report)
      rows.append(row(work, scenario, kind, loops: one.loops, samples, beside: samplesOfOne, traced))
    }
    return rows
  }

  private static func row(
    _ work: String, _ scenario: Scenario, _ kind: ServerKind, loops: Int, _ samples: [Sample],
    beside one: [Sample], _ traced: (counts: musubi_trace_counts, sample: Sample)?
  ) -> Row {
    let events = traced.map { max(1, $0.sample.allEvents) } ?? 1
    let perUsedCore = samples.map { $0.events / $0.serverCPU }
    return Row(
      mode: Mode.loops.rawValue, work: work, server: kind, loops: loops,
      perUsedCore: median(perUsedCore),
      timesOneLoop: median(perUsedCore, relativeTo: one.map { $0.events / $0.serverCPU }),
      perSecond: median(samples.map(\.rate)),
      coresUsed: median(samples.map { $0.serverCPU / $0.seconds }),
      sends: traced.map { Double($0.counts.sends) / events },
      others: traced.map {
        Double($0.counts.receives + $0.counts.waits + $0.counts.others) / events
          * Double(scenario.eventsPerMessage)
      })
  }
}
