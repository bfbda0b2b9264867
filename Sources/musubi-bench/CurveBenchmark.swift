// SPDX-License-Identifier: Apache-2.0

/// How the cost of one event changes as pages, idle pages and rows grow.
enum CurveBenchmark {
  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let pages = try measure([10, 30, 100, 300, 1_000, 3_000, 10_000], options) { count in
      Scenario(mode: .curves, active: count, isFanOut: true)
    }
    let idle = try measure([0, 100, 1_000, 10_000, 19_000], options) { count in
      Scenario(mode: .curves, active: 90, idle: min(count, options.maxConnections - 90))
    }
    var musubiOnly = options
    musubiOnly.servers = [.musubi]
    var rows = try measure([10, 100, 1_000, 10_000], musubiOnly) { count in
      Scenario(mode: .curves, active: 1, rows: count)
    }
    // One change takes long there.
    musubiOnly.seconds = max(2, options.repeatSeconds)
    rows += try measure([100_000], musubiOnly) { Scenario(mode: .curves, active: 1, rows: $0) }
    for one in pages + idle + rows { try report.record(one.measurement) }
    try table("CPU of the server per delivery, as the pages of one room grow", "pages", pages, report)
    try table("CPU of the server per event, as idle pages grow beside 90 active ones", "idle", idle, report)
    try rowsTable(rows, report)
    if let path = options.chartPath { try chart(pages, idle, rows).write(to: path) }
    try checkBytes(rows)
  }

  /// The measurement at one place of a curve.
  private struct Point {
    let place: Int
    let measurement: Measurement
  }

  private static func measure(
    _ places: [Int], _ options: Options, _ scenario: (Int) -> Scenario
  ) throws(BenchError) -> [Point] {
    var points: [Point] = []
    for place in places {
      for one in try scenario(place).measure(options) { points.append(Point(place: place, measurement: one)) }
    }
    return points
  }

  private static func table(
    _ title: String, _ place: String, _ points: [Point], _ report: Report
  ) throws(BenchError) {
    let servers = ServerKind.allCases.filter { kind in points.contains { $0.measurement.server == kind } }
    let places = points.map(\.place).reduce(into: [Int]()) { if $0.last != $1 { $0.append($1) } }
    try report.table(
      title, header: [place] + servers.map { "\($0.title), us" },
      rows: places.map { place in
        [readable(Double(place))]
          + servers.map { kind in
            let point = points.first { $0.place == place && $0.measurement.server == kind }
            return readable(point?.measurement.serverMicrosecondsPerEvent, decimals: 2)
          }
      })
  }

  private static func rowsTable(_ points: [Point], _ report: Report) throws(BenchError) {
    try report.table(
      "One row of a list changes, as the list grows",
      header: ["rows", "bytes per change", "CPU us per change", "ns per row"],
      rows: points.map { point in
        let time = point.measurement.serverMicrosecondsPerEvent
        return [
          readable(Double(point.place)), readable(point.measurement.bytesPerEvent),
          readable(time, decimals: 1),
          readable(time * 1_000 / Double(point.place), decimals: 1),
        ]
      })
  }

  /// A change must not cost bytes in proportion to the rows; only the row's own number grows.
  private static func checkBytes(_ points: [Point]) throws(BenchError) {
    guard let shortest = points.first?.measurement.bytesPerEvent else { return }
    for point in points where point.measurement.bytesPerEvent > shortest + 16 {
      throw BenchError(
        "a change in \(point.place) rows takes \(readable(point.measurement.bytesPerEvent)) bytes, "
          + "in the shortest list \(readable(shortest))")
    }
  }

  private static func chart(_ pages: [Point], _ idle: [Point], _ rows: [Point]) -> Chart {
    func lines(_ points: [Point]) -> [Chart.Line] {
      ServerKind.allCases.reversed().compactMap { kind in
        let own = points.filter { $0.measurement.server == kind }
        guard !own.isEmpty else { return nil }
        return Chart.Line(
          name: kind.title,
          points: own.map { (Double(max(1, $0.place)), $0.measurement.serverMicrosecondsPerEvent) })
      }
    }
    return Chart(
      title: "Server CPU per event. \(Machine.description)",
      panels: [
        Chart.Panel(title: "per delivery, by pages in the room", unit: "us", lines: lines(pages)),
        Chart.Panel(title: "per event, by idle pages beside 90", unit: "us", lines: lines(idle)),
        Chart.Panel(title: "per changed row, by rows of the list", unit: "us", lines: lines(rows)),
      ])
  }
}
