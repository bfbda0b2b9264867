// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation
import GalleryScreens
import Musubi
import MusubiBinding
import MusubiServer
import MusubiSession

/// The number screen in the four ways of writing a ViewModel, without sockets.
enum WaysBenchmark {
  /// One way.
  struct Row: Encodable {
    let mode: String
    let way: String
    let lines: Int?
    let reading: Stopwatch.Reading
    var allocations = 0.0
    let bytes: Double
  }

  private static let ways: [(name: String, screen: String, files: [String])] = [
    ("outlets", "number", ["GalleryModel/Number/NumberViewModel", "GalleryScreens/Number/NumberView"]),
    (
      "inputs and outputs", "number-streams",
      ["GalleryModel/Ways/NumberStreams", "GalleryScreens/Ways/NumberStreams+Screen"]
    ),
    (
      "@Observable", "number-properties",
      ["GalleryModel/Ways/NumberProperties", "GalleryScreens/Ways/NumberProperties+Screen"]
    ),
    (
      "a state enum", "number-state",
      ["GalleryModel/Ways/NumberState", "GalleryScreens/Ways/NumberStateView"]
    ),
  ]

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var application = Application()
    Gallery.addNumber(to: &application)
    NumberWays.add(to: &application)
    WideScreens.add(to: &application)
    let screenBytes = ScreenBytes(
      measuring: application.routes, isHere: ProcessMemory.isOnThisThread
    ) { ProcessMemory.heapInUse }
    var rows: [Row] = []
    var stages: [HubBenchmark.Stage] = []
    for way in ways {
      let stage = try HubBenchmark.Stage(screen: way.screen, rooms: 1, inFlight: 1)
      let reading = try Stopwatch(options).read { count throws(BenchError) in try stage.run(events: count) }
      guard let heap = HeapBenchmark.measure(way.screen, application.routes, screenBytes) else {
        throw BenchError("a page of \(way.screen) was sent away")
      }
      stages.append(stage)
      rows.append(
        Row(
          mode: Mode.ways.rawValue, way: way.name, lines: try lines(of: way.files), reading: reading,
          bytes: heap.heap))
    }
    let wide = try measureWide(options, application, screenBytes)
    // Counting costs time.
    for place in rows.indices { rows[place].allocations = try allocations(stages[place]) }
    for row in rows {
      try report.record(row)
      report.find(.count, "ways, \(row.way): heap allocations per event", row.allocations.rounded())
    }
    try report.table(
      "The number screen in four ways: lines of code, an edit of one page, and a page without its connection",
      header: ["<way", "lines", "ns per event", "spread", "allocations per event", "bytes per session"],
      rows: rows.map { row in
        [
          row.way, row.lines.map { readable(Double($0)) } ?? "–", readable(row.reading.nanoseconds),
          readable(row.reading.spread * 100) + " %", readable(row.allocations, decimals: 1),
          readable(row.bytes),
        ]
      })
    try report.table(
      "One more output, which changes with each event",
      header: ["<way", "ns per event", "bytes per session"], rows: wide)
    try PresenceBenchmark.run(options, report)
  }

  /// What one more output costs that follows a field.
  private static func measureWide(
    _ options: Options, _ application: Application, _ screenBytes: ScreenBytes
  ) throws(BenchError) -> [[String]] {
    var rows: [[String]] = []
    for (way, name) in [("inputs and outputs", "streams"), ("@Observable", "properties")] {
      var nanoseconds: [Double] = []
      var bytes: [Double] = []
      for screen in ["\(name)-narrow", "\(name)-wide"] {
        let stage = try HubBenchmark.Stage(screen: screen, rooms: 1, inFlight: 1)
        let reading = try Stopwatch(options).read { count throws(BenchError) in try stage.run(events: count) }
        nanoseconds.append(reading.nanoseconds)
        guard let heap = HeapBenchmark.measure(screen, application.routes, screenBytes) else {
          throw BenchError("a page of \(screen) was sent away")
        }
        bytes.append(heap.heap)
      }
      rows.append([
        way, readable((nanoseconds[1] - nanoseconds[0]) / Double(WideScreens.more)),
        readable((bytes[1] - bytes[0]) / Double(WideScreens.more)),
      ])
    }
    return rows
  }

  private static func allocations(_ stage: HubBenchmark.Stage) throws(BenchError) -> Double {
    let events = 1_000
    musubi_count_allocations()
    let before = musubi_allocations()
    try stage.run(events: events)
    return Double(musubi_allocations() - before) / Double(events)
  }

  /// Lines that are neither empty nor comments; nil where the sources are not at hand.
  private static func lines(of files: [String]) throws(BenchError) -> Int? {
    var count = 0
    for file in files {
      guard FileManager.default.fileExists(atPath: "Sources/\(file).swift") else { return nil }
      do {
        let text = try String(contentsOfFile: "Sources/\(file).swift", encoding: .utf8)
        count += text.split(separator: "\n").count { !$0.drop { $0 == " " }.hasPrefix("//") }
      } catch { throw BenchError("\(file): \(error)") }
    }
    return count
  }
}
