// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiServer
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiAdmin

@Suite struct `The inspector` {
  private let rooms = InspectedRooms()

  private static let head =
    #"{"version":1,"key":{"screen":"note","name":"tea","isPrivate":false},"epoch":"e","path":"/note","parameters":{},"#
    + #""query":{},"visitor":{"locales":[]},"seed":1,"made":1000,"isPresented":false}"#
  private static let begin = [
    head, #"{"at":0,"start":{"text":"","cups":0,"rows":[{"id":1,"name":"a"}]}}"#,
    #"{"at":1000000,"guest":{"number":1,"session":"s","screen":0,"visitor":{"displayName":"Ann","locales":[]}}}"#,
    #"{"at":1000000,"event":{"join":{"member":1}}}"#, #"{"at":1000000,"turn":{}}"#,
  ]

  private func room(_ lines: [String]) throws -> any RecordFile {
    let file = try #require(rooms.file(ofScreen: "note"))
    for line in Self.begin + lines { #expect(file.write(Array((line + "\n").utf8))) }
    return file
  }

  private static func cups(_ number: Int, bytes: Int = 0) -> [String] {
    let time = 1_000_000 * (1 + number)
    let value = "\"\(String(repeating: "x", count: bytes))\""
    return [
      #"{"at":\#(time),"event":{"input":{"member":1,"number":\#(number),"name":"pour","row":[],"value":\#(value)}}}"#,
      #"{"at":\#(time),"turn":{"sequence":\#(number),"patch":[{"op":"replace","path":"/cups","value":\#(number)}]}}"#,
    ]
  }

  private func screen(at room: String? = nil) throws -> TestScreen {
    try TestScreen { [rooms] in
      InspectorViewModel(rooms: rooms, language: .english, room: room, clock: MainScheduler.instance)
    }
  }

  @Test func `shows what a room shows, what has changed it, and who was it`() throws {
    let typed = [
      #"{"at":5000000,"event":{"edit":{"member":1,"number":9,"name":"text","revision":0,"edit":[[0,0,"Tea"]]}}}"#,
      #"{"at":5000000,"turn":{"sequence":4,"edits":{"text":{"revision":1,"steps":[[[0,0,"Tea"]]]}}}}"#,
    ]
    let file = try room((1...3).flatMap { Self.cups($0) } + typed)
    let page = InspectorPage(rooms, .init(room: 1), .english)

    #expect(page.rooms.map(\.screen) == ["note"] && page.rooms.map(\.name) == ["tea"])
    #expect(page.chosen.title == "note / tea" && page.chosen.people == "Page 1 (Ann)")
    #expect(page.tree.map(\.name) == ["text", "cups", "rows", "[id=1]", "id", "name"])
    #expect(page.tree.map(\.value) == [#""Tea""#, "3", "", "", "1", #""a""#])
    #expect(page.tree.map { !$0.flash.isEmpty } == [true, false, false, false, false, false])
    #expect(page.lines.map(\.what).prefix(3) == ["Turn 4", "types into text", "Turn 3"])
    #expect(page.lines[1].who == "Page 1 (Ann)" && page.lines[1].detail == #"[[0,0,"Tea"]]"#)
    #expect(page.slider.max == 4 && page.turn == 4 && page.slider.label == "Turn 4, at 0.005 s")
    withExtendedLifetime(file) {}
  }

  @Test func `goes back over the turns, and follows the room again`() throws {
    let file = try room((1...3).flatMap { Self.cups($0) })
    let screen = try screen(at: "1")
    func cups() -> Bool { screen["tree"]?.contains(#""name":"cups","value":"1""#) ?? false }
    #expect(!cups() && screen["isLive"] == "true" && screen["turn"] == "3")

    try screen.send(1, to: "turn")
    #expect(cups() && screen["isLive"] == "false")
    #expect(screen["lines"]?.contains("Turn 2") == false)

    try screen.send(0, to: "turn")
    #expect(screen["tree"]?.contains(#""name":"cups","value":"0""#) == true)

    try screen.send(3, to: "turn")
    #expect(screen["isLive"] == "true")
    try screen.send(1, to: "turn")
    try screen.tap("live")
    #expect(screen["isLive"] == "true" && !cups())
    withExtendedLifetime(file) {}
  }

  @Test func `shows the page of a room as it was, without inputs, to who looks at it`() throws {
    rooms.pages.know(inputs: ["note": ["text", "pour"]])
    let typed = [
      #"{"at":4000000,"turn":{"sequence":3,"edits":{"/rows/1/name":{"revision":1,"text":"a","steps":[[[1,0,"bc"]]]}}}}"#
    ]
    let file = try room((1...2).flatMap { Self.cups($0) } + typed)
    let look = rooms.pages.look(at: InspectorPage.Choice(room: 1))
    let clock = TestScheduler(initialClock: 0, resolution: 0.1)
    let screen = try ScreenInstance("note") {
      try ShownScreen(of: "note", as: "\(look.id)", rooms, clock: clock)
    }
    func shown(_ name: String) -> String? {
      screen.board.slots.first { $0.name == name }?.value?.description
    }
    screen.load()
    #expect(shown("cups") == "2" && shown("rows") == #"[{"id":1,"name":"abc"}]"#)
    let permissions = try screen.rules().permissions
    #expect(Set(permissions.keys) == ["text", "pour"])
    #expect(try !screen.grants(#require(permissions["pour"]), to: Visitor(id: "Ann", roles: ["owner"])))

    look.choice.line = rooms.room(1)?.lines.first(where: \.isTurn)?.number
    clock.advanceTo(3)
    #expect(shown("cups") == "1" && shown("rows") == #"[{"id":1,"name":"a"}]"#)

    func find(_ screen: String, _ look: String?) throws {
      _ = try ScreenInstance(screen) { try ShownScreen(of: screen, as: look, rooms, clock: clock) }
    }
    #expect(throws: ScreenNotFound.self) { try find("note", nil) }
    #expect(throws: ScreenNotFound.self) { try find("note", "7") }
    #expect(throws: ScreenNotFound.self) { try find("tea", "\(look.id)") }
    withExtendedLifetime(file) {}
  }

  @Test func `has a page for each room whose screen has one`() throws {
    let rooms = InspectedRooms(pages: [
      "note": PageRoute(path: "/note", file: "paper.html"), "status": PageRoute(path: "/s", file: "s.html"),
      "board": PageRoute(path: "/metrics", file: "board.html"),
      "book": PageRoute(path: "/books/<id>", file: "book.html"),
    ])
    func frame(_ screen: String, _ path: String) throws -> String {
      let file = try #require(rooms.file(ofScreen: screen))
      let lines = Self.begin.map {
        $0.replacing(#""path":"/note""#, with: #""path":"\#(path)""#) + "\n"
      }
      #expect(file.write(Array(lines.joined().utf8)))
      let id = rooms.all.map(\.id).max() ?? 0
      let view = try TestScreen {
        InspectorViewModel(rooms: rooms, language: .english, room: "\(id)", clock: MainScheduler.instance)
      }
      return try #require(view["frame"])
    }
    #expect(try frame("note", "/note").contains(#""address":"/note?look=1&of=1-3","#))
    for path in ["/note?look=7", "/note#", "@evil.example/note"] {
      #expect(try frame("note", path).contains(#""address":"/note?look="#), "\(path)")
    }
    #expect(try frame("note", "//elsewhere").contains(#""address":"/note?look="#))
    // The admin port has something of its own there.
    #expect(try frame("board", "/metrics").contains(#""address":"/board.html?look="#))
    #expect(try frame("book", "/books/7").contains(#""address":"/books/7?look="#))
    #expect(try frame("book", "/books/7?look=1").contains(#""address":"/book.html?look="#))
    #expect(try frame("status", "/s").contains(#""address":"","#))
    #expect(rooms.pages.look(1) == nil)
  }

  @Test func `has the address of a room over a slow line, where pages may have one`() throws {
    let rooms = InspectedRooms(pages: ["note": PageRoute(path: "/note", file: "note.html")])
    let file = try #require(rooms.file(ofScreen: "note"))
    #expect(
      file.write(Array((Self.head.replacing(#""tea""#, with: #""緑 茶&x""#) + "\n").utf8)))
    func screen() throws -> TestScreen {
      try TestScreen {
        InspectorViewModel(rooms: rooms, language: .english, room: "1", clock: MainScheduler.instance)
      }
    }
    #expect(try screen()["slow"] == "")

    rooms.pages.know(inputs: [:], slowLinesAt: { "http://127.0.0.1:8080" })
    let view = try screen()
    try view.send(300, to: "latency")
    try view.send(-5, to: "jitter")
    try view.send(1_000, to: "loss")
    #expect(view["latency"] == "300" && view["jitter"] == "0" && view["loss"] == "90")
    #expect(
      view["slow"]
        == "http://127.0.0.1:8080/note?room=%E7%B7%91%20%E8%8C%B6%26x&musubi-latency=300&musubi-jitter=0&musubi-loss=90"
    )
    withExtendedLifetime(file) {}
  }

  @Test func `keeps the newest lines of a room, and what it showed before them`() throws {
    let file = try room((1...400).flatMap { Self.cups($0, bytes: 2_000) })
    let kept = try #require(rooms.room(1))

    #expect(kept.lines.reduce(0) { $0 + $1.bytes } <= InspectedRooms.maxBytesOfRoom)
    let turns = kept.lines.filter(\.isTurn)
    #expect(turns.count > 50 && turns.count < 400)
    let before = InspectorPage(rooms, .init(room: 1, line: turns[0].number - 1), .english)
    #expect(before.tree.first { $0.name == "cups" }?.value == "\(400 - turns.count)")
    #expect(before.turn == 0)
    #expect(InspectorPage(rooms, .init(room: 1), .english).tree.first { $0.name == "cups" }?.value == "400")
    withExtendedLifetime(file) {}
  }

  @Test func `keeps a bounded number of rooms, and those that live before those that have ended`() throws {
    var files = try (0..<InspectedRooms.maxRooms).map { _ in try room([]) }
    #expect(rooms.file(ofScreen: "note") == nil)

    files.remove(at: 5)
    files.append(try room([]))
    #expect(rooms.room(6) == nil && rooms.room(5) != nil && rooms.all.count == InspectedRooms.maxRooms)
    files = []
    #expect(rooms.all.allSatisfy { $0.hasEnded })
  }

  @Test func `says that a room is gone, and that a rule leaves something out`() throws {
    let file = try room([
      #"{"at":2000000,"leftOut":"code"}"#,
      #"{"at":2000000,"turn":{"sequence":1,"patch":[{"op":"replace","path":"/secret/part","value":1}]}}"#,
    ])
    let page = InspectorPage(rooms, .init(room: 1), .english)
    #expect(page.chosen.note.hasPrefix("Something is missing"))
    #expect(page.lines.contains { $0.what == "code, left out by a rule" })
    #expect(InspectorPage(rooms, .init(room: 7), .japanese).chosen.title == "この部屋の記録はもうありません。")
    #expect(InspectorPage(rooms, .init(search: "NOTE/t"), .english).rooms.count == 1)
    #expect(InspectorPage(rooms, .init(search: "nothing"), .english).rooms.isEmpty)
    withExtendedLifetime(file) {}
  }
}
