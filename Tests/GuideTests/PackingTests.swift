import MusubiTesting
import Testing

@testable import GuideExamples

@Suite(.timeLimit(.minutes(5))) struct `A packing list` {
  @Test func `counts what is left to pack`() throws {
    let screen = try TestScreen { PackingModel { "" } }
    try screen.type("Socks", into: "newName")
    try screen.tap("add")
    #expect(screen["summary"] == "1 to pack.")

    try screen.tap("pack", row: "1")
    #expect(screen["summary"] == "Everything is packed.")
  }

  @Test func `shows a thing on a page of its own, and asks before one goes`() throws {
    let screen = try TestScreen { PackingModel { "" } }
    try screen.type("Socks", into: "newName")
    try screen.tap("add")

    try screen.tap("open", row: "1")
    try screen.opened?.tap("pack")
    #expect(screen["summary"] == "Everything is packed.")

    try screen.tap("remove", row: "1")
    #expect(try screen.dialog?.value == #"{"id":1,"name":"Socks"}"#)
    try screen.tap("confirmRemove", row: "1")
    #expect(screen["things"] == "[]")
  }

  @Test func `tells that it asks for the forecast, and why that has failed`() async throws {
    struct Offline: Error {}
    let screen = try TestScreen { PackingModel { throw Offline() } }
    try screen.tap("ask")
    await screen.settle()

    #expect(screen["asking"] == "false")
    #expect(screen["problem"] == "Offline()")
  }
}
