import Foundation
import MusubiSQLite
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite(.timeLimit(.minutes(5))) final class `A guestbook` {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "guestbook-\(UUID())")
  private var path: String { folder.appending(path: "guestbook.sqlite").path }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func refusal(_ open: () throws -> Void) -> String {
    do {
      try open()
      return "no error"
    } catch {
      return "\(error)".replacing(folder.path, with: "DATA")
    }
  }

  @Test func `shows an entry that is on the disk, in other screens too`() async throws {
    let book = try Guestbook(.file(path))
    let other = try TestScreen { GuestbookModel(book: book) }
    let screen = try TestScreen { GuestbookModel(book: book) }
    try screen.type("Hello", into: "text")
    try screen.tap("sign")
    await screen.settle()

    #expect(screen["text"] == "" && screen["problem"] == "")
    #expect(other["entries"] == #"[{"id":1,"text":"Hello"}]"#)
    await book.close()
    await #expect(throws: Guestbook.Refusal.self) { try await book.sign("late", key: "9") }
  }

  @Test func `has an entry once, however often its input comes`() async throws {
    let book = try Guestbook(.memory)
    for _ in 1...2 { try await book.sign("Hello", key: "session/1") }
    try await book.sign("Hello", key: "session/2")

    let screen = try TestScreen { GuestbookModel(book: book) }
    #expect(screen["entries"] == #"[{"id":2,"text":"Hello"},{"id":1,"text":"Hello"}]"#)
  }

  @Test func `brings an older file up to date, and keeps its entries`() async throws {
    var older = Migrator()
    older.register("entries") { connection in
      try connection.runScript(
        """
        CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
        INSERT INTO entry (text) VALUES ('from before');
        """)
    }
    try older.migrate(SQLiteConnection(.file(path)))
    let book = try Guestbook(.file(path))
    try await book.sign("now", key: "1")

    let screen = try TestScreen { GuestbookModel(book: book) }
    #expect(screen["entries"] == #"[{"id":2,"text":"now"},{"id":1,"text":"from before"}]"#)
  }

  @Test func `says that a file is from a newer program, is no database, or cannot be made`() throws {
    var newer = Guestbook.migrator
    newer.register("pictures") { _ in }
    try newer.migrate(SQLiteConnection(.file(path)))
    #expect(
      refusal { _ = try Guestbook(.file(path)) } == """
        DATA/guestbook.sqlite: The file has the migration "pictures", which this program does not know; use the newer \
        program, or a copy of the file from before it.
        """)

    let letter = folder.appending(path: "letter.txt")
    try Data("Dear guests, ".utf8).write(to: letter)
    #expect(
      refusal { _ = try Guestbook(.file(letter.path)) } == """
        DATA/letter.txt: file is not a database (SQLite code 26), in: PRAGMA journal_mode = WAL; it is no database, or \
        damaged: move it away, or restore a copy.
        """)
    #expect(try Data(contentsOf: letter) == Data("Dear guests, ".utf8))

    #expect(
      refusal { _ = try Guestbook(.file(folder.path + "/nowhere/guestbook.sqlite")) } == """
        DATA/nowhere/guestbook.sqlite: unable to open database file (SQLite code 14); check that its folder is there, and \
        that file and folder may be written.
        """)
  }

  @Test func `says that its file may only be read`() {
    var configuration = DatabaseQueueConfiguration()
    configuration.connection.isReader = true

    let text = refusal { _ = try Guestbook(.file(path), configuration: configuration) }
    #expect(text.hasPrefix("DATA/guestbook.sqlite: attempt to write a readonly database (SQLite code 8)"))
    #expect(text.hasSuffix("; check that its folder is there, and that file and folder may be written."))
  }

  @Test func `keeps the text of who signs when the disk is full, and goes on`() async throws {
    var configuration = DatabaseQueueConfiguration()
    configuration.connection.maxPages = 8
    let book = try Guestbook(.file(path), configuration: configuration)
    let screen = try TestScreen { GuestbookModel(book: book) }
    let long = String(repeating: "long ", count: 10_000)
    try screen.type(long, into: "text")
    try screen.tap("sign")
    await screen.settle()

    #expect(screen["problem"] == "The book is full. Try again tomorrow.")
    #expect(screen["text"] == long && screen["entries"] == "[]")

    try screen.type("short", into: "text")
    try screen.tap("sign")
    await screen.settle()
    #expect(screen["problem"] == "" && screen["entries"] == #"[{"id":1,"text":"short"}]"#)
  }
}
