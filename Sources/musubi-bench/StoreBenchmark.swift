// SPDX-License-Identifier: Apache-2.0

/// The price of sessions and rooms that survive a kill: the budgets once more, with sessions in a SQLite
/// file.
///
/// An event is over when its patch is at the page. Its typed text waits for the commit, so that the time of a commit is
/// part of it. CPU time is that of all threads of the server, the storage's among them.
enum StoreBenchmark {
  /// One figure, in memory and on the disk.
  struct Row: Encodable {
    let mode: String
    let work: String
    let inMemory: Double?
    let stored: Double?
    /// How many times as good it is with a store: above 1 is better.
    let ratio: Double?
    /// The budget of the design, which knows none that is for a store.
    var budget: Double?

    /// - Parameters:
    ///   - work: The kind of work, with its unit.
    ///   - figures: In memory, and on the disk.
    ///   - isRate: Whether more is better.
    ///   - budget: The budget without a store.
    init(_ work: String, _ figures: (Double?, Double?), isRate: Bool, budget: Double? = nil) {
      mode = Mode.store.rawValue
      self.work = work
      (inMemory, stored) = figures
      self.budget = budget
      if let inMemory, let stored, inMemory > 0, stored > 0 {
        ratio = isRate ? stored / inMemory : inMemory / stored
      } else {
        ratio = nil
      }
    }
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var (inMemory, stored) = (options, options)
    inMemory.servers = [.lws, .musubi]
    stored.servers = [.lws, .musubi]
    stored.storesSessions = true
    var rows: [Row] = []
    for inFlight in options.inFlight ?? [1, 16] {
      rows += try echo(inFlight, inMemory, stored)
    }
    rows += try commits(inMemory, stored, report)
    for inFlight in options.inFlight ?? [1, 16] {
      let (work, scenario) = (
        "\(inFlight) in flight", Scenario(mode: .count, active: 100, inFlight: inFlight)
      )
      let before = try CountBenchmark.count(work, scenario, .musubi, inMemory, report)
      let after = try CountBenchmark.count(work, scenario, .musubi, stored, report)
      let name = "100 connections, \(work): heap allocations per event"
      rows.append(Row(name, (before.allocations, after.allocations), isRate: false))
      report.find(.count, "with a store, \(work): heap allocations per event", after.allocations?.rounded())
    }
    let join = (try joins(inMemory), try joins(stored))
    rows.append(Row("joins/s", (join.0.perSecond, join.1.perSecond), isRate: true))
    let cpu = (join.0.serverMicrosecondsPerEvent, join.1.serverMicrosecondsPerEvent)
    rows.append(Row("join: server CPU us", cpu, isRate: false, budget: 100))
    let sessions = options.isQuick ? 3_000 : 10_000
    let bytes = (
      try MemoryBenchmark.bytesPerSession(.musubi, sessions: sessions, inMemory),
      try MemoryBenchmark.bytesPerSession(.musubi, sessions: sessions, stored)
    )
    rows.append(Row("idle session, of \(sessions): bytes", bytes, isRate: false, budget: 5_400))
    for row in rows { try report.record(row) }
    try report.table(
      "With sessions and rooms in a SQLite file",
      header: ["<figure", "in memory", "stored", "ratio", "budget"],
      rows: rows.map { row in
        [
          row.work, readable(row.inMemory, decimals: 2), readable(row.stored, decimals: 2),
          readable(row.ratio, decimals: 2), readable(row.budget, decimals: 2),
        ]
      })
  }

  private static func echo(_ inFlight: Int, _ inMemory: Options, _ stored: Options) throws(BenchError)
    -> [Row]
  {
    let scenario = Scenario(mode: .store, active: 100, inFlight: inFlight)
    let both = (try scenario.measure(inMemory), try scenario.measure(stored))
    func figure(_ path: KeyPath<Measurement, Double>) -> (Double?, Double?) {
      (
        both.0.first { $0.server == .musubi }?[keyPath: path],
        both.1.first { $0.server == .musubi }?[keyPath: path]
      )
    }
    let ratios = (
      both.0.first { $0.server == .musubi }?.ratioToLibwebsockets,
      both.1.first { $0.server == .musubi }?.ratioToLibwebsockets
    )
    let name = "100 connections, \(inFlight) in flight"
    return [
      Row("\(name): events/s", figure(\.perSecond), isRate: true, budget: inFlight == 16 ? 600_000 : nil),
      Row("\(name): x libwebsockets", ratios, isRate: true, budget: inFlight == 1 ? 0.85 : nil),
      Row(
        "\(name): server CPU us", figure(\.serverMicrosecondsPerEvent), isRate: false,
        budget: inFlight == 16 ? 1.5 : nil),
      Row("\(name): p50 us", figure(\.p50Microseconds), isRate: false),
    ]
  }

  /// How long an input waits for its acknowledgement where a commit has one input, and 256.
  ///
  /// It is the file's speed as well: on a RAM disk (`TMPDIR=/dev/shm`) the rest shows.
  private static func commits(
    _ inMemory: Options, _ stored: Options, _ report: Report
  ) throws(BenchError) -> [Row] {
    var options = (inMemory, stored)
    (options.0.servers, options.1.servers) = ([.musubi], [.musubi])
    var rows: [Row] = []
    for (connections, limit) in [(1, 150.0), (16, 1_000.0)] {
      let scenario = Scenario(mode: .store, active: connections, inFlight: connections)
      let both = (try scenario.measure(options.0).first, try scenario.measure(options.1).first)
      let inputs = connections * connections
      let name = "\(inputs) \(inputs == 1 ? "input" : "inputs") a commit: p50 us"
      rows.append(Row(name, (both.0?.p50Microseconds, both.1?.p50Microseconds), isRate: false))
      report.budget("stored, \(name)", .atMost, limit, reached: both.1?.p50Microseconds)
    }
    return rows
  }

  private static func joins(_ options: Options) throws(BenchError) -> Measurement {
    let (measurements, _) = try JoinBenchmark.measure(.join, options)
    guard let own = measurements.first(where: { $0.server == .musubi }) else {
      throw BenchError("nothing was measured")
    }
    return own
  }
}
