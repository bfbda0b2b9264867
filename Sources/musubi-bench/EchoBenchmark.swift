// SPDX-License-Identifier: Apache-2.0

/// Text typed on a page until its patch is back at that page, beside a bare echo of the same size.
enum EchoBenchmark {
  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var measurements: [Measurement] = []
    for active in options.connections ?? (options.isQuick ? [100] : [1, 100, 1_000]) {
      for inFlight in options.inFlight ?? [1, 16] {
        measurements += try Scenario(mode: .echo, active: active, inFlight: inFlight).measure(options)
      }
    }
    for one in measurements where one.server == .musubi {
      let name = "echo, \(one.connections) connections, \(one.inFlight) in flight"
      report.find(.ratio, "\(name): CPU of libwebsockets, divided", one.cpuRatioToLibwebsockets)
      guard one.connections == 100 else { continue }
      if one.inFlight == 1 {
        report.budget("\(name): rate x libwebsockets", .atLeast, 0.85, reached: one.ratioToLibwebsockets)
      } else {
        report.budget("\(name): events/s", .atLeast, 600_000, reached: one.perSecond)
        report.budget("\(name): server CPU us", .atMost, 1.5, reached: one.serverMicrosecondsPerEvent)
      }
    }
    try report.measurements(
      "Event -> patch at the sender: \(Measurement.sizes(measurements))", event: "events", measurements)
    try behind(options, report)
  }

  /// Edits of pages whose answers are on their way: each refers to a revision sixteen back.
  private static func behind(_ options: Options, _ report: Report) throws(BenchError) {
    guard options.client == .edits else { return }
    let scenario = Scenario(mode: .echo, active: 100, inFlight: 16, behind: 16)
    let measurements = try scenario.measure(options)
    for one in measurements where one.server == .musubi {
      report.budget(
        "edits behind by 16 revisions, 100 connections, 16 in flight: events/s", .atLeast, 700_000,
        reached: one.perSecond)
    }
    try report.measurements(
      "The same of pages that have not seen their last 16 edits come back: \(Measurement.sizes(measurements))",
      event: "events", measurements)
  }
}

/// One page types, and all pages of its room see it, beside a bare broadcast of the same size.
enum FanOutBenchmark {
  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var measurements: [Measurement] = []
    for active in options.connections ?? (options.isQuick ? [100] : [100, 1_000]) {
      for inFlight in options.inFlight ?? [1, 16] {
        let scenario = Scenario(mode: .fanout, active: active, inFlight: inFlight, isFanOut: true)
        measurements += try scenario.measure(options)
      }
    }
    for one in measurements where one.server == .musubi && one.framesPerEvent < 0.99 {
      report.remark(
        "Musubi, \(one.connections) connections, \(one.inFlight) in flight: "
          + "\(readable(one.framesPerEvent, decimals: 2)) frames per delivery; some frames carry several")
    }
    for one in measurements where one.server == .musubi {
      let name = "fan-out, \(one.connections) connections, \(one.inFlight) in flight"
      report.find(.ratio, "\(name): CPU of libwebsockets, divided", one.cpuRatioToLibwebsockets)
      if one.inFlight == 1 {
        report.budget("\(name): rate x libwebsockets", .atLeast, 0.95, reached: one.ratioToLibwebsockets)
      } else if one.connections == 100 {
        report.budget("\(name): deliveries/s", .atLeast, 2_500_000, reached: one.perSecond)
      }
    }
    try report.measurements(
      "Fan-out; a delivery is one publication at one page: \(Measurement.sizes(measurements))",
      event: "deliveries", measurements)
    try plain(options, report)
  }

  /// Pages that show a text and do not edit it get it whole.
  private static func plain(_ options: Options, _ report: Report) throws(BenchError) {
    let scenario = Scenario(mode: .fanout, active: 100, isFanOut: true, client: .plain)
    let measurements = try scenario.measure(options)
    for one in measurements where one.server == .musubi {
      report.budget(
        "fan-out to 100 clients without edits=1, 1 in flight: rate x raw epoll", .atLeast, 0.95,
        reached: one.ratioToEpoll)
    }
    try report.measurements(
      "Fan-out to clients without `edits=1`: \(Measurement.sizes(measurements))", event: "deliveries",
      measurements)
  }
}

/// Active connections beside idle ones: the cost of those that only stay.
enum IdleBenchmark {
  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var measurements: [Measurement] = []
    for wanted in options.isQuick ? [0, 5_000] : [0, 10_000, 19_000] {
      for active in options.connections ?? [90] {
        let idle = min(wanted, options.maxConnections - active)
        measurements += try Scenario(mode: .idle, active: active, idle: idle).measure(options)
      }
    }
    for one in measurements where one.server == .musubi && one.idle > 0 {
      let name = "\(one.connections) active beside \(one.idle) idle: CPU without idle ones, divided"
      let alone = measurements.first { $0.server == .musubi && $0.idle == 0 }?.serverMicrosecondsPerEvent
      let ratio = alone.map { $0 / one.serverMicrosecondsPerEvent }
      report.find(.ratio, name, ratio)
      report.budget(name, .atLeast, 0.9, reached: ratio)
    }
    try report.measurements(
      "Active beside idle connections, 1 in flight: \(Measurement.sizes(measurements))", event: "events",
      measurements)
  }
}
