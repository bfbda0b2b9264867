// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgresServers

/// Servers that share the rooms through a PostgreSQL database: what it costs that a page's room is on another one, what a
/// commit costs there, and how long pages wait when a server is killed.
///
/// The first server has all rooms, so that a page at it is at home, and each page at another one is served over a link. All of
/// them are on the server's core, as one is in the other modes; the database is where the system puts it.
enum ClusterBenchmark {
  /// Pages of one kind, at one place, beside the same at home.
  struct Row: Encodable {
    let mode = Mode.cluster.rawValue
    let work: String
    let place: String
    let perSecond: Double
    let p50Microseconds: Double
    let p99Microseconds: Double
    /// CPU time of all servers for each event, in microseconds.
    let serverMicrosecondsPerEvent: Double
    /// How many times the rate of the bare echo: the median of what repeats side by side found.
    let timesLibwebsockets: Double?
    /// The same with the rate at home.
    let timesHome: Double?
    /// The median that it takes longer than at home, in microseconds, found the same way.
    let moreThanAtHome: Double?
  }

  static func run(_ options: Options, _ report: Report) async throws(BenchError) {
    guard options.loadAddress == nil else {
      throw BenchError("cluster makes a part of its load itself; leave out --load")
    }
    // The database is not on the load's core alone.
    try Machine.unpin()
    guard let database = PostgresServer.start("max_connections=100") else {
      if Machine.canPin { try Machine.pin(to: options.loadCore) }
      return print("\ncluster: not measured, because PostgreSQL is missing.")
    }
    defer { withExtendedLifetime(database) {} }
    try ClusterCommits.run(database, options, report)
    if Machine.canPin { try Machine.pin(to: options.loadCore) }
    try links(database, options, report)
    try ClusterCrowd.run(database, options, report)
    try ClusterTakeOver.run(database, options, report)
  }

  // MARK: - Links

  private static func links(
    _ database: PostgresServer, _ options: Options, _ report: Report
  ) throws(BenchError) {
    let servers = try ClusterServers(3, on: database, options)
    defer { servers.stop() }
    var rows: [Row] = []
    for active in options.connections ?? (options.isQuick ? [1] : [1, 100]) {
      let name = "\(active) \(active == 1 ? "page" : "pages")"
      let echo = try measure(
        "a row, \(name)", Scenario(mode: .cluster, active: active, rows: 1), servers, options)
      let typed = try measure(
        "stored text, \(name)", Scenario(mode: .cluster, active: active), servers, options)
      rows += echo + typed
      guard active == 1 else { continue }
      report.budget(
        "echo over a link, 1 page: us more than at home (p50)", .atMost, 60,
        reached: echo.last?.moreThanAtHome)
    }
    let crowd = options.isQuick ? 300 : 1_000
    rows += try measure(
      "fan-out to \(crowd) pages", Scenario(mode: .cluster, active: crowd, isFanOut: true), servers, options)
    for row in rows { try report.record(row) }
    try report.table(
      "Rooms at home, and over links to the server that has them; 1 in flight",
      header: [
        "<work", "<pages are", "events/s", "x libwebsockets", "x home", "p50 us", "p50 us more than at home",
        "p99 us",
        "CPU us of all servers",
      ],
      rows: rows.map { row in
        [
          row.work, row.place, readable(row.perSecond), readable(row.timesLibwebsockets, decimals: 2),
          readable(row.timesHome, decimals: 2),
          readable(row.p50Microseconds), readable(row.moreThanAtHome), readable(row.p99Microseconds),
          readable(row.serverMicrosecondsPerEvent, decimals: 2),
        ]
      })
  }

  /// Measures the bare echo, pages at home, and pages elsewhere, in turn.
  private static func measure(
    _ work: String, _ scenario: Scenario, _ servers: ClusterServers, _ options: Options
  ) throws(BenchError) -> [Row] {
    let nodes = servers.nodes
    func load(_ label: String, _ first: Int, _ others: [ServerProcess] = []) throws(BenchError) -> Load {
      let traffic = Traffic(
        server: .musubi, client: options.client, isFanOut: scenario.isFanOut,
        label: label + work.filter(\.isNumber),
        rows: scenario.rows)
      return try Load(scenario, traffic, to: nodes[first], and: others)
    }
    let bare = try scenario.open(.lws, options)
    defer { bare.1.stop() }
    // In a fan-out a third of the pages is at home, and so is the one that types.
    let away = scenario.isFanOut ? try load("spread", 0, Array(nodes[1...])) : try load("away", 1)
    let places = [
      ("libwebsockets in C", bare.0), ("at home", try load("home", 0)),
      (scenario.isFanOut ? "on three servers" : "over a link", away),
    ]
    var samples = [[Sample]](repeating: [], count: places.count)
    var costs = [[Double]](repeating: [], count: places.count)
    for turn in -1..<options.repeatCount {
      for (index, (_, load)) in places.enumerated() {
        let before = servers.cpuSeconds
        let sample = try load.run(.seconds(options.repeatSeconds))
        guard turn >= 0 else { continue }
        samples[index].append(sample)
        let used = index == 0 ? sample.serverCPU : servers.cpuSeconds - before
        costs[index].append(used / max(1, sample.allEvents) * 1e6)
      }
    }
    let home = samples[1]
    return places.indices.map { index in
      Row(
        work: work, place: places[index].0, perSecond: median(samples[index].map(\.rate)),
        p50Microseconds: median(samples[index].map(\.p50Microseconds)),
        p99Microseconds: median(samples[index].map(\.p99Microseconds)),
        serverMicrosecondsPerEvent: median(costs[index]),
        timesLibwebsockets: index == 0
          ? nil : median(samples[index].map(\.rate), relativeTo: samples[0].map(\.rate)),
        timesHome: index == 2 ? median(samples[index].map(\.rate), relativeTo: home.map(\.rate)) : nil,
        moreThanAtHome: index < 2
          ? nil : median(zip(samples[index], home).map { $0.p50Microseconds - $1.p50Microseconds }))
    }
  }
}
