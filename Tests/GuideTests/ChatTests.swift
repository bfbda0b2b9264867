import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A chat` {
  private let model = ChatModel()

  @Test func `keeps the newest lines, and their ids go on`() throws {
    for number in 1...30 { model.say("Line \(number)", author: "Ann") }

    #expect(model.lines.value.first?.id == 7)
    #expect(model.lines.value.last == ChatLine(id: 30, author: "Ann", text: "Line 30"))
  }

  @Test func `clears what was said`() throws {
    let shared = Shared(model, sender: Visitor(id: "a", displayName: "Ann"))
    let screen = try TestScreen { ChatViewModel(chat: shared) }

    try screen.type("Hello", into: "draft")
    try screen.tap("say")

    #expect(screen["draft"] == "")
    #expect(model.lines.value.map(\.text) == ["Hello"])
  }
}
