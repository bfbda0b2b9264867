// SPDX-License-Identifier: Apache-2.0

/// Sessions that open, are greeted with their first state, and leave.
enum JoinBenchmark {
  /// Connections under way at a time.
  private static let concurrency = 64

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let scenario = Scenario(mode: .join, active: options.connections?.first ?? concurrency)
    let servers = ServerKind.allCases.reversed().filter { options.servers.contains($0) }
    var greetingBytes = 260
    var processes: [(ServerProcess, Traffic)] = []
    defer { processes.forEach { $0.0.stop() } }
    for kind in servers {
      let server = try ServerProcess(kind, options)
      let traffic = Traffic(server: kind, client: options.client, greetingBytes: greetingBytes, label: "warm")
      processes.append((server, traffic))
      let warmUp = try Load.join(scenario, traffic, to: server, seconds: options.repeatSeconds / 3)
      if kind == .musubi { greetingBytes = Int((warmUp.bytesReceived / max(1, warmUp.events)).rounded()) }
    }
    var samples: [[Sample]] = servers.map { _ in [] }
    for repetition in 0..<options.repeatCount {
      for (index, (server, traffic)) in processes.enumerated() {
        var traffic = traffic
        traffic.label = "r\(repetition)"
        samples[index].append(try Load.join(scenario, traffic, to: server, seconds: options.repeatSeconds))
      }
    }
    let measurements = zip(servers, samples).map { Measurement(scenario, $0, $1) }
    try report.measurements(
      "Sessions joined: connect, handshake, first state (\(greetingBytes) bytes), leave with 1001",
      event: "sessions", measurements.reversed().map { $0.compared(with: measurements) })
  }
}
