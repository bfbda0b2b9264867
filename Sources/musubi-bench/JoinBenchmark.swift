// SPDX-License-Identifier: Apache-2.0

/// Sessions that open, are greeted with their first state, and leave; or that come back after a lost connection.
enum JoinBenchmark {
  /// Connections under way at a time.
  private static let concurrency = 64

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let (measurements, bytes) = try measure(.join, options)
    for one in measurements where one.server == .musubi {
      report.find(.ratio, "join: CPU of libwebsockets, divided", one.cpuRatioToLibwebsockets)
      report.budget("join: server CPU us", .atMost, 100, reached: one.serverMicrosecondsPerEvent)
    }
    try report.measurements(
      "Sessions joined: connect, handshake, first state (\(bytes) bytes), leave with 1001", event: "sessions",
      measurements)
    let (vanishing, _) = try measure(.join, options, vanishes: true)
    for one in vanishing where one.server == .musubi {
      report.budget(
        "join beside pages that vanish: server CPU us", .atMost, 90, reached: one.serverMicrosecondsPerEvent)
    }
    try report.measurements(
      "The same of pages that vanish, and whose sessions wait for them", event: "sessions", vanishing)
  }

  static func runResume(_ options: Options, _ report: Report) throws(BenchError) {
    let (measurements, bytes) = try measure(.resume, options)
    for one in measurements where one.server == .musubi {
      report.find(.ratio, "resume: CPU of libwebsockets, divided", one.cpuRatioToLibwebsockets)
    }
    try report.measurements(
      "Sessions resumed: connect, handshake, resume (answer \(bytes) bytes), lose the connection",
      event: "sessions", measurements)
  }

  static func measure(
    _ mode: Mode, _ options: Options, vanishes: Bool = false
  ) throws(BenchError) -> ([Measurement], greetingBytes: Int) {
    let scenario = Scenario(mode: mode, active: options.connections?.first ?? concurrency)
    let servers = ServerKind.allCases.reversed().filter { options.servers.contains($0) }
    var greetingBytes = 260
    var processes: [(ServerProcess, Traffic)] = []
    defer { processes.forEach { $0.0.stop() } }
    for kind in servers {
      let server = try ServerProcess(kind, options)
      let traffic = Traffic(
        server: kind, client: options.client, greetingBytes: greetingBytes, isAlone: true,
        resumes: mode == .resume, vanishes: vanishes)
      processes.append((server, traffic))
      let warmUp = try Load.join(scenario, traffic, to: server, .events(500))
      if kind == .musubi { greetingBytes = Int((warmUp.bytesReceived / max(1, warmUp.events)).rounded()) }
    }
    var samples: [[Sample]] = servers.map { _ in [] }
    for turn in 0..<options.repeatCount {
      let order = Array(processes.enumerated())
      for (index, (server, traffic)) in turn.isMultiple(of: 2) ? order : order.reversed() {
        samples[index].append(try Load.join(scenario, traffic, to: server, .seconds(options.repeatSeconds)))
      }
    }
    let measurements = zip(servers, samples).map { Measurement(scenario, $0, $1) }
    return (measurements.reversed().map { $0.compared(with: measurements) }, greetingBytes)
  }
}
