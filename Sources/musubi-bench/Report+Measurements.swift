// SPDX-License-Identifier: Apache-2.0

extension Report {
  /// Prints and records the measurements of one mode, with remarks about what distorts them.
  ///
  /// - Parameters:
  ///   - title: A line above the table.
  ///   - event: The counted event, in the plural.
  ///   - measurements: The rows.
  /// - Throws: `BenchError` if JSON cannot be written.
  func measurements(_ title: String, event: String, _ measurements: [Measurement]) throws(BenchError) {
    for measurement in measurements {
      try record(measurement)
      remarkDistortions(of: measurement)
    }
    if let others = measurements.compactMap(\.othersBusy).max(), others > 0.1 {
      remark(
        "other programs took up to \(readable(others * 100)) % of the servers' core: "
          + "trust CPU time, not rates and latencies")
    }
    let hasIdle = measurements.contains { $0.idle > 0 }
    let header = [
      "connections", hasIdle ? "idle" : "in flight", "<server", "\(event)/s", "per frame", "spread", "x lws",
      "x epoll",
      "p50 us", "p99 us", "server CPU us", "CPU x lws", "server busy", "load busy",
    ]
    let rows = measurements.map { measurement in
      [
        readable(Double(measurement.connections)),
        readable(Double(hasIdle ? measurement.idle : measurement.inFlight)),
        measurement.server.title,
        readable(measurement.perSecond),
        readable(measurement.eventsPerFrame, decimals: 1),
        readable(measurement.spread * 100) + " %",
        readable(measurement.ratioToLibwebsockets, decimals: 2),
        readable(measurement.ratioToEpoll, decimals: 2),
        readable(measurement.p50Microseconds, decimals: measurement.p50Microseconds < 100 ? 1 : 0),
        readable(measurement.p99Microseconds, decimals: measurement.p99Microseconds < 100 ? 1 : 0),
        readable(measurement.serverMicrosecondsPerEvent, decimals: 2),
        readable(measurement.cpuRatioToLibwebsockets, decimals: 2),
        readable(measurement.serverBusy * 100) + " %",
        readable(measurement.loadBusy * 100) + " %",
      ]
    }
    try table(title, header: header, rows: rows)
  }

  /// Says when a figure is a lower bound only, or was taken on a machine that had other work.
  private func remarkDistortions(of measurement: Measurement) {
    let name =
      "\(measurement.server.title), \(measurement.connections) connections, \(measurement.inFlight) in flight"
    if measurement.loadBusy > 0.95, measurement.serverBusy < 0.95 {
      remark("\(name): the load generator is the bottleneck; the server can do more")
    }
    if measurement.spread > 0.3 {
      remark("\(name): the repeats differ by \(readable(measurement.spread * 100)) %")
    }
  }
}
