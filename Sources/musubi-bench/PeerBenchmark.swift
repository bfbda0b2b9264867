// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A screen like the number one on NiceGUI, Bokeh and Shiny for Python, beside Musubi.
///
/// `Tests/Peers/measure.py` makes an environment with them from PyPI, serves each, and drives all of them and Musubi by one
/// client of its own over their real wire protocols.
enum PeerBenchmark {
  /// What the program prints, one JSON object per line.
  private struct Row: Codable {
    let peer: String
    let version: String
    let work: String
    let perSecond: Double
    let spread: Double
    let serverMicroseconds: Double
    let clientBusy: Double
    let bytes: Double
    let memoryPerSession: Double?
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    guard options.loadAddress == nil else {
      throw BenchError("peers makes its load itself; leave out --load")
    }
    let server = try ServerProcess(.musubi, options)
    defer { server.stop() }
    let output = try measure(server, options)
    var rows: [Row] = []
    for line in output.split(separator: "\n") where line.hasPrefix("{") {
      do { rows.append(try JSONDecoder().decode(Row.self, from: Data(line.utf8))) } catch {
        throw BenchError("Tests/Peers/measure.py printed \(line.prefix(200)): \(error)")
      }
    }
    for row in rows {
      try report.record(row)
      if row.clientBusy > 0.95 {
        report.remark("\(row.peer), \(row.work): the client was the bottleneck; compare CPU, not rates")
      }
    }
    try report.table(
      "The same screen, one server core, one client for all of them",
      header: [
        "<work", "<server", "events/s", "spread", "Musubi is x", "server CPU us", "Musubi takes 1/x", "bytes",
        "kB per idle session", "client busy",
      ],
      rows: rows.map { row in cells(row, rows.first { $0.work == row.work && $0.peer == "Musubi" }) })
  }

  private static func cells(_ row: Row, _ musubi: Row?) -> [String] {
    [
      row.work, "\(row.peer) \(row.version)", readable(row.perSecond), readable(row.spread * 100) + " %",
      readable(musubi.map { $0.perSecond / row.perSecond }, decimals: 1),
      readable(row.serverMicroseconds, decimals: 1),
      readable(musubi.map { row.serverMicroseconds / $0.serverMicroseconds }, decimals: 1),
      readable(row.bytes),
      readable(row.memoryPerSession.map { $0 / 1024 }), readable(row.clientBusy * 100) + " %",
    ]
  }

  private static func measure(_ server: ServerProcess, _ options: Options) throws(BenchError) -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "Tests/Peers/measure.py", "--musubi", "\(server.port)", "--musubi-pid",
      "\(server.identifier)", "--server-core", "\(options.serverCore)", "--load-core", "\(options.loadCore)",
      // The slowest of them answers some twenty events a second.
      "--seconds", "\(max(1, options.repeatSeconds))", "--repeats", "\(min(5, options.repeatCount))",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    do {
      try process.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw BenchError("Tests/Peers/measure.py ended with \(process.terminationStatus)")
      }
      return String(decoding: output, as: UTF8.self)
    } catch let error as BenchError { throw error } catch {
      throw BenchError("cannot run Tests/Peers/measure.py: \(error.localizedDescription)")
    }
  }
}
