// SPDX-License-Identifier: Apache-2.0

/// One row of a list changes at a time, and its patch is back at the page that asked for it.
enum ListBenchmark {
  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var measurements: [Measurement] = []
    for active in options.connections ?? (options.isQuick ? [10] : [1, 10, 100]) {
      let scenario = Scenario(mode: .list, active: active, rows: 1_000)
      measurements += try scenario.measure(options)
    }
    try report.measurements(
      "One row of 1,000 changes, 1 in flight, each page with a list of its own: "
        + Measurement.sizes(measurements),
      event: "changes", measurements)
  }
}
