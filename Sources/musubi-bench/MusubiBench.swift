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
      options.mostConnections = Machine.allowConnections()
      try run(options)
    } catch {
      fflush(nil)
      FileHandle.standardError.write(Data("musubi-bench: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ options: Options) throws(BenchError) {
    let report = try Report(jsonPath: options.jsonPath)
    if Machine.canPin {
      try Machine.pin(to: options.loadCore)
      print(
        "Servers on core \(options.serverCore), load on core \(options.loadCore). \(Machine.description).")
    } else {
      print(
        "One core for servers and load: rates say little, CPU time per event still does. \(Machine.description)."
      )
    }
    print("Median of \(options.repeatCount) repeats of \(options.repeatSeconds) s, servers in turn.")
    try report.record(MachineRecord(machine: Machine.description, seconds: options.repeatSeconds))
    for mode in options.modes { try run(mode, options, report) }
  }

  private static func run(_ mode: Mode, _ options: Options, _ report: Report) throws(BenchError) {
    switch mode {
    case .echo: try EchoBenchmark.run(options, report)
    case .fanout: try FanOutBenchmark.run(options, report)
    case .idle: try IdleBenchmark.run(options, report)
    case .memory: try MemoryBenchmark.run(options, report)
    case .join: try JoinBenchmark.run(options, report)
    case .count: try CountBenchmark.run(options, report)
    case .codec: try CodecBenchmark.run(options, report)
    case .rx: ReactiveBenchmark.run(rounds: options.repeatCount)
    }
  }

  /// The first JSON line.
  private struct MachineRecord: Encodable {
    let machine: String
    let seconds: Double
  }
}
