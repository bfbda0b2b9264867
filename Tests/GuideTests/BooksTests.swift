import MusubiTesting
import Testing

@testable import GuideExamples

@Suite(.timeLimit(.minutes(5))) struct `Books` {
  static func screen(_ query: [String: String]) throws -> TestScreen {
    try TestScreen(query: query) { context in
      BooksViewModel(shelf: context.query["shelf"], word: context.query["word"])
    }
  }

  @Test func `begin with the shelf and the word of the address`() throws {
    let screen = try Self.screen(["shelf": "unread", "word": "雪"])

    #expect(screen["shelf"] == "unread")
    #expect(screen["books"] == #"[{"id":3,"title":"雪国","isRead":false,"address":"/books/3"}]"#)
  }

  @Test func `begin with all of them if the address names no shelf that exists`() throws {
    #expect(try Self.screen(["shelf": "burnt"])["shelf"] == "all")
    #expect(try Self.screen([:])["shelf"] == "all")
  }

  @Test func `follow Back and Forward, which send what a control sends`() throws {
    let screen = try Self.screen(["shelf": "unread"])
    try screen.send(Shelf.read, to: "shelf")

    #expect(screen["shelf"] == "read")
  }
}
