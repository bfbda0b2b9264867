// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiRx
import MusubiTesting
import Testing

@testable import GalleryModel
@testable import MusubiBinding

@Suite(.timeLimit(.minutes(5))) struct `The studio's ViewModel` {
  private let clock = TestScheduler(initialClock: 0, resolution: 0.1)
  private let model: StudioModel
  private let screen: TestScreen
  private let removed = Removed()

  /// The pictures whose files were deleted.
  private final class Removed {
    var ids: [String] = []
  }

  init() throws {
    let removed = removed
    let model = StudioModel(clock: clock) { removed.ids.append($0.id) }
    self.model = model
    screen = try Self.screen(clock, removed) { context in Shared(model, sender: context.visitor) }
  }

  private static func screen(
    _ clock: TestScheduler, _ removed: Removed, state: StudioViewModel.State? = nil,
    studio: (ScreenContext) -> Shared<StudioModel>
  ) throws -> TestScreen {
    try TestScreen(query: [:], visitor: Visitor(id: "a", displayName: "Ann"), clock: clock) { context in
      StudioViewModel(
        context, studio: studio(context), state: state,
        keep: { file in
          guard file.name != "broken.png" else { throw CocoaError(.fileWriteNoPermission) }
          return "/studio/pictures/\(file.id).png"
        }, remove: { removed.ids.append($0.id) }, pause: {})
    }
  }

  private static let png =
    [UInt8](Data(base64Encoded: "iVBORw0KGgo=") ?? Data()) + [UInt8](repeating: 0, count: 40)

  @Test func `adds up the columns of a table that have numbers`() async throws {
    let table = "tea,cups,\"loss, kg\"\r\nsencha,2,-1.5\r\n\"a \"\"b\"\"\",3,\r\n"
    try screen.upload("harvest.csv", Array(table.utf8), to: "file")
    await screen.settle()

    #expect(screen["sumsBars"]?.contains(#""name":"cups","text":"5""#) == true)
    #expect(screen["sumsBars"]?.contains(#""name":"loss, kg","text":"-1.5""#) == true)
    #expect(screen["sumsBars"]?.contains("\"tea\"") == false)
  }

  @Test func `adds up nothing that is no number`() async throws {
    try screen.upload("odd.csv", Array("a,b,c\nnan,inf,1e308\n1,2,1e308\n".utf8), to: "file")
    await screen.settle()

    #expect(screen["sumsBars"]?.contains(#""name":"a","text":"1""#) == true)
    #expect(screen["sumsBars"]?.contains(#""name":"b","text":"2""#) == true)
    #expect(screen["sumsBars"]?.contains(#""name":"c""#) == false)
  }

  @Test func `tells of each writer for itself, and of five at most`() {
    func write(_ name: String) { model.handle(.write, from: Visitor(id: name, displayName: name)) }
    write("Ann")
    clock.advanceTo(clock.clock + 20)
    write("Bob")
    clock.advanceTo(clock.clock + 21)
    #expect(model.writers.value == ["Bob"])

    for name in ["Cem", "Dee", "Eve", "Fay", "Gil"] { write(name) }
    #expect(model.writers.value == ["Bob", "Cem", "Dee", "Eve", "Fay"])
  }

  @Test func `bounds a line in bytes, whatever a character has`() {
    model.handle(
      .say(String(repeating: "e" + String(repeating: "\u{301}", count: 100), count: 500)), from: .anonymous)

    #expect(model.lines.value[0].text.utf8.count <= 2_000 && !model.lines.value[0].text.isEmpty)
    // The page's field ends at 500 UTF-16 units.
    for longest in [String(repeating: "👨‍👩‍👧‍👦", count: 45), String(repeating: "茶", count: 500)] {
      model.handle(.say(longest), from: .anonymous)
      #expect(model.lines.value.last?.text == longest)
    }
  }

  @Test func `hangs the newest pictures, and deletes the others`() throws {
    for number in 1...14 {
      try screen.upload("\(number).png", Self.png + [UInt8(number)], to: "file")
    }

    #expect(model.pictures.value.map(\.name).prefix(2) == ["14.png", "13.png"])
    #expect(model.pictures.value.count == 12 && removed.ids.count == 2)
    #expect(screen["problem"] == "")
  }

  @Test func `says which file could not be kept`() throws {
    try screen.upload("broken.png", Self.png, to: "file")
    #expect(screen["problem"] == "broken.png")

    try screen.upload("tea.png", Self.png, to: "file")
    #expect(screen["problem"] == "")
    try screen.upload("long.csv", [UInt8](repeating: 0x61, count: 524_289), to: "file")
    #expect(screen["problem"] == "long.csv" && screen["table"] == "")
  }

  @Test func `deletes a picture that the studio does not take, and says which`() throws {
    let screen = try Self.screen(clock, removed) { Shared(.failing(.busy), $0) }
    try screen.upload("tea.png", Self.png, to: "file")

    #expect(screen["problem"] == "tea.png" && removed.ids.count == 1)
  }

  @Test func `puts back a line that the studio does not take, and says which`() throws {
    let screen = try Self.screen(clock, removed) { Shared(.failing(.busy), $0) }
    try screen.type("Hello", into: "draft")
    try screen.tap("say")

    #expect(screen["problem"] == "Hello" && screen["draft"] == "Hello")
  }

  @Test func `names no guest among those who write`() throws {
    model.handle(.write, from: .anonymous)
    model.handle(.write, from: Visitor(id: "b", displayName: "Bob"))

    #expect(screen["writers"] == "…, Bob")
  }

  @Test func `clears what was said, and tells for four seconds who writes`() throws {
    try screen.type("Hel", into: "draft")
    #expect(screen["writers"] == "Ann")
    try screen.type("Hello", into: "draft")
    try screen.tap("say")
    #expect(model.lines.value == [StudioModel.Line(id: 1, author: "Ann", text: "Hello")])
    #expect(screen["draft"] == "" && screen["writers"] == "")

    clock.advanceTo(clock.clock + 30)
    try screen.type("again", into: "draft")
    #expect(screen["writers"] == "Ann")
    clock.advanceTo(clock.clock + 41)
    #expect(screen["writers"] == "")
    try screen.tap("say")
    try screen.tap("say")
    #expect(model.lines.value.map(\.text) == ["Hello", "again"])
  }

  @Test func `has a meter that moves ten times a second`() throws {
    #expect(screen["meterLine.isEmpty"] == "true")
    clock.advanceTo(20)

    #expect(screen["meterLine.p0"]?.split(separator: " ").count == 4)
    #expect(screen["meterLine.p4"]?.hasPrefix("15,") == true)
  }

  @Test func `shows the sums that were stored; those of 0.2.0 are gone, and what was typed is not`() throws {
    let stored = [
      #"{"draft":"Hel","shown":{"table":"tea.csv","bars":[{"id":1,"name":"cups","value":5}]}}"#,
      #"{"draft":"Hel","table":"tea.csv","sums":[{"column":"cups","value":5}]}"#,
    ]
    let screens = try stored.map { stored in
      let state = try JSONDecoder().decode(StudioViewModel.State.self, from: Data(stored.utf8))
      return try Self.screen(clock, removed, state: state) { _ in Shared(model) }
    }

    #expect(screens.map { $0["draft"] } == ["Hel", "Hel"])
    #expect(screens.map { $0["table"] } == ["tea.csv", ""])
    #expect(screens.map { $0["sumsBars"]?.contains(#""name":"cups","text":"5""#) } == [true, false])
  }

  @Test func `is stored, and the studio with it`() throws {
    model.handle(.say("kept"), from: .anonymous)
    model.handle(.say(String(repeating: "x", count: 600)), from: .anonymous)
    let again = StudioModel(clock: clock, state: model.state) { _ in }

    #expect(
      again.lines.value.map(\.text.count) == [4, 500]
        && again.lines.value.map(\.author) == ["", ""])
  }
}

@Suite struct `A table as CSV` {
  @Test(
    arguments: [
      ("", []), ("a", [["a"]]), ("a,b\n", [["a", "b"]]), ("a,b\r\nc", [["a", "b"], ["c"]]),
      (",", [["", ""]]),
      ("\"a,\n\"\"b\"\"\",c", [["a,\n\"b\"", "c"]]), ("\"open", [["open"]]), ("\"\"", [[""]]),
      ("a\"b", [["a\"b"]]),
      ("\"\"\"\"", [["\""]]),
    ] as [(String, [[String]])])
  func `is read as far as it is one`(text: String, rows: [[String]]) {
    #expect(Table(text).rows == rows)
  }

  /// With a row that is copied for each of its cells, or a cell for each of its quotes, this takes minutes.
  @Test func `is read once, also where it is one row of many cells, or one cell of many quotes`() {
    let row = String(repeating: ",", count: 524_288)
    #expect(Table(row).rows.map(\.count) == [524_289])
    let cell = "\"" + String(repeating: "\"\"", count: 262_000) + "\""
    #expect(Table(cell).rows.map { $0.map(\.count) } == [[262_000]])
  }
}
