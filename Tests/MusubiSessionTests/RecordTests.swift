// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiText
import MusubiWire
import Testing

@testable import MusubiSession

/// A desk with dice, a clock, a late answer, a text and a secret; `sides` is what a test changes.
private final class DeskView: View {
  let roll = Button("roll")
  let die = Label("die")
  let clock = Label("clock")
  let late = Label("late")
  let text = TextField("text")
  let length = Label("length")
  let secret = TextField("secret")
  let outside = Label("outside")
  private let context: ScreenContext
  private let sides: Int
  private let feed: PublishRelay<String>
  private let disposeBag = DisposeBag()

  init(_ context: ScreenContext, sides: Int, feed: PublishRelay<String>) {
    (self.context, self.sides, self.feed) = (context, sides, feed)
  }

  override class var rules: [InputRule<View>] { [.redact("secret")] }

  override func viewDidLoad() {
    var random = context.random
    let (clock, sides) = (context.clock, sides)
    roll.rx.tap.map { "\(Int.random(in: 1...sides, using: &random))" }.bind(to: die.rx.text)
      .disposed(by: disposeBag)
    roll.rx.tap.map { "\(clock.now.timeIntervalSince1970)" }.bind(to: self.clock.rx.text)
      .disposed(by: disposeBag)
    roll.rx.tap.delay(.milliseconds(50), scheduler: clock).map { "late" }.bind(to: late.rx.text)
      .disposed(by: disposeBag)
    text.rx.text.orEmpty.map { "\($0.count)" }.bind(to: length.rx.text).disposed(by: disposeBag)
    feed.bind(to: outside.rx.text).disposed(by: disposeBag)
  }
}

@Suite struct `A record of a room` {
  private let feed = PublishRelay<String>()

  private func route(sides: Int = 1_000_000) -> ScreenRoute {
    let feed = Carried(feed)
    return ScreenRoute(name: "desk", scope: .room) { context in
      DeskView(context, sides: sides, feed: feed.element)
    }
  }

  /// A session of three pages, and what is recorded of it; `isFed` has something come from outside.
  private func record(isFed: Bool = false, limit: Int = 1 << 20) throws -> String {
    let recorded = try RecordedRoom(route(), limit: limit)
    for member in 1...3 { recorded.join(member, at: member) }
    recorded.run(at: 10, .tap("roll", 1, 1))
    recorded.run(at: 20, .typed("text", 2, 1, "結び"), .typed("text", 3, 1, "x"))
    recorded.run(at: 30, .typed("secret", 1, 2, "swordfish"))
    if isFed {
      feed.accept("news")
      #expect(recorded.isWrittenOutside)
      recorded.run(at: 40, .outside)
    }
    recorded.run(at: 70)
    recorded.run(at: 80, .tap("roll", 2, 2), .tap("roll", 3, 2))
    recorded.run(at: 200, .connection(member: 2, isConnected: false), .leave(member: 2))
    return recorded.text
  }

  private func replay(_ record: String, sides: Int = 1_000_000) throws -> RoomReplay.Report {
    try RoomReplay(record: record).run(SessionConfiguration(), models: ModelProbe(), route(sides: sides).make)
  }

  @Test func `of three pages shows the same when it is replayed`() throws {
    let report = try replay(try record())

    #expect(report.end == .same)
    #expect(report.turns >= 8)
    #expect(report.events == 12)
    #expect(!report.isFull)
  }

  @Test func `keeps a value of null apart from a tap`() throws {
    let events: [RoomEvent] = [
      .input(member: 1, number: 1, name: "leaves", row: [], value: .null),
      .input(member: 1, number: 2, name: "leaves", row: [], value: nil),
    ]
    let json = try JSONEncoder().encode(events)
    #expect(try JSONDecoder().decode([RoomEvent].self, from: json) == events)
  }

  @Test func `has no carets, and its timers ring as they did`() throws {
    let recorded = try RecordedRoom(route())
    for member in 1...2 { recorded.join(member, at: member) }
    recorded.place(1, in: "text", at: 0)
    recorded.place(2, in: "text", at: 0)
    recorded.run(at: 10, .tap("roll", 1, 1))
    recorded.run(at: 55)
    recorded.run(at: 100)

    let report = try replay(recorded.text)

    #expect(report.end == .same)
    #expect(recorded.text.contains("late"))
    // Two pages, a tap and its timer.
    #expect(report.events == 4)
  }

  @Test func `tells the first turn that a changed program shows otherwise`() throws {
    let text = try record()

    let end = try replay(text, sides: 6).end

    guard case .differs(let difference) = end else {
      Issue.record("It ended with \(end).")
      return
    }
    #expect(difference.turn == 4)
    #expect(difference.at == .milliseconds(10))
    #expect(difference.events == ["page 1 sends roll"])
    #expect(difference.outputs.map(\.name) == ["die"])
    #expect(difference.outputs.first?.recorded != difference.outputs.first?.today)
    #expect(difference.outputs.first?.recorded?.count ?? 0 > 3)
  }

  @Test func `stops where something came from outside, and names what it changed`() throws {
    let end = try replay(try record(isFed: true)).end

    #expect(end == .cameFromOutside(turn: 7, at: .milliseconds(40), outputs: ["outside"]))
  }

  @Test func `has nothing of an input with a rule`() throws {
    let text = try record()

    let report = try replay(text)

    #expect(!text.contains("swordfish"))
    #expect(text.contains("結び"))
    #expect(report.leftOut == ["secret"])
  }

  @Test func `ends at its limit, and is replayed up to there`() throws {
    let whole = try record()

    let text = try record(limit: whole.utf8.count / 2)
    let report = try replay(text)

    #expect(text.utf8.count < whole.utf8.count / 2 + 40)
    #expect(whole.hasPrefix(text.split(separator: "\n").dropLast().joined(separator: "\n")))
    #expect(report.end == .same)
    #expect(report.isFull)
  }

  @Test func `that was cut anywhere is refused with a sentence, or is replayed up to there`() throws {
    let bytes = Array(try record().utf8)
    var runs = 0
    for count in stride(from: 0, to: bytes.count, by: 7) {
      do {
        let report = try replay(String(decoding: bytes.prefix(count), as: UTF8.self))
        guard report.end == .same else { throw ReplayError("\(count) bytes differ: \(report.end)") }
        runs += 1
      } catch {
        #expect((error as? ReplayError)?.description.contains("differ") == false, "\(error)")
      }
    }
    #expect(runs > 10)
  }

  @Test func `with wrong bytes is refused with a sentence, or is replayed up to a difference`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RandomSource(seed: seed)
    let record = Array(try record().utf8)
    var refused = 0
    for _ in 0..<300 {
      var bytes = record
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = bytes.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 32..<127, using: &random)
        case 1: bytes.insert(UInt8.random(in: 45..<58, using: &random), at: place)
        default: bytes.remove(at: place)
        }
      }
      do {
        let report = try replay(String(decoding: bytes, as: UTF8.self))
        #expect(report.turns <= 20, "seed \(seed)")
      } catch {
        #expect(error is ReplayError, "seed \(seed): \(error)")
        refused += 1
      }
    }
    #expect((1..<300).contains(refused), "seed \(seed)")
  }

  @Test(arguments: [
    (#""number":1,"session""#, #""number":9223372036854775807,"session""#),
    (#""sequence":1,"#, #""sequence":9223372036854775807,"#),
  ]) func `with a number that no room gives is refused`(number: String, other: String) throws {
    let text = try record()
    #expect(text.contains(number))

    #expect(throws: ReplayError.self) { try RoomReplay(record: text.replacing(number, with: other)) }
  }

  @Test(arguments: [
    ("", "the record is empty"), ("{}\n", "the first line is no head of a record"),
    (#"{"version":2}"#, "the record has version 2, and this program reads 1"),
  ]) func `of something else is refused`(text: String, sentence: String) {
    #expect(throws: ReplayError(sentence)) { try RoomReplay(record: text) }
  }

  @Test func `of a screen that is not there is refused`() throws {
    let replay = try RoomReplay(record: try record())

    #expect(throws: ReplayError("the program has no screen \"desk\"; it has number")) {
      try replay.route(among: [.number])
    }
  }
}
