// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiRx

/// What an edit costs that two pages of a room see: without and with presence, and with carets as well.
///
/// Time is virtual, and each edit takes 10 ms of it: as if ten people typed ten characters a second.
enum PresenceBenchmark {
  /// One way.
  struct Row: Encodable {
    let mode: String
    let screen: String
    let showsCarets: Bool
    let reading: Stopwatch.Reading
  }

  static func add(to application: inout Application) {
    application.screen("text-alone", scope: .room, page: "note.html") { _ in WatchedText(nil) }
    application.screen("text-with-people", scope: .room, page: "note.html") { WatchedText($0.presence) }
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var rows: [Row] = []
    for (screen, showsCarets) in [
      ("text-alone", false), ("text-with-people", false), ("text-with-people", true),
    ] {
      let stage = try HubBenchmark.Stage(
        screen: screen, rooms: 1, pages: 2, inFlight: 1, step: .milliseconds(10))
      if showsCarets { try stage.showCarets() }
      let reading = try Stopwatch(options).read { count throws(BenchError) in try stage.run(events: count) }
      rows.append(
        Row(mode: Mode.ways.rawValue, screen: screen, showsCarets: showsCarets, reading: reading))
    }
    for row in rows { try report.record(row) }
    let alone = rows[0].reading.nanoseconds
    try report.table(
      "An edit that two pages see, with those who are there as an output, and with their carets",
      header: ["<the room shows", "ns per event", "spread", "of an event"],
      rows: zip(["the text", "and who is there", "and their carets"], rows).map { name, row in
        [
          name, readable(row.reading.nanoseconds), readable(row.reading.spread * 100) + " %",
          readable(row.reading.nanoseconds / alone, decimals: 2),
        ]
      })
  }
}

/// A text, and who is there.
private final class WatchedText: InputOutputViewModel {
  struct Inputs: Decodable {
    var number: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let number: Driver<String>
    let people: Driver<[Presence.Person]>?
  }

  private let presence: Driver<Presence>?

  init(_ presence: Driver<Presence>?) { self.presence = presence }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      number: inputs.number.asDriver(onErrorDriveWith: .empty()).startWith("0"),
      people: presence?.map(\.people))
  }
}
