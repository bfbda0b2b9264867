// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Musubi
import MusubiRx

/// A key typed into the middle of a text that ten people type at the same time: what it costs as the text grows.
enum TextBenchmark {
  /// One row.
  struct Row: Encodable {
    let mode: String
    let length: Int
    let reading: Stopwatch.Reading
    let allocations: Double
    let allocatedBytes: Double
  }

  private static let lengths = [60, 600, 6_000, 60_000]
  private static let typists = 10

  static func add(to application: inout Application) {
    for length in lengths {
      application.screen("text-\(length)", scope: .room, page: "note.html") { _ in LongText(length) }
    }
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    musubi_count_allocations()
    var rows: [Row] = []
    for length in lengths {
      let stage = try HubBenchmark.Stage(screen: "text-\(length)", rooms: 1, pages: typists, inFlight: 1)
      let reading = try Stopwatch(options).read { count throws(BenchError) in
        try stage.run(keys: count, middle: length / 2)
      }
      let (keys, before, bytes) = (10_000, musubi_allocations(), musubi_allocated_bytes())
      try stage.run(keys: keys, middle: length / 2)
      rows.append(
        Row(
          mode: Mode.text.rawValue, length: length, reading: reading,
          allocations: Double(musubi_allocations() - before) / Double(keys),
          allocatedBytes: Double(musubi_allocated_bytes() - bytes) / Double(keys)))
    }
    for row in rows { try report.record(row) }
    if let shortest = rows.first {
      report.find(
        .count, "a key of ten typists: heap allocations", shortest.allocations.rounded())
    }
    if let longest = rows.last {
      let name = "a key in the middle of a text of \(longest.length), ten typists"
      report.budget("\(name): us", .atMost, 5, reached: longest.reading.nanoseconds / 1_000)
      report.budget("\(name): bytes of allocation", .atMost, 200, reached: longest.allocatedBytes)
    }
    try report.table(
      "A key in the middle of a text, ten typists, none of whom has seen the others' last key",
      header: ["characters", "ns per key", "spread", "allocations", "bytes of them"],
      rows: rows.map { row in
        [
          readable(Double(row.length)), readable(row.reading.nanoseconds),
          readable(row.reading.spread * 100) + " %", readable(row.allocations, decimals: 2),
          readable(row.allocatedBytes),
        ]
      })
  }
}

/// A text that is there from the start.
private final class LongText: InputOutputViewModel {
  struct Inputs: Decodable {
    var number: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let number: Driver<String>
  }

  private let length: Int

  init(_ length: Int) { self.length = length }

  func bind(_ inputs: Inputs) -> Outputs {
    let text = String(repeating: "a", count: length)
    return Outputs(number: inputs.number.asDriver(onErrorDriveWith: .empty()).startWith(text))
  }
}
