// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiClient
import MusubiScript
import MusubiServer

/// The command `bench`: visitors who play a script against a server, and how long each of its steps took.
struct BenchCommand {
  private struct Settings {
    var visitors = 10
    var duration = Duration.seconds(10)
    var pause = Duration.zero
    var deadline = Duration.seconds(10)
    var chart: String?
    var allowsRemote = false
  }

  static var help: String {
    """
    \(parser.help)

    Each visitor plays the script again and again, with new pages in each round; $fresh is another name in each. An input is
    measured until the server has acknowledged it, 'open' until the first state is there, 'expect' and 'settle' until they
    hold. 'still … for 500ms' is a pause. The exit status is 1 if a step has failed, or no round came to its end.
    """
  }

  private static var parser: OptionParser<Settings> {
    OptionParser(
      command: "bench",
      options: [
        Option(name: "visitors", placeholder: "N", help: "how many there are at a time, at most 1000 (10)") {
          (target, text) throws(CommandLineError) in
          guard let count = Int(text), (1...LoadPlan.maxVisitors).contains(count) else {
            throw CommandLineError(
              "--visitors takes a number from 1 to \(LoadPlan.maxVisitors), but \"\(text.prefix(80))\" came.")
          }
          target.visitors = count
        },
        Option(name: "for", placeholder: "TIME", help: "how long the load lasts, at most 3600s (10s)") {
          (target, text) throws(CommandLineError) in
          target.duration = try time(text, of: "--for", from: .milliseconds(1), to: .seconds(3_600))
        },
        Option(name: "pause", placeholder: "TIME", help: "how long a visitor waits between two rounds (0s)") {
          (target, text) throws(CommandLineError) in
          target.pause = try time(text, of: "--pause", from: .zero, to: .seconds(3_600))
        },
        Option(name: "deadline", placeholder: "TIME", help: "how long a step may take (10s)") {
          (target, text) throws(CommandLineError) in
          target.deadline = try time(text, of: "--deadline", from: .milliseconds(1), to: .seconds(3_600))
        },
        Option(name: "chart", placeholder: "FILE", help: "also write a chart, as SVG") {
          (target, text) throws(CommandLineError) in target.chart = text
        },
        Option(
          name: "remote", placeholder: nil, help: "allow a server on another machine, which has to be yours"
        ) { (target, _) throws(CommandLineError) in target.allowsRemote = true },
      ], readsEnvironment: false)
  }

  /// Puts the load on a server, and prints what it measured.
  ///
  /// - Parameters:
  ///   - words: The address, the script, and the options.
  ///   - folder: Where the script and the chart are.
  ///   - write: Takes the result.
  /// - Returns: The exit status: 1 if a step has failed, or no round came to its end.
  /// - Throws: `CommandLineError` for arguments that cannot be used, `ScriptError` for a script that cannot.
  static func run(_ words: [String], in folder: String, write: (String) -> Void) throws -> Int32 {
    let places = words.prefix { !$0.hasPrefix("-") }
    var settings = Settings()
    try parser.parse(Array(words.dropFirst(places.count)), environment: [:], into: &settings)
    guard places.count == 2, let address = places.first, let file = places.last else {
      throw CommandLineError(
        "bench takes the address of a server and a script, such as http://localhost:8080 visit.musubi; see bench --help."
      )
    }
    var plan = LoadPlan(server: try server(address), file: path(file, in: folder))
    guard plan.isLocal || settings.allowsRemote else {
      throw CommandLineError(
        "\(plan.server) is not on this machine; --remote allows a load on another machine, which has to be yours."
      )
    }
    plan.visitors = settings.visitors
    plan.duration = settings.duration
    plan.pause = settings.pause
    plan.deadline = settings.deadline
    // A script may open several pages.
    ProcessLimits.raiseOpenFiles(for: 8 * plan.visitors)
    let result: LoadResult
    do {
      result = try plan.run()
    } catch {
      throw CommandLineError(error.description)
    }
    write(result.text)
    if let chart = settings.chart {
      do {
        try Data(result.chart.utf8).write(to: URL(fileURLWithPath: path(chart, in: folder)))
      } catch {
        throw ToolError("the chart \(chart) cannot be written: \(error.localizedDescription)")
      }
    }
    return result.hasPassed ? 0 : 1
  }

  private static func server(_ address: String) throws(CommandLineError) -> ServerAddress {
    do throws(ClientError) {
      return try ServerAddress(address)
    } catch {
      throw CommandLineError("\(error)")
    }
  }

  private static func path(_ name: String, in folder: String) -> String {
    name.hasPrefix("/") ? name : folder + "/" + name
  }

  private static func time(
    _ text: String, of option: String, from least: Duration, to most: Duration
  ) throws(CommandLineError) -> Duration {
    guard let time = Duration(scriptText: text), (least...most).contains(time) else {
      throw CommandLineError(
        "\(option) takes a time such as 500ms or 30s, of at most an hour, but \"\(text.prefix(80))\" came.")
    }
    return time
  }
}
