// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The command line of the benchmark.
@main struct MusubiBench {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == ServerKind.serveCommand, arguments.count > 1 {
      exit(await ServerKind(rawValue: arguments[1])?.serve(Array(arguments.dropFirst(2))) ?? 2)
    }
    do throws(BenchError) {
      var options = try Options(arguments: arguments)
      guard !options.wantsHelp else { return print(Options.help) }
      options.maxConnections = Machine.allowConnections()
      if let address = options.loadServer {
        if Machine.canPin { try Machine.pin(to: options.loadCore) }
        try LoadServer.run(at: address, maxConnections: options.maxConnections)
      }
      try await run(options)
    } catch {
      fflush(nil)
      FileHandle.standardError.write(Data("musubi-bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ options: Options) async throws(BenchError) {
    var options = options
    let report = try Report(options)
    var place = "One core for servers and load: rates say little, CPU time per event still does."
    if Machine.canPin {
      try Machine.pin(to: options.loadCore)
      place = "Servers on core \(options.serverCore), load on core \(options.loadCore)."
    }
    if let address = options.loadAddress {
      let loads = try RemoteLoads(at: address)
      options.loads = loads
      options.maxConnections = min(options.maxConnections, loads.greeting.maxConnections)
      place = "Servers on core \(options.serverCore), load on another machine (\(loads.greeting.machine))."
    }
    try report.say(
      "machine",
      """
      \(place) \(Machine.description).
      Median of \(options.repeatCount) repeats of \(options.repeatSeconds) s, servers in turn.
      """)
    try report.record(MachineRecord(machine: Machine.description, seconds: options.repeatSeconds))
    for mode in options.modes { try await run(mode, options, report) }
    try report.showBudgets()
    try await compare(options, report)
  }

  private static func run(_ mode: Mode, _ options: Options, _ report: Report) async throws(BenchError) {
    report.begin(mode)
    switch mode {
    case .echo: try EchoBenchmark.run(options, report)
    case .fanout: try FanOutBenchmark.run(options, report)
    case .idle: try IdleBenchmark.run(options, report)
    case .list: try ListBenchmark.run(options, report)
    case .memory: try MemoryBenchmark.run(options, report)
    case .churn: try ChurnBenchmark.run(options, report)
    case .join: try JoinBenchmark.run(options, report)
    case .resume: try JoinBenchmark.runResume(options, report)
    case .tls: try TLSBenchmark.run(options, report)
    case .count: try CountBenchmark.run(options, report)
    case .codec: try CodecBenchmark.run(options, report)
    case .text: try TextBenchmark.run(options, report)
    case .hub: try HubBenchmark.run(options, report)
    case .heap: try await HeapBenchmark.run(options, report)
    case .left: try await LeftBenchmark.run(options, report)
    case .rx: try ReactiveBenchmark.run(options, report)
    case .ways: try WaysBenchmark.run(options, report)
    case .store: try StoreBenchmark.run(options, report)
    case .cluster: try await ClusterBenchmark.run(options, report)
    case .curves: try CurveBenchmark.run(options, report)
    case .loops: try LoopBenchmark.run(options, report)
    case .soak: try SoakBenchmark.run(options, report)
    case .peers: try PeerBenchmark.run(options, report)
    }
  }

  /// Compares the findings with the thresholds; a noisy machine gets three tries.
  private static func compare(_ options: Options, _ report: Report) async throws(BenchError) {
    if let path = options.updatePath {
      try Thresholds(report.findings, beside: path).write(to: path)
      print("\nWrote \(report.findings.count) thresholds into \(path).")
    }
    guard let path = options.checkPath else { return }
    let thresholds = try Thresholds(path: path)
    var result = thresholds.compare(report.findings)
    for attempt in 2...3 where !result.broken.isEmpty {
      print("\nTry \(attempt), because of:")
      result.broken.forEach { print("  \($0)") }
      for mode in options.modes where result.modes.contains(mode) { try await run(mode, options, report) }
      result = thresholds.compare(report.findings)
    }
    let command = "musubi-bench \(options.modes.map(\.rawValue).joined(separator: " ")) --update \(path)"
    if !result.better.isEmpty {
      print("\nBetter than the thresholds; `\(command)` keeps it so:")
      result.better.forEach { print("  \($0)") }
    }
    guard result.broken.isEmpty else {
      throw BenchError(
        """
        worse than the thresholds in \(path):
          \(result.broken.joined(separator: "\n  "))
        If that is the price of something worth it, `\(command)` makes it the new threshold; say why in the commit.
        """)
    }
    print("\n\(report.findings.count) figures hold the thresholds of \(path).")
  }

  /// The first JSON line.
  private struct MachineRecord: Encodable {
    let machine: String
    let seconds: Double
  }
}
