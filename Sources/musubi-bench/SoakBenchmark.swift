// SPDX-License-Identifier: Apache-2.0

/// Half load for minutes: memory must not grow.
///
/// Pages type, publish, come and leave for half of each second; the other half is quiet.
enum SoakBenchmark {
  /// One row.
  struct Row: Encodable {
    let mode: String
    let minute: Double
    let events: Double
    let joins: Double
    let kilobytes: Double
    let p99Microseconds: Double
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let typing = Scenario(mode: .soak, active: 100, inFlight: 4)
    let publishing = Scenario(mode: .soak, active: 100, isFanOut: true)
    let (writers, server) = try typing.open(.musubi, options)
    defer { server.stop() }
    let audience = try Load(
      publishing, Traffic(server: .musubi, client: options.client, isFanOut: true, label: "all"), to: server)
    let visitors = Traffic(server: .musubi, client: options.client, isAlone: true)
    let visiting = Scenario(mode: .soak, active: 16)
    // As many sessions as the server keeps for pages that may return; from then on memory has no reason to grow.
    _ = try Load.join(visiting, visitors, to: server, .events(25_000))

    var rows: [Row] = []
    var events = 0.0
    var joins = 0.0
    var latencies: [Double] = []
    let start = Stopwatch.seconds()
    while Stopwatch.seconds() - start < options.minutes * 60 {
      let typed = try writers.run(.seconds(0.25))
      let published = try audience.run(.seconds(0.15))
      joins += try Load.join(visiting, visitors, to: server, .seconds(0.1)).events
      try writers.rest(seconds: 0.25)
      try audience.rest(seconds: 0.25)
      events += typed.allEvents + published.allEvents
      latencies.append(typed.p99Microseconds)
      let minute = (Stopwatch.seconds() - start) / 60
      guard minute - (rows.last?.minute ?? 0) >= min(1, options.minutes / 10) else { continue }
      let row = Row(
        mode: Mode.soak.rawValue, minute: minute, events: events, joins: joins,
        kilobytes: Double(try server.anonymousMemory()) / 1024, p99Microseconds: median(latencies))
      rows.append(row)
      latencies = []
      try report.record(row)
      print("  minute \(readable(minute, decimals: 1)): \(readable(row.kilobytes)) kB")
    }
    try report.table(
      "Half load", header: ["minute", "events", "sessions joined", "user memory, kB", "p99 us"],
      rows: rows.map { row in
        [
          readable(row.minute, decimals: 1), readable(row.events), readable(row.joins),
          readable(row.kilobytes),
          readable(row.p99Microseconds),
        ]
      })
    try checkGrowth(rows)
  }

  /// The last third of the run may not need more memory than the middle one, but for what an allocator scatters.
  private static func checkGrowth(_ rows: [Row]) throws(BenchError) {
    let third = rows.count / 3
    guard third > 0 else { return }
    let middle = median(rows[third..<2 * third].map(\.kilobytes))
    let last = median(rows[(2 * third)...].map(\.kilobytes))
    guard last <= middle * 1.03 + 512 else {
      throw BenchError(
        "memory grows: \(readable(middle)) kB in the middle of the run, \(readable(last)) kB at its end")
    }
  }
}
