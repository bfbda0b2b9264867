// SPDX-License-Identifier: Apache-2.0

/// One row of a list changes at a time, and its patch is back at the page that asked for it.
enum ListBenchmark {
  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let whole = try run(options, report, tellsChange: false, "")
    let told = try run(options, report, tellsChange: true, "; the model tells which one")
    var short = options
    short.servers = [.musubi]
    // The same work for a list of one row: what is left is the price of the list.
    let one = try Scenario(mode: .list, active: 10, rows: 1, tellsChange: true).measure(short)
    guard let event = one.first?.serverMicrosecondsPerEvent else { return }
    report.budget("one row of 1,000 changes: server CPU us", .atMost, 12, reached: whole)
    report.budget(
      "one row of 1,000 changes, told: server CPU us more than one of 1", .atMost, 1, reached: told - event)
  }

  /// - Returns: Musubi's CPU microseconds for a change, with ten connections.
  private static func run(
    _ options: Options, _ report: Report, tellsChange: Bool, _ how: String
  ) throws(BenchError) -> Double {
    var measurements: [Measurement] = []
    for active in options.connections ?? (options.isQuick ? [10] : [1, 10, 100]) {
      let scenario = Scenario(mode: .list, active: active, rows: 1_000, tellsChange: tellsChange)
      measurements += try scenario.measure(options)
    }
    try report.measurements(
      "One row of 1,000 changes, 1 in flight, each page with a list of its own\(how): "
        + Measurement.sizes(measurements),
      event: "changes", measurements)
    let ours = measurements.filter { $0.server == .musubi }
    return (ours.first { $0.connections == 10 } ?? ours.last)?.serverMicrosecondsPerEvent ?? 0
  }
}
