// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiTesting
import Observation
import Testing

@testable import MusubiBinding

private struct Question: Encodable {
  let id: Int
  let title: String
}

private struct Unspeakable: Encodable {
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "no words"))
  }
}

@Observable private final class Detail {
  let title: String
  init(_ title: String) { self.title = title }
}

private final class Streams: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let title: Driver<String> }
  func bind(_ inputs: Inputs) -> Outputs { Outputs(title: .just("streams")) }
}

private final class Plain: View {
  private let title = Label("title")
  init(_ text: String) {
    super.init()
    title.text = text
  }
}

/// A list, as SwiftUI would show it.
@Observable private final class Index {
  var names = [1: "tea", 2: "milk"]
  var detail: Detail?
  var streams: Streams?
  var plain: String?
  var question: Question?
  var isSure = false
  var riddle: Unspeakable?
  var part: Index?
  var opened = 0

  func open(_ id: Int) { detail = names[id].map(Detail.init) }
  func askDelete(_ id: Int) { question = names[id].map { Question(id: id, title: "Delete \($0)?") } }
  func openLater() async {
    await Task.yield()
    detail = Detail("later")
  }
}

@Observable private final class Row: Identifiable {
  let id = 1
  var question: Question?
}

@Observable private final class Ledger {
  var rows = [Row()]
}

extension Detail: ObservableViewModel {
  static var bindings: [PageBinding<Detail>] { [.output("title", \.title)] }
}

extension Index: ObservableViewModel {
  static var bindings: [PageBinding<Index>] {
    [
      .destination("detail", \.detail), .destination("streams", \.streams) { $0 },
      .destination("plain", \.plain) { Plain($0) },
      .dialog("askDelete", \.question), .dialog("askSure", isPresented: \.isSure),
      .dialog("riddle", \.riddle),
      .output("names", \.names), .output("isAsking", \.isAsking),
      .action("open") { (index, id: Int) in index.open(id) },
      .action("openStreams") { $0.streams = Streams() }, .action("openPlain") { $0.plain = "plain" },
      .action("openLater") { await $0.openLater() },
      .action("delete") { (index, id: Int) in index.askDelete(id) },
      .action("confirmDelete") { (index, id: Int) in index.names[id] = nil },
      .action("clear") { $0.isSure = true }, .action("ponder") { $0.riddle = Unspeakable() },
    ]
  }

  var isAsking: Bool { question != nil }
}

extension Row: ObservableViewModel {
  static var bindings: [PageBinding<Row>] { [.dialog("askRow", \.question)] }
}

extension Ledger: ObservableViewModel {
  static var bindings: [PageBinding<Ledger>] { [.rows("rows", \.rows)] }
}

@Observable private final class Shelf {
  var index = Index()
}

extension Shelf: ObservableViewModel {
  static var bindings: [PageBinding<Shelf>] { [.child("index", \.index)] }
}

@Suite(.timeLimit(.minutes(5))) struct `An observable model that asks something of its page` {
  @Test func `opens the model that a property holds, and is without it then`() throws {
    let index = Index()
    let screen = try TestScreen { index }
    #expect(try screen.opened == nil)

    try screen.send(2, to: "open")
    #expect(try screen.opened?["title"] == "milk")
    #expect(index.detail == nil)

    try screen.send(1, to: "open")
    #expect(try screen.opened?["title"] == "tea")
    let tea = try screen.opened
    #expect(try screen.opened === tea, "It opens once.")
  }

  @Test func `opens inputs and outputs, and Views, of a content`() throws {
    let screen = try TestScreen { Index() }
    try screen.tap("openStreams")
    #expect(try screen.opened?["title"] == "streams")
    try screen.tap("openPlain")
    #expect(try screen.opened?["title"] == "plain")
  }

  @Test func `opens what an action that waits has found`() async throws {
    let screen = try TestScreen { Index() }
    try screen.tap("openLater")
    await screen.settle()

    #expect(try screen.opened?["title"] == "later")
  }

  @Test func `asks the question that a property holds, each time anew`() throws {
    let index = Index()
    let screen = try TestScreen { index }
    try screen.send(2, to: "delete")
    #expect(try screen.dialog == .init(name: "askDelete", value: #"{"id":2,"title":"Delete milk?"}"#))
    #expect(index.question == nil)
    #expect(screen["isAsking"] == "false")

    try screen.tap("clear")
    #expect(try screen.dialog == .init(name: "askSure"))
    #expect(!index.isSure)
    try screen.send(2, to: "delete")
    #expect(try screen.dialog?.name == "askDelete")

    try screen.send(2, to: "confirmDelete")
    #expect(screen["names"]?.contains("milk") == false)
  }

  @Test func `tells that a question cannot be asked`() throws {
    let instance = try ScreenInstance("index") { ObservableScreen(Index(), name: "index") }
    try instance.deliver("ponder", nil)
    instance.board.updateRequests()

    #expect(instance.board.takeRequests().isEmpty)
    let problems = instance.board.takeProblems()
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix(#"the question "riddle" of Index was not asked: "#) == true)
  }

  @Test func `asks as a part, under its joined name`() throws {
    let screen = try TestScreen { Shelf() }
    try screen.send(1, to: "indexDelete")

    #expect(try screen.dialog?.name == "indexAskDelete")
  }

  @Test func `names its destinations and dialogs when the server starts`() throws {
    let schema = try ScreenInstance("index") { ObservableScreen(Index(), name: "index") }.schema

    #expect(schema.events == ["detail", "streams", "plain", "askDelete", "askSure", "riddle"])
    #expect(schema.destinations.map(\.typeName) == ["Detail", "Streams", "Plain"])
  }

  @Test func `does not ask from a row`() {
    #expect {
      try TestScreen { Ledger() }
    } throws: { error in
      "\(error)" == """
        Screen "Ledger": the dialog "askRow" of Row is in a row, and only screens ask: bind it in the model of the list.
        """
    }
  }
}
