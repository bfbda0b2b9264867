// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// System calls, heap allocations and bytes per event: unlike times, counts are the same on every machine.
enum CountBenchmark {
  /// One row.
  struct Row: Encodable {
    let mode: String
    let work: String
    let server: ServerKind
    /// nil if the system forbids to trace.
    let receives: Double?
    let sends: Double?
    let waits: Double?
    let others: Double?
    /// nil for another executable, which does not count.
    let allocations: Double?
    /// Payload bytes of an answer, over a fixed number of events: the numbers in it grow with them.
    let bytes: Double

    var systemCalls: Double? {
      guard let receives, let sends, let waits, let others else { return nil }
      return receives + sends + waits + others
    }
  }

  /// The counted scenarios; in an exchange of one connection nothing depends on the load's speed.
  private static let scenarios = [
    ("1 in flight", Scenario(mode: .count, active: 1)),
    ("16 in flight", Scenario(mode: .count, active: 1, inFlight: 16)),
    ("fan-out to 100", Scenario(mode: .count, active: 100, isFanOut: true)),
    ("fan-out to 100, 16 in flight", Scenario(mode: .count, active: 100, inFlight: 16, isFanOut: true)),
    ("one row of 1,000", Scenario(mode: .count, active: 1, rows: 1_000)),
  ]

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var rows: [Row] = []
    for (work, scenario) in scenarios {
      for kind in ServerKind.allCases where options.servers.contains(kind) {
        rows.append(try count(work, scenario, kind, options, report))
      }
    }
    for row in rows { try report.record(row) }
    findings(rows, report)
    try report.table(
      "System calls and heap allocations of the server, per event or delivery",
      header: ["<work", "<server", "receive", "send", "wait", "other", "allocations"],
      rows: rows.map { row in
        let counts = [row.receives, row.sends, row.waits, row.others]
        return [row.work, row.server.title] + (counts + [row.allocations]).map { readable($0, decimals: 2) }
      })
  }

  /// Whole numbers are compared: the server's own timers, and how many messages a `recv` finds, change the rest.
  private static func findings(_ rows: [Row], _ report: Report) {
    for row in rows where row.server == .musubi {
      guard let scenario = scenarios.first(where: { $0.0 == row.work })?.1 else { continue }
      let messages = Double(scenario.eventsPerMessage)
      let allocations = row.allocations.map { ($0 * messages).rounded() }
      report.find(.count, "\(row.work): heap allocations per message", allocations)
      guard scenario.inFlight == 1 else { continue }
      report.find(.count, "\(row.work): bytes per event or delivery", row.bytes.rounded())
      report.find(.count, "\(row.work): system calls per event or delivery", row.systemCalls?.rounded())
    }
  }

  static func count(
    _ work: String, _ scenario: Scenario, _ kind: ServerKind, _ options: Options, _ report: Report
  ) throws(BenchError) -> Row {
    let (load, server) = try scenario.open(kind, options)
    defer { server.stop() }
    // After so many the room's log and the text's history have their full length.
    let warmUp = scenario.rows == nil ? 1_500 : 600
    let first = try load.run(.events(warmUp * scenario.eventsPerMessage))
    let allocations = try allocations(of: load, scenario, server, options)
    // A tracer makes each call slow, so that few publications must do where each is a hundred deliveries.
    let messages = scenario.isFanOut ? 64 : 320
    let traced = try trace(load, .events(messages * scenario.eventsPerMessage), server, report)
    func perEvent(_ path: KeyPath<musubi_trace_counts, UInt64>) -> Double? {
      traced.map { Double($0.counts[keyPath: path]) / max(1, $0.sample.allEvents) }
    }
    return Row(
      mode: Mode.count.rawValue, work: work, server: kind, receives: perEvent(\.receives),
      sends: perEvent(\.sends), waits: perEvent(\.waits), others: perEvent(\.others),
      allocations: allocations, bytes: first.bytesReceived / max(1, first.allEvents))
  }

  /// Counts system calls while a load runs.
  ///
  /// - Parameters:
  ///   - load: What runs.
  ///   - limit: How long.
  ///   - server: Whose calls.
  ///   - report: Gets a remark if the system forbids to trace.
  /// - Returns: The counts and what happened meanwhile; nil if the system forbids to trace.
  /// - Throws: `BenchError` if the load fails.
  static func trace(
    _ load: Load, _ limit: LoadLimit, _ server: ServerProcess, _ report: Report
  ) throws(BenchError) -> (counts: musubi_trace_counts, sample: Sample)? {
    var failure: Int32 = 0
    guard let trace = musubi_trace_start(server.identifier, &failure) else {
      report.remark("no system calls: the system forbids to trace (\(String(cString: strerror(failure))))")
      return nil
    }
    let result = Result { try load.run(limit) }
    let counts = musubi_trace_stop(trace)
    do { return (counts, try result.get()) } catch { throw BenchError("\(error)") }
  }

  /// Counts in a run of its own, without the tracer, and takes off what the server's looks at its memory allocate meanwhile.
  private static func allocations(
    of load: Load, _ scenario: Scenario, _ server: ServerProcess, _ options: Options
  ) throws(BenchError) -> Double? {
    guard server.kind != .musubi || options.galleryPath == nil, let before = server.allocations() else {
      return nil
    }
    let sample = try load.run(.events(600 * scenario.eventsPerMessage))
    guard let after = server.allocations() else { return nil }
    sleep(1)
    guard let idle = server.allocations() else { return nil }
    return max(0, Double(after - before) - Double(idle - after) * sample.seconds) / max(1, sample.allEvents)
  }
}
