// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// System calls and heap allocations per event: unlike times, counts are the same on every machine.
enum CountBenchmark {
  /// One row.
  struct Row: Encodable {
    let mode: String
    let work: String
    let server: ServerKind
    let receives: Double
    let sends: Double
    let waits: Double
    let others: Double
    /// nil for another executable, which does not count.
    let allocations: Double?
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let scenarios = [
      ("1 in flight", Scenario(mode: .count, active: 1)),
      ("16 in flight", Scenario(mode: .count, active: 1, inFlight: 16)),
      ("fan-out to 10", Scenario(mode: .count, active: 10, isFanOut: true)),
      ("fan-out to 10, 16 in flight", Scenario(mode: .count, active: 10, inFlight: 16, isFanOut: true)),
    ]
    var rows: [Row] = []
    for (work, scenario) in scenarios {
      for kind in ServerKind.allCases where options.servers.contains(kind) {
        rows.append(try count(work, scenario, kind, options))
      }
    }
    for row in rows { try report.record(row) }
    report.table(
      "System calls and heap allocations of the server, per event or delivery",
      header: ["<work", "<server", "receive", "send", "wait", "other", "allocations"],
      rows: rows.map { row in
        let counts = [row.receives, row.sends, row.waits, row.others]
        return [row.work, row.server.title] + (counts + [row.allocations]).map { readable($0, decimals: 2) }
      })
  }

  private static func count(
    _ work: String, _ scenario: Scenario, _ kind: ServerKind, _ options: Options
  ) throws(BenchError) -> Row {
    let server = try ServerProcess(kind, options)
    defer { server.stop() }
    let traffic = Traffic(server: kind, client: options.client, isFanOut: scenario.isFanOut)
    let load = try Load(scenario, traffic, to: server)
    _ = try load.run(seconds: 0.05)
    var failure: Int32 = 0
    guard let trace = musubi_trace_start(server.identifier, &failure) else {
      throw BenchError("the system forbids to count system calls: \(String(cString: strerror(failure)))")
    }
    let result = Result { try load.run(seconds: options.isQuick ? 0.2 : 0.5) }
    let counts = musubi_trace_stop(trace)
    let sample: Sample
    do { sample = try result.get() } catch { throw BenchError("\(error)") }
    let events = max(1, sample.allEvents)
    return Row(
      mode: Mode.count.rawValue, work: work, server: kind, receives: Double(counts.receives) / events,
      sends: Double(counts.sends) / events, waits: Double(counts.waits) / events,
      others: Double(counts.others) / events,
      allocations: try allocations(of: load, server, options))
  }

  /// Counts in a run of its own, without the tracer.
  private static func allocations(
    of load: Load, _ server: ServerProcess, _ options: Options
  ) throws(BenchError) -> Double? {
    guard server.kind != .musubi || options.galleryPath == nil, let before = server.allocations() else {
      return nil
    }
    let sample = try load.run(seconds: 0.2)
    guard let after = server.allocations() else { return nil }
    return Double(after - before) / max(1, sample.allEvents)
  }
}
