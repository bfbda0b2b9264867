// SPDX-License-Identifier: Apache-2.0

/// User memory after many sessions came and left.
///
/// The server keeps the newest 20,000 sessions for pages that may return. Memory must not grow once so many wait.
enum ChurnBenchmark {
  /// Sessions that come and leave before the first look, more than the server keeps.
  private static let first = 25_000
  /// Connections under way at a time.
  private static let concurrency = 64

  /// One row.
  struct Row: Encodable {
    let mode: String
    let server: ServerKind
    let visits: Int
    let before: Int
    let halfway: Int
    let after: Int

    /// Growth in bytes per visit, and as a share of what there was.
    var growth: Double { Double(after - before) / Double(visits) }
    var share: Double { Double(after - before) / Double(max(1, before)) }
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let visits = options.visits ?? (options.isQuick ? 10_000 : 100_000)
    // The baselines keep nothing of who has left: a quick run need not look.
    let isWanted = { (kind: ServerKind) in
      options.servers.contains(kind) && (kind == .musubi || !options.isQuick)
    }
    var rows: [Row] = []
    for kind in ServerKind.allCases where isWanted(kind) {
      rows.append(try measure(kind, visits, options))
    }
    for row in rows { try report.record(row) }
    try report.table(
      "User memory as sessions come and leave, once \(readable(Double(first))) have done so",
      header: ["<server", "visits", "kB before", "kB halfway", "kB after", "growth", "bytes per visit"],
      rows: rows.map { row in
        [
          row.server.title, readable(Double(row.visits)), readable(Double(row.before) / 1024),
          readable(Double(row.halfway) / 1024), readable(Double(row.after) / 1024),
          readable(row.share * 100, decimals: 1) + " %", readable(row.growth, decimals: 1),
        ]
      })
    // The allocator's scatter comes to an end; a leak with each visit does not.
    for row in rows where row.server == .musubi && row.share > 0.08 {
      throw BenchError("memory has grown by \(readable(row.share * 100)) % with \(row.visits) visits")
    }
  }

  private static func measure(
    _ kind: ServerKind, _ visits: Int, _ options: Options
  ) throws(BenchError) -> Row {
    let server = try ServerProcess(kind, options)
    defer { server.stop() }
    let scenario = Scenario(mode: .churn, active: concurrency)
    let traffic = Traffic(server: kind, client: options.client, greetingBytes: 260, isAlone: true)
    _ = try Load.join(scenario, traffic, to: server, .events(first))
    let before = try server.anonymousMemory()
    _ = try Load.join(scenario, traffic, to: server, .events(visits / 2))
    let halfway = try server.anonymousMemory()
    _ = try Load.join(scenario, traffic, to: server, .events(visits - visits / 2))
    return Row(
      mode: Mode.churn.rawValue, server: kind, visits: visits, before: before, halfway: halfway,
      after: try server.anonymousMemory())
  }
}
